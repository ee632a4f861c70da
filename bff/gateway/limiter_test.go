package gateway

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// An outage of half an hour, with pollers, shoppers, or a single shopper: few requests are
// sent, hardly any effects, and everything works within 30 s after it.
func TestOutage(t *testing.T) {
	const (
		lasts   = 30 * time.Minute
		soon    = 50 * time.Millisecond
		slowly  = 10 * time.Second
		orders  = 60
		several = 10
	)
	unavailable := maintenance(5 * time.Minute)
	for name, c := range map[string]struct { // each pair of values is in one case
		answer           func() error
		takes            time.Duration
		orders, shoppers int
	}{
		"500 at once":                           {broken, 0, orders, 0},
		"500 soon, with shoppers":               {broken, soon, orders, several},
		"500 slowly, one shopper":               {broken, slowly, 0, 1},
		"503 until a date, at once, shoppers":   {unavailable, 0, orders, several},
		"503 until a date, soon, one shopper":   {unavailable, soon, 0, 1},
		"503 until a date, slowly":              {unavailable, slowly, orders, 0},
		"no connection at once, one shopper":    {unconnected, 0, 0, 1},
		"no connection soon":                    {unconnected, soon, orders, 0},
		"no connection after a while, shoppers": {unconnected, slowly, orders, several},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				ctx, cancel := context.WithCancel(t.Context())
				polls := w.poll(ctx, c.orders, 15*time.Second)
				shop := w.shop(ctx, c.shoppers, time.Second)
				_ = sleep(ctx, time.Minute)

				before := len(w.history())
				w.set(c.takes, c.answer)
				_ = sleep(ctx, lasts)
				during := w.history()[before:]

				w.set(soon, fine)
				back := time.Now()
				_ = sleep(ctx, time.Minute)
				cancel()
				polls.Wait()
				shop.Wait()
				checkOutage(t, during)
				checkRecovery(t, w.history()[before+len(during):], back, c.shoppers > 0)
			})
		})
	}
}

func checkOutage(t *testing.T, during []request) {
	t.Helper()
	effects := 0
	for _, c := range during {
		if c.effect {
			effects++
		}
	}
	if len(during) < 55 || len(during) > 300 || effects > 110 {
		t.Errorf("%d requests in the outage, %d of them effects; want a probe every 8 to 30 s",
			len(during), effects)
	}
}

// checkRecovery wants an answer, also to an effect if effects is set, within 30 s.
func checkRecovery(t *testing.T, after []request, back time.Time, effects bool) {
	t.Helper()
	var answer, effect time.Duration
	for _, c := range after {
		if c.err == nil && answer == 0 {
			answer = c.at.Sub(back)
		}
		if c.err == nil && c.effect && effect == 0 {
			effect = c.at.Sub(back)
		}
	}
	t.Logf("first answer after %v, first effect after %v", answer, effect)
	if answer == 0 || answer > 30*time.Second ||
		effects && (effect == 0 || effect > 30*time.Second) {
		t.Errorf("first answer after %v, first effect after %v; want 30s at most", answer, effect)
	}
}

// A pause applies to both processes, also to calls already waiting.
func TestPauseIsForAllInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := LocalBucket(10, nil)
		one := newWorld(func(c *LimiterConfig) { c.Bucket = shared })
		other := newWorld(func(c *LimiterConfig) { c.Bucket = shared })
		waits := make(chan error)
		for range 10 { // the burst
			_ = one.call(WithPriority(t.Context(), Poll), false)
		}
		go func() { waits <- one.call(t.Context(), true) }()
		synctest.Wait()
		one.handleOutcome(t.Context(), ticket{}, busy(3*time.Second)())
		start := time.Now()
		if err := <-waits; err != nil || time.Since(start) < 3*time.Second {
			t.Errorf("a call that was waiting = %v after %v; want it after the pause", err,
				time.Since(start))
		}
		one.handleOutcome(t.Context(), ticket{}, busy(30*time.Second)())
		for _, w := range []*world{one, other} {
			for _, ctx := range []context.Context{t.Context(), WithPriority(t.Context(), Poll)} {
				refused(t, w.call(ctx, false), payment.ReasonBusy, 24*time.Second, 33*time.Second)
			}
		}
		s := one.State()
		if s.Pauses != 2 || s.Full != 2 || time.Until(s.PausedUntil) < 30*time.Second {
			t.Errorf("State = %+v", s)
		}
	})
}

func TestPauseAfter(t *testing.T) {
	for _, tt := range []struct {
		outcome     error
		least, most time.Duration
	}{
		{nil, 0, 0},
		{errWorld, 0, 0},
		{broken(), 0, 0},
		{unconnected(), 0, 0},
		{&payment.RefusedError{Reason: payment.ReasonRefused, RetryAfter: time.Minute}, 0, 0},
		{busy(0)(), 2 * time.Second, 2200 * time.Millisecond},
		{busy(time.Millisecond)(), time.Second, 1100 * time.Millisecond},
		{busy(10 * time.Second)(), 10 * time.Second, 11 * time.Second},
		{busy(5 * time.Minute)(), time.Minute, time.Minute},
		{busy(1 << 62)(), time.Minute, time.Minute},
		{busy(-5)(), 2 * time.Second, 2200 * time.Millisecond},
		{maintenance(time.Second)(), time.Second, 1100 * time.Millisecond},
		{maintenance(5 * time.Minute)(), 20 * time.Second, 20 * time.Second},
		{fmt.Errorf("wrapped: %w", busy(10*time.Second)()), 10 * time.Second, 11 * time.Second},
	} {
		for range 100 {
			if got := pauseAfter(tt.outcome); got < tt.least || got > tt.most {
				t.Fatalf("pauseAfter(%v) = %v; want %v to %v", tt.outcome, got, tt.least, tt.most)
			}
		}
	}
}

// Floods of shoppers and polls share the rate.
func TestShoppersLeaveRoomForPolls(t *testing.T) {
	for _, tt := range []struct {
		rate, orders, shoppers int
		least, most            float64 // part of what was sent that are polls
	}{
		{10, 100, 60, 0.295, 0.5},
		{10, 100, 0, 1, 1},
		{10, 0, 60, 0, 0},
		{1, 20, 20, 0.295, 0.5},
		{100, 1000, 300, 0.295, 0.5},
	} {
		t.Run(fmt.Sprintf("%d per second, %d orders, %d shoppers", tt.rate, tt.orders,
			tt.shoppers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(func(c *LimiterConfig) { c.Rate = tt.rate })
				w.set(20*time.Millisecond, fine)
				const lasts = time.Minute
				ctx, cancel := context.WithCancel(t.Context())
				polls, shop := w.poll(ctx, tt.orders,
					time.Second), w.shop(ctx, tt.shoppers, 200*time.Millisecond)
				_ = sleep(ctx, lasts)
				calls := w.history()
				cancel()
				polls.Wait()
				shop.Wait()
				count := 0
				for _, c := range calls {
					if c.poll {
						count++
					}
				}
				part := float64(count) / float64(len(calls))
				t.Logf("%d requests, %.1f%% polls", len(calls), 100*part)
				// A minute ends in the middle of a turn: at one request a second that is a sixtieth of all.
				if one := 1 / float64(len(calls)); part+one < tt.least || part > tt.most {
					t.Errorf("%.3f of the requests are polls; want %.2f to %.2f", part, tt.least,
						tt.most)
				}
				if most := tt.rate * (int(lasts/time.Second) +
					1); len(calls) > most || tt.orders > 0 && len(calls) < most*9/10 {
					t.Errorf("%d requests; want %d, or a little less", len(calls), most)
				}
			})
		})
	}
}

// In a flood of polls from four instances, a create is sent within half a second.
func TestPollsDoNotHoldUpShoppers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := LocalBucket(10, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var worlds []*world
		for range 4 {
			w := newWorld(func(c *LimiterConfig) { c.Bucket = shared })
			polls := w.poll(ctx, 200, time.Second)
			defer polls.Wait()
			worlds = append(worlds, w)
		}
		defer cancel()
		_ = sleep(ctx, time.Minute)
		for i := range 100 {
			start := time.Now()
			if err := worlds[i%4].call(ctx, true); err != nil || time.Since(start) > time.Second/2 {
				t.Errorf("create = %v after %v", err, time.Since(start))
			}
			_ = sleep(ctx, time.Second)
		}
	})
}

func TestBackgroundIsServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(func(c *LimiterConfig) { c.Rate = 2 })
		w.Patience = 4800 * time.Millisecond // ends between two slots
		order := make(chan int, 20)
		late := make(chan error, 20)
		for i := range 20 {
			go func() {
				if err := w.call(WithPriority(t.Context(), Poll), false); err != nil {
					late <- err
					return
				}
				order <- i
			}()
			synctest.Wait()
		}
		_ = sleep(t.Context(), 10*time.Second)
		for want := range len(order) {
			if got := <-order; got != want {
				t.Errorf("call %d was served as number %d", got, want)
			}
		}
		if len(late) < 7 || len(late) > 9 {
			t.Fatalf("%d calls were refused; want those that would have waited for more than 5s",
				len(late))
		}
		for range len(late) {
			refused(t, <-late, payment.ReasonBusy, time.Second, 2*time.Second)
		}
	})
}

// brokenBucket is a bucket that fails.
type brokenBucket struct{}

func (brokenBucket) Take(context.Context, time.Duration) (time.Duration, error) {
	return 0, errWorld
}
func (brokenBucket) Pause(context.Context, time.Duration) error { return errWorld }

// Without the shared bucket nothing is sent: other instances may be using it up.
func TestBucketThatCannotBeAsked(t *testing.T) {
	w := newWorld(func(c *LimiterConfig) { c.Bucket = brokenBucket{} })
	for _, ctx := range []context.Context{t.Context(), WithPriority(t.Context(), Poll)} {
		fortest.Is(t, w.call(ctx, false), errWorld, "call")
	}
	if waiting := w.State().Waiting; len(w.history()) != 0 || waiting != [priorities]int{} {
		t.Errorf("%d calls sent, %v wait", len(w.history()), waiting)
	}
}

func TestNewWithoutAProbe(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New without a probe did not panic")
		}
	}()
	NewLimiter(LimiterConfig{})
}

// Shoppers pass the others, and none waits forever.
func TestPriorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.Rate, w.Bucket = 10, LocalBucket(10, nil)
		for range 10 { // the second's burst is gone
			_ = w.call(WithPriority(t.Context(), Late), false)
		}
		start := time.Now()
		last := map[Priority]time.Duration{}
		var mu sync.Mutex
		var all sync.WaitGroup
		wait := func(n int, r Priority) {
			for range n {
				all.Go(func() {
					_ = w.call(WithPriority(t.Context(), r), false)
					mu.Lock()
					defer mu.Unlock()
					last[r] = max(last[r], time.Since(start))
				})
				synctest.Wait()
			}
		}
		wait(16, Late)
		wait(8, Poll)
		wait(4, Shopper)
		all.Wait()
		// Ahead of the shoppers are at most two slots that are near already, and one
		// call that stands first in its line.
		if last[Shopper] > 900*time.Millisecond || last[Poll] > 1700*time.Millisecond ||
			last[Late] < 2*time.Second {
			t.Errorf(
				"the last ones were sent after %v; want the shoppers within 0.9 s, then the polls",
				last,
			)
		}
	})
}

// Continuous calls of one priority leave slots for the others.
func TestNoPriorityStarves(t *testing.T) {
	for _, rate := range []int{10, 3} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			w.Rate, w.Bucket = rate, LocalBucket(rate, nil)
			start := time.Now()
			var sent [priorities]atomic.Int64
			var all sync.WaitGroup
			for r, n := range []int{
				16, 16, 4,
			} { // polls and late checks as many as checkout.Poller makes
				for range n {
					all.Go(func() {
						for time.Since(start) < 2*time.Minute {
							if w.call(WithPriority(t.Context(), Priority(r)), false) == nil {
								sent[r].Add(1)
							}
						}
					})
				}
			}
			all.Wait()
			whole := int64(rate * 120)
			for r, least := range []int64{whole / 2, whole / 10, whole / 10} {
				if n := sent[r].Load(); n < least {
					t.Errorf("%d/s: %d calls of priority %d; want at least %d of %d", rate, n, r,
						least, whole)
				}
			}
		})
	}
}
