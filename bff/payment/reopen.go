package payment

import (
	"errors"
	"time"

	"coinslot/app/wire"
)

// Reopen makes an order payable again that is asked for again after its session has ended unpaid.
// o is that order, equal to the session's, whose personal data may have been erased. The time to
// choose a coin begins anew, and a price in another currency has the rate of o. ErrUnchanged if s is not [Session.Reopenable].
func (s *Session) Reopen(o Order, now time.Time) error {
	if !s.Reopenable(now) {
		return ErrUnchanged
	}

	s.Order = o.Complete()
	s.Reopened++
	s.Spent = len(s.Attempts)
	if s.Spent > 0 && s.Attempts[s.Spent-1].neverSent() {
		s.Spent-- // the next attempt replaces it
	}

	s.ExpiresAt = now.Add(s.Order.ExpiresIn)
	s.ClosedBy = NotClosed
	s.Notice = Notice{}
	s.ErasedAt = time.Time{}
	s.AppendTimeline(now, ByMerchant, "session.reopened", "")
	return nil
}

// Reopenable reports whether s has ended, or cannot be paid any more, although no money was seen
// and the merchant did not cancel it. A deleted session stays deleted.
func (s *Session) Reopenable(now time.Time) bool {
	if s.Deleted || s.ClosedBy == ClosedByMerchant || s.EverPaid() || s.resolvedUnpaid() {
		return false
	}

	switch s.status() {
	case wire.Expired, wire.Cancelled:
		return true
	case wire.Open:
		err := s.mayOpen(now)
		return !now.Before(s.ExpiresAt) ||
			errors.Is(err, errTooMany) && len(s.Attempts) < maxAllAttempts
	case wire.Preparing, wire.Pending, wire.Confirmed, wire.Review:
	}

	return false
}

// TimedOut reports whether s is Reopenable and cannot be paid because the time to choose a coin is
// over: that also a shopper may change who has an order of the merchant's.
func (s *Session) TimedOut(now time.Time) bool {
	late := s.status() == wire.Open || !s.Order.InDollars()
	late = late && !now.Before(s.ExpiresAt)
	return s.Reopenable(now) && (s.ClosedBy == ClosedByTime || late)
}

// isSpent reports whether a has ended before s was reopened.
func (s *Session) isSpent(a *Attempt) bool { return a.Number <= s.Spent }

// mostAttempts bounds the attempts of s: each reopening allows more.
func (s *Session) mostAttempts() int { return min(s.Spent+maxAttempts, maxAllAttempts) }
