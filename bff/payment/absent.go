package payment

import (
	"errors"
	"time"

	"coinslot/app/wire"
)

// minAbsences is how many answers in a row must say that a transaction does not
// exist before the merchant is told, and absentFor how long they must go on: one may
// come from a copy of the gateway's database that lags behind.
const (
	minAbsences = 3
	absentFor   = 3 * time.Minute
)

// IsAbsence reports whether err is the gateway's answer that it knows no such
// transaction: an answer, and not a failure to get one.
func IsAbsence(err error) bool {
	var refused *RefusedError
	return errors.As(err, &refused) && refused.Reason == ReasonAbsent
}

// CountAbsence applies an answer that the gateway does not know the transaction of attempt
// n. After several of them over some minutes, an attempt that waits for money goes
// into review, and one that was to be cancelled counts as ended. ErrUnchanged if the
// answer makes no difference: the attempt has ended anyway, is in review for another
// reason, or the answer came before the next one was due.
func (s *Session) CountAbsence(n int, p Schedule, now time.Time) error {
	a := s.Attempt(n)
	if a == nil || a.TrackingCode == "" || !a.expectsTransaction() {
		return ErrUnchanged
	}
	if a.Absences == 0 {
		a.AbsentAt = now
	} else if !IsDue(a.absentDue(p, now), now) {
		return ErrUnchanged
	}
	a.Absences++
	s.CheckedAt = now
	switch {
	case a.Absences < minAbsences || now.Sub(a.AbsentAt) < absentFor:
	case a.State == InReview: // told already
	case a.State != Waiting:
		a.EndedAt = now
	case s.status() == wire.Confirmed:
		s.end(a, Cancelled, now) // of an attempt that is left over nobody has to hear
	default:
		a.ResolvedCount = a.resolvedCount()
		a.State, a.Reason, a.ReviewedAt = InReview, reasonTxAbsent, now
		s.Notice = Notice{}
		s.AppendTimeline(now, "gateway", "attempt.absent", a.TrackingCode)
	}
	return nil
}
