package order

import (
	"net/http"

	"coinslot/app/wire"
	"coinslot/bff/currency"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// price is what one order costs: dollars, or an amount in another currency.
type price struct {
	dollars  decimal.Decimal
	amount   decimal.Decimal
	currency string // ISO 4217; empty = dollars
}

// readPrice reads either amount_usd, or amount and currency; nil members are absent. An amount in
// USD is the same as amount_usd. A currency without a rate is refused later, when it is converted.
//
// Errors: *wire.Error with CodeAmountRequired, CodeAmountInvalid or CodeInvalid, whose Param is the
// member.
func readPrice(amountUSD, amount, code *string) (price, error) {
	switch {
	case amountUSD != nil && amount == nil && code == nil:
		dollars, err := payment.ParseAmount(*amountUSD)
		return price{dollars: dollars}, err
	case amountUSD != nil:
		return price{}, refuse("amount_usd", "send either amount_usd, or amount and currency")
	case amount == nil && code == nil:
		return price{}, payment.NewError(wire.CodeAmountRequired, "amount_usd")
	case amount == nil:
		return price{}, payment.NewError(wire.CodeAmountRequired, "amount")
	case code == nil:
		return price{}, refuse("currency", "amount needs currency, an ISO 4217 code like EUR")
	}
	return parsePrice(*amount, *code)
}

// parsePrice reads an amount in a currency. Errors: as for readPrice.
func parsePrice(text, code string) (price, error) {
	amount, err := currency.ParseAmount(text, code)
	if err != nil {
		return price{}, &wire.Error{
			Code:   wire.CodeAmountInvalid,
			Status: http.StatusBadRequest,
			Param:  "amount",
			Detail: err.Error(),
		}
	}
	if code == currency.USD {
		return price{dollars: amount}, nil
	}
	return price{amount: amount, currency: code}, nil
}

func refuse(param, detail string) error {
	return &wire.Error{Code: wire.CodeInvalid, Param: param, Detail: detail}
}
