package payment

import (
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// Unsettled returns the numbers of the attempts whose money an operator has to deal with, by a
// refund or an agreement with the shopper: what a confirmed order was paid too much, what arrived
// for an attempt that has ended, and what confirmed an order that the merchant had canceled. What
// was recorded as sent back is dealt with. An attempt that [Attempt.IsTakenBack] is one of them: its
// money may not be there.
func (s *Session) Unsettled(coins Coins) (numbers []int) {
	for i := range s.Attempts {
		a := &s.Attempts[i]
		isOwed := s.isOwed(a, coins) && s.unsettled(a, coins).IsPositive()
		if isOwed || a.IsTakenBack() {
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
	return a.hasEndedUnpaid() && a.Paid.IsPositive()
}

// hasEndedUnpaid reports whether all money of a pays for nothing.
func (a *Attempt) hasEndedUnpaid() bool { return a.State == Expired || a.State == Cancelled }

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
		a.Settled = a.arrived()
		a.DoubtSettled = a.DoubtSettled || a.IsTakenBack()
	}
	s.AppendTimeline(now, by, "session.settled", reason)
	s.ErasedAt = time.Time{} // the reason may name a person
	return nil
}

// UnsettledAmount returns what is to be dealt with of an attempt that is unsettled, as decimal text
// in its coin, without what went back: the excess of a confirmed order that the merchant had not
// canceled, all of any other money. What was settled before is not in it. Of an attempt that was
// taken back, it is what had confirmed it.
func (s *Session) UnsettledAmount(number int, coins Coins) string {
	if a := s.Attempt(number); a.IsTakenBack() {
		return FormatAmount(a.arrived())
	}
	return FormatAmount(s.unsettled(s.Attempt(number), coins))
}

func (s *Session) unsettled(a *Attempt, coins Coins) decimal.Decimal {
	owed := a.unsettledMoney()
	if a.State == Confirmed && s.ClosedBy != ClosedByMerchant {
		owed = decimal.Min(owed, a.overpaid(a.Digits(coins)))
	}
	return decimal.Max(owed.Sub(s.sentBack(a)), decimal.Zero)
}

// unsettledMoney returns all that arrived for a since its money was settled.
func (a *Attempt) unsettledMoney() decimal.Decimal {
	return decimal.Max(a.arrived().Sub(a.Settled), decimal.Zero)
}

// sentBack returns how much of the refunds in a's coin is money of a. That of attempts that have
// ended goes back first, in their order; that of a confirmed attempt follows.
func (s *Session) sentBack(a *Attempt) decimal.Decimal {
	var back decimal.Decimal
	for _, r := range s.Refunds {
		if r.isIn(a.CurrencySymbol, a.NetworkCode) {
			back = back.Add(r.Amount)
		}
	}

	like := Refund{CurrencySymbol: a.CurrencySymbol, NetworkCode: a.NetworkCode}
	for i := range s.Attempts {
		first := &s.Attempts[i]
		precedes := first.Number < a.Number || !a.hasEndedUnpaid()
		if first.Number != a.Number && precedes && first.hasEndedUnpaid() &&
			like.isIn(first.CurrencySymbol, first.NetworkCode) {
			back = back.Sub(first.unsettledMoney())
		}
	}
	return decimal.Max(back, decimal.Zero)
}
