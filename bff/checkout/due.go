package checkout

import (
	"time"

	"coinslot/app/wire"
)

// Pace is how often and for how long sessions are looked at. The zero Pace
// is not useful; see [DefaultPace].
type Pace struct {
	Watched   time.Duration // between two checks of a payment that somebody is looking at
	Unwatched time.Duration // of one that nobody is looking at
	// Answer is how long create may take before a lost process is assumed and the
	// marker is searched for.
	Answer time.Duration
	// Absent is the least time between the two searches that must both
	// find nothing before a create counts as not done.
	Absent time.Duration
	// Late is when an ended payment is looked at again, counted from its
	// end; after the last one it is left alone.
	Late []time.Duration
	// Follow is when the status of an ended payment, or of one in review, is read
	// after somebody has asked for it to be checked again, counted from then: the
	// gateway may take minutes to verify. The first is when the gateway is asked.
	Follow []time.Duration
	// Absence is when the status of a transaction is read again that the gateway does
	// not know, counted from the first such answer; after the last one it is left
	// alone.
	Absence []time.Duration
	// Orphan is when a given-up create is searched for again, counted from
	// its start; the last time is when its window has ended.
	Orphan []time.Duration
	// After is when a confirmed payment is looked at again, counted from its
	// confirmation.
	After []time.Duration
	// Compare is how often an instance looks whether an automatic comparison is due, and
	// how long after its start it first does. Zero means a minute.
	Compare time.Duration
}

// DefaultPace returns the pace for real payments.
func DefaultPace() Pace {
	return Pace{
		Watched:   3 * time.Second,
		Unwatched: 15 * time.Second,
		Answer:    12 * time.Second,
		Absent:    30 * time.Second,
		Late: []time.Duration{
			5 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
			16 * time.Hour, 24 * time.Hour, 48 * time.Hour, 72 * time.Hour,
		},
		Follow: []time.Duration{
			0, 5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute,
			2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
		},
		Absence: []time.Duration{
			30 * time.Second, 90 * time.Second, 3 * time.Minute, 5 * time.Minute,
			10 * time.Minute, 20 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour,
			12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 72 * time.Hour,
		},
		Orphan: []time.Duration{2 * time.Minute, 10 * time.Minute},
		After: []time.Duration{
			time.Minute, 15 * time.Minute, time.Hour, 24 * time.Hour, 72 * time.Hour,
		},
	}
}

// due returns when s has to be tended next, given that it was tended at now;
// the zero time if never again.
func (s *Session) due(p Pace, now time.Time, watched bool) time.Time {
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
		sooner(s.Attempts[i].due(p, now, watched))
		sooner(s.Attempts[i].followDue(p))
	}
	return next
}

// followed reports whether a check of a that somebody asks for is followed: the
// shopper has seen its address, and what the gateway knows of it may change.
func (a *Attempt) followed() bool {
	return a.TrackingCode != "" &&
		(a.State == Expired || a.State == Cancelled || a.State == InReview)
}

// followDue returns when the next read is due after such a request, or after the
// gateway's list has shown money of a; zero if no read is left, or nobody has asked.
func (a *Attempt) followDue(p Pace) time.Time {
	if a.Live() || a.TrackingCode == "" || a.RecheckedAt.IsZero() {
		return time.Time{}
	}
	return step(a.RecheckedAt, p.Follow, a.Follows)
}

// lateLooks returns how many of the late looks at a count as taken after one at now. One
// that comes late stands for those before it.
func (a *Attempt) lateLooks(p Pace, now time.Time) int {
	n := a.Rechecks + 1
	for n < len(p.Late) && passed(a.EndedAt.Add(p.Late[n]), now) {
		n++
	}
	return n
}

// follows returns how many of the reads after a request were due by now. A read
// that comes late stands for those before it.
func (a *Attempt) follows(p Pace, now time.Time) int {
	n := a.Follows
	if a.RecheckedAt.IsZero() {
		return n
	}
	for n < len(p.Follow) && !now.Before(a.RecheckedAt.Add(p.Follow[n])) {
		n++
	}
	return n
}

// due is the same for one attempt.
func (a *Attempt) due(p Pace, now time.Time, watched bool) time.Time {
	if a.Absences > 0 && a.awaited() {
		return a.absentDue(p, now)
	}
	switch a.State {
	case Creating:
		if !a.RetryAt.IsZero() {
			return notAfter(a.RetryAt.Add(-maxRetryWait), now).Add(maxRetryWait)
		}
		return notAfter(a.StartedAt, now).Add(p.Answer)
	case Unknown:
		if a.Misses == 0 {
			return now.Add(p.Unwatched / 5)
		}
		return now.Add(p.Absent + time.Second)
	case Waiting:
		return now.Add(a.slower(now, p.interval(watched)))
	case InReview:
		return a.doubtDue(p, now)
	case Confirmed:
		return a.afterDue(p, now)
	case Expired, Cancelled:
		return step(notAfter(a.EndedAt, now), p.Late, a.Rechecks)
	case Lost, Rejected, Stray:
		return a.orphanDue(p, now)
	}
	return time.Time{}
}

func (p Pace) interval(watched bool) time.Duration {
	if watched {
		return p.Watched
	}
	return p.Unwatched
}

// slower stretches the interval of a payment that the gateway does not end,
// long after its time was up: every 20 s after ten minutes, hourly after a day.
func (a *Attempt) slower(now time.Time, interval time.Duration) time.Duration {
	switch over := now.Sub(a.ExpiresAt); {
	case a.ExpiresAt.IsZero() || over < 10*time.Minute:
		return interval
	case over < 24*time.Hour:
		return max(interval, 20*time.Second)
	}
	return max(interval, time.Hour)
}

// notAfter returns t, or now if t is later: what a clock that was ahead has
// written must not be waited for.
func notAfter(t, now time.Time) time.Time {
	if t.After(now) {
		return now
	}
	return t
}

// MostAhead returns how far ahead the due time of a payment that is being
// watched may be. Some are put off for longer, up to an hour; to check those
// sooner does no harm.
func (p Pace) MostAhead() time.Duration { return max(time.Minute, 2*p.Unwatched) }

// step returns the n-th of the given offsets from start, zero after the last.
func step(start time.Time, offsets []time.Duration, n int) time.Time {
	if n >= len(offsets) {
		return time.Time{}
	}
	return start.Add(offsets[n])
}

// doubtDue looks at a payment in review every minute for an hour, then hourly
// for as long as late payments are watched.
func (a *Attempt) doubtDue(p Pace, now time.Time) time.Time {
	age := now.Sub(a.DoubtedAt)
	switch {
	case age < time.Hour:
		return now.Add(time.Minute)
	case len(p.Late) > 0 && age < p.Late[len(p.Late)-1]:
		return now.Add(time.Hour)
	}
	return time.Time{}
}

// orphanDue: an orphan that is known but not ended is cancelled at once; one
// that has not been found is searched for a few times more.
func (a *Attempt) orphanDue(p Pace, now time.Time) time.Time {
	switch {
	case a.TrackingCode == "":
		t := a.searchDue(p, now)
		if !t.IsZero() && !t.After(now) { // the list could not be read
			return now.Add(p.Unwatched)
		}
		return t
	case a.EndedAt.IsZero():
		return now.Add(p.Unwatched)
	}
	return step(notAfter(a.EndedAt, now), p.Late, a.Rechecks)
}

// searchDue returns when a given-up create is to be searched for again; zero = no more.
func (a *Attempt) searchDue(p Pace, now time.Time) time.Time {
	return step(notAfter(a.StartedAt, now), a.passes(p), a.Rechecks)
}

// passes are the offsets at which a given-up create is searched for: those of
// the pace within its window, and a moment after the window's end, when nobody
// can pay it any more.
func (a *Attempt) passes(p Pace) []time.Duration {
	end := time.Duration(a.TTLMinutes)*time.Minute + p.Absent
	var list []time.Duration
	for _, d := range p.Orphan {
		if d < end {
			list = append(list, d)
		}
	}
	return append(list, end)
}

// afterDue looks at a confirmed payment a few times more; while the gateway takes
// its word back, often enough for that to be told.
func (a *Attempt) afterDue(p Pace, now time.Time) time.Time {
	if a.Regressions > 0 && a.Alert != reasonRegressed {
		pause := regressFor/regressionsToTell + time.Second
		return notAfter(a.RegressedAt, now).Add(time.Duration(a.Regressions) * pause)
	}
	return step(notAfter(a.EndedAt, now), p.After, a.Rechecks)
}
