package gatewaylist

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// ListPoll is one poll of the gateway's list of pending transactions, page by page. It is not safe
// for concurrent use.
type ListPoll struct {
	// Next is how long after a page was requested the next poll should have read its rows again.
	Next time.Duration

	before     map[string]bool // what the previous poll did not trust
	distrusted map[string]bool // by tracking code; true = made due
}

// After returns the poll after p, which may be nil. What p distrusted was read by status, or
// could not be, and is not made due for the same reason again.
func (p *ListPoll) After(next time.Duration) *ListPoll {
	after := &ListPoll{Next: next}
	if p != nil {
		after.before = p.distrusted
	}
	return after
}

// Tally counts the rows of a page.
type Tally struct {
	Unchanged int // payments as stored
	Changed   int // payments that differ, and were made due
	Watched   int // of both, those with an open page
	Stale     int // pending rows of payments that ended long ago
}

// Add returns the sum.
func (t Tally) Add(o Tally) Tally {
	return Tally{
		t.Unchanged + o.Unchanged, t.Changed + o.Changed, t.Watched + o.Watched, t.Stale + o.Stale,
	}
}

// ListStore is what a [PageApplier] needs of the database.
type ListStore interface {
	Session(ctx context.Context, id string) (payment.Session, error)
	// Tracked returns the sessions of the tracking codes, in no order; unknown codes are skipped.
	Tracked(ctx context.Context, trackingCodes []string) ([]TrackedSession, error)
	// TouchAll is Touch of many, in one commit. It skips sessions whose DueAt or Version have
	// changed, and those that are leased at now.
	TouchAll(ctx context.Context, now time.Time, list []Touched) error
}

// TrackedSession is a session, and until when a shopper has its page open, as far as any instance
// knows; zero = never.
type TrackedSession struct {
	payment.Session
	WatchedUntil time.Time
}

// Touched is a session as it was read, and its new times.
type Touched struct {
	payment.Session
	At, Due time.Time // CheckedAt and DueAt
}

// PageApplier applies pages of the gateway's list of pending transactions.
type PageApplier struct {
	Store       ListStore
	Environment string // of the gateway
	Schedule    payment.Schedule
	// IsWatched reports whether a shopper has a session open: here, or at another instance, which
	// is known from its WatchedUntil.
	IsWatched func(session string, watchedUntil time.Time) bool
	// Changed is called with each session that was checked. It must not block.
	Changed func(session string)
	Now     func() time.Time
}

// Apply applies a page that was requested at asked. Payments shown exactly as they are stored
// count as checked then, and need no status read for a while. The list proves nothing else:
// what differs is made due now, and what is missing stays due. Errors: the store's.
func (pa *PageApplier) Apply(
	ctx context.Context, p *ListPoll, records []payment.Record, asked time.Time,
) (tally Tally, err error) {
	asked = asked.Truncate(time.Microsecond) // as the store keeps it, and no later
	rows := p.rows(records)
	sessions, err := pa.Store.Tracked(ctx, slices.Collect(maps.Keys(rows)))
	if err != nil {
		return tally, fmt.Errorf("looking up listed payments: %w", err)
	}

	var touched []Touched
	var suspects []payment.Session
	for _, s := range sessions {
		for i := range s.Attempts {
			row, listed := rows[s.Attempts[i].TrackingCode]
			if !listed {
				continue
			}

			due, means := pa.classify(p, &tally, &s, &s.Attempts[i], row, asked)
			switch means {
			case unchanged:
				touched = append(touched, Touched{Session: s.Session, At: asked, Due: due})
			case changed:
				if p.firstDistrust(row.TrackingCode) {
					suspects = append(suspects, s.Session)
				}
			}
		}
	}
	if err := pa.makeDue(ctx, suspects); err != nil {
		return tally, err
	}

	return tally, pa.touchAll(ctx, p, touched)
}

// rows returns records by tracking code. Contradicting duplicates are distrusted.
func (p *ListPoll) rows(records []payment.Record) map[string]payment.Record {
	rows := map[string]payment.Record{}
	for _, record := range records {
		old, twice := rows[record.TrackingCode]
		if twice && !old.SameAs(record) {
			p.distrust(record.TrackingCode)
		}
		rows[record.TrackingCode] = record
	}
	return rows
}

// touchAll stores what a page shows, in one commit, except what the poll contradicts.
func (pa *PageApplier) touchAll(ctx context.Context, p *ListPoll, list []Touched) error {
	list = slices.DeleteFunc(list, func(t Touched) bool {
		return p.distrusts(t.Current().TrackingCode)
	})
	if len(list) == 0 {
		return nil
	}
	if err := pa.Store.TouchAll(ctx, pa.Now(), list); err != nil {
		return fmt.Errorf("recording listed payments: %w", err)
	}

	for _, t := range list {
		pa.Changed(t.ID)
	}
	return nil
}

// makeDue makes sessions due now that were not changed, read or postponed by a failure since.
func (pa *PageApplier) makeDue(ctx context.Context, list []payment.Session) error {
	now := pa.Now()
	var due []Touched
	for _, old := range list {
		s, err := pa.Store.Session(ctx, old.ID)
		if errors.Is(err, payment.ErrUnreadable) {
			continue // since it was looked up
		}
		if err != nil {
			return fmt.Errorf("loading a listed payment: %w", err)
		}
		if s.Version == old.Version && s.DueAt.After(now) && !s.IsPostponed(pa.Schedule, now) {
			due = append(due, Touched{Session: s, At: s.CheckedAt, Due: now})
		}
	}
	if len(due) == 0 {
		return nil
	}
	if err := pa.Store.TouchAll(ctx, now, due); err != nil {
		return fmt.Errorf("making listed payments due: %w", err)
	}

	return nil
}

// verdict is what a row of the list says about a payment.
type verdict int

const (
	ignored   verdict = iota // no change
	unchanged                // as stored: touch it
	changed                  // different: read its status now
)

// classify returns what row, of a page requested at asked, means for attempt a of s, and counts
// it; due is when an unchanged one is due next.
func (pa *PageApplier) classify(
	p *ListPoll, t *Tally, s *TrackedSession, a *payment.Attempt, row payment.Record,
	asked time.Time,
) (due time.Time, means verdict) {
	switch {
	case s.Environment != pa.Environment:
		return due, ignored
	case a.EndedBefore(asked.Add(-pa.Schedule.Unwatched)) && row.Status == "pending":
		t.Stale++
		return due, ignored
	case s.Status != wire.Pending || s.Current() != a || a.State != payment.Waiting:
		return due, ignored
	}

	watched := pa.IsWatched(s.ID, s.WatchedUntil)
	if watched {
		t.Watched++
	}
	if !a.MatchesRow(row) || !s.IsUnchangedBy(a.Number, row, asked) {
		p.distrust(a.TrackingCode)
	}
	if p.distrusts(a.TrackingCode) {
		t.Changed++
		return due, changed
	}

	t.Unchanged++
	due = pa.nextListed(&s.Session, a, watched, p.Next, asked)
	calm := s.OnSchedule(pa.Schedule.Interval(watched), asked)
	if due.IsZero() || !calm || s.NeedsStatusRead(a, pa.Schedule, watched, asked) {
		return due, ignored
	}

	return due, unchanged
}

// distrust records that this poll contradicts itself, or the database, about a transaction:
// its other rows no longer count.
func (p *ListPoll) distrust(code string) {
	if p.distrusted == nil {
		p.distrusted = map[string]bool{}
	}
	if !p.distrusts(code) {
		p.distrusted[code] = false
	}
}

func (p *ListPoll) distrusts(code string) bool {
	_, distrusted := p.distrusted[code]
	return distrusted
}

// firstDistrust reports whether a distrusted transaction must be made due: once for consecutive
// polls that distrust it.
func (p *ListPoll) firstDistrust(code string) bool {
	_, before := p.before[code]
	due := p.distrusted[code]
	p.distrusted[code] = true
	return !before && !due
}

// nextListed returns when s is due if the next poll shows it unchanged; zero if that is not often
// enough, or the next poll is soon enough to write nothing.
func (pa *PageApplier) nextListed(
	s *payment.Session, a *payment.Attempt, watched bool, next time.Duration, asked time.Time,
) time.Time {
	interval := pa.Schedule.Interval(watched)
	if watched && next > interval || s.DueAt.After(asked.Add(2*next)) {
		return time.Time{}
	}

	// longer only while the list cannot be read in time
	wait := min(max(next.Truncate(time.Microsecond), payment.SlightlyBefore(interval)), 2*interval)
	due := asked.Add(a.StretchInterval(asked, wait))
	for i := range s.Attempts {
		other := &s.Attempts[i]
		if other.Number == a.Number {
			continue
		}
		if !other.HasFixedTimes() {
			return time.Time{}
		}

		for _, t := range []time.Time{
			other.Due(pa.Schedule, asked, watched), other.FollowUpDue(pa.Schedule),
		} {
			if !t.IsZero() && t.Before(due) {
				due = t
			}
		}
	}
	if !due.After(pa.Now()) { // something else is due, or the page took too long
		return time.Time{}
	}

	return due
}
