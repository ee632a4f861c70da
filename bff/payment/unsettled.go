package payment

import (
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// Unsettled returns the numbers of the attempts whose money an operator has to deal with, by a
// refund or an agreement with the shopper: what a confirmed order was paid too much, what arrived
// for an attempt that has ended, and what confirmed an order that the merchant had canceled.
func (s *Session) Unsettled(coins Coins) (numbers []int) {
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if a.Paid.GreaterThan(a.Settled) && s.isOwed(a, coins) {
			numbers = append(numbers, a.Number)
		}
	}
	return numbers
}

// isOwed reports whether money of a pays for nothing. An operator who has resolved a review of a
// has decided about its money, too.
func (s *Session) isOwed(a *Attempt, coins Coins) bool {
	switch {
	case a.ResolvedCount > 0:
		return false
	case a.State == Confirmed:
		return a.Overpaid(a.Digits(coins)) != "" || s.ClosedBy == ClosedByMerchant
	}
	return (a.State == Expired || a.State == Cancelled) && a.Paid.IsPositive()
}

// Settle records that an operator has dealt with all money that is unsettled; money that arrives
// later is unsettled again. The reason is for the timeline. Errors: *wire.Error with CodeInvalid
// for an empty or overlong reason, CodeNotPossible if nothing is unsettled.
func (s *Session) Settle(reason, by string, coins Coins, now time.Time) error {
	if reason == "" || !isLine(reason, maxMetaValue) {
		return NewError(wire.CodeInvalid, "reason")
	}
	numbers := s.Unsettled(coins)
	if len(numbers) == 0 {
		return NewError(wire.CodeNotPossible, "")
	}

	for _, number := range numbers {
		a := s.Attempt(number)
		a.Settled = a.Paid
	}
	s.AppendTimeline(now, by, "session.settled", reason)
	s.ErasedAt = time.Time{} // the reason may name a person
	return nil
}

// UnsettledAmount returns what is to be dealt with of an attempt that is unsettled, as decimal text
// in its coin: the excess of a confirmed order, all of any other money.
func (a *Attempt) UnsettledAmount(coins Coins) string {
	over := a.Overpaid(a.Digits(coins))
	if a.State == Confirmed && over != "" {
		return over
	}
	return FormatAmount(decimal.Max(a.Paid.Sub(a.Settled), decimal.Zero))
}
