package checkout

import (
	"context"
	"fmt"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Price returns o with the dollars that it is charged as now. One in dollars stays as it is.
//
// Errors: *wire.Error with CodeCurrencyUnsupported, CodeRateUnavailable, or CodeAmountInvalid if
// the dollars are too many; the store's.
func (c *Service) Price(ctx context.Context, o payment.Order) (payment.Order, error) {
	if o.InDollars() {
		return o, nil
	}
	if c.Rates == nil {
		const detail = "prices are possible in USD only: set COINSLOT_RATES for other currencies"
		err := &wire.Error{Code: wire.CodeCurrencyUnsupported, Param: "currency", Detail: detail}
		return o, err
	}

	dollars, rate, err := c.Rates.Convert(ctx, o.Amount, o.Currency)
	if err != nil {
		return o, fmt.Errorf("converting a price in %s: %w", o.Currency, err)
	}
	o.AmountUSD = dollars
	o.Rate = &rate
	return o, o.Validate()
}
