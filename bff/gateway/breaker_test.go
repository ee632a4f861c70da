package gateway

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

func TestWhatOpensTheBreaker(t *testing.T) {
	absent := func() error {
		return &payment.RefusedError{Reason: payment.ReasonAbsent, Status: 404}
	}
	key := func() error { return &payment.RefusedError{Reason: payment.ReasonKey, Status: 401} }
	gone := func() error { return &payment.UnknownError{Err: context.Canceled} }
	late := func() error { return context.DeadlineExceeded }
	for name, tt := range map[string]struct {
		answers []func() error
		open    bool
	}{
		"five errors": {
			[]func() error{broken, broken, broken, broken, broken},
			true,
		},
		"five without a connection": {
			[]func() error{unconnected, unconnected, unconnected, unconnected, unconnected},
			true,
		},
		"some of each": {
			[]func() error{broken, unconnected, broken, maintenance(time.Second), broken},
			true,
		},
		"four errors": {[]func() error{broken, broken, broken, broken}, false},
		"an answer between": {
			[]func() error{broken, broken, broken, broken, fine, broken, broken},
			false,
		},
		"a no between": {
			[]func() error{broken, broken, broken, broken, absent, broken, broken},
			false,
		},
		"five noes": {
			[]func() error{absent, absent, absent, absent, absent},
			false,
		},
		"five refusals of the key": {[]func() error{key, key, key, key, key}, false},
		"five times too many": {
			[]func() error{busy(1), busy(1), busy(1), busy(1), busy(1)},
			false,
		},
		"callers that went away": {
			[]func() error{gone, gone, gone, gone, gone, gone},
			false,
		},
		"callers whose time was up": {
			[]func() error{late, late, late, late, late, late},
			false,
		},
		"a caller that went is nothing": {
			[]func() error{broken, broken, gone, late, broken, broken, broken},
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				for _, answer := range tt.answers {
					w.set(0, answer)
					_ = w.call(t.Context(), false)
				}
				fortest.Equal(t, w.State().Open, tt.open, "open")
			})
		})
	}
}

// An open breaker sends nothing and blocks no caller.
func TestOpenRefusesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.set(0, broken)
		w.fail(t, 5)
		start := time.Now()
		for _, ctx := range []context.Context{t.Context(), WithPriority(t.Context(), Poll)} {
			refused(t, w.call(ctx, true), payment.ReasonUnsent, time.Second, 2*time.Second)
			refused(t, w.call(ctx, false), payment.ReasonUnsent, time.Second, 2*time.Second)
		}
		if n := len(w.history()); n != 5 || time.Since(start) != 0 {
			t.Errorf("%d calls sent, %v waited; want 5, none", n, time.Since(start))
		}
		s := w.State()
		if !s.Open || !s.Since.Equal(start) || s.Opened != 1 || s.Refused != 4 || s.Sent != 5 {
			t.Errorf("State = %+v", s)
		}
	})
}

// Delays are 2 s, 4 s, 8 s, then 10 s, each up to a fifth sooner.
func TestProbesSlowDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.set(0, broken)
		w.fail(t, 5)
		last := time.Now()
		for i, most := range []time.Duration{2, 4, 8, 10, 10, 10} {
			most *= time.Second
			sent := len(w.history())
			for len(w.history()) == sent {
				_ = w.call(t.Context(), false)
				_ = sleep(t.Context(), 10*time.Millisecond)
			}
			if took := time.Since(last); took < most*4/5 || took > most+20*time.Millisecond {
				t.Errorf("probe %d after %v; want %v to %v", i, took, most*4/5, most)
			}
			last = time.Now()
		}
		w.set(0, fine)
		_ = sleep(t.Context(), 10*time.Second)
		if err := w.call(t.Context(), false); err != nil || w.State().Open {
			t.Errorf("call of a gateway that is back = %v, open %t", err, w.State().Open)
		}
		// Five more are needed to open it again, and the delays start anew.
		w.set(0, broken)
		w.fail(t, 5)
		refused(t, w.call(t.Context(), false), payment.ReasonUnsent, time.Second, 2*time.Second)
	})
}

// opened returns a world with an open breaker, before its probe.
func opened(t *testing.T) *world {
	w := newWorld()
	w.set(0, broken)
	w.fail(t, openAfter)
	_ = sleep(t.Context(), firstDelay)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = nil
	return w
}

// Without polls, a shopper's create triggers the probe.
func TestEffectLetsAReadGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t)
		w.set(time.Second, fine)
		if err := w.call(t.Context(), true); err != nil {
			t.Fatalf("create = %v; want it sent", err)
		}
		calls := w.history()
		if len(calls) != 2 || calls[0].effect || !calls[1].effect || w.State().Open {
			t.Errorf("calls = %+v; want a read, then the create", calls)
		}
	})
}

// However the probe fails.
func TestEffectIsNotSentIfTheProbeFails(t *testing.T) {
	for name, tt := range map[string]struct {
		takes, most time.Duration
		answer      func() error
	}{
		"an error":                {0, 0, broken},
		"no connection":           {time.Second, time.Second, unconnected},
		"no answer for very long": {10 * time.Second, probePatience, broken},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := opened(t)
				w.set(tt.takes, tt.answer)
				start := time.Now()
				refused(t, w.call(t.Context(), true), payment.ReasonUnsent, time.Second,
					4*time.Second)
				if took := time.Since(start); took > tt.most {
					t.Errorf("refused after %v; want %v", took, tt.most)
				}
				synctest.Wait()
				_ = sleep(t.Context(), tt.takes)
				if calls := w.history(); len(calls) != 1 || calls[0].effect {
					t.Errorf("calls = %+v; want one read", calls)
				}
			})
		})
	}
}

// Calls during a probe share it: reads are refused, effects wait for its result.
func TestOneProbeForMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t)
		w.set(time.Second, fine)
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if err := w.call(t.Context(), true); err != nil {
					t.Errorf("create = %v; want it sent after the probe", err)
				}
			})
		}
		synctest.Wait()
		for range 5 {
			group.Go(func() {
				refused(t, w.call(t.Context(), false), payment.ReasonUnsent, time.Second,
					time.Second)
			})
		}
		group.Wait()
		calls := w.history()
		if len(calls) != 6 || calls[0].effect || w.most != 1 {
			t.Errorf("calls = %+v, %d at once while open; want one read, then 5 creates", calls,
				w.most)
		}
	})
}

// Of many waiting reads, one becomes the probe.
func TestManyReadsOneProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t)
		w.set(time.Second, broken)
		drain(t, w)
		var group sync.WaitGroup
		for range 30 {
			group.Go(func() { _ = w.call(t.Context(), false) })
		}
		group.Wait()
		fortest.Equal(t, len(w.history()), 1, "probes")
	})
}

// drain takes every free slot.
func drain(t *testing.T, w *world) {
	t.Helper()
	for {
		if _, err := w.Bucket.Take(t.Context(), 0); err != nil {
			return
		}
	}
}

// While a create waits for its slot, the breaker may open and a probe become due.
func TestEffectThatHasWaitedIsNotTheProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(func(c *LimiterConfig) { c.Rate = 1; c.Patience = 20 * time.Second })
		for range 3 {
			_, _ = w.Bucket.Take(t.Context(), time.Hour)
		}
		result := make(chan error)
		go func() {
			_, err := w.Acquire(t.Context(), true)
			result <- err
		}()
		synctest.Wait()
		for range openAfter {
			w.handleOutcome(t.Context(), ticket{}, broken())
		}
		refused(t, <-result, payment.ReasonUnsent, time.Second, time.Second)
		if _, due, probing := w.breaker.state(time.Now()); !due || probing {
			t.Errorf("due %t, probing %t; want a probe due, none under way", due, probing)
		}
	})
}

// The shopper who started the probe may leave; its result counts.
func TestProbeOutlivesItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t)
		w.set(2*time.Second, fine)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.call(ctx, true); ctx.Err() == nil || err == nil {
			t.Errorf("create = %v; want the context's error", err)
		}
		_ = sleep(t.Context(), 2*time.Second)
		if calls := w.history(); len(calls) != 1 || w.State().Open {
			t.Errorf("calls = %+v, open %t; want the probe, closed", calls, w.State().Open)
		}
	})
}

// Then another probe is due at once.
func TestReadThatIsTheProbeMayBeCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t)
		w.set(5*time.Second, fine)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = w.call(ctx, false)
		if !w.State().Open {
			t.Fatal("a caller that went away has closed the breaker")
		}
		if err := w.call(t.Context(), false); err != nil || w.State().Open {
			t.Errorf("the next read = %v, open %t; want it to be the probe", err, w.State().Open)
		}
	})
}

// It is inconclusive, and ends.
func TestProbeWithoutASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t)
		w.pause(t.Context(), 8*time.Second)
		refused(t, w.call(t.Context(), true), payment.ReasonUnsent, time.Second, time.Second)
		synctest.Wait()
		_ = sleep(t.Context(), 8*time.Second)
		w.set(0, fine)
		if err := w.call(t.Context(), true); err != nil {
			t.Errorf("create after the pause = %v", err)
		}
	})
}

// Calls sent before the breaker closed that time out afterwards do not open it again.
func TestLateFailuresDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.set(10*time.Second, broken)
		var group sync.WaitGroup
		for range 7 {
			group.Go(func() { _ = w.call(t.Context(), true) })
		}
		synctest.Wait()
		reports := make([]func(error), 6) // of calls that hang even longer
		for i := range reports {
			var err error
			if reports[i], err = w.Acquire(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		}
		group.Wait()
		if !w.State().Open {
			t.Fatal("not open")
		}
		_ = sleep(t.Context(), firstDelay)
		w.set(0, fine)
		fortest.OK(t, w.call(t.Context(), false))
		for _, f := range reports {
			f(broken())
		}
		if w.State().Open {
			t.Error("failures of calls from before have opened it again")
		}
		w.set(0, broken)
		w.fail(t, openAfter-1)
		if w.State().Open {
			t.Error("failures of calls from before were counted")
		}
	})
}

// Any answer closes the breaker.
func TestLateAnswerCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		reports := fortest.Must(w.Acquire(t.Context(), true))(t)
		w.set(0, broken)
		w.fail(t, openAfter)
		reports(nil)
		if w.State().Open {
			t.Error("open after an answer")
		}
	})
}
