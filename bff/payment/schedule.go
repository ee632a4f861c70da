package payment

import (
	"slices"
	"time"

	"coinslot/app/wire"
)

// Schedule is how often and for how long sessions are checked. The zero Schedule is not useful;
// see [DefaultSchedule].
type Schedule struct {
	Watched   time.Duration // interval of checks while a shopper has the page open
	Unwatched time.Duration // interval otherwise
	// CreateTimeout is how long create may take before its process counts as lost and the
	// marker is searched for.
	CreateTimeout time.Duration
	// SearchGap is the least time between the two searches that must both find nothing before a
	// create counts as not executed.
	SearchGap time.Duration
	// LateChecks is when an ended payment is checked again, counted from its end.
	LateChecks []time.Duration
	// FollowUps is when the status of a payment that has ended or is in review is read after a
	// recheck request, counted from the request: the gateway may take minutes to verify. The
	// gateway is asked to verify at the first.
	FollowUps []time.Duration
	// AbsenceChecks is when the status of an absent transaction is read again, counted from the
	// first such answer.
	AbsenceChecks []time.Duration
	// OrphanSearches is when an abandoned create is searched for again, counted from its start.
	// A last search follows when its window has ended.
	OrphanSearches []time.Duration
	// ConfirmedChecks is when a confirmed payment is checked again, counted from its confirmation.
	ConfirmedChecks []time.Duration
	// ReconcileInterval is how often an instance checks whether a scheduled reconciliation is
	// due, and how long after its start it first does. Zero means a minute.
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

// A withdrawn confirmation is reported after minRegressions consecutive answers over
// regressFor: a single one may come from a lagging replica.
const (
	minRegressions = 3
	regressFor     = 10 * time.Minute
	// Once it is reported, the gateway is asked every doubtPause for doubtFor, counted from the first
	// contradiction: it may have been wrong.
	doubtPause = 6 * time.Hour
	doubtFor   = 14 * 24 * time.Hour
)

// maxRetryWait is the longest Retry-After to wait for: shoppers wait no longer for an address.
const maxRetryWait = time.Minute

// windowSlack is how much longer than requested a payment window may be.
const windowSlack = 5 * time.Minute

// expiry returns the gateway's end of the window if it is plausible, else ttlMinutes from now.
func expiry(reported, now time.Time, ttlMinutes int) time.Time {
	ttl := time.Duration(ttlMinutes) * time.Minute
	left := reported.Sub(now)
	if reported.IsZero() || left <= 0 || left > ttl+windowSlack {
		return now.Add(ttl)
	}
	return reported
}

// Due returns when s must be processed next after being processed at now; zero = never.
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

// Due is [Session.Due] for one attempt.
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

// Interval returns the interval of checks of a waiting payment.
func (s Schedule) Interval(watched bool) time.Duration {
	if watched {
		return s.Watched
	}
	return s.Unwatched
}

// StretchInterval lengthens the interval of a payment that the gateway does not end long after
// its window: to 20 s after ten minutes, to an hour after a day.
func (a *Attempt) StretchInterval(now time.Time, interval time.Duration) time.Duration {
	over := now.Sub(a.ExpiresAt)
	switch {
	case a.ExpiresAt.IsZero() || over < 10*time.Minute:
		return interval
	case over < 24*time.Hour:
		return max(interval, 20*time.Second)
	}
	return max(interval, time.Hour)
}

// Earlier returns the earlier of t and now: a time stored by a clock that was ahead must not
// be waited for.
func Earlier(t, now time.Time) time.Time {
	if t.After(now) {
		return now
	}
	return t
}

// MaxDueAhead returns how far ahead the due time of a watched payment may be. Some are
// postponed for longer, up to an hour; checking those sooner does no harm.
func (s Schedule) MaxDueAhead() time.Duration { return max(time.Minute, 2*s.Unwatched) }

// offsetAt returns the n-th of offsets from start; zero after the last.
func offsetAt(start time.Time, offsets []time.Duration, n int) time.Time {
	if n >= len(offsets) {
		return time.Time{}
	}
	return start.Add(offsets[n])
}

// reviewDue schedules a payment in review every minute for an hour, then hourly as long as late
// payments are checked.
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

// orphanDue schedules canceling a known orphan at once, and searching for an unknown one a few
// times.
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

// SearchDue returns when an abandoned create is searched for again; zero = never.
func (a *Attempt) SearchDue(p Schedule, now time.Time) time.Time {
	return offsetAt(Earlier(a.StartedAt, now), a.orphanSearches(p), a.ChecksDone)
}

// orphanSearches returns when an abandoned create is searched for: at the times of p within its
// window, and shortly after the window has ended.
func (a *Attempt) orphanSearches(p Schedule) []time.Duration {
	end := time.Duration(a.TTLMinutes)*time.Minute + p.SearchGap
	late := func(d time.Duration) bool { return d >= end }
	return append(slices.DeleteFunc(slices.Clone(p.OrphanSearches), late), end)
}

// IsDue reports whether t is set and not after now.
func IsDue(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }

// CanFollowUp reports whether a recheck request for a has follow-ups: the shopper has seen its
// address, and the gateway may still learn of a payment.
func (a *Attempt) CanFollowUp() bool {
	return a.TrackingCode != "" &&
		(a.State == Expired || a.State == Cancelled || a.State == InReview)
}

// FollowUpDue returns when the next follow-up is due after a recheck request, or after the
// gateway's list showed money; zero = none is left, or none was requested.
func (a *Attempt) FollowUpDue(p Schedule) time.Time {
	if a.Live() || a.TrackingCode == "" || a.RecheckAskedAt.IsZero() {
		return time.Time{}
	}
	return offsetAt(a.RecheckAskedAt, p.FollowUps, a.FollowUps)
}

// LateChecksDone returns how many late checks count as done after one at now: a delayed one
// replaces those before it.
func (a *Attempt) LateChecksDone(p Schedule, now time.Time) int {
	n := a.ChecksDone + 1
	for n < len(p.LateChecks) && IsDue(a.EndedAt.Add(p.LateChecks[n]), now) {
		n++
	}
	return n
}

// FollowUpsDue returns how many follow-ups were due by now: a delayed one replaces those before it.
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

// absentDue returns when an absent transaction is read again; zero = never.
func (a *Attempt) absentDue(p Schedule, now time.Time) time.Time {
	return offsetAt(Earlier(a.AbsentAt, now), p.AbsenceChecks, a.Absences-1)
}

// NothingDue reports whether a is absent and no read of it is due, although another attempt of
// its session may be.
func (a *Attempt) NothingDue(p Schedule, now time.Time) bool {
	return a.expectsTransaction() && a.Absences > 0 &&
		!IsDue(a.absentDue(p, now), now) && !IsDue(a.FollowUpDue(p), now)
}

// Recheck starts the follow-ups of every attempt that may be rechecked again, and reports
// whether attempt number is one of them: the caller makes its first read, the poller the
// others. ErrUnchanged if it is too soon for all.
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
		a.RecheckAskedAt = now
		a.FollowUps = 0
		err = nil
		if a.Number == number {
			a.FollowUps = 1
			taken = true
		}
	}

	return taken, err
}

// CountFollowUps stores the number of follow-ups made of an attempt, which was before when it
// was read. ErrUnchanged after another request, or if another process counted them.
func (s *Session) CountFollowUps(before Attempt, follows int) error {
	a := s.Attempt(before.Number)
	if !a.RecheckAskedAt.Equal(before.RecheckAskedAt) || a.FollowUps >= follows {
		return ErrUnchanged
	}
	a.FollowUps = follows
	return nil
}

// CountChecks does the same for scheduled checks.
func (s *Session) CountChecks(before Attempt, taken int) error {
	a := s.Attempt(before.Number)
	if a.ChecksDone != before.ChecksDone {
		return ErrUnchanged
	}
	a.ChecksDone = taken
	return nil
}

// confirmedDue schedules a few checks of a confirmed payment; more while the gateway
// contradicts the confirmation.
func (a *Attempt) confirmedDue(p Schedule, now time.Time) time.Time {
	if a.Regressions > 0 && a.Alert != reasonRegressed {
		pause := regressFor/minRegressions + time.Second
		return Earlier(a.RegressedAt, now).Add(time.Duration(a.Regressions) * pause)
	}
	if a.Regressions > 0 {
		pause := time.Duration(a.ChecksDone) * doubtPause // grows with each check, whatever it says
		if pause > doubtFor {
			return time.Time{}
		}
		return Earlier(a.RegressedAt, now).Add(pause)
	}
	return offsetAt(Earlier(a.EndedAt, now), p.ConfirmedChecks, a.ChecksDone)
}

// LateChecksFrom returns when all checks of s become late checks: the window of every attempt
// is over, no money was seen, and no recheck was requested. Strangers can open and leave any
// number of such sessions, so late checks have the lowest priority and must not delay the
// detection of a payment.
//
// Zero means that a check may be urgent at any time: money was seen, a create has to be found,
// a transaction has to be canceled, or is in review.
func (s *Session) LateChecksFrom(p Schedule) time.Time {
	if !s.Status.LowPriority() {
		return time.Time{}
	}

	var from time.Time
	for i := range s.Attempts {
		a := &s.Attempts[i]
		end := a.lateChecksFrom(p)
		if end.IsZero() || a.State == Waiting && s.Status != wire.Pending { // to be canceled
			return time.Time{}
		}
		if end.After(from) {
			from = end
		}
	}

	return from
}

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

// DueForLateCheck reports whether the next check of s is a late check.
func (s *Session) DueForLateCheck() bool {
	return !s.LateFrom.IsZero() && !s.DueAt.IsZero() && !s.DueAt.Before(s.LateFrom)
}
