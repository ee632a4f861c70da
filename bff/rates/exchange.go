package rates

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// Exchange converts prices at the stored rates. It implements checkout.Rates.
type Exchange struct {
	Store Store
	// Source is the name of the configured source. Stored rates of another one are not used.
	Source        string
	SpreadPercent decimal.Decimal
	Now           func() time.Time
}

// Load returns the stored rates of the source; there are none until it was read. Errors: the
// store's.
func (x *Exchange) Load(ctx context.Context) (State, error) {
	state, _, err := x.Store.LoadRates(ctx)
	if err != nil {
		return State{}, fmt.Errorf("loading exchange rates: %w", err)
	}
	if state.Source != x.Source {
		return State{Source: x.Source}, nil
	}
	return state, nil
}

// Convert returns what an amount of a currency is charged as now, and the rate that proves it.
//
// Errors: *wire.Error with CodeCurrencyUnsupported, CodeRateUnavailable, or CodeAmountInvalid if
// the amount comes to too many dollars; the store's.
func (x *Exchange) Convert(
	ctx context.Context, amount decimal.Decimal, code string,
) (decimal.Decimal, wire.Rate, error) {
	state, err := x.Load(ctx)
	if err != nil {
		return decimal.Zero, wire.Rate{}, err
	}

	dollars, rate, err := state.Quote(amount, code, x.SpreadPercent, x.Now())
	if err != nil {
		return decimal.Zero, wire.Rate{}, publicError(err, state)
	}
	return dollars, wire.Rate{
		USDPerUnit:    rate.USDPerUnit(),
		Exact:         rate.Fraction,
		Source:        rate.Source,
		AsOf:          rate.AsOf.UTC().Format(time.RFC3339),
		SpreadPercent: x.SpreadPercent.String(),
	}, nil
}

// publicError returns an error of Quote as a merchant sees it. The chain keeps an
// *UnavailableError, which says when to ask again.
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
		refused.Status = http.StatusBadRequest
	}
	return fmt.Errorf("%w: %w", refused, err)
}

// Listed is the rate of one currency in the API. All numbers are decimal text.
type Listed struct {
	Currency   string  `json:"currency"`
	USDPerUnit string  `json:"usd_per_unit"`       // of the last rate in use; empty = there was none
	Exact      string  `json:"usd_per_unit_exact"` // the same in the digits of the source
	Source     string  `json:"source"`
	AsOf       *string `json:"as_of"`       // RFC 3339, UTC; nil = there was none
	ValidUntil *string `json:"valid_until"` // likewise; nil = without limit
	Usable     bool    `json:"usable"`      // sessions can be opened
	Reason     Reason  `json:"reason"`      // why not; empty if it is usable
}

// List returns what is known of each currency now, sorted by code, without the dollar. Errors: the
// store's.
func (x *Exchange) List(ctx context.Context) ([]Listed, error) {
	state, err := x.Load(ctx)
	if err != nil {
		return nil, err
	}

	list := []Listed{}
	for _, code := range slices.Sorted(maps.Keys(state.Currencies)) {
		entry := state.Currencies[code]
		_, reason := entry.Usable(x.Now())
		list = append(list, Listed{
			Currency:   code,
			USDPerUnit: entry.Rate.USDPerUnit(),
			Exact:      entry.Rate.Fraction,
			Source:     entry.Rate.Source,
			AsOf:       timeOrNil(entry.Rate.AsOf),
			ValidUntil: timeOrNil(entry.Rate.ValidUntil),
			Usable:     reason == "",
			Reason:     reason,
		})
	}
	return list, nil
}

func timeOrNil(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(time.RFC3339)
	return &text
}

// Accept puts the held rate of a currency in use. fraction is the one that the operator saw.
//
// Errors: ErrNotHeld, and nothing has changed; ErrConflict, if the rates were changed meanwhile, many
// times; the store's.
func (x *Exchange) Accept(ctx context.Context, currency, fraction string) error {
	for range saveTries {
		state, version, err := x.Store.LoadRates(ctx)
		if err != nil {
			return fmt.Errorf("loading exchange rates: %w", err)
		}
		state, err = state.Accept(currency, fraction)
		if err != nil {
			return err
		}

		err = x.Store.SaveRates(ctx, state, version)
		if errors.Is(err, ErrConflict) {
			continue
		}
		return err
	}
	return fmt.Errorf("accepting a rate of %s: %w %d times", currency, ErrConflict, saveTries)
}
