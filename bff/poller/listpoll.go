package poller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"

	"golang.org/x/sync/errgroup"
)

// ListPollerConfig configures a [ListPoller].
type ListPollerConfig struct {
	// Count returns how many payments wait, Watched how many of them have an open page at this
	// instance.
	Count   func(ctx context.Context) (int, error)
	Watched func() int
	// Page reads a page, from 1, of the gateway's list of pending transactions, and Apply
	// applies it; see [PageApplier.Apply].
	Page func(ctx context.Context, n int) (payment.RecordPage, error)
	// UrgentPage is Page for a list that is read for watched payments too, so that it does not
	// wait behind their status reads. Nil = Page.
	UrgentPage func(ctx context.Context, n int) (payment.RecordPage, error)
	Apply      func(
		ctx context.Context, r *Reading, records []payment.Record, asked time.Time,
	) (Tally, error)
	// AcquireLease reports whether this instance alone reads the list until d from now; it is
	// renewed while reading. Nil = there is one instance.
	AcquireLease func(ctx context.Context, d time.Duration) (bool, error)
	// Kick is called when something was made due. Nil = no callback.
	Kick     func()
	Schedule payment.Schedule
	// Concurrency is how many pages are read at once; 1 = by the goroutine of Run. Zero means 8.
	Concurrency int
	Now         func() time.Time // nil = time.Now
	// Wait waits until a time. Nil = by the clock. Errors: ctx's.
	Wait func(ctx context.Context, until time.Time) error
	Log  *slog.Logger // nil = silent
}

// ListPoller reads the gateway's list of pending transactions whenever that takes fewer
// requests than the status of each payment. It only postpones what a [Poller] would do: if it
// fails, stops or is too slow, payments become due.
type ListPoller struct {
	ListPollerConfig
	mode            mode
	last            load          // of the last complete reading
	at              time.Time     // of last; zero = none, or outdated
	took            time.Duration // duration of the last reading
	distrustedUntil time.Time     // the list is not used before
	failing         bool          // the last reading failed
	reading         *Reading
	heartbeat       background.Heartbeat // beats with each page, and pauses with Run
}

// NewListPoller returns a list poller that does nothing until Run.
func NewListPoller(c ListPollerConfig) *ListPoller {
	if c.UrgentPage == nil {
		c.UrgentPage = c.Page
	}
	if c.Kick == nil {
		c.Kick = func() {}
	}
	c.Concurrency = cmp.Or(c.Concurrency, 8)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = func(ctx context.Context, until time.Time) error {
			background.Sleep(ctx, until.Sub(c.Now()))
			return ctx.Err()
		}
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return &ListPoller{ListPollerConfig: c}
}

// Run reads the list whenever that pays off, until ctx ends. Errors are logged; it always
// returns nil.
func (s *ListPoller) Run(ctx context.Context) error {
	s.heartbeat.Beat(0)
	defer s.heartbeat.Stop()
	for ctx.Err() == nil {
		began := s.Now()
		pause := s.poll(ctx)
		if s.pause(ctx, s.notInFuture(began).Add(pause)) != nil {
			break
		}
	}
	return nil
}

// LastBeat returns the last or next expected heartbeat: the list is read with pauses. Zero = it
// is not running.
func (s *ListPoller) LastBeat() time.Time { return s.heartbeat.Last() }

// pause is Wait with a heartbeat for its end.
func (s *ListPoller) pause(ctx context.Context, until time.Time) error {
	s.heartbeat.Beat(until.Sub(s.Now()))
	return s.Wait(ctx, until)
}

// notInFuture returns t, or now if the clock was set back since t.
func (s *ListPoller) notInFuture(t time.Time) time.Time {
	if now := s.Now(); now.Before(t) {
		return now
	}
	return t
}

// poll reads the list once if that pays off, and returns how long after its start the next poll
// starts.
func (s *ListPoller) poll(ctx context.Context) time.Duration {
	usual := slow.interval(s.Schedule)
	if left := s.distrustedUntil.Sub(s.Now()); left > 0 && left <= s.distrustPeriod() {
		s.mode = statuses
		return usual
	}
	l, err := s.load(ctx)
	if err != nil {
		s.logFailure(ctx, err)
		return usual
	}
	if s.mode = plan(l, s.Schedule, s.mode); s.mode == statuses {
		return usual
	}
	every := s.mode.interval(s.Schedule)
	mine, err := s.acquireLease(ctx, every)
	if err == nil && !mine {
		return every / 4
	}
	if err == nil {
		err = s.readList(ctx, l, every)
	}
	if s.logFailure(ctx, err); err != nil {
		return usual
	}
	return every
}

// acquireLease reports whether this instance reads the list. If it dies, another one takes over
// within one and a quarter intervals.
func (s *ListPoller) acquireLease(ctx context.Context, every time.Duration) (bool, error) {
	if s.AcquireLease == nil {
		return true, nil
	}
	return s.AcquireLease(ctx, every*19/20) // expires just before the next poll
}

// logFailure logs the first of consecutive failures, and the first success after them.
func (s *ListPoller) logFailure(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil || s.failing == (err != nil):
		return
	case err != nil:
		s.Log.Warn("polling the gateway's transaction list failed", "error", err)
	default:
		s.Log.Info("polling the gateway's transaction list works again")
	}
	s.failing = err != nil
}

// maxRounds is for how many polls the results of a reading are used: the list may have changed.
const maxRounds = 10

// distrustPeriod is how long a stale list is not used.
func (s *ListPoller) distrustPeriod() time.Duration {
	return 2 * maxRounds *
		slow.interval(s.Schedule)
}

func (s *ListPoller) load(ctx context.Context) (load, error) {
	pending, err := s.Count(ctx)
	if err != nil {
		return load{}, fmt.Errorf("counting payments: %w", err)
	}
	if now := s.Now(); now.Sub(s.at) > maxRounds*slow.interval(s.Schedule) || now.Before(s.at) {
		s.last, s.at = load{}, time.Time{}
	}
	l := s.last
	l.pending, l.watched = pending, max(s.Watched(), l.watched)
	return l, nil
}

// errStale means that the list shows payments as pending that have ended.
var errStale = errors.New("transaction list is stale")

// readList reads the whole list once, its pages spread over the time until the next reading.
func (s *ListPoller) readList(ctx context.Context, l load, every time.Duration) error {
	began := s.Now()
	s.reading = s.reading.After(max(every, s.took) * 29 / 27)
	w := listRead{ListPoller: s, every: every, renewedAt: began, pages: 1, end: maxPages}
	err := w.run(ctx, l, began, every*9/10)
	if errors.Is(err, errTooLong) {
		return nil
	}
	if err != nil {
		s.took = 0
		return err
	}
	s.took = s.Now().Sub(s.notInFuture(began))
	sluggish := s.last.tooSlow
	if s.mode == fast {
		sluggish = s.took > every*21/20
	}
	s.last = load{
		tooSlow: sluggish, watched: w.tally.Watched, pages: min(w.pages, w.end),
		missed: max(0, l.pending-w.tally.Unchanged),
	}
	if !sluggish || s.at.IsZero() || s.mode == fast { // else fast would never be tried again
		s.at = began
	}
	if stale(w.tally, l.pending) {
		s.distrustedUntil = s.Now().Add(s.distrustPeriod())
		return fmt.Errorf("%w: %d transactions", errStale, w.tally.Stale)
	}
	return nil
}

// stale reports whether the list is stale. A few stuck rows must not stop it from being read.
func stale(t Tally, pending int) bool { return t.Stale > 2+pending/1000 }

type listRead struct {
	*ListPoller
	every time.Duration // between two readings

	mu        sync.Mutex // guards the fields below
	renewedAt time.Time  // last renewal of the lease
	pages     int        // of the last answer
	end       int        // the first empty page
	tally     Tally
	failed    int   // pages that could not be read
	err       error // of one of them
}

// errTooLong means that reading the list does not pay off.
var errTooLong = errors.New("the list is too long")

// run reads the first page, which has the number of pages, then the others spread over span, as
// long as that pays off.
func (w *listRead) run(ctx context.Context, l load, began time.Time, span time.Duration) error {
	if w.read(ctx, 1); w.err != nil {
		return w.err
	}
	var reading errgroup.Group
	reading.SetLimit(w.Concurrency)
	defer func() { _ = reading.Wait() }()
	for n := 2; ; n++ {
		pages, err := w.state()
		if pages > l.pages || n == 2 {
			if l.pages = pages; plan(l, w.Schedule, w.mode) != w.mode {
				w.last.pages, w.at = pages, began
				return errTooLong
			}
		}
		if n > pages || err != nil {
			break
		}
		began = w.notInFuture(began)
		next := began.Add(span * time.Duration(n-1) / time.Duration(pages))
		if err := w.pause(ctx, next); err != nil {
			return err
		}
		if w.Concurrency == 1 {
			w.read(ctx, n)
			continue
		}
		reading.Go(func() error {
			w.read(ctx, n)
			return nil
		})
	}
	_ = reading.Wait()
	_, err := w.state()
	return err
}

// state returns the number of pages, and why no more are read, if so.
func (w *listRead) state() (pages int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	pages = min(w.pages, w.end)
	if w.failed > 2+pages/20 {
		return pages, w.err
	}
	return pages, nil
}

// read reads and applies page n. An unreadable page is skipped: its payments become due.
func (w *listRead) read(ctx context.Context, n int) {
	defer w.heartbeat.Beat(0)
	w.renewLease(ctx)
	get := w.Page
	if w.mode == fast {
		get = w.UrgentPage
	}
	asked := w.Now()
	page, err := get(ctx, n)
	w.renewLease(ctx)
	var tally Tally
	if err == nil {
		tally, err = w.Apply(ctx, w.reading, page.Items, asked)
	}
	if tally.Changed > 0 {
		w.Kick()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally = w.tally.Add(tally)
	if err != nil {
		w.failed, w.err = w.failed+1, fmt.Errorf("reading page %d: %w", n, err)
		return
	}
	w.pages = min(page.LastPage, maxPages)
	if len(page.Items) == 0 {
		w.end = min(w.end, n)
	}
}

// renewLease renews the lease while the list is read. If it is lost, two instances read the list.
func (w *listRead) renewLease(ctx context.Context) {
	w.mu.Lock()
	now := w.Now()
	due := now.Sub(w.renewedAt) >= w.every/2 || now.Before(w.renewedAt)
	if due {
		w.renewedAt = now
	}
	w.mu.Unlock()
	if !due {
		return
	}
	if _, err := w.acquireLease(ctx, w.every); err != nil && ctx.Err() == nil {
		w.Log.Warn("renewing the list poll lease failed", "error", err)
	}
}

const maxPages = 1_000_000
