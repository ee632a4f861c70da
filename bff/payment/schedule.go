package payment

import (
	"time"

	"coinslot/app/wire"
)

// Schedule is how often and for how long sessions are checked. The zero Schedule is not
// useful; see [DefaultSchedule].
type Schedule struct {
	Watched   time.Duration // between two checks of a payment that somebody is looking at
	Unwatched time.Duration // of one that nobody is looking at
	// CreateTimeout is how long create may take before a lost process is assumed and the
	// marker is searched for.
	CreateTimeout time.Duration
	// SearchGap is the least time between the two searches that must both
	// find nothing before a create counts as not done.
	SearchGap time.Duration
	// LateChecks is when an ended payment is looked at again, counted from its
	// end; after the last one it is left alone.
	LateChecks []time.Duration
	// FollowUps is when the status of an ended payment, or of one in review, is read
	// after somebody has asked for it to be checked again, counted from then: the
	// gateway may take minutes to verify. The first is when the gateway is asked.
	FollowUps []time.Duration
	// AbsenceChecks is when the status of a transaction is read again that the gateway does
	// not know, counted from the first such answer; after the last one it is left
	// alone.
	AbsenceChecks []time.Duration
	// OrphanSearches is when a given-up create is searched for again, counted from
	// its start; the last time is when its window has ended.
	OrphanSearches []time.Duration
	// ConfirmedChecks is when a confirmed payment is looked at again, counted from its
	// confirmation.
	ConfirmedChecks []time.Duration
	// ReconcileInterval is how often an instance looks whether an automatic comparison is due, and
	// how long after its start it first does. Zero means a minute.
	ReconcileInterval time.Duration
}

// DefaultSchedule returns the schedule for real payments.
func DefaultSchedule() Schedule {
	return Schedule{
		Watched:       3 * time.Second,
		Unwatched:     15 * time.Second,
		CreateTimeout: 12 * time.Second,
		SearchGap:     30 * time.Second,
		LateChecks: []time.Duration{
			5 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
			16 * time.Hour, 24 * time.Hour, 48 * time.Hour, 72 * time.Hour,
		},
		FollowUps: []time.Duration{
			0, 5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute,
			2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
		},
		AbsenceChecks: []time.Duration{
			30 * time.Second, 90 * time.Second, 3 * time.Minute, 5 * time.Minute,
			10 * time.Minute, 20 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour,
			12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 72 * time.Hour,
		},
		OrphanSearches: []time.Duration{2 * time.Minute, 10 * time.Minute},
		ConfirmedChecks: []time.Duration{
			time.Minute, 15 * time.Minute, time.Hour, 24 * time.Hour, 72 * time.Hour,
		},
	}
}

// minRegressions is how many answers in a row must take a confirmation back
// before the merchant is told, and regressFor how long they must go on: one may
// come from a copy that lags behind.
const (
	minRegressions = 3
	regressFor     = 10 * time.Minute
)

// maxRetryWait is the longest Retry-After that is waited for: a shopper who is told that
// the address is being made does not wait longer.
const maxRetryWait = time.Minute

// windowSlack is how much longer than asked for a payment window may be.
const windowSlack = 5 * time.Minute

// expiry trusts the gateway's end of the window only as far as it can be
// right; otherwise, and when its clock is off, the window is ttl from now.
func expiry(told, now time.Time, ttlMinutes int) time.Time {
	ttl := time.Duration(ttlMinutes) * time.Minute
	if left := told.Sub(now); told.IsZero() || left <= 0 || left > ttl+windowSlack {
		return now.Add(ttl)
	}
	return told
}

// Due returns when s has to be tended next, given that it was tended at now;
// the zero time if never again.
func (s *Session) Due(p Schedule, now time.Time, watched bool) time.Time {
	var next time.Time
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	if s.Status == wire.Open {
		sooner(s.ExpiresAt)
	}
	for i := range s.Attempts {
		sooner(s.Attempts[i].Due(p, now, watched))
		sooner(s.Attempts[i].FollowUpDue(p))
	}
	return next
}

// Due is the same for one attempt.
func (a *Attempt) Due(p Schedule, now time.Time, watched bool) time.Time {
	if a.Absences > 0 && a.expectsTransaction() {
		return a.absentDue(p, now)
	}
	switch a.State {
	case Creating:
		if !a.RetryAt.IsZero() {
			return Earlier(a.RetryAt.Add(-maxRetryWait), now).Add(maxRetryWait)
		}
		return Earlier(a.StartedAt, now).Add(p.CreateTimeout)
	case Unknown:
		if a.Misses == 0 {
			return now.Add(p.Unwatched / 5)
		}
		return now.Add(p.SearchGap + time.Second)
	case Waiting:
		return now.Add(a.StretchInterval(now, p.Interval(watched)))
	case InReview:
		return a.reviewDue(p, now)
	case Confirmed:
		return a.confirmedDue(p, now)
	case Expired, Cancelled:
		return offsetAt(Earlier(a.EndedAt, now), p.LateChecks, a.ChecksDone)
	case Abandoned, Rejected, Duplicate:
		return a.orphanDue(p, now)
	}
	return time.Time{}
}

// Interval returns the time between two checks of a waiting payment.
func (p Schedule) Interval(watched bool) time.Duration {
	if watched {
		return p.Watched
	}
	return p.Unwatched
}

// StretchInterval stretches the interval of a payment that the gateway does not end,
// long after its time was up: every 20 s after ten minutes, hourly after a day.
func (a *Attempt) StretchInterval(now time.Time, interval time.Duration) time.Duration {
	switch over := now.Sub(a.ExpiresAt); {
	case a.ExpiresAt.IsZero() || over < 10*time.Minute:
		return interval
	case over < 24*time.Hour:
		return max(interval, 20*time.Second)
	}
	return max(interval, time.Hour)
}

// Earlier returns t, or now if t is later: what a clock that was ahead has
// written must not be waited for.
func Earlier(t, now time.Time) time.Time {
	if t.After(now) {
		return now
	}
	return t
}

// MaxDueAhead returns how far ahead the due time of a payment that is being
// watched may be. Some are put off for longer, up to an hour; to check those
// sooner does no harm.
func (p Schedule) MaxDueAhead() time.Duration { return max(time.Minute, 2*p.Unwatched) }

// offsetAt returns the n-th of the given offsets from start, zero after the last.
func offsetAt(start time.Time, offsets []time.Duration, n int) time.Time {
	if n >= len(offsets) {
		return time.Time{}
	}
	return start.Add(offsets[n])
}

// reviewDue looks at a payment in review every minute for an hour, then hourly
// for as long as late payments are watched.
func (a *Attempt) reviewDue(p Schedule, now time.Time) time.Time {
	age := now.Sub(a.ReviewedAt)
	switch {
	case age < time.Hour:
		return now.Add(time.Minute)
	case len(p.LateChecks) > 0 && age < p.LateChecks[len(p.LateChecks)-1]:
		return now.Add(time.Hour)
	}
	return time.Time{}
}

// orphanDue: an orphan that is known but not ended is cancelled at once; one
// that has not been found is searched for a few times more.
func (a *Attempt) orphanDue(p Schedule, now time.Time) time.Time {
	switch {
	case a.TrackingCode == "":
		t := a.SearchDue(p, now)
		if !t.IsZero() && !t.After(now) { // the list could not be read
			return now.Add(p.Unwatched)
		}
		return t
	case a.EndedAt.IsZero():
		return now.Add(p.Unwatched)
	}
	return offsetAt(Earlier(a.EndedAt, now), p.LateChecks, a.ChecksDone)
}

// SearchDue returns when a given-up create is to be searched for again; zero = no more.
func (a *Attempt) SearchDue(p Schedule, now time.Time) time.Time {
	return offsetAt(Earlier(a.StartedAt, now), a.orphanSearches(p), a.ChecksDone)
}

// orphanSearches are the offsets at which a given-up create is searched for: those of
// the pace within its window, and a moment after the window's end, when nobody
// can pay it any more.
func (a *Attempt) orphanSearches(p Schedule) []time.Duration {
	end := time.Duration(a.TTLMinutes)*time.Minute + p.SearchGap
	var list []time.Duration
	for _, d := range p.OrphanSearches {
		if d < end {
			list = append(list, d)
		}
	}
	return append(list, end)
}

// IsDue reports whether t, which is not zero, has come.
func IsDue(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }

// CanFollowUp reports whether a check of a that somebody asks for is followed: the
// shopper has seen its address, and what the gateway knows of it may change.
func (a *Attempt) CanFollowUp() bool {
	return a.TrackingCode != "" &&
		(a.State == Expired || a.State == Cancelled || a.State == InReview)
}

// FollowUpDue returns when the next read is due after such a request, or after the
// gateway's list has shown money of a; zero if no read is left, or nobody has asked.
func (a *Attempt) FollowUpDue(p Schedule) time.Time {
	if a.Live() || a.TrackingCode == "" || a.RecheckAskedAt.IsZero() {
		return time.Time{}
	}
	return offsetAt(a.RecheckAskedAt, p.FollowUps, a.FollowUps)
}

// LateChecksDone returns how many of the late looks at a count as taken after one at now. One
// that comes late stands for those before it.
func (a *Attempt) LateChecksDone(p Schedule, now time.Time) int {
	n := a.ChecksDone + 1
	for n < len(p.LateChecks) && IsDue(a.EndedAt.Add(p.LateChecks[n]), now) {
		n++
	}
	return n
}

// FollowUpsDue returns how many of the reads after a request were due by now. A read
// that comes late stands for those before it.
func (a *Attempt) FollowUpsDue(p Schedule, now time.Time) int {
	n := a.FollowUps
	if a.RecheckAskedAt.IsZero() {
		return n
	}
	for n < len(p.FollowUps) && !now.Before(a.RecheckAskedAt.Add(p.FollowUps[n])) {
		n++
	}
	return n
}

// absentDue returns when an attempt that the gateway does not know is read again;
// zero if it never is.
func (a *Attempt) absentDue(p Schedule, now time.Time) time.Time {
	return offsetAt(Earlier(a.AbsentAt, now), p.AbsenceChecks, a.Absences-1)
}

// NothingDue reports whether no read of a is due although something else of its session
// may be: a is absent, and neither its schedule nor a request asks for a read.
func (a *Attempt) NothingDue(p Schedule, now time.Time) bool {
	return a.expectsTransaction() && a.Absences > 0 &&
		!IsDue(a.absentDue(p, now), now) && !IsDue(a.FollowUpDue(p), now)
}

// Recheck begins to follow every attempt that it is time for, and reports whether
// attempt number is one of them: whoever asks makes its first read. The poller makes
// those of the others. ErrUnchanged if it is too soon for all.
func (s *Session) Recheck(number int, pause time.Duration, now time.Time) (taken bool, err error) {
	n := 0
	for i := range s.Attempts {
		if s.Attempts[i].CanFollowUp() {
			n++
		}
	}
	err = ErrUnchanged
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if !a.CanFollowUp() || now.Sub(a.RecheckAskedAt) < time.Duration(n)*pause {
			continue
		}
		a.RecheckAskedAt, a.FollowUps, err = now, 0, nil
		if a.Number == number {
			a.FollowUps, taken = 1, true
		}
	}
	return taken, err
}

// CountFollowUps notes that so many reads were made of an attempt which was before as in
// before. ErrUnchanged if somebody has asked again, or another process has counted it.
func (s *Session) CountFollowUps(before Attempt, follows int) error {
	a := s.Attempt(before.Number)
	if !a.RecheckAskedAt.Equal(before.RecheckAskedAt) || a.FollowUps >= follows {
		return ErrUnchanged
	}
	a.FollowUps = follows
	return nil
}

// CountChecks is count for a session; before is the attempt as it was read.
func (s *Session) CountChecks(before Attempt, taken int) error {
	a := s.Attempt(before.Number)
	if a.ChecksDone != before.ChecksDone {
		return ErrUnchanged
	}
	a.ChecksDone = taken
	return nil
}

// confirmedDue looks at a confirmed payment a few times more; while the gateway takes
// its word back, often enough for that to be told.
func (a *Attempt) confirmedDue(p Schedule, now time.Time) time.Time {
	if a.Regressions > 0 && a.Alert != reasonRegressed {
		pause := regressFor/minRegressions + time.Second
		return Earlier(a.RegressedAt, now).Add(time.Duration(a.Regressions) * pause)
	}
	return offsetAt(Earlier(a.EndedAt, now), p.ConfirmedChecks, a.ChecksDone)
}

// LateChecksFrom returns the time from which on every check of s is a late one: the time to
// pay is over for all of its attempts, no money was seen, and nobody has asked for a
// check. Sessions that strangers have opened and left are like that, in any number, so
// late checks come last and must not delay the detection of a payment.
//
// Zero means that a check may be urgent whenever it comes: money was seen, a create has
// to be found, a transaction has to be cancelled, or is in doubt.
func (s *Session) LateChecksFrom(p Schedule) time.Time {
	if !s.Status.LowPriority() {
		return time.Time{}
	}
	var from time.Time
	for i := range s.Attempts {
		a := &s.Attempts[i]
		end := a.lateChecksFrom(p)
		if end.IsZero() || a.State == Waiting && s.Status != wire.Pending { // is to be cancelled
			return time.Time{}
		}
		if end.After(from) {
			from = end
		}
	}
	return from
}

// lateChecksFrom is the same for one attempt.
func (a *Attempt) lateChecksFrom(p Schedule) time.Time {
	seen := a.Paid.IsPositive() || a.TxID != "" || !a.PaidAt.IsZero() || !a.ReviewedAt.IsZero()
	asked := !a.FollowUpDue(p).IsZero()
	absent := a.Absences > 0 && a.expectsTransaction()
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
	case Abandoned, Rejected, Duplicate:
		if a.TrackingCode != "" {
			return a.EndedAt
		}
		if a.ChecksDone >= len(a.orphanSearches(p)) {
			return a.StartedAt
		}
	}
	return time.Time{}
}

// DueForLateCheck reports whether what is due for s is a late check.
func (s *Session) DueForLateCheck() bool {
	return !s.LateFrom.IsZero() && !s.DueAt.IsZero() && !s.DueAt.Before(s.LateFrom)
}
