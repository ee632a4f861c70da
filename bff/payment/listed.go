package payment

import (
	"errors"
	"hash/fnv"
	"time"

	"coinslot/app/wire"
)

// IsPostponed reports whether a failed check postponed s, which awaits payment: neither a
// successful check nor the list postpones it that far.
func (s *Session) IsPostponed(p Schedule, now time.Time) bool {
	return s.DueAt.After(s.LastChecked().Add(2 * s.Current().StretchInterval(now, p.Unwatched)))
}

// EndedBefore reports whether a status read before t reported the end of a, and none has
// contradicted it since.
func (a *Attempt) EndedBefore(t time.Time) bool {
	return a.State != InReview && !a.EndedAt.IsZero() && a.EndedAt.Before(t) && a.Regressions == 0
}

// MatchesRow reports whether the row shows exactly what is stored: showing less is a
// difference, too.
func (a *Attempt) MatchesRow(r Record) bool {
	unpaid := r.PaidAmount == "" && a.Paid.IsZero()
	paid := r.PaidReadable && r.Paid.Equal(a.Paid)
	return r.Status == "pending" && !r.CancelledByUser && (unpaid || paid) &&
		r.TxID == a.TxID && (r.TxURL == a.TxURL || r.TxID == "") && r.PaidAt.Equal(a.PaidAt)
}

// IsUnchangedBy reports whether r, as a status record, would change nothing.
func (s *Session) IsUnchangedBy(n int, r Record, at time.Time) bool {
	changes, err := s.NeedsUpdate(n, r, s.Environment, at)
	return err == nil && !changes
}

// HasFixedTimes reports whether the due times of a, if any, are fixed.
func (a *Attempt) HasFixedTimes() bool {
	switch a.State {
	case Expired, Cancelled, Refused:
		return true
	case Abandoned, Rejected, Duplicate:
		return a.TrackingCode == "" || !a.EndedAt.IsZero()
	}
	return false
}

// OnSchedule reports whether s waits only for its regular check, which may have become due
// while the page was in flight. If something made it due sooner, or it was checked after asked,
// the page does not count.
func (s *Session) OnSchedule(interval time.Duration, asked time.Time) bool {
	last := s.LastChecked()
	sooner := s.DueAt.Before(last.Add(SlightlyBefore(interval)))
	return !s.DueAt.IsZero() && !sooner && last.Before(asked)
}

// EarliestCheck is a DueAt that forces a status read whatever the list shows: slightly before
// any regular check of s, so that it is never mistaken for one.
func (s *Session) EarliestCheck(p Schedule) time.Time {
	return s.LastChecked().Add(SlightlyBefore(min(p.Watched, p.Unwatched)) - time.Microsecond)
}

// SlightlyBefore is the check interval of listed payments: slightly shorter than interval, so
// that one that leaves the list is checked in time.
func SlightlyBefore(interval time.Duration) time.Duration {
	return (interval * 29 / 30).Truncate(time.Microsecond)
}

// AuditInterval is how often the status of a payment is read even though the list shows it
// unchanged: a wrong list must not hide it forever.
func (s Schedule) AuditInterval(watched bool) time.Duration {
	if watched {
		return 10 * s.Watched // half a minute
	}
	return 480 * s.Unwatched // two hours
}

// NeedsStatusRead reports whether a's status must be read between its last check and asked,
// when a page was requested, whatever that shows: soon after the end of its window, and once
// per audit interval, spread evenly over all sessions.
func (s *Session) NeedsStatusRead(a *Attempt, p Schedule, watched bool, asked time.Time) bool {
	passed := func(t time.Time) bool { return t.After(s.CheckedAt) && !t.After(asked) }
	every := p.AuditInterval(watched)
	h := fnv.New64a()
	h.Write([]byte(s.ID)) // never fails
	phase := time.Duration(h.Sum64() % uint64(every))
	last := asked.Add(-phase).Truncate(every).Add(phase)
	return passed(last) && last.After(a.StartedAt) ||
		!a.ExpiresAt.IsZero() && passed(a.ExpiresAt.Add(p.Unwatched))
}

// OutdatedAttempts returns the numbers of those attempts of s that a status read would change
// if it agreed with the rows of the list, which are by tracking code: attempts that have ended
// and have no follow-ups scheduled. Waiting ones are checked anyway. A row proves nothing, so
// it changes nothing else.
func (s *Session) OutdatedAttempts(
	rows map[string]Record, env string, p Schedule, now time.Time,
) (numbers []int) {
	for i := range s.Attempts {
		a := &s.Attempts[i]
		row, listed := rows[a.TrackingCode]
		switch {
		case !listed || a.Live() || !a.FollowUpDue(p).IsZero():
		case a.State == Confirmed && !a.paidLessThan(row):
		default:
			if changed, _ := s.changedBy(a.Number, row, env, now); changed {
				numbers = append(numbers, a.Number)
			}
		}
	}

	return numbers
}

// FollowUpListed schedules status reads of the outdated attempts, and returns how many.
func (s *Session) FollowUpListed(
	rows map[string]Record, env string, p Schedule, now time.Time,
) int {
	outdated := s.OutdatedAttempts(rows, env, p, now)
	for _, n := range outdated {
		a := s.Attempt(n)
		a.RecheckAskedAt = now
		a.FollowUps = 0
	}
	return len(outdated)
}

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
		a.State = InReview
		a.Reason = reasonTxAbsent
		a.ReviewedAt = now
		s.Notice = Notice{}
		s.AppendTimeline(now, "gateway", "attempt.absent", a.TrackingCode)
	}

	return nil
}
