package checkout

import (
	"time"

	"coinslot/app/wire"
)

// lateFrom returns the time from which on every check of s is a late one: the time to
// pay is over for all of its attempts, no money was seen, and nobody has asked for a
// check. Sessions that strangers have opened and left are like that, in any number, so
// late checks come last and must not delay the detection of a payment.
//
// Zero means that a check may be urgent whenever it comes: money was seen, a create has
// to be found, a transaction has to be cancelled, or is in doubt.
func (s *Session) lateFrom(p Pace) time.Time {
	switch s.Status {
	case wire.Pending, wire.Expired, wire.Cancelled:
	default:
		return time.Time{}
	}
	var from time.Time
	for i := range s.Attempts {
		a := &s.Attempts[i]
		end := a.lateFrom(p)
		if end.IsZero() || a.State == Waiting && s.Status != wire.Pending { // is to be cancelled
			return time.Time{}
		}
		if end.After(from) {
			from = end
		}
	}
	return from
}

// lateFrom is the same for one attempt.
func (a *Attempt) lateFrom(p Pace) time.Time {
	seen := a.Paid.IsPositive() || a.TxID != "" || !a.PaidAt.IsZero() || !a.DoubtedAt.IsZero()
	asked := !a.followDue(p).IsZero()
	absent := a.Absences > 0 && a.awaited()
	if seen || asked || absent {
		return time.Time{}
	}
	switch a.State {
	case Waiting:
		return a.ExpiresAt
	case Expired, Cancelled:
		return a.EndedAt
	case Refused:
		return a.StartedAt
	case Lost, Rejected, Stray:
		if a.TrackingCode != "" {
			return a.EndedAt
		}
		if a.Rechecks >= len(a.passes(p)) {
			return a.StartedAt
		}
	}
	return time.Time{}
}

// DueLate reports whether what is due for s is a late check.
func (s *Session) DueLate() bool {
	return !s.LateFrom.IsZero() && !s.DueAt.IsZero() && !s.DueAt.Before(s.LateFrom)
}
