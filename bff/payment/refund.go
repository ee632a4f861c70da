package payment

import (
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// Refund is money that the merchant has sent back by a wallet of their own, as somebody recorded
// it afterwards: Coinslot and its gateway send nothing.
type Refund struct {
	Amount         decimal.Decimal `json:"amount"` // that was sent, in the coin, without fees
	CurrencySymbol string          `json:"currency_symbol"`
	NetworkCode    string          `json:"network_code"`
	TxID           string          `json:"tx_id"` // on the blockchain; different in each of a session
	Reason         string          `json:"reason,omitempty"`
	By             string          `json:"by"` // see [Console]
	RecordedAt     time.Time       `json:"recorded_at"`
}

// maxRefunds bounds the refunds of a session.
const maxRefunds = 50

// Validate returns nil, or a *wire.Error with CodeInvalid or CodeAmountInvalid and the first wrong
// member as Param. digits is how many fractional digits the coin can carry.
func (r Refund) Validate(digits int32) error {
	switch {
	case !r.Amount.IsPositive() || !r.Amount.Equal(r.Amount.Truncate(digits)):
		return NewError(wire.CodeAmountInvalid, "amount")
	case !currencyText.MatchString(r.CurrencySymbol + "_" + r.NetworkCode):
		return NewError(wire.CodeInvalid, "currency_symbol")
	case r.TxID == "" || !isLine(r.TxID, maxTxID):
		return NewError(wire.CodeInvalid, "tx_id")
	case !isLine(r.Reason, maxMetaValue):
		return NewError(wire.CodeInvalid, "reason")
	}
	return nil
}

// maxTxID bounds the id of a transaction, in characters.
const maxTxID = 128

// Refund records a refund that was paid. more allows that more goes back than arrived in its coin.
// A session stays as it is otherwise: a confirmed one stays confirmed.
//
// Errors: ErrUnchanged if the same refund is recorded already; *wire.Error with CodeRefundConflict
// if another one with its transaction is, CodeRefundExceeds if more would have gone back than
// arrived, CodeInvalid with Param "tx_id" for a transaction that paid the session,
// CodeNotPossible if no money was ever seen, the session was deleted or has 50 refunds.
func (s *Session) Refund(r Refund, more bool, now time.Time) error {
	known := slices.IndexFunc(s.Refunds, func(k Refund) bool { return k.TxID == r.TxID })
	if known >= 0 {
		return s.Refunds[known].repeatedBy(r)
	}

	switch {
	case s.Deleted || !s.EverPaid() || len(s.Refunds) == maxRefunds:
		return NewError(wire.CodeNotPossible, "")
	case s.isPaidBy(r.TxID):
		return NewError(wire.CodeInvalid, "tx_id")
	case !more && r.Amount.GreaterThan(s.Refundable(r.CurrencySymbol, r.NetworkCode)):
		return NewError(wire.CodeRefundExceeds, "amount")
	}

	r.RecordedAt = now.UTC()
	s.Refunds = append(slices.Clone(s.Refunds), r)
	s.AppendTimeline(now, r.By, "session.refunded", FormatAmount(r.Amount)+" "+r.CurrencySymbol)
	if r.Reason != "" {
		s.ErasedAt = time.Time{} // it may name a person
	}
	return nil
}

// repeatedBy returns ErrUnchanged if o is the same refund, told again, else CodeRefundConflict.
func (r Refund) repeatedBy(o Refund) error {
	if r.Amount.Equal(o.Amount) && r.isIn(o.CurrencySymbol, o.NetworkCode) {
		return ErrUnchanged
	}
	return NewError(wire.CodeRefundConflict, "tx_id")
}

// isIn reports whether r was sent in a coin on a network.
func (r Refund) isIn(symbol, network string) bool {
	return strings.EqualFold(r.CurrencySymbol, symbol) && strings.EqualFold(r.NetworkCode, network)
}

// isPaidBy reports whether id is a transaction that the gateway has reported for s.
func (s *Session) isPaidBy(id string) bool {
	return slices.ContainsFunc(s.Attempts, func(a Attempt) bool {
		return a.TxID == id || slices.ContainsFunc(a.Txs, func(tx Tx) bool { return tx.ID == id })
	})
}

// Refundable returns how much of a coin on a network arrived in all attempts of s and was not sent
// back; never less than zero.
func (s *Session) Refundable(symbol, network string) decimal.Decimal {
	var left decimal.Decimal
	for _, a := range s.Attempts {
		if strings.EqualFold(a.CurrencySymbol, symbol) && strings.EqualFold(a.NetworkCode, network) {
			left = left.Add(a.Paid)
		}
	}
	for _, r := range s.Refunds {
		if r.isIn(symbol, network) {
			left = left.Sub(r.Amount)
		}
	}
	return decimal.Max(left, decimal.Zero)
}
