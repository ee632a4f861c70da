package payment

import (
	"hash/fnv"
	"slices"
	"time"
)

// IsPostponed reports whether a failed look has put off s, which waits for a payment:
// neither a look nor the list puts it off by so much.
func (s *Session) IsPostponed(p Schedule, now time.Time) bool {
	return s.DueAt.After(s.LastChecked().Add(2 * s.Current().StretchInterval(now, p.Unwatched)))
}

// EndedBefore reports whether a status read before t has told that a is over,
// and none has told otherwise since.
func (a *Attempt) EndedBefore(t time.Time) bool {
	return a.State != InReview && !a.EndedAt.IsZero() && a.EndedAt.Before(t) && a.Regressions == 0
}

// MatchesRow reports whether the row tells exactly what is stored: also less than
// that is something else.
func (a *Attempt) MatchesRow(r Record) bool {
	unpaid := r.PaidAmount == "" && a.Paid.IsZero()
	paid := r.PaidReadable && r.Paid.Equal(a.Paid)
	return r.Status == "pending" && !r.CancelledByUser && (unpaid || paid) &&
		r.TxID == a.TxID && (r.TxURL == a.TxURL || r.TxID == "") && r.PaidAt.Equal(a.PaidAt)
}

// IsUnchangedBy reports whether r, were it a status record, would change nothing.
func (s *Session) IsUnchangedBy(n int, r Record, at time.Time) bool {
	news, err := s.NeedsUpdate(n, r, s.Environment, at)
	return err == nil && !news
}

// HasFixedTimes reports whether the times at which a is due are fixed, if it has any.
func (a *Attempt) HasFixedTimes() bool {
	switch a.State {
	case Expired, Cancelled, Refused:
		return true
	case Abandoned, Rejected, Duplicate:
		return a.TrackingCode == "" || !a.EndedAt.IsZero()
	}
	return false
}

// OnSchedule reports whether s waits for nothing but its usual check, which may have fallen
// due while the page was on its way. If something made it due sooner, the page is no
// answer to that; neither is one that was asked for before the last check.
func (s *Session) OnSchedule(interval time.Duration, asked time.Time) bool {
	last := s.LastChecked()
	sooner := s.DueAt.Before(last.Add(SlightlyBefore(interval)))
	return !s.DueAt.IsZero() && !sooner && last.Before(asked)
}

// EarliestCheck is the DueAt that makes for a status read whatever the list shows: a little
// sooner than any usual check of s, so that it is never taken for one.
func (s *Session) EarliestCheck(p Schedule) time.Time {
	return s.LastChecked().Add(SlightlyBefore(min(p.Watched, p.Unwatched)) - time.Microsecond)
}

// SlightlyBefore is how long after its last check a payment is due that the list shows:
// a little sooner than the interval, so that one that has left the list is
// checked by then.
func SlightlyBefore(interval time.Duration) time.Duration {
	return (interval * 29 / 30).Truncate(time.Microsecond)
}

// AuditInterval is how often the status of a payment is read that the list goes on to show
// unchanged: a list that is wrong would hide it for ever.
func (p Schedule) AuditInterval(watched bool) time.Duration {
	if watched {
		return 10 * p.Watched // half a minute
	}
	return 480 * p.Unwatched // two hours
}

// NeedsStatusRead reports whether a's status is to be read between its last check and
// the time when a page was asked for, whatever that shows: soon after the end of
// its window, and once in an audit's time, evenly spread over all sessions.
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
// if it told what the rows of the list show, which are by tracking code: attempts that
// have ended and are not being followed. Those that wait for money are checked anyway.
// A row proves nothing, so it changes nothing else.
func (s *Session) OutdatedAttempts(
	rows map[string]Record, env string, p Schedule, now time.Time,
) (numbers []int) {
	for i := range s.Attempts {
		a := &s.Attempts[i]
		row, listed := rows[a.TrackingCode]
		switch {
		case !listed || a.Live() || !a.FollowUpDue(p).IsZero():
		case a.State == Confirmed && !(row.PaidReadable && row.Paid.GreaterThan(a.Paid)):
		case s.changedBy(a.Number, row, env, now):
			numbers = append(numbers, a.Number)
		}
	}
	return numbers
}

// FollowUpListed has those attempts read again that are lacking, and returns how many.
func (s *Session) FollowUpListed(
	rows map[string]Record, env string, p Schedule, now time.Time,
) int {
	lacking := s.OutdatedAttempts(rows, env, p, now)
	for _, n := range lacking {
		s.Attempt(n).RecheckAskedAt, s.Attempt(n).FollowUps = now, 0
	}
	return len(lacking)
}

// changedBy reports whether r, were it a status record, would change attempt n.
func (s *Session) changedBy(n int, r Record, env string, now time.Time) bool {
	probe := *s
	probe.Attempts, probe.Timeline = slices.Clone(s.Attempts), slices.Clip(s.Timeline)
	return probe.Apply(n, r, env, now) == nil && !probe.Attempt(n).same(s.Attempt(n))
}
