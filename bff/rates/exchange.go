package rates

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// Exchange converts prices at the stored rates. It implements checkout.Rates.
type Exchange struct {
	Store         Store
	SpreadPercent decimal.Decimal
	Now           func() time.Time
}

// Convert returns what an amount of a currency is charged as now, and the rate that proves it.
//
// Errors: *wire.Error with CodeCurrencyUnsupported, CodeRateUnavailable, or CodeAmountInvalid if
// the amount comes to too many dollars; the store's.
func (x *Exchange) Convert(
	ctx context.Context, amount decimal.Decimal, code string,
) (decimal.Decimal, payment.Rate, error) {
	state, _, err := x.Store.LoadRates(ctx)
	if err != nil {
		return decimal.Zero, payment.Rate{}, fmt.Errorf("loading exchange rates: %w", err)
	}

	quote, err := state.Quote(amount, code, x.SpreadPercent, x.Now())
	if err != nil {
		return decimal.Zero, payment.Rate{}, publicError(err, state)
	}
	return quote.AmountUSD, payment.Rate{
		USDPerUnit:    quote.Rate.USDPerUnit(),
		Exact:         quote.Rate.Fraction,
		Source:        quote.Rate.Source,
		AsOf:          quote.Rate.AsOf,
		SpreadPercent: quote.SpreadPercent.String(),
	}, nil
}

// publicError returns an error of Quote as a merchant sees it.
func publicError(err error, s State) error {
	refused := payment.NewError(wire.CodeRateUnavailable, "currency")
	refused.Detail = err.Error()
	switch {
	case errors.Is(err, ErrUnsupported):
		refused.Code = wire.CodeCurrencyUnsupported
		refused.Detail = "supported currencies: " + strings.Join(s.Supported(), ", ")
	case errors.Is(err, ErrTooLarge):
		refused.Code = wire.CodeAmountInvalid
		refused.Param = "amount"
	}
	return refused
}
