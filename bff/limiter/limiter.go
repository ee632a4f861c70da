// Package limiter decides whether and when a request to the gateway may leave.
//
// All instances share one rate ([Bucket]), which a 429 or a Retry-After pauses
// for all of them. Each call says for whom it is made ([Client]) and what for
// ([Priority]) in its context, and waits in one queue for a slot: shoppers before
// polls, clients in turn, and every kind of call for its least part, so that
// polling goes on in a flood of shoppers. When the gateway does not answer, a
// breaker refuses calls at once, which is proof that they were not sent, and
// looks every few seconds whether it is back.
//
// It sends nothing itself, apart from Config.Probe, and repeats nothing. Start
// from [New]; a *Budget is a gateway.RateLimiter.
package limiter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"coinslot/bff/payment"
)

// Bounds of what an answer can make everybody wait.
const (
	minPause    = time.Second
	busyPause   = 2 * time.Second  // after a 429 that names none
	maxPause    = time.Minute      // after a 429
	outagePause = 20 * time.Second // after an error: nobody knows when an outage ends
)

// probePatience is how long an effect waits for the probe under way: less than
// a shopper waits for an answer.
const probePatience = 3 * time.Second

// Config is what a [Budget] is made of.
type Config struct {
	// Rate is the number of requests per second that all instances together
	// may send; below 1 counts as 1. A Bucket that is not nil has its own.
	Rate int
	// Bucket is the rate that all calls share. Nil = Local(Rate).
	Bucket Bucket
	// Patience is the longest that a call waits for its turn. Zero = 5 s.
	Patience time.Duration
	// Probe makes one read with the context it is given, through this Budget,
	// and returns when that is answered; it bounds its own time. Needed.
	Probe func(ctx context.Context) error
	// FirstProbe is how long an open breaker waits before it probes; each probe that fails
	// doubles that, up to five times as much. Zero = 2 s.
	FirstProbe time.Duration
	// MaxPause is the longest that one answer of the gateway pauses everything. Zero = 1 min.
	MaxPause time.Duration
	Log      *slog.Logger // nil = silent
}

// Limiter admits calls. It is safe for concurrent use.
type Limiter struct {
	Config
	breaker breaker
	queue   queue
	changed chan struct{} // one slot; a shopper has joined the queue, or somebody has left it

	mu     sync.Mutex // guards the field below
	paused time.Time  // nothing is sent before; as far as this process knows

	sent, refused, full, pauses atomic.Uint64
}

// New returns a Budget that knows nothing bad about the gateway. It panics
// without a Probe.
func New(c Config) *Limiter {
	if c.Probe == nil {
		panic("budget: no probe")
	}
	c.Rate = max(c.Rate, 1)
	if c.Bucket == nil {
		c.Bucket = Local(c.Rate, nil)
	}
	if c.Patience == 0 {
		c.Patience = 5 * time.Second
	}
	c.FirstProbe = cmp.Or(c.FirstProbe, firstDelay)
	c.MaxPause = cmp.Or(c.MaxPause, maxPause)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Limiter{
		Config: c, breaker: breaker{first: c.FirstProbe}, changed: make(chan struct{}, 1),
	}
}

// Acquire blocks until one request may be sent, at most Config.Patience or until
// ctx ends. effect says that the request does something at the gateway: then
// it is never the one that tries whether the gateway is back.
//
// told is not nil if err is nil, and must be called with what came of the
// request: nil, the *checkout.RefusedError or *checkout.UnknownError that the
// answer means, or any other error (the caller's context ended) if it means
// nothing. told may block on the bucket for two seconds.
//
// Errors, all of which prove that nothing was sent: *checkout.RefusedError with
// ReasonUnsent (the breaker is open) or ReasonBusy (no slot in time), both with
// RetryAfter; ctx.Err(); the bucket's.
func (b *Limiter) Acquire(ctx context.Context, effect bool) (report func(error), err error) {
	probe, _ := ctx.Value(probeKey{}).(chan struct{})
	if probe == nil {
		if err := b.checkReachable(ctx, effect); err != nil {
			return nil, err
		}
	}
	if err := b.waitForSlot(ctx); err != nil {
		return nil, err
	}
	t, ok := b.breaker.acquire(time.Now(), effect, probe)
	if !ok {
		return nil, b.errUnreachable()
	}
	b.sent.Add(1)
	if charge := clientOf(ctx).OnSend; charge != nil {
		charge()
	}
	return func(outcome error) { b.handleOutcome(ctx, t, outcome) }, nil
}

// probeKey marks the context of a probe; its value is the probe's channel.
type probeKey struct{}

// checkReachable returns nil if the gateway is not known to be away. If a probe is
// due, an effect waits for its result; a read goes on, to become the probe.
func (b *Limiter) checkReachable(ctx context.Context, effect bool) error {
	open, due, probing := b.breaker.state(time.Now())
	switch {
	case !open || due && !effect && !probing:
		return nil
	case due && effect:
		if err := b.awaitProbe(ctx); err != nil {
			return err
		}
		if open, _, _ = b.breaker.state(time.Now()); !open {
			return nil
		}
	}
	return b.errUnreachable()
}

// awaitProbe waits for the end of the probe under way, or of one that it starts. A
// caller that gives up takes no probe with it.
func (b *Limiter) awaitProbe(ctx context.Context) error {
	t, mine, ok := b.breaker.join(time.Now())
	if !ok {
		return nil
	}
	if mine {
		go b.probe(context.WithValue(context.WithoutCancel(ctx), probeKey{}, t.probe), t)
	}
	timer := time.NewTimer(probePatience)
	defer timer.Stop()
	select {
	case <-t.probe:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// probe runs Probe, whose call tells the breaker how it went. One that made no
// call, for want of a turn, has told nothing.
func (b *Limiter) probe(ctx context.Context, t ticket) {
	defer b.breaker.report(t, inconclusive, time.Now())
	if err := b.Probe(ctx); err != nil {
		b.Log.DebugContext(ctx, "probing the gateway", "error", err)
	}
}

// errUnreachable is the refusal of a call while the breaker is open.
func (b *Limiter) errUnreachable() error {
	b.refused.Add(1)
	return &payment.RefusedError{
		Reason: payment.ReasonUnsent, Message: "not sent: the gateway has not been answering",
		RetryAfter: max(b.breaker.untilProbe(time.Now()), minPause),
	}
}

// handleOutcome takes in what came of a call.
func (b *Limiter) handleOutcome(ctx context.Context, t ticket, outcome error) {
	if d := min(pauseAfter(outcome), b.MaxPause); d > 0 {
		b.pause(ctx, d)
	}
	switch changed, open := b.breaker.report(t, classify(outcome), time.Now()); {
	case changed && open:
		b.Log.WarnContext(
			ctx, "gateway does not answer: calls are refused until it does", "error", outcome,
		)
	case changed:
		b.Log.InfoContext(ctx, "gateway answers again")
	}
}

// classify sorts an outcome. A connection that cannot be made is as bad as an
// answer that does not come.
func classify(outcome error) health {
	if outcome == nil {
		return healthy
	}
	if errors.Is(outcome, context.Canceled) {
		return inconclusive
	}
	if refused, ok := errors.AsType[*payment.RefusedError](outcome); ok {
		if refused.Reason == payment.ReasonUnsent {
			return failing
		}
		return healthy
	}
	if _, ok := errors.AsType[*payment.UnknownError](outcome); ok {
		return failing
	}
	return inconclusive
}

// pauseAfter returns for how long an answer wants to be left alone, clamped, with
// up to a tenth more so that those who were told the same do not come back in
// step; zero = not at all.
func pauseAfter(outcome error) time.Duration {
	var asked, most time.Duration
	if refused, ok := errors.AsType[*payment.RefusedError](outcome); ok &&
		refused.Reason == payment.ReasonBusy {
		if asked, most = refused.RetryAfter, maxPause; asked <= 0 {
			asked = busyPause
		}
	} else if unknown, ok := errors.AsType[*payment.UnknownError](outcome); ok {
		asked, most = unknown.RetryAfter, outagePause
	}
	if asked <= 0 {
		return 0
	}
	asked = min(max(asked, minPause), maxPause)
	return min(asked+rand.N(asked/10), most)
}

// pause lets no instance send for d.
func (b *Limiter) pause(ctx context.Context, d time.Duration) {
	b.mu.Lock()
	b.paused = laterOf(b.paused, time.Now().Add(d))
	b.mu.Unlock()
	b.pauses.Add(1)
	b.Log.WarnContext(ctx, "gateway asks for fewer requests", "pause", d)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := b.Bucket.Pause(ctx, d); err != nil {
		b.Log.ErrorContext(
			ctx, "pausing for all instances", "error", fmt.Errorf("pausing the bucket: %w", err),
		)
	}
}

// Free returns how many requests could be sent at once now, as far as the bucket
// that all share can say; ok is false if it cannot. It may ask the database.
func (b *Limiter) Free(ctx context.Context) (n int, ok bool) {
	bucket, ok := b.Bucket.(interface {
		Free(ctx context.Context) (int, error)
	})
	if !ok {
		return 0, false
	}
	n, err := bucket.Free(ctx)
	return n, err == nil
}

// State is what a Budget has to tell to its operator. Counters only grow.
type State struct {
	Open  bool      // the breaker refuses calls
	Since time.Time // when it last opened or closed; zero = it never opened
	// when the probe under way began, which all wait for; zero = there is none
	Probing     time.Time
	PausedUntil time.Time // the last pause that this process asked for; zero = none

	Waiting [priorities]int // calls that wait for a slot now, by Priority

	Sent    uint64 // requests let through
	Refused uint64 // calls refused because the breaker was open
	Full    uint64 // calls refused because no slot was free in time
	Pauses  uint64 // pauses asked for by the gateway
	Opened  uint64 // how often the breaker opened
}

// State returns the present state.
func (b *Limiter) State() State {
	s := State{
		Sent: b.sent.Load(), Refused: b.refused.Load(), Full: b.full.Load(),
		Pauses: b.pauses.Load(),
	}
	s.Waiting = b.queue.lengths()
	b.mu.Lock()
	s.PausedUntil = b.paused
	b.mu.Unlock()
	b.breaker.mu.Lock()
	defer b.breaker.mu.Unlock()
	s.Open, s.Since, s.Opened = b.breaker.open, b.breaker.since, b.breaker.opened
	if b.breaker.probe != nil {
		s.Probing = b.breaker.probed
	}
	return s
}
