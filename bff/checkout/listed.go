package checkout

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"time"

	"coinslot/app/wire"
)

// Touched is a session that [Store.TouchAll] is to touch, as it was read, and
// the times that it is to get.
type Touched struct {
	Session
	At, Due time.Time // CheckedAt and DueAt
}

// Reading is one reading of the gateway's list of pending transactions, page by
// page. It is safe for concurrent use.
type Reading struct {
	// Next is how long after a page was asked for its rows should have been read
	// again, by the next reading.
	Next time.Duration

	writing sync.RWMutex    // held while rows are put off, and alone while some are made due
	before  map[string]bool // what the reading before this one doubted
	mu      sync.Mutex      // guards the field below
	doubted map[string]bool // by tracking code: shown otherwise than stored; true = made due for it
}

// After returns the reading that follows r, which may be nil: what r has doubted
// was read by itself, or could not be, and is not made due for the same again.
func (r *Reading) After(next time.Duration) *Reading {
	after := &Reading{Next: next}
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		after.before = r.doubted
	}
	return after
}

// Tally counts what a page has shown.
type Tally struct {
	Unchanged int // payments that are as stored
	Otherwise int // payments that are not, and were made due
	Watched   int // of both, those that somebody looks at
	Stale     int // rows that say pending although status has said long ago that it is over
}

// Add is both together.
func (t Tally) Add(o Tally) Tally {
	return Tally{t.Unchanged + o.Unchanged, t.Otherwise + o.Otherwise, t.Watched + o.Watched, t.Stale + o.Stale}
}

// Pending returns a page, from 1, of what the gateway lists as pending.
// Errors: the gateway's.
func (c *Service) Pending(ctx context.Context, page int) (RecordPage, error) {
	return c.Gateway.Transactions(ctx, ListQuery{Limit: 50, Page: page, Status: "pending"})
}

// CountPending returns how many sessions wait for a payment. Errors: the store's.
func (c *Service) CountPending(ctx context.Context) (int, error) {
	return c.Store.Count(ctx, string(wire.Pending))
}

// Heed takes in a page of the list that was asked for at that time. Payments
// that it shows exactly as they are stored count as checked then, and need no
// status read for a while. The list is no evidence of anything else: what it
// shows otherwise is made due now, and what it does not show stays due. Errors:
// the store's.
func (c *Service) Heed(ctx context.Context, r *Reading, records []Record, asked time.Time) (tally Tally, err error) {
	asked = asked.Truncate(time.Microsecond) // as the store keeps it, and no later
	rows := r.rows(records)
	sessions, err := c.Store.Tracked(ctx, slices.Collect(maps.Keys(rows)))
	if err != nil {
		return tally, fmt.Errorf("looking for listed payments: %w", err)
	}
	var touched []Touched
	var suspects []Session
	for _, s := range sessions {
		for i := range s.Attempts {
			row, listed := rows[s.Attempts[i].TrackingCode]
			if !listed {
				continue
			}
			switch due, means := c.weigh(r, &tally, &s, &s.Attempts[i], row, asked); means {
			case unchanged:
				touched = append(touched, Touched{Session: s, At: asked, Due: due})
			case otherwise:
				if r.first(row.TrackingCode) {
					suspects = append(suspects, s)
				}
			}
		}
	}
	if err := c.suspect(ctx, r, suspects); err != nil {
		return tally, err
	}
	return tally, c.touchAll(ctx, r, touched)
}

// rows are records by tracking code. One that is there twice, and different, is
// doubted.
func (r *Reading) rows(records []Record) map[string]Record {
	rows := map[string]Record{}
	for _, record := range records {
		if old, twice := rows[record.TrackingCode]; twice && !old.alike(record) {
			r.doubt(record.TrackingCode)
		}
		rows[record.TrackingCode] = record
	}
	return rows
}

// touchAll writes what a page has shown, in one commit, but for what another page
// has shown otherwise meanwhile.
func (c *Service) touchAll(ctx context.Context, r *Reading, list []Touched) error {
	r.writing.RLock()
	defer r.writing.RUnlock()
	list = slices.DeleteFunc(list, func(t Touched) bool { return r.doubts(t.Current().TrackingCode) })
	if len(list) == 0 {
		return nil
	}
	if err := c.Store.TouchAll(ctx, c.Now(), list); err != nil {
		return fmt.Errorf("noting what the list shows: %w", err)
	}
	for _, t := range list {
		if c.watched(t.Session) {
			c.Changed(t.ID)
		}
	}
	return nil
}

// suspect makes sessions due now that are not changed, being read or put off by a
// failure since. No page of r puts them off beside that: one may have done so before.
func (c *Service) suspect(ctx context.Context, r *Reading, list []Session) error {
	if len(list) == 0 {
		return nil
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	now := c.Now()
	var due []Touched
	for _, old := range list {
		s, err := c.Store.Session(ctx, old.ID)
		if err != nil {
			return fmt.Errorf("having a listed payment checked: %w", err)
		}
		if s.Version == old.Version && s.DueAt.After(now) && !s.postponed(c.Pace, now) {
			due = append(due, Touched{Session: s, At: s.CheckedAt, Due: now})
		}
	}
	if len(due) == 0 {
		return nil
	}
	if err := c.Store.TouchAll(ctx, now, due); err != nil {
		return fmt.Errorf("having listed payments checked: %w", err)
	}
	return nil
}

// postponed reports whether a failed look has put off s, which waits for a payment:
// neither a look nor the list puts it off by so much.
func (s *Session) postponed(p Pace, now time.Time) bool {
	return s.DueAt.After(s.checked().Add(2 * s.Current().slower(now, p.Unwatched)))
}

// meaning is what a row of the list says about a payment.
type meaning int

const (
	nothing   meaning = iota // leave it as it is
	unchanged                // it is as stored: touch it
	otherwise                // something is different: read its status now
)

// weigh decides what row, of a page that was asked for at that time, means for
// attempt a of s, and counts it; due is when an unchanged one is due next.
func (c *Service) weigh(r *Reading, t *Tally, s *Session, a *Attempt, row Record, asked time.Time) (due time.Time, means meaning) {
	switch {
	case s.Environment != c.Gateway.Environment():
		return due, nothing
	case a.endedBefore(asked.Add(-c.Pace.Unwatched)) && row.Status == "pending":
		t.Stale++
		return due, nothing
	case s.Status != wire.Pending || s.Current() != a || a.State != Waiting:
		return due, nothing
	}
	watched := c.watched(*s)
	if watched {
		t.Watched++
	}
	if !a.shownBy(row) || !s.keptBy(a.Number, row, asked) {
		r.doubt(a.TrackingCode)
	}
	if r.doubts(a.TrackingCode) {
		t.Otherwise++
		return due, otherwise
	}
	t.Unchanged++
	due = c.nextListed(s, a, watched, r.Next, asked)
	calm := s.calm(c.Pace.interval(watched), asked)
	if due.IsZero() || !calm || s.milestone(a, c.Pace, watched, asked) {
		return due, nothing
	}
	return due, unchanged
}

// doubt remembers that this reading contradicts itself, or what is stored, about a
// transaction: no other row of it counts any more.
func (r *Reading) doubt(code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.doubted == nil {
		r.doubted = map[string]bool{}
	}
	if _, known := r.doubted[code]; !known {
		r.doubted[code] = false
	}
}

func (r *Reading) doubts(code string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, doubted := r.doubted[code]
	return doubted
}

// first reports whether a doubted transaction is to be made due, which it is once
// for as long as one reading after the other doubts it.
func (r *Reading) first(code string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, before := r.before[code]
	due := r.doubted[code]
	r.doubted[code] = true
	return !before && !due
}

// alike reports whether two rows of one transaction tell the same.
func (r Record) alike(o Record) bool {
	return r.Status == o.Status && r.PaidAmount == o.PaidAmount && r.TxID == o.TxID && r.PaidAt.Equal(o.PaidAt)
}

// endedBefore reports whether a status read before t has told that a is over,
// and none has told otherwise since.
func (a *Attempt) endedBefore(t time.Time) bool {
	return a.State != InReview && !a.EndedAt.IsZero() && a.EndedAt.Before(t) && a.Regressions == 0
}

// shownBy reports whether the row tells exactly what is stored: also less than
// that is something else.
func (a *Attempt) shownBy(r Record) bool {
	unpaid := r.PaidAmount == "" && a.Paid.IsZero()
	paid := r.PaidReadable && r.Paid.Equal(a.Paid)
	return r.Status == "pending" && !r.CancelledByUser && (unpaid || paid) &&
		r.TxID == a.TxID && (r.TxURL == a.TxURL || r.TxID == "") && r.PaidAt.Equal(a.PaidAt)
}

// keptBy reports whether r, were it a status record, would change nothing.
func (s *Session) keptBy(n int, r Record, at time.Time) bool {
	news, err := s.hasNews(n, r, s.Environment, at)
	return err == nil && !news
}

// nextListed returns when s is due if a reading that comes again after next goes
// on to show it unchanged; zero if that is not often enough for it, or if it need
// not be written because the next reading is soon enough.
func (c *Service) nextListed(s *Session, a *Attempt, watched bool, next time.Duration, asked time.Time) time.Time {
	interval := c.Pace.interval(watched)
	if watched && next > interval || s.DueAt.After(asked.Add(2*next)) {
		return time.Time{}
	}
	wait := min(max(next.Truncate(time.Microsecond), nearly(interval)), 2*interval) // longer only while the list cannot be read in time
	due := asked.Add(a.slower(asked, wait))
	for i := range s.Attempts {
		other := &s.Attempts[i]
		if other.Number == a.Number {
			continue
		}
		if !other.settled() {
			return time.Time{}
		}
		for _, t := range []time.Time{other.due(c.Pace, asked, watched), other.followDue(c.Pace)} {
			if !t.IsZero() && t.Before(due) {
				due = t
			}
		}
	}
	if !due.After(c.Now()) { // something else is due, or the page took too long
		return time.Time{}
	}
	return due
}

// settled reports whether the times at which a is due are fixed, if it has any.
func (a *Attempt) settled() bool {
	switch a.State {
	case Expired, Cancelled, Refused:
		return true
	case Lost, Rejected, Stray:
		return a.TrackingCode == "" || !a.EndedAt.IsZero()
	}
	return false
}

// calm reports whether s waits for nothing but its usual check, which may have fallen
// due while the page was on its way. If something made it due sooner, the page is no
// answer to that; neither is one that was asked for before the last check.
func (s *Session) calm(interval time.Duration, asked time.Time) bool {
	last := s.checked()
	sooner := s.DueAt.Before(last.Add(nearly(interval)))
	return !s.DueAt.IsZero() && !sooner && last.Before(asked)
}

// checked is when s was last checked, or its payment was begun since.
func (s *Session) checked() time.Time {
	if a := s.Current(); a != nil && s.CheckedAt.Before(a.StartedAt) {
		return a.StartedAt
	}
	return s.CheckedAt
}

// wish is the DueAt that makes for a status read whatever the list shows: a little
// sooner than any usual check of s, so that it is never taken for one.
func (s *Session) wish(p Pace) time.Time {
	return s.checked().Add(nearly(min(p.Watched, p.Unwatched)) - time.Microsecond)
}

// nearly is how long after its last check a payment is due that the list shows:
// a little sooner than the interval, so that one that has left the list is
// checked by then.
func nearly(interval time.Duration) time.Duration {
	return (interval * 29 / 30).Truncate(time.Microsecond)
}

// Audit is how often the status of a payment is read that the list goes on to show
// unchanged: a list that is wrong would hide it for ever.
func (p Pace) Audit(watched bool) time.Duration {
	if watched {
		return 10 * p.Watched // half a minute
	}
	return 480 * p.Unwatched // two hours
}

// milestone reports whether a's status is to be read between its last check and
// the time when a page was asked for, whatever that shows: soon after the end of
// its window, and once in an audit's time, evenly spread over all sessions.
func (s *Session) milestone(a *Attempt, p Pace, watched bool, asked time.Time) bool {
	passed := func(t time.Time) bool { return t.After(s.CheckedAt) && !t.After(asked) }
	every := p.Audit(watched)
	h := fnv.New64a()
	h.Write([]byte(s.ID)) // never fails
	phase := time.Duration(h.Sum64() % uint64(every))
	last := asked.Add(-phase).Truncate(every).Add(phase)
	return passed(last) && last.After(a.StartedAt) || !a.ExpiresAt.IsZero() && passed(a.ExpiresAt.Add(p.Unwatched))
}
