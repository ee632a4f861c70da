// Package feed keeps one [wire.View] current in a browser: by websocket, by
// asking when that is down, and at once when the shopper comes back.
//
// It is pure Go. How requests and sockets are made is given in [Config], so
// that every rule runs in tests under testing/synctest.
package feed

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"coinslot/app/wire"
)

// Times of the feed. They are what a shopper notices, not settings.
const (
	// pollInterval is the pause between two questions while the socket is down.
	pollInterval = 3 * time.Second
	// maxPollInterval is the longest pause between two questions that fail.
	maxPollInterval = 30 * time.Second
	// dialBackoff and dialSlowest bound the pause before the socket is opened
	// again: a random part of dialFirst, doubled with every failure.
	dialBackoff, maxDialBackoff = time.Second, 30 * time.Second
	// pollAfterFailures is the number of failed sockets after which asking begins.
	pollAfterFailures = 2
	// readTimeout is how long an open socket may say nothing before it is taken for
	// dead; telephones keep sockets of sleeping tabs "open". A socket that is deduped
	// sees to that itself.
	readTimeout = time.Minute
	// fetchTimeout ends a question that gets no answer.
	fetchTimeout = 15 * time.Second
)

// Socket is an open websocket on which only the server talks.
type Socket interface {
	// Next returns the next view. It fails when the socket has closed, when the
	// message is not a view, and when ctx ends.
	Next(ctx context.Context) (wire.View, error)
	// Deduped reports whether the socket is open and sends the view by
	// itself, as [wire.View.WillUpdate] has it. Then it also ends by itself when it has
	// heard nothing for too long: Next may have nothing to return for hours.
	Deduped() bool
	// Close closes the socket; closing twice is allowed.
	Close()
}

// Config is what a Feed needs. Fetch, Dial and Got are required.
type Config struct {
	// Fetch asks for the view once.
	Fetch func(ctx context.Context) (wire.View, error)
	// Dial opens the socket.
	Dial func(ctx context.Context) (Socket, error)
	// OnView takes every view that is not older than the one before. It is called
	// from one goroutine at a time and must not call the Feed.
	OnView func(v wire.View)
	// OnOffline is told when neither way works, and when one works again. Nil: nobody is.
	OnOffline func(lost bool)
	// Version is the version on screen when the feed starts; lower ones are dropped.
	Version int64
	// Random returns a number in [0,1) for the pauses. Nil means math/rand/v2.
	Random func() float64
}

// Feed keeps one view current. Its methods may be called from any goroutine.
type Feed struct {
	config Config

	wake chan struct{} // capacity 1: look now

	mu       sync.Mutex // guards the fields below
	version  int64
	socket   Socket // nil = there is none
	offline  bool
	isPaused bool          // the tab is left: no socket, no questions
	pausing  chan struct{} // closed by Leave, exchanged by Back
}

// New returns a Feed that does nothing until Run.
func New(c Config) *Feed {
	if c.Random == nil {
		c.Random = rand.Float64
	}
	if c.OnOffline == nil {
		c.OnOffline = func(bool) {}
	}
	return &Feed{
		config: c, version: c.Version, wake: make(chan struct{}, 1), pausing: make(chan struct{}),
	}
}

// Run keeps the view current until ctx ends.
func (f *Feed) Run(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		if !f.waitUntilResumed(ctx) {
			return
		}
		if f.readSocket(ctx) {
			failures = 0
		} else {
			failures++
		}
		if f.paused() {
			continue
		}
		f.waitToRedial(ctx, failures)
	}
}

// waitUntilResumed waits until the tab is not away; false if ctx has ended. A wish to look
// may be from before the tab was left: it is open again once the tab is back, not
// sooner, or this would go round without end.
func (f *Feed) waitUntilResumed(ctx context.Context) bool {
	if !f.paused() {
		return true
	}
	for f.paused() {
		select {
		case <-ctx.Done():
			return false
		case <-f.wake:
		}
	}
	f.requestFetch()
	return true
}

// readSocket opens the socket and passes on what it says until it ends. It reports
// whether anything was heard.
func (f *Feed) readSocket(ctx context.Context) bool {
	ctx, cancel := f.untilPaused(ctx)
	defer cancel()
	socket, err := f.config.Dial(ctx)
	if err != nil {
		return false
	}
	defer socket.Close()
	f.setSocket(socket)
	defer f.setSocket(nil)
	stop := f.fetchOnWake(ctx, socket)
	defer stop()
	heard := false
	for {
		view, err := next(ctx, socket)
		if err != nil {
			return heard
		}
		heard = true
		f.apply(view)
	}
}

// setSocket remembers the socket that is open.
func (f *Feed) setSocket(s Socket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.socket = s
}

// WillUpdate reports whether the page will be told the view again once it has grown old:
// that is then so of every view, also of one that was asked for.
func (f *Feed) WillUpdate() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.willUpdate()
}

// willUpdate is WillUpdate. mu is held.
func (f *Feed) willUpdate() bool { return f.socket != nil && f.socket.Deduped() }

// next reads one view, for at most the time of silence.
func next(ctx context.Context, s Socket) (wire.View, error) {
	if s.Deduped() {
		return s.Next(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return s.Next(ctx)
}

// fetchOnWake asks once whenever Back is called while the socket is open. A
// socket that has not told what the question brings is dead and is closed; so is one
// beside which the question fails, since it may be silent for long: a new one speaks
// at once.
func (f *Feed) fetchOnWake(ctx context.Context, s Socket) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-f.wake:
				if f.fetch(ctx) != unchanged {
					s.Close()
				}
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// waitToRedial is what happens from the end of one socket to the next: after some
// failures the view is asked for, at once when the shopper comes back.
func (f *Feed) waitToRedial(ctx context.Context, failures int) {
	ctx, cancel := f.untilPaused(ctx)
	defer cancel()
	redial := time.NewTimer(f.redialDelay(dialBackoff, maxDialBackoff, failures))
	defer redial.Stop()
	var asking <-chan time.Time
	refused := 0
	if failures >= pollAfterFailures {
		asking = closedTime()
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
		case <-asking:
			if f.fetch(ctx) == failed {
				refused++
			} else {
				refused = 0
			}
			asking = time.After(f.pollDelay(refused))
		}
	}
}

// closedTime returns a channel that is ready at once.
func closedTime() <-chan time.Time {
	now := make(chan time.Time)
	close(now)
	return now
}

// pollDelay is pollInterval with a little noise, so that many pages do not ask in
// step, and grows while the answer is refused.
func (f *Feed) pollDelay(refused int) time.Duration {
	wait := pollInterval
	for range refused {
		wait = min(2*wait, maxPollInterval)
	}
	return wait*3/4 + time.Duration(f.config.Random()*float64(wait)/2)
}

// redialDelay returns a random part of first doubled failures times, at most slowest
// ("full jitter").
func (f *Feed) redialDelay(first, slowest time.Duration, failures int) time.Duration {
	ceiling := first
	for range failures {
		ceiling = min(2*ceiling, slowest)
	}
	return time.Duration(f.config.Random() * float64(ceiling))
}

// outcome is what asking has brought.
type outcome int

const (
	failed    outcome = iota // no answer
	unchanged                // the view that was known
	updated                  // a newer one
)

// fetch fetches the view once.
func (f *Feed) fetch(ctx context.Context) outcome {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	view, err := f.config.Fetch(ctx)
	if err != nil {
		if ctx.Err() != context.Canceled {
			f.setOffline(true)
		}
		return failed
	}
	if f.apply(view) {
		return updated
	}
	return unchanged
}

// apply passes a view on unless it is older than the one before; it reports
// whether it is newer.
func (f *Feed) apply(v wire.View) bool {
	f.setOffline(false)
	f.mu.Lock()
	defer f.mu.Unlock()
	if v.Version < f.version {
		return false
	}
	grown := v.Version > f.version
	f.version, v.WillUpdate = v.Version, f.willUpdate()
	f.config.OnView(v)
	return grown
}

// setOffline tells when it has changed whether the BFF can be reached.
func (f *Feed) setOffline(lost bool) {
	f.mu.Lock()
	changed := f.offline != lost
	f.offline = lost
	f.mu.Unlock()
	if changed {
		f.config.OnOffline(lost)
	}
}

// Resume says that the shopper is back: the tab is shown, restored or online
// again. The view is asked for at once, and the socket opened if it is closed.
func (f *Feed) Resume() {
	f.mu.Lock()
	if f.isPaused {
		f.isPaused, f.pausing = false, make(chan struct{})
	}
	f.mu.Unlock()
	f.requestFetch()
}

// requestFetch leaves the wish to ask at once.
func (f *Feed) requestFetch() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Pause says that the page is being left. The socket is closed, because an open
// one keeps a page from being restored; nothing happens until Back.
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

// untilPaused returns a context that also ends when the page is left.
func (f *Feed) untilPaused(ctx context.Context) (context.Context, context.CancelFunc) {
	f.mu.Lock()
	left := f.pausing
	f.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-left:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
