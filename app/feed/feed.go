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
	// askEvery is the pause between two questions while the socket is down.
	askEvery = 3 * time.Second
	// askSlowest is the longest pause between two questions that fail.
	askSlowest = 30 * time.Second
	// dialFirst and dialSlowest bound the pause before the socket is opened
	// again: a random part of dialFirst, doubled with every failure.
	dialFirst, dialSlowest = time.Second, 30 * time.Second
	// asksAfter is the number of failed sockets after which asking begins.
	asksAfter = 2
	// silence is how long an open socket may say nothing before it is taken for
	// dead; telephones keep sockets of sleeping tabs "open". A socket that is deduped
	// sees to that itself.
	silence = time.Minute
	// answerWithin ends a question that gets no answer.
	answerWithin = 15 * time.Second
)

// Socket is an open websocket on which only the server talks.
type Socket interface {
	// Next returns the next view. It fails when the socket has closed, when the
	// message is not a view, and when ctx ends.
	Next(ctx context.Context) (wire.View, error)
	// Deduped reports whether the socket is open and tells of the view's time by
	// itself, as [wire.View.Told] has it. Then it also ends by itself when it has
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
	// Got takes every view that is not older than the one before. It is called
	// from one goroutine at a time and must not call the Feed.
	Got func(v wire.View)
	// Lost is told when neither way works, and when one works again. Nil: nobody is.
	Lost func(lost bool)
	// From is the version on screen when the feed starts; lower ones are dropped.
	From int64
	// Random returns a number in [0,1) for the pauses. Nil means math/rand/v2.
	Random func() float64
}

// Feed keeps one view current. Its methods may be called from any goroutine.
type Feed struct {
	config Config

	back chan struct{} // capacity 1: look now

	mu      sync.Mutex // guards the fields below
	version int64
	socket  Socket // nil = there is none
	lost    bool
	away    bool          // the tab is left: no socket, no questions
	left    chan struct{} // closed by Leave, exchanged by Back
}

// New returns a Feed that does nothing until Run.
func New(c Config) *Feed {
	if c.Random == nil {
		c.Random = rand.Float64
	}
	if c.Lost == nil {
		c.Lost = func(bool) {}
	}
	return &Feed{
		config: c, version: c.From, back: make(chan struct{}, 1), left: make(chan struct{}),
	}
}

// Run keeps the view current until ctx ends.
func (f *Feed) Run(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		if !f.here(ctx) {
			return
		}
		if f.listen(ctx) {
			failures = 0
		} else {
			failures++
		}
		if f.isAway() {
			continue
		}
		f.between(ctx, failures)
	}
}

// here waits until the tab is not away; false if ctx has ended. A wish to look
// may be from before the tab was left: it is open again once the tab is back, not
// sooner, or this would go round without end.
func (f *Feed) here(ctx context.Context) bool {
	if !f.isAway() {
		return true
	}
	for f.isAway() {
		select {
		case <-ctx.Done():
			return false
		case <-f.back:
		}
	}
	f.look()
	return true
}

// listen opens the socket and passes on what it says until it ends. It reports
// whether anything was heard.
func (f *Feed) listen(ctx context.Context) bool {
	ctx, cancel := f.untilLeft(ctx)
	defer cancel()
	socket, err := f.config.Dial(ctx)
	if err != nil {
		return false
	}
	defer socket.Close()
	f.hold(socket)
	defer f.hold(nil)
	stop := f.lookOnBack(ctx, socket)
	defer stop()
	heard := false
	for {
		view, err := next(ctx, socket)
		if err != nil {
			return heard
		}
		heard = true
		f.got(view)
	}
}

// hold remembers the socket that is open.
func (f *Feed) hold(s Socket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.socket = s
}

// Told reports whether the page will be told the view again once it has grown old:
// that is then so of every view, also of one that was asked for.
func (f *Feed) Told() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.told()
}

// told is Told. mu is held.
func (f *Feed) told() bool { return f.socket != nil && f.socket.Deduped() }

// next reads one view, for at most the time of silence.
func next(ctx context.Context, s Socket) (wire.View, error) {
	if s.Deduped() {
		return s.Next(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	return s.Next(ctx)
}

// lookOnBack asks once whenever Back is called while the socket is open. A
// socket that has not told what the question brings is dead and is closed; so is one
// beside which the question fails, since it may be silent for long: a new one speaks
// at once.
func (f *Feed) lookOnBack(ctx context.Context, s Socket) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-f.back:
				if f.ask(ctx) != known {
					s.Close()
				}
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// between is what happens from the end of one socket to the next: after some
// failures the view is asked for, at once when the shopper comes back.
func (f *Feed) between(ctx context.Context, failures int) {
	ctx, cancel := f.untilLeft(ctx)
	defer cancel()
	redial := time.NewTimer(f.pause(dialFirst, dialSlowest, failures))
	defer redial.Stop()
	var asking <-chan time.Time
	refused := 0
	if failures >= asksAfter {
		asking = closedTime()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-redial.C:
			return
		case <-f.back:
			f.ask(ctx)
			return
		case <-asking:
			if f.ask(ctx) == failed {
				refused++
			} else {
				refused = 0
			}
			asking = time.After(f.pauseAsking(refused))
		}
	}
}

// closedTime returns a channel that is ready at once.
func closedTime() <-chan time.Time {
	now := make(chan time.Time)
	close(now)
	return now
}

// pauseAsking is askEvery with a little noise, so that many pages do not ask in
// step, and grows while the answer is refused.
func (f *Feed) pauseAsking(refused int) time.Duration {
	wait := askEvery
	for range refused {
		wait = min(2*wait, askSlowest)
	}
	return wait*3/4 + time.Duration(f.config.Random()*float64(wait)/2)
}

// pause returns a random part of first doubled failures times, at most slowest
// ("full jitter").
func (f *Feed) pause(first, slowest time.Duration, failures int) time.Duration {
	ceiling := first
	for range failures {
		ceiling = min(2*ceiling, slowest)
	}
	return time.Duration(f.config.Random() * float64(ceiling))
}

// outcome is what asking has brought.
type outcome int

const (
	failed outcome = iota // no answer
	known                 // the view that was known
	newer                 // a newer one
)

// ask fetches the view once.
func (f *Feed) ask(ctx context.Context) outcome {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	view, err := f.config.Fetch(ctx)
	if err != nil {
		if ctx.Err() != context.Canceled {
			f.tellLost(true)
		}
		return failed
	}
	if f.got(view) {
		return newer
	}
	return known
}

// got passes a view on unless it is older than the one before; it reports
// whether it is newer.
func (f *Feed) got(v wire.View) bool {
	f.tellLost(false)
	f.mu.Lock()
	defer f.mu.Unlock()
	if v.Version < f.version {
		return false
	}
	grown := v.Version > f.version
	f.version, v.Told = v.Version, f.told()
	f.config.Got(v)
	return grown
}

// tellLost tells when it has changed whether the BFF can be reached.
func (f *Feed) tellLost(lost bool) {
	f.mu.Lock()
	changed := f.lost != lost
	f.lost = lost
	f.mu.Unlock()
	if changed {
		f.config.Lost(lost)
	}
}

// Back says that the shopper is back: the tab is shown, restored or online
// again. The view is asked for at once, and the socket opened if it is closed.
func (f *Feed) Back() {
	f.mu.Lock()
	if f.away {
		f.away, f.left = false, make(chan struct{})
	}
	f.mu.Unlock()
	f.look()
}

// look leaves the wish to ask at once.
func (f *Feed) look() {
	select {
	case f.back <- struct{}{}:
	default:
	}
}

// Leave says that the page is being left. The socket is closed, because an open
// one keeps a page from being restored; nothing happens until Back.
func (f *Feed) Leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.away {
		f.away = true
		close(f.left)
	}
}

func (f *Feed) isAway() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.away
}

// untilLeft returns a context that also ends when the page is left.
func (f *Feed) untilLeft(ctx context.Context) (context.Context, context.CancelFunc) {
	f.mu.Lock()
	left := f.left
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
