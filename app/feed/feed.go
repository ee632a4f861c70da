// Package feed keeps one [wire.View] current in a browser: by websocket, by polling while no socket
// delivers, and at once when the shopper returns to the tab.
//
// It is pure Go: requests and sockets come from [Config], so that tests run every rule under
// testing/synctest.
package feed

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"coinslot/app/wire"
)

const (
	// pollInterval is the pause between two polls while no socket delivers.
	pollInterval = 3 * time.Second
	// maxPollInterval is the longest pause between two polls that fail.
	maxPollInterval = 30 * time.Second
	// The pause before the socket is opened again is a random part of dialBackoff, which
	// doubles with every failure, up to maxDialBackoff ("full jitter").
	dialBackoff, maxDialBackoff = time.Second, 30 * time.Second
	// pollAfterFailures is the number of failed sockets after which polling begins.
	pollAfterFailures = 2
	// proofWithin is how long a socket that is being opened may be silent before polling begins.
	// The server sends a view at once, but proxies hold back the handshake or all that follows.
	proofWithin = 4 * time.Second
	// readTimeout is how long a socket may take to open, or an open one be silent, before it
	// counts as dead: phones keep the sockets of sleeping tabs "open". A deduplicating socket
	// has its own timeout.
	readTimeout = time.Minute
	// fetchTimeout is how long one poll may take.
	fetchTimeout = 15 * time.Second
)

// Socket is an open websocket on which only the server sends.
type Socket interface {
	// Next returns the next view. It fails when the socket has closed, when the message is not
	// a view, and when ctx ends.
	Next(ctx context.Context) (wire.View, error)
	// Deduped reports whether the socket is open, suppresses views that the page already has,
	// see [wire.View.WillUpdate], and has heard from the server lately. Next may then return
	// nothing for hours. When the server falls silent, Next returns the latest view once more;
	// later the socket closes itself.
	Deduped() bool
	// Close closes the socket; closing twice is allowed.
	Close()
}

// Config is what a Feed needs. Random may be nil.
type Config struct {
	// Fetch requests the view once.
	Fetch func(ctx context.Context) (wire.View, error)
	// Dial opens the socket.
	Dial func(ctx context.Context) (Socket, error)
	// OnView is called with every view that is not older than the one before, from one
	// goroutine at a time. It must not call the Feed.
	OnView func(v wire.View)
	// OnOffline is called when neither socket nor polling works, and when one works again.
	OnOffline func(offline bool)
	// Version is that of the view on screen when the feed starts; older views are dropped.
	Version int64
	// Random returns a number in [0,1) for the pauses. Nil means math/rand/v2.
	Random func() float64
}

// Feed keeps one view current. Its methods may be called from any goroutine.
type Feed struct {
	config Config

	wake    chan struct{} // capacity 1: fetch now
	changed chan struct{} // capacity 1: socket was set
	polls   polls         // of Run, or of the goroutine for which it waits

	mu       sync.Mutex // guards the fields below
	version  int64
	socket   Socket // the one that delivers; nil = there is none
	offline  bool
	isPaused bool          // the tab is left: no socket, no polls
	pausing  chan struct{} // closed by Pause, replaced by Resume
}

// New returns a Feed that does nothing until Run.
func New(c Config) *Feed {
	if c.Random == nil {
		c.Random = rand.Float64
	}
	return &Feed{
		config: c, version: c.Version, pausing: make(chan struct{}),
		wake: make(chan struct{}, 1), changed: make(chan struct{}, 1),
	}
}

// Run keeps the view current until ctx ends.
func (f *Feed) Run(ctx context.Context) {
	for failures := 0; f.waitUntilResumed(ctx); {
		failures++
		if f.readSocket(ctx) {
			failures = 0
		}
		if !f.paused() {
			f.waitToRedial(ctx, failures)
		}
	}
}

// waitUntilResumed blocks while the feed is paused; false if ctx has ended. It consumes wake,
// which may date from before the pause, and requests a fetch again afterwards.
func (f *Feed) waitUntilResumed(ctx context.Context) bool {
	for f.paused() {
		f.polls.stop()
		select {
		case <-ctx.Done():
			return false
		case <-f.wake:
		}
		if !f.paused() {
			f.requestFetch()
		}
	}
	return ctx.Err() == nil
}

// readSocket opens the socket and passes its views on until it ends. It reports whether there
// was any.
func (f *Feed) readSocket(ctx context.Context) (received bool) {
	ctx, cancel := f.untilPaused(ctx)
	defer cancel()
	f.polls.start(proofWithin)
	stop := f.fetchBeside(ctx)
	defer stop()

	socket, err := f.dial(ctx)
	if err != nil {
		return false
	}
	defer socket.Close()
	defer f.setSocket(nil)

	for ; ; received = true {
		wasDeduped := socket.Deduped()
		view, err := next(ctx, socket)
		if err != nil {
			return received
		}
		isSilent := wasDeduped && !socket.Deduped()
		if isSilent {
			f.setSocket(nil)
		} else {
			f.setSocket(socket)
		}
		f.apply(view)
	}
}

// dial opens the socket within the read timeout.
func (f *Feed) dial(ctx context.Context) (Socket, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return f.config.Dial(ctx)
}

// setSocket sets the socket that delivers; nil = none does.
func (f *Feed) setSocket(s Socket) {
	f.mu.Lock()
	isSame := f.socket == s
	f.socket = s
	f.mu.Unlock()
	if isSame {
		return
	}
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// delivering returns the socket that delivers; nil = none does.
func (f *Feed) delivering() Socket {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.socket
}

// WillUpdate is the value of [wire.View.WillUpdate] for every view that arrives now, also one
// that was fetched.
func (f *Feed) WillUpdate() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.willUpdate()
}

// willUpdate is WillUpdate. mu is held.
func (f *Feed) willUpdate() bool { return f.socket != nil && f.socket.Deduped() }

// next reads one view within the read timeout.
func next(ctx context.Context, s Socket) (wire.View, error) {
	if s.Deduped() {
		return s.Next(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return s.Next(ctx)
}

// fetchBeside fetches at each wake, and polls while no socket delivers. It closes a socket that has
// missed what a wake's fetch brings, and one beside which that fetch fails: a new one sends a view
// at once.
func (f *Feed) fetchBeside(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-f.changed:
				if f.delivering() != nil {
					f.polls.stop()
				} else {
					f.polls.start(0)
				}
			case <-f.polls.due():
				f.poll(ctx)
			case <-f.wake:
				socket := f.delivering()
				if f.fetch(ctx) != unchanged && socket != nil {
					socket.Close()
				}
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

// waitToRedial waits until the socket may be opened again, and polls meanwhile if several
// sockets have failed. It returns at once when the shopper comes back.
func (f *Feed) waitToRedial(ctx context.Context, failures int) {
	ctx, cancel := f.untilPaused(ctx)
	defer cancel()
	ceiling := backoff(dialBackoff, maxDialBackoff, failures)
	redial := time.NewTimer(time.Duration(f.config.Random() * float64(ceiling)))
	defer redial.Stop()
	if failures >= pollAfterFailures {
		f.polls.start(0)
	} else {
		f.polls.start(proofWithin)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-redial.C:
			return
		case <-f.wake:
			f.fetch(ctx)
			return
		case <-f.polls.due():
			f.poll(ctx)
		}
	}
}

// poll fetches the view, and schedules the next poll.
func (f *Feed) poll(ctx context.Context) {
	f.polls.running = true
	isFailed := f.fetch(ctx) == failed
	switch {
	case !isFailed:
		f.polls.failures = 0
	case ctx.Err() == nil:
		f.polls.failures++
	}
	pause := backoff(pollInterval, maxPollInterval, f.polls.failures)
	// A quarter more or less, so that many pages do not poll in step.
	f.polls.timer.Reset(pause*3/4 + time.Duration(f.config.Random()*float64(pause)/2))
}

// polls is when to poll next. The pace stays from one socket to the next until one delivers.
type polls struct {
	timer    *time.Timer // nil = no poll is due
	running  bool        // there was a poll since stop
	failures int         // in a row
}

// start makes a poll due after a pause, unless polling is under way or it is due sooner.
func (p *polls) start(after time.Duration) {
	switch {
	case p.timer == nil:
		p.timer = time.NewTimer(after)
	case !p.running && after == 0:
		p.timer.Reset(0)
	}
}

// due receives when a poll is due.
func (p *polls) due() <-chan time.Time {
	if p.timer == nil {
		return nil
	}
	return p.timer.C
}

// stop ends polling.
func (p *polls) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
	*p = polls{}
}

// backoff doubles a pause with every failure, up to a limit.
func backoff(pause, limit time.Duration, failures int) time.Duration {
	for range failures {
		pause = min(2*pause, limit)
	}
	return pause
}

// outcome is the result of a fetch.
type outcome int

const (
	failed outcome = iota
	unchanged
	updated
)

// fetch requests the view once.
func (f *Feed) fetch(ctx context.Context) outcome {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	view, err := f.config.Fetch(ctx)
	switch {
	case err != nil:
		if ctx.Err() != context.Canceled {
			f.setOffline(true)
		}
		return failed
	case f.apply(view):
		return updated
	}
	return unchanged
}

// apply passes a view on unless it is older than the one before; it reports whether it is newer.
func (f *Feed) apply(v wire.View) (isNewer bool) {
	f.setOffline(false)
	f.mu.Lock()
	defer f.mu.Unlock()
	if v.Version < f.version {
		return false
	}
	isNewer = v.Version > f.version
	f.version, v.WillUpdate = v.Version, f.willUpdate()
	f.config.OnView(v)
	return isNewer
}

// setOffline reports a change of whether the server can be reached.
func (f *Feed) setOffline(offline bool) {
	f.mu.Lock()
	changed := f.offline != offline
	f.offline = offline
	f.mu.Unlock()
	if changed {
		f.config.OnOffline(offline)
	}
}

// Resume is for the moment when the tab is shown, restored or online again: it fetches the view
// at once and opens the socket if it is closed.
func (f *Feed) Resume() {
	f.mu.Lock()
	if f.isPaused {
		f.isPaused = false
		f.pausing = make(chan struct{})
	}
	f.mu.Unlock()
	f.requestFetch()
}

func (f *Feed) requestFetch() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Pause is for the moment when the page is being left. It closes the socket, because an open one
// keeps a page out of the back/forward cache; nothing happens until Resume.
func (f *Feed) Pause() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.isPaused {
		f.isPaused = true
		close(f.pausing)
	}
}

func (f *Feed) paused() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.isPaused
}

// untilPaused returns a context that also ends with Pause.
func (f *Feed) untilPaused(ctx context.Context) (context.Context, context.CancelFunc) {
	f.mu.Lock()
	pausing := f.pausing
	f.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-pausing:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
