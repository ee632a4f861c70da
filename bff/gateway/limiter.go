package gateway

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"coinslot/bff/payment"
)

// Bounds of the pauses after an answer.
const (
	minPause    = time.Second
	busyPause   = 2 * time.Second  // after a 429 without Retry-After
	maxPause    = time.Minute      // after a 429
	outagePause = 20 * time.Second // after an error: outages may end any time
)

// probePatience is how long an effect waits for a probe: less than a shopper waits for an answer.
const probePatience = 3 * time.Second

// LimiterConfig configures a [Limiter].
type LimiterConfig struct {
	// Rate is the requests per second of all instances together; below 1 counts as 1. It is
	// ignored with a Bucket.
	Rate int
	// Bucket is the shared rate. Nil = LocalBucket(Rate).
	Bucket Bucket
	// Patience is the longest wait for a slot. Zero = 5 s.
	Patience time.Duration
	// Probe makes one read with its context through this Limiter and returns its outcome; it
	// limits its own time. Required.
	Probe func(ctx context.Context) error
	// FirstProbe is the delay of the first probe after the breaker opens; it doubles after each
	// failed probe, up to five times as much. Zero = 2 s.
	FirstProbe time.Duration
	// MaxPause bounds the pause after one answer of the gateway. Zero = 1 min.
	MaxPause time.Duration
	Log      *slog.Logger // nil = silent
}

// Limiter paces requests to the gateway. It is safe for concurrent use.
//
// All instances share one rate ([Bucket]), which a 429 or a Retry-After pauses for all of them. The
// context of a call has its [Caller] and [Priority]. Calls wait for a slot in one queue: shoppers
// before polls before late checks, each with a guaranteed share, and shoppers' networks in turn.
// While the gateway does not answer, a circuit breaker refuses calls, which proves that they were
// not sent, and probes every few seconds.
//
// It sends nothing itself, apart from LimiterConfig.Probe, and retries nothing.
type Limiter struct {
	LimiterConfig
	breaker breaker
	queue   queue
	changed chan struct{} // one slot; signals a new shopper in the queue, or a departure

	mu     sync.Mutex // guards the field below
	paused time.Time  // nothing is sent before, as far as this process knows

	sent    atomic.Uint64
	refused atomic.Uint64
	full    atomic.Uint64
	pauses  atomic.Uint64
}

// NewLimiter returns a Limiter with a closed breaker. It panics without a Probe.
func NewLimiter(c LimiterConfig) *Limiter {
	if c.Probe == nil {
		panic("gateway: limiter without a probe")
	}

	c.Rate = max(c.Rate, 1)
	if c.Bucket == nil {
		c.Bucket = LocalBucket(c.Rate, nil)
	}

	c.Patience = cmp.Or(c.Patience, 5*time.Second)
	c.FirstProbe = cmp.Or(c.FirstProbe, firstDelay)
	c.MaxPause = cmp.Or(c.MaxPause, maxPause)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return &Limiter{
		LimiterConfig: c,
		breaker:       breaker{first: c.FirstProbe},
		changed:       make(chan struct{}, 1),
	}
}

// Acquire blocks until one request may be sent, at most Patience or until ctx ends. effect
// says that the request changes something at the gateway: then it is never the one that probes.
//
// If err is nil, report must be called with the outcome: nil, the *[payment.RefusedError] or
// *[payment.UnknownError] of the answer, or any other error if there is none (the caller's
// context ended). report may block on the bucket for two seconds.
//
// Errors, all of which prove that nothing was sent: *[payment.RefusedError] with ReasonUnsent (the
// breaker is open) or ReasonBusy (no slot in time), both with RetryAfter; ctx.Err(); the bucket's.
func (l *Limiter) Acquire(ctx context.Context, effect bool) (report func(error), err error) {
	probe, _ := ctx.Value(probeKey{}).(chan struct{})
	if probe == nil {
		if err := l.checkReachable(ctx, effect); err != nil {
			return nil, err
		}
	}
	if err := l.waitForSlot(ctx); err != nil {
		return nil, err
	}

	t, ok := l.breaker.acquire(time.Now(), effect, probe)
	if !ok {
		return nil, l.errUnreachable()
	}

	l.sent.Add(1)
	if charge := callerOf(ctx).OnSend; charge != nil {
		charge()
	}

	return func(outcome error) { l.handleOutcome(ctx, t, outcome) }, nil
}

// probeKey marks the context of a probe; its value is the probe's channel.
type probeKey struct{}

// checkReachable returns nil unless the breaker is open. If a probe is due, an effect waits for
// its result; a read continues, to become the probe.
func (l *Limiter) checkReachable(ctx context.Context, effect bool) error {
	open, due, probing := l.breaker.state(time.Now())
	switch {
	case !open || due && !effect && !probing:
		return nil
	case due && effect:
		if err := l.awaitProbe(ctx); err != nil {
			return err
		}
		open, _, _ = l.breaker.state(time.Now())
		if !open {
			return nil
		}
	}

	return l.errUnreachable()
}

// awaitProbe waits for the end of the current probe, or of one that it starts. A canceled
// caller does not cancel the probe.
func (l *Limiter) awaitProbe(ctx context.Context) error {
	t, mine, ok := l.breaker.join(time.Now())
	if !ok {
		return nil
	}
	if mine {
		go l.probe(context.WithValue(context.WithoutCancel(ctx), probeKey{}, t.probe), t)
	}

	select {
	case <-t.probe:
	case <-time.After(probePatience):
	case <-ctx.Done():
		return ctx.Err()
	}

	return nil
}

// probe runs Probe, whose call reports to the breaker. Without a slot it made no call and
// reported nothing.
func (l *Limiter) probe(ctx context.Context, t ticket) {
	defer l.breaker.report(t, inconclusive, time.Now())
	if err := l.Probe(ctx); err != nil {
		l.Log.DebugContext(ctx, "probing the gateway", "error", err)
	}
}

// errUnreachable is the refusal of a call while the breaker is open.
func (l *Limiter) errUnreachable() error {
	l.refused.Add(1)
	return &payment.RefusedError{
		Reason:     payment.ReasonUnsent,
		Message:    "not sent: the gateway is not answering",
		RetryAfter: max(l.breaker.untilProbe(time.Now()), minPause),
	}
}

func (l *Limiter) handleOutcome(ctx context.Context, t ticket, outcome error) {
	if d := min(pauseAfter(outcome), l.MaxPause); d > 0 {
		l.pause(ctx, d)
	}
	changed, open := l.breaker.report(t, classify(outcome), time.Now())
	switch {
	case changed && open:
		l.Log.WarnContext(ctx, "circuit breaker opened: gateway is not answering",
			"error", outcome)
	case changed:
		l.Log.InfoContext(ctx, "circuit breaker closed: gateway answers again")
	}
}

// classify returns what an outcome means for the breaker. Failing to connect is as bad as no
// answer.
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

// pauseAfter returns how long an answer asks to pause, clamped, plus up to a tenth so that
// clients do not return in step; zero = no pause.
func pauseAfter(outcome error) time.Duration {
	refused, isRefused := errors.AsType[*payment.RefusedError](outcome)
	unknown, isUnknown := errors.AsType[*payment.UnknownError](outcome)

	var asked, most time.Duration
	switch {
	case isRefused && refused.Reason == payment.ReasonBusy:
		asked = refused.RetryAfter
		most = maxPause
		if asked <= 0 {
			asked = busyPause
		}
	case isUnknown:
		asked = unknown.RetryAfter
		most = outagePause
	}

	if asked <= 0 {
		return 0
	}

	asked = min(max(asked, minPause), maxPause)
	return min(asked+rand.N(asked/10), most)
}

// pause stops all instances for d.
func (l *Limiter) pause(ctx context.Context, d time.Duration) {
	l.mu.Lock()
	l.paused = laterOf(l.paused, time.Now().Add(d))
	l.mu.Unlock()
	l.pauses.Add(1)
	l.Log.WarnContext(ctx, "gateway rate limit reached", "pause", d)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := l.Bucket.Pause(ctx, d); err != nil {
		l.Log.ErrorContext(ctx, "pausing all instances failed", "error", err)
	}
}

// Free returns how many requests could be sent at once now; ok is false if the bucket cannot
// tell. It may query the database.
func (l *Limiter) Free(ctx context.Context) (n int, ok bool) {
	bucket, ok := l.Bucket.(interface {
		Free(ctx context.Context) (int, error)
	})
	if !ok {
		return 0, false
	}
	n, err := bucket.Free(ctx)
	return n, err == nil
}

// LimiterState is the state of a Limiter for its operator. Counters only grow.
type LimiterState struct {
	Open        bool      // the breaker is open
	Since       time.Time // when it last opened or closed; zero = it never opened
	Probing     time.Time // start of the current probe; zero = none
	PausedUntil time.Time // last pause set by this process; zero = none

	Waiting [priorities]int // calls waiting for a slot, by Priority

	Sent    uint64 // permits given
	Refused uint64 // calls refused because the breaker was open
	Full    uint64 // calls refused because no slot was free in time
	Pauses  uint64 // pauses requested by the gateway
	Opened  uint64 // how often the breaker opened
}

// State returns the present state.
func (l *Limiter) State() LimiterState {
	s := LimiterState{
		Sent:    l.sent.Load(),
		Refused: l.refused.Load(),
		Full:    l.full.Load(),
		Pauses:  l.pauses.Load(),
	}
	s.Waiting = l.queue.lengths()
	l.mu.Lock()
	s.PausedUntil = l.paused
	l.mu.Unlock()
	l.breaker.mu.Lock()
	defer l.breaker.mu.Unlock()
	s.Open = l.breaker.open
	s.Since = l.breaker.since
	s.Opened = l.breaker.opened
	if l.breaker.probe != nil {
		s.Probing = l.breaker.probed
	}

	return s
}
