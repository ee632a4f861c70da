package payment

import (
	"errors"
	"time"

	"coinslot/app/wire"
)

// A transaction counts as absent after minAbsences consecutive answers over absentFor: a
// single one may come from a lagging replica of the gateway.
const (
	minAbsences = 3
	absentFor   = 3 * time.Minute
)

// IsAbsence reports whether err is the gateway answering that the transaction does not exist.
func IsAbsence(err error) bool {
	refused, ok := errors.AsType[*RefusedError](err)
	return ok && refused.Reason == ReasonAbsent
}

// CountAbsence counts an answer that the transaction of attempt n does not exist. After several
// over some minutes, an attempt awaiting payment goes into review, and one that was to be
// canceled counts as ended. ErrUnchanged if the attempt has ended anyway, is in review for
// another reason, or the answer came before the next one was due.
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
	case a.State == InReview: // reported already
	case a.State != Waiting:
		a.EndedAt = now
	case s.status() == wire.Confirmed:
		s.end(a, Cancelled, now) // a leftover attempt needs no review
	default:
		a.ResolvedCount = a.resolvedCount()
		a.State, a.Reason, a.ReviewedAt = InReview, reasonTxAbsent, now
		s.Notice = Notice{}
		s.AppendTimeline(now, "gateway", "attempt.absent", a.TrackingCode)
	}
	return nil
}
