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
	// searchSpan is how far either side of an attempt's start the list is
	// searched: the time zone and inclusiveness of its dates are not documented.
	searchSpan = 48 * time.Hour
	// behindUTC and aheadOfUTC are the time zones furthest from UTC.
	behindUTC, aheadOfUTC = 12 * time.Hour, 14 * time.Hour
	// shortList is how many pages are read at once; of a longer list, the
	// days that are likeliest come first, and the rest waits for everything else that
	// the gateway is asked. Of a list that cannot be read, only so many are tried.
	shortList = 20
)

// window is what part of the gateway's list is searched, as dates: where a transaction
// can be, and where it is unless the gateway's last day is exclusive or a clock is
// wrong.
type window struct{ from, to, nearFrom, nearTo string }

// around is the window of an attempt that was started at t.
func around(t time.Time) window {
	date := func(d time.Duration) string { return t.Add(d).UTC().Format(time.DateOnly) }
	return window{date(-searchSpan), date(searchSpan), date(-behindUTC), date(aheadOfUTC)}
}

// dates asks for the list from one date to another, both as written by around.
func dates(from, to string) payment.ListQuery {
	q := payment.ListQuery{Limit: 50}
	q.From, _ = time.Parse(time.DateOnly, from)
	q.To, _ = time.Parse(time.DateOnly, to)
	return q
}

// searches lets all who search the same window share what was read of it: a thousand
// lost answers cost little more than one.
type searches struct {
	mu sync.Mutex // guards the map, and of each search the fields that say so
	of map[window]*search
}

// search looks for transactions in one window. It goes on until each that is wanted
// was found, or is known not to be there; after an error it goes on where it was, as
// soon as anybody asks again.
type search struct {
	window window
	// Of the run under way alone. near is nil once it was read.
	near, wide *listing.Scan

	// Guarded by searches.mu.
	wanted map[string]time.Time      // by marker: as of when it must not be there
	joined bool                      // there are new ones among them
	asOf   time.Time                 // as of when nothing is missing; zero = not known
	bare   map[string]payment.Record // without a comment, and unknown here; by tracking code
	run    chan struct{}             // closed when the run under way ends; nil = there is none
	brief  bool                      // it, or the last one, reads the first pages only
	ended  time.Time                 // when the last one ended
	// of the last one that was not brief; nil = all was found out
	err      error
	failed   time.Time // when that was
	logged   bool      // that err has been logged
	unserved time.Time // since when something is wanted; zero = nothing is
	asked    time.Time // when anybody asked last

	heartbeat background.Heartbeat // beats with each page
}

const (
	// searchPatience is how long the check of a session waits for a search: the
	// others must not wait for a list of a hundred pages.
	searchPatience = 2 * time.Second
	// searchPause is how long nothing is read after an error. A list that turned out
	// not to be readable is tried again after unreadablePause. Meanwhile its first and
	// last pages, where what is new can be found all the same, are read every briefPause.
	searchPause, briefPause, unreadablePause = 2 * time.Second, 20 * time.Second, 10 * time.Minute
	// forgetAfter is when a search is forgotten that nobody asks for any more, and
	// askedWithin how often those ask who still wait for it.
	forgetAfter, askedWithin = time.Hour, 5 * time.Minute
)

// errReading says that the list is still being read: ask again soon.
var errReading = errors.New("the transaction list is being read")

// errClosing ends a search of a service that is being closed.
var errClosing = errors.New("searching the transaction list: shutting down")

// searchFor has the list searched for a, and returns as of when it is known not to have
// it, at notBefore or later (now, if that is yet to come), and the records that may be a's
// for want of a comment.
// Whatever of the list is ours and was not known has been adopted, also that of a:
// then there may be errReading.
// Errors: errReading; ctx's; the gateway's; the store's: then nothing is proven.
func (c *Service) searchFor(
	ctx context.Context, a payment.Attempt, notBefore time.Time,
) (asOf time.Time, bare []payment.Record, err error) {
	notBefore = payment.Earlier(notBefore, c.Now())
	s, run := c.join(ctx, a, notBefore)
	if run != nil {
		timer := time.NewTimer(searchPatience)
		defer timer.Stop()
		select {
		case <-run:
		case <-ctx.Done():
			return asOf, nil, ctx.Err()
		case <-timer.C:
		}
	}
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	bare = slices.Collect(maps.Values(s.bare))
	switch {
	case s.knows(notBefore):
		return s.asOf, bare, nil
	case s.run == nil && s.err != nil:
		return asOf, bare, s.err
	}
	return asOf, bare, errReading
}

// knows reports whether what was not found is known not to have been there at t.
// searches.mu is held.
func (s *search) knows(t time.Time) bool { return !s.asOf.IsZero() && !s.asOf.Before(t) }

// join returns the search of a's window, and what is closed when the run under way
// ends: nil if there is none because there is nothing to find out, or because the last
// one has just failed.
func (c *Service) join(
	ctx context.Context, a payment.Attempt, notBefore time.Time,
) (s *search, run chan struct{}) {
	w, now := around(a.StartedAt), c.Now()
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	maps.DeleteFunc(c.searches.of, func(_ window, s *search) bool {
		clockWasAhead := s.asOf.After(now) || s.asked.After(now) || s.ended.After(now)
		return s.run == nil && (clockWasAhead || now.Sub(s.asked) > forgetAfter)
	})
	s = c.searches.of[w]
	if s == nil {
		s = &search{window: w, wanted: map[string]time.Time{}, bare: map[string]payment.Record{}}
		s.rewind()
		c.searches.of[w] = s
	}
	s.asked = now
	if s.knows(notBefore) {
		return s, nil
	}
	if s.unserved.IsZero() {
		s.unserved = now
	}
	if since, known := s.wanted[a.Marker]; !known || since.Before(notBefore) {
		s.wanted[a.Marker], s.joined = notBefore, s.joined || !known
	}
	if s.run == nil && s.mayRun(now) {
		s.run = make(chan struct{})
		c.running.Go(func() { c.runSearch(context.WithoutCancel(ctx), s) })
	}
	return s, s.run
}

// rewind begins anew.
func (s *search) rewind() {
	s.near = listing.NewScan(dates(s.window.nearFrom, s.window.nearTo))
	s.wide = listing.NewScan(dates(s.window.from, s.window.to))
	s.near.EndsSoon, s.wide.EndsSoon = true, true
}

// mayRun reports whether anything may be read now, and notes whether only briefly.
// searches.mu is held.
func (s *search) mayRun(now time.Time) bool {
	s.brief = listing.Unreadable(s.err) && now.Sub(s.failed) < unreadablePause
	switch {
	case s.brief:
		return now.Sub(s.ended) >= briefPause
	case s.err != nil && !listing.Unreadable(s.err):
		return now.Sub(s.ended) >= searchPause
	}
	return true
}

// runSearch reads the list until all that is wanted is found out, or an error. That
// the list cannot be searched is logged once, until it can.
func (c *Service) runSearch(ctx context.Context, s *search) {
	var err error
	for err == nil && c.isWanted(ctx, s) {
		err = c.readPage(ctx, s)
	}
	if err == nil {
		return
	}
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	if listing.Unreadable(err) || s.brief {
		clear(s.wanted)
		s.rewind()
	}
	if !s.brief {
		s.err, s.failed = err, c.Now()
	}
	if !s.logged && !errors.Is(err, errClosing) {
		s.logged = true
		c.Log.WarnContext(ctx, "gateway's transaction list cannot be searched", "error", err,
			"from", s.window.from, "to", s.window.to)
	}
	s.end(c.Now())
}

// end ends the run under way. searches.mu is held.
func (s *search) end(now time.Time) {
	s.ended = now
	s.heartbeat.Stop()
	close(s.run)
	s.run = nil
}

// isWanted reports whether anything is wanted still. If not, it ends the run.
func (c *Service) isWanted(ctx context.Context, s *search) bool {
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	for marker, notBefore := range s.wanted {
		if s.knows(notBefore) {
			delete(s.wanted, marker)
		} else { // a clock that goes back must not keep it reading until then
			s.wanted[marker] = payment.Earlier(notBefore, c.Now())
		}
	}
	if len(s.wanted) > 0 {
		if s.joined {
			s.joined = false
			s.wide.EndsFirst()
		}
		return true
	}
	if s.brief { // who was wanted before is so still
		s.rewind()
		s.end(c.Now())
		return false
	}
	if s.logged {
		c.Log.InfoContext(ctx, "gateway's transaction list can be searched again",
			"from", s.window.from, "to", s.window.to)
	}
	s.err, s.logged, s.unserved = nil, false, time.Time{}
	s.end(c.Now())
	return false
}

// readPage reads one page more. A list longer than some pages is first read in the days
// that are likeliest: that proves nothing, and finds what is there with fewer requests.
func (c *Service) readPage(ctx context.Context, s *search) error {
	if c.closing.Err() != nil {
		return errClosing
	}
	scan := s.wide
	if s.brief && scan.Pages >= shortList { // only a run writes brief, and runs follow each other
		return s.err
	}
	if scan.InFirstPass() && s.near != nil && scan.LastPage > shortList && !s.brief {
		scan = s.near
	}
	lister := beating{c.Gateway, &s.heartbeat}
	if scan.Pages >= shortList && !scan.ReadingEnds() && c.Background != nil {
		lister.Lister = c.Background // which waits behind every payment
	}
	q := scan.Query
	q.Page = scan.Next(c.Now())
	page, err := listing.ReadPage(ctx, lister, q)
	if err != nil {
		return err
	}
	known, bare, err := c.adoptPage(ctx, page.Items)
	if err != nil {
		return err
	}
	err = scan.Take(page)
	if scan == s.near && (scan.Swept || err != nil) {
		s.near, err = nil, nil
	}
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	for _, marker := range known {
		delete(s.wanted, marker)
	}
	for _, r := range bare {
		s.bare[r.TrackingCode] = r
	}
	s.asOf = s.wide.AsOf
	return err
}

// beating is a Lister that is seen to go on.
type beating struct {
	listing.Lister
	heartbeat *background.Heartbeat
}

// Transactions implements Lister.
func (b beating) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	b.heartbeat.Beat(0)
	return b.Lister.Transactions(ctx, q)
}

// SearchingSince returns since when creates whose answers were lost are searched for in
// vain, because the gateway's list cannot be read to its end: the zero time if none is.
// A search that goes well takes some seconds.
func (c *Service) SearchingSince() (since time.Time) {
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	for _, s := range c.searches.of {
		if s.run != nil || c.Now().Sub(s.asked) < askedWithin {
			since = background.Earliest(since, s.unserved)
		}
	}
	return since
}

// LastBeat returns when the searches under way last read a page, the one that has waited
// longest; zero = there are none.
func (c *Service) LastBeat() (beat time.Time) {
	c.searches.mu.Lock()
	defer c.searches.mu.Unlock()
	for _, s := range c.searches.of {
		beat = background.Earliest(beat, s.heartbeat.Last())
	}
	return beat
}
