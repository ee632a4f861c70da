package payment

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// Refund is money that the merchant has sent back by a wallet of their own, as the merchant or
// an operator recorded it afterwards: Coinslot and its gateway send nothing.
type Refund struct {
	Amount         decimal.Decimal `json:"amount"` // that was sent, in the coin, without fees
	CurrencySymbol string          `json:"currency_symbol"`
	NetworkCode    string          `json:"network_code"`
	TxID           string          `json:"tx_id"` // on the blockchain; unique in a session
	Reason         string          `json:"reason,omitempty"`
	By             string          `json:"by"` // see [Console]
	RecordedAt     time.Time       `json:"recorded_at"`
}

// RefundTerms is what a refund is validated against.
type RefundTerms struct {
	// ConfirmExcess allows that more goes back than arrived in its coin.
	ConfirmExcess bool
	Coins         Coins
}

// maxRefunds bounds the refunds of a session.
const maxRefunds = 50

// refundAmountText is decimal text of the amounts that any coin can carry.
var refundAmountText = regexp.MustCompile(`^(0|[1-9][0-9]{0,29})(\.[0-9]{1,30})?$`)

// ParseRefundAmount parses an amount in a coin: digits and a point, more than zero. Errors:
// *wire.Error with CodeInvalid for none, else CodeAmountInvalid; Param is "amount".
func ParseRefundAmount(text string) (decimal.Decimal, error) {
	if text == "" {
		return decimal.Zero, refundError(wire.CodeInvalid, "amount",
			`amount is required: decimal text in the coin, like "2.5"`)
	}
	if !refundAmountText.MatchString(text) {
		return decimal.Zero, refundError(wire.CodeAmountInvalid, "amount",
			"the amount must be digits and a point, without sign, exponent or separators")
	}
	amount, err := decimal.NewFromString(text)
	if err != nil || !amount.IsPositive() {
		return decimal.Zero, refundError(wire.CodeAmountInvalid, "amount",
			"the amount must be more than zero")
	}
	return amount, nil
}

func refundError(code wire.Code, param, detail string) error {
	return &wire.Error{Code: code, Param: param, Detail: detail}
}

// Refund records a refund that was paid. A session stays as it is otherwise: a confirmed one stays
// confirmed. Coin and network are stored as the attempt has them that was paid in them.
//
// Errors: ErrUnchanged if the same refund is recorded already; *wire.Error with CodeInvalid or
// CodeAmountInvalid and the wrong member as Param, which is "tx_id" too for a transaction that paid
// the session; CodeRefundConflict if another refund with its transaction is recorded;
// CodeRefundExceeds if more would have gone back than arrived; CodeNotPossible if no money was ever
// seen, the session was deleted or has 50 refunds.
func (s *Session) Refund(r Refund, terms RefundTerms, now time.Time) error {
	coins := terms.Coins
	if a := s.attemptIn(r.CurrencySymbol, r.NetworkCode, coins); a != nil {
		r.CurrencySymbol = a.CurrencySymbol
		r.NetworkCode = a.NetworkCode
	}
	if err := r.validate(coins); err != nil {
		return err
	}

	known := slices.IndexFunc(s.Refunds, func(k Refund) bool {
		return sameTx(coins, k.NetworkCode, k.TxID, r.TxID)
	})
	if known >= 0 {
		return s.Refunds[known].repeatedBy(r)
	}

	switch {
	case s.Deleted || !s.EverPaid() || len(s.Refunds) >= maxRefunds:
		return NewError(wire.CodeNotPossible, "")
	case s.isPaidBy(r.TxID, coins):
		return refundError(wire.CodeInvalid, "tx_id",
			"this transaction paid the order: send the one that went back")
	case !terms.ConfirmExcess && r.Amount.GreaterThan(s.refundable(r)):
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

// validate returns nil, or a *wire.Error for the first wrong member.
func (r Refund) validate(coins Coins) error {
	switch {
	case r.CurrencySymbol == "":
		return refundError(wire.CodeInvalid, "currency_symbol",
			"currency_symbol is required: the coin that was sent back, as the attempt has it")
	case r.NetworkCode == "":
		return refundError(wire.CodeInvalid, "network_code",
			"network_code is required: the network that it was sent on, as the attempt has it")
	case !currencyText.MatchString(r.CurrencySymbol):
		return NewError(wire.CodeInvalid, "currency_symbol")
	case !currencyText.MatchString("X_" + r.NetworkCode):
		return NewError(wire.CodeInvalid, "network_code")
	}

	digits := coins.Decimals(r.CurrencySymbol, r.NetworkCode)
	if !r.Amount.IsPositive() || !r.Amount.Equal(r.Amount.Truncate(digits)) {
		return refundError(wire.CodeAmountInvalid, "amount",
			"the amount must be more than zero, with at most the fractional digits that the coin "+
				"can carry")
	}

	if r.TxID == "" {
		return refundError(wire.CodeInvalid, "tx_id",
			"tx_id is required: the id of the transaction that sent the money back")
	}
	if _, err := coins.TransactionKey(r.NetworkCode, r.TxID); err != nil {
		return refundError(wire.CodeInvalid, "tx_id", err.Error())
	}
	if !isLine(r.Reason, maxMetaValue) {
		return NewError(wire.CodeInvalid, "reason")
	}
	return nil
}

// repeatedBy returns ErrUnchanged if o is the same refund again, else CodeRefundConflict.
func (r Refund) repeatedBy(o Refund) error {
	if r.Amount.Equal(o.Amount) && r.isIn(o.CurrencySymbol, o.NetworkCode) {
		return ErrUnchanged
	}
	return NewError(wire.CodeRefundConflict, "tx_id")
}

// isIn reports whether r was sent in a coin on a network, as an attempt spells them.
func (r Refund) isIn(symbol, network string) bool {
	return SameName(r.CurrencySymbol, symbol) && SameName(r.NetworkCode, network)
}

// attemptIn returns the latest attempt in a coin, by any symbol that it has or had, on a network;
// nil = none.
func (s *Session) attemptIn(symbol, network string, coins Coins) *Attempt {
	others := coins.OtherSymbols(symbol, network)
	for _, symbol := range append([]string{symbol}, others...) {
		for i := len(s.Attempts) - 1; i >= 0; i-- {
			a := &s.Attempts[i]
			if SameName(a.CurrencySymbol, symbol) && SameName(a.NetworkCode, network) {
				return a
			}
		}
	}
	return nil
}

// isPaidBy reports whether id is a transaction that the gateway has reported for s.
func (s *Session) isPaidBy(id string, coins Coins) bool {
	return slices.ContainsFunc(s.Attempts, func(a Attempt) bool {
		return sameTx(coins, a.NetworkCode, a.TxID, id) ||
			slices.ContainsFunc(a.Txs, func(tx Tx) bool {
				return sameTx(coins, a.NetworkCode, tx.ID, id)
			})
	})
}

// sameTx reports whether two ids are of one transaction on a network. What is no id there, such as
// one that only the gateway writes so, is compared as it is.
func sameTx(coins Coins, network, a, b string) bool {
	if a == b {
		return true
	}
	if coins == nil {
		return false
	}
	left, errLeft := coins.TransactionKey(network, a)
	right, errRight := coins.TransactionKey(network, b)
	return errLeft == nil && errRight == nil && left == right
}

// RefundURL returns the page of r in an explorer: that of a payment for s on the same network, with
// the id of r in it. "" = the gateway has linked none.
func (s *Session) RefundURL(r Refund, coins Coins) string {
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if !SameName(a.NetworkCode, r.NetworkCode) {
			continue
		}
		for _, tx := range append([]Tx{{a.TxID, a.TxURL}}, a.Txs...) {
			if tx.ID == "" || strings.Count(tx.URL, tx.ID) != 1 {
				continue
			}
			id := spelledLike(coins, r, tx.ID)
			return ExplorerURL(strings.Replace(tx.URL, tx.ID, url.QueryEscape(id), 1))
		}
	}
	return ""
}

// spelledLike returns the id of r as that of another transaction on its network is written: an
// explorer may know one spelling only.
func spelledLike(coins Coins, r Refund, other string) string {
	if coins == nil {
		return r.TxID
	}
	key, err := coins.TransactionKey(r.NetworkCode, other)
	if err != nil || key != other {
		return r.TxID
	}
	key, err = coins.TransactionKey(r.NetworkCode, r.TxID)
	if err != nil {
		return r.TxID
	}
	return key
}
