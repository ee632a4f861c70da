package checkout

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"coinslot/bff/crash"
	"coinslot/bff/pulse"
)

const (
	// searchSpan is how far either side of an attempt's start the list is
	// searched: the time zone and inclusiveness of its dates are not documented.
	searchSpan = 48 * time.Hour
	// searchPages bounds a reading whose pages never end; one that long proves
	// nothing.
	searchPages = 2000
	// searchPasses is how often a list is read anew that moved while it was read.
	searchPasses = 3
)

// window is what part of the gateway's list is read, as dates.
type window struct{ from, to string }

// around is the window of an attempt that was started at t.
func around(t time.Time) window {
	return window{t.Add(-searchSpan).UTC().Format(time.DateOnly), t.Add(searchSpan).UTC().Format(time.DateOnly)}
}

func (w window) query() ListQuery {
	from, _ := time.Parse(time.DateOnly, w.from) // written by around
	to, _ := time.Parse(time.DateOnly, w.to)
	return ListQuery{Limit: 50, From: from, To: to}
}

// sweeps lets all who search the same part of the list share its readings: a
// thousand lost answers cost as much as one, and whoever comes later uses what
// was read meanwhile.
type sweeps struct {
	mu      sync.Mutex        // guards the fields below, and began of each sweep
	next    map[window]*sweep // wanted, not begun
	reading map[window]*sweep
	last    map[window]*sweep // the latest whole one
}

func newSweeps() sweeps {
	return sweeps{next: map[window]*sweep{}, reading: map[window]*sweep{}, last: map[window]*sweep{}}
}

// sweep is one reading of the list, whole when done is closed.
type sweep struct {
	began time.Time // by the service's clock
	done  chan struct{}
	pulse pulse.Pulse // beats with each page
	bare  []Record    // those that bear no comment; the others are known by now
	err   error
}

// sweepPatience is how long whoever tends a session waits for a reading: the
// others must not wait for a list of a hundred pages.
const sweepPatience = 2 * time.Second

// errReading says that the list is still being read: ask again soon.
var errReading = errors.New("the transaction list is being read")

// sighted returns a reading of what the gateway lists in w that began at
// notBefore or later. Whatever of it is ours and was not known has been adopted.
// Errors: errReading; ctx's; the gateway's; the store's: then nothing is proven.
func (c *Service) sighted(ctx context.Context, w window, notBefore time.Time) (*sweep, error) {
	wanted := c.join(ctx, w, notBefore)
	timer := time.NewTimer(sweepPatience)
	defer timer.Stop()
	select {
	case <-wanted.done:
		return wanted, wanted.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, errReading
	}
}

// join returns the earliest sweep of w that serves, and starts one if nobody is
// reading.
func (c *Service) join(ctx context.Context, w window, notBefore time.Time) *sweep {
	c.sweeps.mu.Lock()
	defer c.sweeps.mu.Unlock()
	for _, s := range []*sweep{c.sweeps.last[w], c.sweeps.reading[w]} {
		if s != nil && !s.began.Before(notBefore) {
			return s
		}
	}
	wanted := c.sweeps.next[w]
	if wanted == nil {
		wanted = &sweep{done: make(chan struct{})}
		c.sweeps.next[w] = wanted
	}
	if c.sweeps.reading[w] == nil {
		c.begin(w)
		c.creating.Go(func() { c.sweepAll(context.WithoutCancel(ctx), w) })
	}
	return wanted
}

// begin makes the next sweep of w the one that is read, nil if nobody wants
// one. It forgets readings that nobody will ask for any more. c.sweeps.mu is held.
func (c *Service) begin(w window) *sweep {
	s := c.sweeps.next[w]
	delete(c.sweeps.next, w)
	if s == nil {
		delete(c.sweeps.reading, w)
		return nil
	}
	s.began = c.Now()
	s.pulse.Beat(0)
	c.sweeps.reading[w] = s
	for other, old := range c.sweeps.last {
		if s.began.Sub(old.began) > time.Hour {
			delete(c.sweeps.last, other)
		}
	}
	return s
}

// sweepAll reads w for as long as somebody wants another reading of it.
func (c *Service) sweepAll(ctx context.Context, w window) {
	c.sweeps.mu.Lock()
	s := c.sweeps.reading[w]
	c.sweeps.mu.Unlock()
	for s != nil {
		records, err := listed(ctx, beating{c.Gateway, &s.pulse}, w.query())
		if err == nil {
			err = c.adoptAll(ctx, records, &s.pulse)
		}
		s.err = err
		for _, r := range records {
			if r.Comment == "" {
				s.bare = append(s.bare, r)
			}
		}
		c.sweeps.mu.Lock()
		if err == nil {
			c.sweeps.last[w] = s
		}
		close(s.done)
		s = c.begin(w)
		c.sweeps.mu.Unlock()
	}
}

// beating is a Lister that is seen to go on.
type beating struct {
	Lister
	pulse *pulse.Pulse
}

// Transactions implements Lister.
func (b beating) Transactions(ctx context.Context, q ListQuery) (RecordPage, error) {
	b.pulse.Beat(0)
	return b.Lister.Transactions(ctx, q)
}

// Turned returns when what goes on besides last turned, by name; zero = nothing of the
// kind is under way. "search" looks for creates whose answer is lost, "currencies"
// renews the gateway's currency list.
func (c *Service) Turned() map[string]time.Time {
	c.sweeps.mu.Lock()
	defer c.sweeps.mu.Unlock()
	var search time.Time
	for _, s := range c.sweeps.reading {
		search = pulse.Earliest(search, s.pulse.Turned())
	}
	return map[string]time.Time{"search": search, "currencies": c.currencies.pulse.Turned()}
}

// listed reads every page of q, all statuses. Pages may shift while they are
// read, which repeats a record or hides one: then the list is read again, and
// what any reading has shown counts.
func listed(ctx context.Context, g Lister, q ListQuery) ([]Record, error) {
	seen := map[string]int{} // index in records by tracking code
	var records []Record
	for range searchPasses {
		moved, err := pass(ctx, g, q, func(r Record) {
			i, again := seen[r.TrackingCode]
			if !again {
				i = len(records)
				seen[r.TrackingCode], records = i, append(records, r)
			}
			records[i] = r
		})
		if err != nil {
			return nil, err
		}
		if !moved {
			break
		}
	}
	return records, nil
}

// pass reads the pages of q once, and one more than it is told of if the last one
// is full. moved reports that the list has changed while it was read: its length
// differs from page to page, or a record came twice.
func pass(ctx context.Context, g Lister, q ListQuery, see func(Record)) (moved bool, err error) {
	here := map[string]bool{} // tracking codes of this pass
	total := -1
	for q.Page = 1; q.Page <= searchPages; q.Page++ {
		page, err := readPage(ctx, g, q)
		if err != nil {
			return false, fmt.Errorf("reading page %d of the transaction list: %w", q.Page, err)
		}
		moved = moved || total >= 0 && page.Total != total
		total = page.Total
		repeated := 0
		for _, r := range page.Items {
			see(r)
			if here[r.TrackingCode] {
				repeated++
			}
			here[r.TrackingCode] = true
		}
		past := page.LastPage > 0 && q.Page > page.LastPage
		if len(page.Items) == 0 || past && repeated == len(page.Items) { // the end, or the last page once more
			return moved, nil
		}
		moved = moved || repeated > 0
		if page.LastPage > 0 && q.Page >= page.LastPage && len(page.Items) < q.Limit {
			return moved, nil
		}
	}
	return false, errors.New("reading the transaction list: it does not end")
}

// pageTries is how often a page is read: of a hundred pages one that fails now
// and then must not throw the others away.
const pageTries = 3

// readPage reads one page, again after a moment if that fails.
func readPage(ctx context.Context, g Lister, q ListQuery) (page RecordPage, err error) {
	for try := 1; ; try++ {
		page, err = g.Transactions(ctx, q)
		if err == nil || try == pageTries || ctx.Err() != nil {
			return page, err
		}
		pause(ctx, time.Duration(try)*50*time.Millisecond)
	}
}

// markerText is what newMarker writes, wherever a gateway puts it in a comment.
var markerText = regexp.MustCompile(`cs-[a-z2-7]{20}`)

// adoptAll makes known what bears one of our markers and was not known.
func (c *Service) adoptAll(ctx context.Context, records []Record, p *pulse.Pulse) error {
	for some := range slices.Chunk(records, 500) {
		p.Beat(0)
		if err := c.adoptSome(ctx, some, p); err != nil {
			return err
		}
	}
	return nil
}

func (c *Service) adoptSome(ctx context.Context, records []Record, p *pulse.Pulse) error {
	owners, err := c.owners(ctx, records)
	if err != nil {
		return err
	}
	for _, r := range records {
		p.Beat(0)
		h, ours := owners[markerText.FindString(r.Comment)]
		if !ours || h.TrackingCode == r.TrackingCode || !trackingCode.MatchString(r.TrackingCode) {
			continue
		}
		crash.Point("search.found")
		if _, err := c.adopt(ctx, Session{ID: h.Session}, h.Number, r); err != nil {
			return err
		}
		crash.Point("search.adopted")
	}
	return nil
}

// owners returns the attempts whose markers are in records, by marker.
func (c *Service) owners(ctx context.Context, records []Record) (map[string]Held, error) {
	var markers []string
	for _, r := range records {
		if m := markerText.FindString(r.Comment); m != "" {
			markers = append(markers, m)
		}
	}
	if markers == nil {
		return nil, nil
	}
	held, err := c.Store.Held(ctx, markers)
	if err != nil {
		return nil, fmt.Errorf("looking for the owners of markers: %w", err)
	}
	owners := map[string]Held{}
	for _, h := range held {
		owners[h.Marker] = h
	}
	return owners, nil
}

// adopt stores a tracking code that was found by the marker of attempt n. If the
// attempt has another one already, the gateway has opened two: the second is
// kept as a stray, to be ended and never shown.
func (c *Service) adopt(ctx context.Context, s Session, n int, r Record) (Session, error) {
	return c.change(ctx, s, func(s *Session, now time.Time) error {
		a := s.Attempt(n)
		switch {
		case a == nil || s.has(r.TrackingCode):
			return ErrUnchanged
		case a.TrackingCode != "":
			return s.stray(*a, r, now)
		}
		a.TrackingCode, a.ExpiresAt = r.TrackingCode, expiry(r.ExpiresAt, now, a.TTLMinutes)
		a.PaymentURL = hosted(r.PaymentURL, c.PaymentPage)
		s.note(now, "coinslot", "attempt.found", r.TrackingCode)
		return nil
	})
}

// has reports whether an attempt of s has that tracking code.
func (s *Session) has(code string) bool {
	for i := range s.Attempts {
		if s.Attempts[i].TrackingCode == code {
			return true
		}
	}
	return false
}

// stray appends a second transaction that bears the marker of a.
func (s *Session) stray(a Attempt, r Record, now time.Time) error {
	if len(s.Attempts) >= 2*maxAttempts {
		return ErrUnchanged // a gateway that makes more than these cannot be helped
	}
	s.Attempts = append(s.Attempts, Attempt{
		Number: len(s.Attempts) + 1, State: Stray, TrackingCode: r.TrackingCode, AmountUSD: a.AmountUSD,
		CurrencySymbol: a.CurrencySymbol, CurrencyName: a.CurrencyName, NetworkCode: a.NetworkCode, NetworkName: a.NetworkName,
		TTLMinutes: a.TTLMinutes, StartedAt: now, ExpiresAt: expiry(r.ExpiresAt, now, a.TTLMinutes),
	})
	s.note(now, "coinslot", "attempt.stray", r.TrackingCode)
	return nil
}
