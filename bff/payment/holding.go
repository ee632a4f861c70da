package payment

import (
	"slices"

	"github.com/shopspring/decimal"
)

// arrived returns what arrived for a, in its coin. The gateway may leave the amount of a confirmed
// attempt out if it is the requested one.
func (a *Attempt) arrived() decimal.Decimal {
	if a.State == Confirmed && a.Paid.IsZero() {
		return a.PayAmount
	}
	return a.Paid
}

// refundable returns how much arrived in the coin of r and was not sent back; never less than zero.
func (s *Session) refundable(r Refund) decimal.Decimal {
	var left decimal.Decimal
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if r.isIn(a.CurrencySymbol, a.NetworkCode) {
			left = left.Add(a.arrived())
		}
	}
	for _, known := range s.Refunds {
		if r.isIn(known.CurrencySymbol, known.NetworkCode) {
			left = left.Sub(known.Amount)
		}
	}
	return decimal.Max(left, decimal.Zero)
}

// Holding is money of a session in one coin on one network.
type Holding struct {
	Attempt *Attempt        // one that was paid in it
	Amount  decimal.Decimal // that arrived and was not sent back; may be zero
	Excess  decimal.Decimal // how much of it is more than was asked for
}

// Holdings returns what arrived for s in each coin, that of the current attempt first, also if the
// gateway has reported no amount. Nil = no money was seen.
func (s *Session) Holdings(coins Coins) (list []Holding) {
	current := s.Current()
	for _, a := range s.paidAttempts() {
		like := Refund{CurrencySymbol: a.CurrencySymbol, NetworkCode: a.NetworkCode}
		isKnown := slices.ContainsFunc(list, func(h Holding) bool {
			return like.isIn(h.Attempt.CurrencySymbol, h.Attempt.NetworkCode)
		})
		if isKnown {
			continue
		}

		h := Holding{Attempt: a, Amount: s.refundable(like)}
		if a == current {
			h.Excess = s.Excess(coins)
		}
		list = append(list, h)
	}
	return list
}

// paidAttempts returns those that money was seen for, the current one first.
func (s *Session) paidAttempts() (list []*Attempt) {
	current := s.Current()
	for i := range s.Attempts {
		a := &s.Attempts[i]
		switch {
		case !a.everPaid():
		case a == current:
			list = slices.Insert(list, 0, a)
		default:
			list = append(list, a)
		}
	}
	return list
}

// Excess returns how much more than was asked for has arrived for the current attempt and was not
// sent back, in its coin; never less than zero.
func (s *Session) Excess(coins Coins) decimal.Decimal {
	a := s.Current()
	if a == nil {
		return decimal.Zero
	}

	excess := a.overpaid(a.Digits(coins)).Sub(s.sentBack(a))
	return decimal.Max(excess, decimal.Zero)
}
