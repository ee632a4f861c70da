package checkout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/currency"
	"coinslot/bff/locale"
	"coinslot/bff/payment"
)

// Price returns o with the dollars that it is charged as now. One in dollars stays as it is. It
// calls Config.PriceRefused.
//
// Errors: *wire.Error with CodeCurrencyUnsupported, CodeRateUnavailable, or CodeAmountInvalid if
// the dollars are too many; the store's.
func (c *Service) Price(ctx context.Context, o payment.Order) (payment.Order, error) {
	o, err := c.convert(ctx, o)
	c.reportRefusedPrice(err)
	return o, err
}

// reportRefusedPrice calls Config.PriceRefused if err says that a price cannot be converted.
func (c *Service) reportRefusedPrice(err error) {
	refused, ok := errors.AsType[*wire.Error](err)
	if !ok {
		return
	}
	switch refused.Code {
	case wire.CodeRateUnavailable, wire.CodeCurrencyUnsupported:
		c.PriceRefused(refused.Code)
	}
}

// convert is Price without a call of Config.PriceRefused.
func (c *Service) convert(ctx context.Context, o payment.Order) (payment.Order, error) {
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

// addPrice fills in the price of an order, as programs and as people of the page's language read it.
func addPrice(w *wire.Order, order payment.Order, o ViewOptions) {
	_, code := order.Price()
	w.Amount = order.PriceText()
	w.Currency = code
	w.AmountUSD = order.AmountUSD.StringFixed(2)
	w.Price = locale.FormatPrice(o.Lang, code, w.Amount)

	w.Rate = order.Rate
	if w.Rate == nil || o.Translate == nil {
		return
	}
	charge := o.Translate("order.charge",
		"price", locale.FormatPrice(o.Lang, currency.USD, w.AmountUSD))
	day, _ := time.Parse(time.RFC3339, w.Rate.AsOf) // it was written here
	source := o.Translate("order.rate."+w.Rate.Source, "day", locale.FormatDay(o.Lang, day))
	w.Charge = charge + " · " + source
}
