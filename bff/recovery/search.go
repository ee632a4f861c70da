package recovery

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/listing"
	"coinslot/bff/payment"
)

const (
	// searchSpan is how far around an attempt's start the list is searched: time zone and
	// inclusiveness of its dates are not documented.
	searchSpan            = 48 * time.Hour
	behindUTC, aheadOfUTC = 12 * time.Hour, 14 * time.Hour
	// maxShortPages is how many pages are read at once. Of a longer list, the likeliest days come
	// first, and the rest has the lowest priority. Of an unreadable list, only so many are tried.
	maxShortPages = 20
)

// window is the part of the gateway's list that is searched, as dates: where a transaction can
// be, and where it is unless the last day is exclusive or a clock is wrong.
type window struct{ from, to, nearFrom, nearTo time.Time }

// windowAround returns the window of an attempt started at t.
func windowAround(t time.Time) window {
	date := func(d time.Duration) time.Time { return t.Add(d).UTC().Truncate(24 * time.Hour) }
	return window{date(-searchSpan), date(searchSpan), date(-behindUTC), date(aheadOfUTC)}
}

// searches lets all attempts in one window share its search: a thousand lost answers cost
// little more than one.
type searches struct {
	mu       sync.Mutex // guards the map, and of each search the fields that say so
	byWindow map[window]*search
}

// search looks for transactions in one window, until each pending one was found or is known to
// be absent. After an error it resumes with the next request.
type search struct {
	window window
	// Used only by the current run. near is nil once it was read.
	near, wide *listing.Scan

	// Guarded by searches.mu.
	pending      map[string]time.Time      // by marker: when it must be known to be absent
	added        bool                      // pending has new ones
	asOf         time.Time                 // nothing is missing then; zero = unknown
	unmarked     map[string]payment.Record // without comment or owner, by tracking code
	run          chan struct{}             // closed when the current run ends; nil = none
	brief        bool                      // the current or last run reads the first pages only
	endedAt      time.Time                 // when the last one ended
	err          error                     // of the last run that was not brief; nil = complete
	failedAt     time.Time                 // when that was
	logged       bool                      // that err has been logged
	waitingSince time.Time                 // since when something is pending; zero = nothing
	askedAt      time.Time                 // last request

	heartbeat background.Heartbeat // beats with each page
}

const (
	// searchPatience is how long the check of a session waits for a search: a long list must
	// not block other sessions.
	searchPatience = 2 * time.Second
	// After an error nothing is read for searchPause. A list that proved unreadable is tried
	// again after unreadablePause; meanwhile its first and last pages, where new
	// transactions are, are read every briefPause.
	searchPause, briefPause, unreadablePause = 2 * time.Second, 20 * time.Second, 10 * time.Minute
	// A search that was not requested for forgetAfter is dropped; attempts that still wait
	// request it within askedWithin.
	forgetAfter, askedWithin = time.Hour, 5 * time.Minute
)

// errStillReading means that the list is still being read: ask again soon.
var errStillReading = errors.New("the transaction list is being read")

var errClosing = errors.New("searching the transaction list: shutting down")

// searchList searches the list for a. It returns when the list is known not to have a, at
// notBefore or later (now, if that is in the future), and the records that may be of a but have
// no comment. Every transaction of ours in the list is adopted, including that of a, in which
// case the error may be errStillReading.
//
// Errors, after which nothing is proven: errStillReading; ctx's; the gateway's; the store's.
func (c *Service) searchList(
	ctx context.Context, a payment.Attempt, notBefore time.Time,
) (asOf time.Time, unmarked []payment.Record, err error) {
	notBefore = payment.Earlier(notBefore, c.Now())
	s, run := c.join(ctx, a, notBefore)
	if run != nil {
		select {
		case <-run:
		case <-ctx.Done():
			return asOf, nil, ctx.Err()
		case <-time.After(searchPatience):
		}
	}
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	unmarked = slices.Collect(maps.Values(s.unmarked))
	switch {
	case s.knows(notBefore):
		return s.asOf, unmarked, nil
	case s.run == nil && s.err != nil:
		return asOf, unmarked, s.err
	}
	return asOf, unmarked, errStillReading
}

// knows reports whether what was not found is known to be absent at t. searches.mu is held.
func (s *search) knows(t time.Time) bool { return !s.asOf.IsZero() && !s.asOf.Before(t) }

// join returns the search of a's window, and what is closed when the current run ends: nil if
// there is nothing to find out, or the last run has just failed.
func (c *Service) join(
	ctx context.Context, a payment.Attempt, notBefore time.Time,
) (s *search, run chan struct{}) {
	w, now := windowAround(a.StartedAt), c.Now()
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	maps.DeleteFunc(c.searches.byWindow, func(_ window, s *search) bool {
		clockWasAhead := s.asOf.After(now) || s.askedAt.After(now) || s.endedAt.After(now)
		return s.run == nil && (clockWasAhead || now.Sub(s.askedAt) > forgetAfter)
	})
	s = c.searches.byWindow[w]
	if s == nil {
		s = &search{
			window: w, pending: map[string]time.Time{}, unmarked: map[string]payment.Record{},
		}
		s.reset()
		c.searches.byWindow[w] = s
	}
	s.askedAt = now
	if s.knows(notBefore) {
		return s, nil
	}
	if s.waitingSince.IsZero() {
		s.waitingSince = now
	}
	if since, known := s.pending[a.Marker]; !known || since.Before(notBefore) {
		s.pending[a.Marker], s.added = notBefore, s.added || !known
	}
	if s.run == nil && s.mayRun(now) {
		s.run = make(chan struct{})
		c.running.Go(func() { c.runSearch(context.WithoutCancel(ctx), s) })
	}
	return s, s.run
}

func (s *search) reset() {
	w := s.window
	s.near = listing.NewScan(payment.ListQuery{Limit: 50, From: w.nearFrom, To: w.nearTo})
	s.wide = listing.NewScan(payment.ListQuery{Limit: 50, From: w.from, To: w.to})
	s.near.EndsSoon, s.wide.EndsSoon = true, true
}

// mayRun reports whether the list may be read now, and sets brief. searches.mu is held.
func (s *search) mayRun(now time.Time) bool {
	s.brief = listing.Unreadable(s.err) && now.Sub(s.failedAt) < unreadablePause
	switch {
	case s.brief:
		return now.Sub(s.endedAt) >= briefPause
	case s.err != nil && !listing.Unreadable(s.err):
		return now.Sub(s.endedAt) >= searchPause
	}
	return true
}

// runSearch reads the list until nothing is pending, or an error. That the list cannot be
// searched is logged once, until it can.
func (c *Service) runSearch(ctx context.Context, s *search) {
	var err error
	for err == nil && c.hasPending(ctx, s) {
		err = c.readPage(ctx, s)
	}
	if err == nil {
		return
	}
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	if listing.Unreadable(err) || s.brief {
		clear(s.pending)
		s.reset()
	}
	if !s.brief {
		s.err, s.failedAt = err, c.Now()
	}
	if !s.logged && !errors.Is(err, errClosing) {
		s.logged = true
		c.Log.WarnContext(ctx, "gateway's transaction list cannot be searched", "error", err,
			"from", s.window.from.Format(time.DateOnly), "to", s.window.to.Format(time.DateOnly))
	}
	s.end(c.Now())
}

// end ends the current run. searches.mu is held.
func (s *search) end(now time.Time) {
	s.endedAt = now
	s.heartbeat.Stop()
	close(s.run)
	s.run = nil
}

// hasPending reports whether anything is pending. If not, it ends the run.
func (c *Service) hasPending(ctx context.Context, s *search) bool {
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	for marker, notBefore := range s.pending {
		if s.knows(notBefore) {
			delete(s.pending, marker)
		} else { // unless the clock was set back
			s.pending[marker] = payment.Earlier(notBefore, c.Now())
		}
	}
	if len(s.pending) > 0 {
		if s.added {
			s.added = false
			s.wide.EndsFirst()
		}
		return true
	}
	if s.brief { // earlier requests are still pending
		s.reset()
		s.end(c.Now())
		return false
	}
	if s.logged {
		c.Log.InfoContext(ctx, "gateway's transaction list can be searched again",
			"from", s.window.from.Format(time.DateOnly), "to", s.window.to.Format(time.DateOnly))
	}
	s.err, s.logged, s.waitingSince = nil, false, time.Time{}
	s.end(c.Now())
	return false
}

// readPage reads one more page. Of a long list, the likeliest days are read first: that proves
// nothing, but finds most transactions with fewer requests.
func (c *Service) readPage(ctx context.Context, s *search) error {
	if c.closing.Err() != nil {
		return errClosing
	}
	scan := s.wide
	// only runs set brief, one at a time
	if s.brief && scan.Pages >= maxShortPages {
		return s.err
	}
	if scan.InFirstPass() && s.near != nil && scan.LastPage > maxShortPages && !s.brief {
		scan = s.near
	}
	lister := heartbeatLister{c.Gateway, &s.heartbeat}
	if scan.Pages >= maxShortPages && !scan.ReadingEnds() && c.Background != nil {
		lister.Lister = c.Background // lowest priority
	}
	q := scan.Query
	q.Page = scan.Next(c.Now())
	page, err := listing.ReadPage(ctx, lister, q)
	if err != nil {
		return err
	}
	known, unmarked, err := c.adoptPage(ctx, page.Items)
	if err != nil {
		return err
	}
	err = scan.Add(page)
	if scan == s.near && (scan.PassDone || err != nil) {
		s.near, err = nil, nil
	}
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	for _, marker := range known {
		delete(s.pending, marker)
	}
	for _, r := range unmarked {
		s.unmarked[r.TrackingCode] = r
	}
	s.asOf = s.wide.AsOf
	return err
}

// heartbeatLister beats with each page.
type heartbeatLister struct {
	listing.Lister
	heartbeat *background.Heartbeat
}

// Transactions implements Lister.
func (b heartbeatLister) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	b.heartbeat.Beat(0)
	return b.Lister.Transactions(ctx, q)
}

// SearchingSince returns since when searches have been failing because the gateway's list
// cannot be read to its end; zero = they are not. A healthy search takes seconds.
func (c *Service) SearchingSince() (since time.Time) {
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	for _, s := range c.searches.byWindow {
		if s.run != nil || c.Now().Sub(s.askedAt) < askedWithin {
			since = background.Earliest(since, s.waitingSince)
		}
	}
	return since
}

// LastBeat returns when the slowest current search last read a page; zero = there is none.
func (c *Service) LastBeat() (beat time.Time) {
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	for _, s := range c.searches.byWindow {
		beat = background.Earliest(beat, s.heartbeat.Last())
	}
	return beat
}
