package gateway

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"coinslot/bff/payment"
)

var errWorld = errors.New("made up")

// Answers of a world.
func fine() error   { return nil }
func broken() error { return &payment.UnknownError{Status: 500, Err: errWorld} }
func maintenance(d time.Duration) func() error {
	return func() error { return &payment.UnknownError{Status: 503, RetryAfter: d, Err: errWorld} }
}
func busy(d time.Duration) func() error {
	return func() error {
		return &payment.RefusedError{Reason: payment.ReasonBusy, Status: 429, RetryAfter: d}
	}
}
func unconnected() error {
	return &payment.RefusedError{Reason: payment.ReasonUnsent, Err: errWorld}
}

// request is one request that reached the gateway.
type request struct {
	at     time.Time
	effect bool
	poll   bool
	err    error
}

// world is a gateway and its client in fake time.
type world struct {
	*Limiter

	mu     sync.Mutex // guards the fields below
	answer func() error
	takes  time.Duration // how long an answer takes
	calls  []request
	now    int // calls in flight
	most   int // calls in flight at once, when a probe began
}

// newWorld returns a gateway that answers at once, and a limiter of ten requests per second.
func newWorld(change ...func(*LimiterConfig)) *world {
	w := &world{answer: fine}
	c := LimiterConfig{
		Rate:  10,
		Probe: func(ctx context.Context) error { return w.call(ctx, false) },
	}
	for _, f := range change {
		f(&c)
	}
	w.Limiter = NewLimiter(c)
	return w
}

// set changes the gateway's answer and its latency.
func (w *world) set(takes time.Duration, answer func() error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.takes, w.answer = takes, answer
}

// call does what the gateway's client does.
func (w *world) call(ctx context.Context, effect bool) error {
	waiting, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	report, err := w.Acquire(waiting, effect)
	if err != nil {
		return err
	}
	err = w.request(ctx, effect)
	report(err)
	return err
}

func (w *world) request(ctx context.Context, effect bool) error {
	s := w.State()
	probing := s.Open &&
		time.Since(s.Since) >= firstDelay/2 // what was let through before it opened begins sooner
	w.mu.Lock()
	takes := w.takes
	w.now++
	if probing {
		w.most = max(w.most, w.now)
	}
	w.mu.Unlock()
	err := sleep(ctx, takes)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now--
	if err == nil {
		err = w.answer()
	}
	w.calls = append(w.calls, request{time.Now(), effect, priorityOf(ctx) != Shopper, err})
	return err
}

// history returns the calls so far.
func (w *world) history() []request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]request(nil), w.calls...)
}

// fail makes n reads fail.
func (w *world) fail(t *testing.T, n int) {
	t.Helper()
	for range n {
		if err := w.call(t.Context(), false); err == nil {
			t.Fatal("call = nil; want a failure")
		}
	}
}

// poll reads for each order, as often as the poller would, until ctx ends.
func (w *world) poll(ctx context.Context, orders int, every time.Duration) *sync.WaitGroup {
	var group sync.WaitGroup
	slots := make(chan struct{}, 16)
	for range orders {
		group.Go(func() {
			wait := every
			for sleep(ctx, wait) == nil {
				slots <- struct{}{}
				err := w.call(WithPriority(ctx, Poll), false)
				<-slots
				wait = max(every, min(asked(err), time.Minute))
			}
		})
	}
	return &group
}

// shop has n shoppers create payments with pauses, until ctx ends.
func (w *world) shop(ctx context.Context, n int, every time.Duration) *sync.WaitGroup {
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			for sleep(ctx, every) == nil {
				_ = w.call(ctx, true)
			}
		})
	}
	return &group
}

// asked returns the Retry-After of err.
func asked(err error) time.Duration {
	if refused, ok := errors.AsType[*payment.RefusedError](err); ok {
		return refused.RetryAfter
	}
	if unknown, ok := errors.AsType[*payment.UnknownError](err); ok {
		return unknown.RetryAfter
	}
	return 0
}

// refused fails the test unless err is a refusal for that reason, unsent, with a RetryAfter in
// that range.
func refused(t *testing.T, err error, reason payment.Reason, least, most time.Duration) {
	t.Helper()
	e, ok := errors.AsType[*payment.RefusedError](err)
	if !ok || e.Reason != reason || e.Status != 0 || e.RetryAfter < least || e.RetryAfter > most {
		t.Errorf("call = %#v; want %s, unsent, for %v to %v", err, reason, least, most)
	}
}

// sleep waits for d. Errors: ctx.Err().
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
