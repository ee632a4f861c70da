package gatewaylist

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

const (
	// searchSpan is how far around an attempt's start the list is searched: time zone and
	// inclusiveness of its dates are not documented, and a clock may be wrong.
	searchSpan = 48 * time.Hour
	// A list of more than fewPages is long: its ends are read first, where new transactions are.
	fewPages = 3
	// searchPatience is how long Find waits for a search: a long list must not block the checks
	// of other sessions.
	searchPatience = 2 * time.Second
	// searchPause is how long nothing is read after an error.
	searchPause = 2 * time.Second
	// endsPause is the time between two readings of the ends of a suspect list.
	endsPause = 20 * time.Second
	// forgetAfter is how long a search is kept after its last request.
	forgetAfter = time.Hour
	// askedWithin is how soon attempts that still wait request their search again.
	askedWithin = 5 * time.Minute
)

// ErrStillReading means that the list is still being read: ask again soon.
var ErrStillReading = errors.New("the transaction list is being read")

var errSuspect = fmt.Errorf("%w: it is tried again in a few minutes", ErrUnreadable)

var errClosing = errors.New("searching the transaction list: shutting down")

// FinderConfig configures a [Finder].
type FinderConfig struct {
	Gateway  Lister
	Store    AttemptFinder
	Sessions Sessions
	// PaymentPage is the base URL of the gateway's hosted pages; empty = none is shown.
	PaymentPage string
	Schedule    payment.Schedule
	Now         func() time.Time
	Log         *slog.Logger
}

// AttemptFinder looks up attempts in the database.
type AttemptFinder interface {
	// FindAttempts returns the attempts with the given tracking codes and markers, in no order;
	// unknown keys are skipped.
	FindAttempts(ctx context.Context, keys []string) ([]payment.AttemptRef, error)
}

// Sessions is what a [Finder] needs of the checkout.
type Sessions interface {
	Session(ctx context.Context, id string) (payment.Session, error)
	// Change changes a session in a transaction; see checkout.Service.Change.
	Change(ctx context.Context, id string, fn payment.ChangeFunc) (payment.Session, error)
}

// Finder looks in the gateway's list for the transactions of creates whose answers were lost, by
// the marker that every create carries in its comment. It is safe for concurrent use.
type Finder struct {
	FinderConfig
	mu       sync.Mutex // guards the map, and of each search the fields that say so
	searches map[window]*search
	running  background.Group // searches

	closing context.Context // ends with Close
	end     context.CancelFunc
}

// NewFinder returns a finder. It reads nothing until Find.
func NewFinder(c FinderConfig) *Finder {
	closing, end := context.WithCancel(context.Background())
	return &Finder{
		FinderConfig: c,
		searches:     map[window]*search{},
		closing:      closing,
		end:          end,
	}
}

// Close stops searches after the page they are reading. It may be called again; no new search
// starts.
func (f *Finder) Close() {
	f.end()
	f.running.Wait()
}

// Find looks for the transaction of attempt a of s, and returns the current session: a has a
// tracking code if it was found. If not, it was absent at asOf, which is notBefore or later, or
// now if that is in the future. Other transactions of ours that the list shows are stored, too.
//
// Errors, after which nothing is proven: ErrStillReading; ErrUnreadable; ctx's; the gateway's; the
// store's.
func (f *Finder) Find(
	ctx context.Context, s payment.Session, a payment.Attempt, notBefore time.Time,
) (current payment.Session, asOf time.Time, err error) {
	current, err = f.Sessions.Session(ctx, s.ID)
	if err != nil || current.Attempt(a.Number).TrackingCode != "" {
		return current, asOf, err // found by another search
	}

	asOf, unmarked, searchErr := f.search(ctx, a, notBefore)
	adopted, current, err := f.adoptUnmarked(ctx, s, a, unmarked)
	if err != nil || adopted {
		return current, asOf, err
	}

	current, err = f.Sessions.Session(ctx, s.ID)
	if err != nil || current.Attempt(a.Number).TrackingCode != "" {
		return current, asOf, err
	}
	return current, asOf, searchErr
}

// window is the part of the gateway's list that is searched, as dates.
type window struct{ from, to time.Time }

// windowAround returns the window of an attempt started at t.
func windowAround(t time.Time) window {
	date := func(d time.Duration) time.Time { return t.Add(d).UTC().Truncate(24 * time.Hour) }
	return window{date(-searchSpan), date(searchSpan)}
}

// search looks for transactions in one window, until each wanted one was found or is known to be
// absent. All attempts in a window share its search: a thousand lost answers cost little more
// than one. After an error it resumes with the next request.
type search struct {
	window window

	// Used only by the current run.
	reader *Reader   // nil = none is under way
	began  time.Time // when the reader began

	// Guarded by Finder.mu.
	wanted       map[string]time.Time      // by marker: when it must be known to be absent
	newcomer     bool                      // one is new: its transaction may be at an end
	asOf         time.Time                 // nothing is missing then; zero = unknown
	unmarked     map[string]payment.Record // without comment or owner, by tracking code
	run          chan struct{}             // closed when the current run ends; nil = none
	endedAt      time.Time                 // when the last one ended
	err          error                     // what ended the last run; nil = it was complete
	suspicion    suspicion
	logged       bool      // that err has been logged
	waitingSince time.Time // since when something is wanted; zero = nothing
	askedAt      time.Time // when it was last requested

	heartbeat background.Heartbeat // beats with each page
}

// knows reports whether what was not found is known to be absent at t. Finder.mu is held.
func (s *search) knows(t time.Time) bool { return !s.asOf.IsZero() && !s.asOf.Before(t) }

// search searches the list for a, as Find does. unmarked are the records that may be of a but
// have no comment.
func (f *Finder) search(
	ctx context.Context, a payment.Attempt, notBefore time.Time,
) (asOf time.Time, unmarked []payment.Record, err error) {
	notBefore = payment.Earlier(notBefore, f.Now())
	s, run := f.join(ctx, a, notBefore)
	if run != nil {
		select {
		case <-run:
		case <-ctx.Done():
			return asOf, nil, ctx.Err()
		case <-time.After(searchPatience):
		}
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	unmarked = slices.Collect(maps.Values(s.unmarked))
	switch {
	case s.knows(notBefore):
		return s.asOf, unmarked, nil
	case s.run == nil && s.err != nil:
		return asOf, unmarked, s.err
	}
	return asOf, unmarked, ErrStillReading
}

// join returns the search of a's window, and what is closed when the current run ends: nil if
// there is nothing to find out, or the last run has just failed.
func (f *Finder) join(
	ctx context.Context, a payment.Attempt, notBefore time.Time,
) (s *search, run chan struct{}) {
	w := windowAround(a.StartedAt)
	now := f.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(now)

	s = f.searches[w]
	if s == nil {
		s = &search{
			window:   w,
			wanted:   map[string]time.Time{},
			unmarked: map[string]payment.Record{},
		}
		f.searches[w] = s
	}

	s.askedAt = now
	if s.knows(notBefore) {
		return s, nil
	}

	if s.waitingSince.IsZero() {
		s.waitingSince = now
	}

	since, known := s.wanted[a.Marker]
	if !known || since.Before(notBefore) {
		s.wanted[a.Marker] = notBefore
	}

	s.newcomer = s.newcomer || !known
	if s.run == nil && f.mayRun(s, now) {
		s.run = make(chan struct{})
		f.running.Go(func() { f.runSearch(context.WithoutCancel(ctx), s) })
	}

	return s, s.run
}

// forget drops searches that nothing waits for. f.mu is held.
func (f *Finder) forget(now time.Time) {
	maps.DeleteFunc(f.searches, func(_ window, s *search) bool {
		clockWasAhead := s.asOf.After(now) || s.askedAt.After(now) || s.endedAt.After(now)
		return s.run == nil && (clockWasAhead || now.Sub(s.askedAt) > forgetAfter)
	})
}

// mayRun reports whether the list may be read now. f.mu is held.
func (f *Finder) mayRun(s *search, now time.Time) bool {
	switch {
	case s.suspicion.lasts(f.Schedule, now):
		return now.Sub(s.endedAt) >= endsPause
	case s.err != nil && !errors.Is(s.err, ErrUnreadable):
		return now.Sub(s.endedAt) >= searchPause
	}
	return true
}

// runSearch reads the list until nothing is wanted, or an error. That the list cannot be
// searched is logged once, until it can.
func (f *Finder) runSearch(ctx context.Context, s *search) {
	err := f.readWanted(ctx, s)
	f.mu.Lock()
	defer f.mu.Unlock()

	from := s.window.from.Format(time.DateOnly)
	to := s.window.to.Format(time.DateOnly)
	suspect := s.suspicion.lasts(f.Schedule, f.Now())
	switch {
	case err == nil && suspect: // all were at its ends, but it is still unreadable
		s.reader = nil
		s.newcomer = false
	case err == nil:
		if s.logged {
			f.Log.InfoContext(ctx, "gateway's transaction list can be searched again",
				"from", from, "to", to)
		}
		s.reader = nil
		s.newcomer = false
		s.err = nil
		s.logged = false
		s.waitingSince = time.Time{}
	default:
		s.err = err
		if errors.Is(err, ErrUnreadable) {
			clear(s.wanted) // until they are asked for again
			s.reader = nil
			if !suspect {
				s.suspicion.raise(f.Schedule, f.Now())
			}
		}
		if !s.logged && !errors.Is(err, errClosing) {
			s.logged = true
			f.Log.WarnContext(ctx, "gateway's transaction list cannot be searched",
				"error", err, "from", from, "to", to)
		}
	}

	s.endedAt = f.Now()
	s.heartbeat.Stop()
	close(s.run)
	s.run = nil
}

// readWanted reads the list until each wanted transaction was found or is known to be absent. Of
// a long list, the ends are read first; of one that is suspect, nothing else. Errors: those of
// Find.
func (f *Finder) readWanted(ctx context.Context, s *search) error {
	for f.isWanted(s) {
		if f.closing.Err() != nil {
			return errClosing
		}
		if s.reader == nil {
			q := payment.ListQuery{From: s.window.from, To: s.window.to}
			s.reader = NewReader(beating{f.Gateway, &s.heartbeat}, q)
			s.began = f.Now()
		}

		if s.reader.Next(ctx) {
			if err := f.adoptPage(ctx, s, s.reader.Page.Items); err != nil {
				s.reader = nil // it counts a page whose records were not looked up
				return err
			}
			if !f.isWanted(s) {
				return nil
			}
			if err := f.readEnds(ctx, s); err != nil {
				return err
			}
			if f.isSuspect(s) && f.isWanted(s) {
				return errSuspect
			}
			continue
		}
		if err := s.reader.Err(); err != nil {
			return err
		}

		f.mu.Lock()
		s.asOf = s.began
		f.mu.Unlock()
		s.reader = nil
	}

	return nil
}

// isWanted reports whether anything is wanted of s.
func (f *Finder) isWanted(s *search) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for marker, notBefore := range s.wanted {
		if s.knows(notBefore) {
			delete(s.wanted, marker)
			continue
		}
		s.wanted[marker] = payment.Earlier(notBefore, f.Now()) // the clock may have been set back
	}
	return len(s.wanted) > 0
}

// readEnds reads the ends of a list that is long, or suspect, for those that are new. The reader has
// read a page.
func (f *Finder) readEnds(ctx context.Context, s *search) error {
	f.mu.Lock()
	newcomer := s.newcomer
	f.mu.Unlock()
	last := s.reader.Page.LastPage
	if !newcomer || last <= fewPages && !f.isSuspect(s) {
		return nil
	}

	var pages []int
	if s.reader.Number != 1 {
		pages = append(pages, 1)
	}

	for n := last; n > max(1, last-2); n-- {
		pages = append(pages, n)
	}

	for _, n := range pages {
		q := s.reader.query
		q.Page = n
		page, err := readPage(ctx, s.reader.gateway, q)
		if err != nil {
			return err
		}
		if err := f.adoptPage(ctx, s, page.Items); err != nil {
			return err
		}
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	s.newcomer = false
	return nil
}

// beating is a list whose every request beats.
type beating struct {
	Lister
	heartbeat *background.Heartbeat
}

// Transactions implements Lister.
func (b beating) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	b.heartbeat.Beat(0)
	return b.Lister.Transactions(ctx, q)
}

func (f *Finder) isSuspect(s *search) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return s.suspicion.lasts(f.Schedule, f.Now())
}

// SearchingSince returns since when searches have been failing because the gateway's list
// cannot be read to its end; zero = they are not. A healthy search takes seconds.
func (f *Finder) SearchingSince() (since time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.searches {
		if s.run != nil || f.Now().Sub(s.askedAt) < askedWithin {
			since = background.Earliest(since, s.waitingSince)
		}
	}
	return since
}

// LastBeat returns when the slowest current search last read a page; zero = there is none.
func (f *Finder) LastBeat() (beat time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.searches {
		beat = background.Earliest(beat, s.heartbeat.Last())
	}
	return beat
}
