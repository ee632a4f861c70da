// Package buckettest is the contract of gateway.Bucket as tests.
package buckettest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
)

// Opener makes a bucket of rps slots per second for this test alone.
type Opener func(t *testing.T, rps int) gateway.Bucket

// Run holds the buckets of open to the contract. It compares the waits that
// they return, with tolerance for the time that passes meanwhile, and so needs
// no clock of its own; the bucket's must run.
func Run(t *testing.T, open Opener) {
	for name, test := range cases {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

// RunShared holds two handles of one bucket, as two instances have them, to
// being one. open returns them.
func RunShared(t *testing.T, open func(t *testing.T, rps int) (one, other gateway.Bucket)) {
	t.Run("each slot goes to one instance", func(t *testing.T) {
		start := time.Now()
		one, other := open(t, 1)
		var waits []time.Duration
		for range 10 {
			waits = append(waits, take(t, one, time.Hour), take(t, other, time.Hour))
		}
		row(t, waits, 1, time.Since(start))
	})
	t.Run("a pause is for all instances", func(t *testing.T) {
		start := time.Now()
		one, other := open(t, 1)
		stop(t, one, time.Minute)
		about(t, "the other's wait", take(t, other, time.Hour), time.Minute, time.Since(start))
	})
}

// rounding is what a clock of microseconds may be off.
const rounding = 2 * time.Millisecond

func take(t *testing.T, b gateway.Bucket, patience time.Duration) time.Duration {
	t.Helper()
	wait, err := b.Take(t.Context(), patience)
	if err != nil || wait < 0 {
		t.Fatalf("Take(%v) = %v, %v; want a slot", patience, wait, err)
	}
	return wait
}

func stop(t *testing.T, b gateway.Bucket, d time.Duration) {
	t.Helper()
	if err := b.Pause(t.Context(), d); err != nil {
		t.Fatalf("Pause(%v) = %v", d, err)
	}
}

// about fails the test if got is more than want, or less by more than the time that has passed.
func about(t *testing.T, what string, got, want, passed time.Duration) {
	t.Helper()
	if got > want+rounding || got < want-passed-rounding {
		t.Errorf("%s = %v; want %v, less at most %v", what, got, want, passed)
	}
}

// row fails the test if waits, of any order, are not those of a bucket of rps
// that was full of free slots when passed began.
func row(t *testing.T, waits []time.Duration, rps int, passed time.Duration) {
	t.Helper()
	slices.Sort(waits)
	for i, wait := range waits {
		if want := max(0, time.Duration(i+1-rps)) * time.Second /
			time.Duration(rps); wait > want+rounding || wait < want-passed-rounding {
			t.Errorf("wait %d = %v; want %v, less at most %v", i, wait, want, passed)
		}
	}
}

// pauses tests that the longest of two pauses counts, which is a minute.
func pauses(first, second time.Duration) func(*testing.T, Opener) {
	return func(t *testing.T, open Opener) {
		start := time.Now()
		b := open(t, 5)
		stop(t, b, first)
		stop(t, b, second)
		about(t, "the wait", take(t, b, time.Hour), time.Minute, time.Since(start))
	}
}

var cases = map[string]func(*testing.T, Opener){
	"a burst at once, then one by one": func(t *testing.T, open Opener) {
		for _, rps := range []int{1, 2, 5} {
			start := time.Now()
			b := open(t, rps)
			var waits []time.Duration
			for range 3 * rps {
				waits = append(waits, take(t, b, time.Hour))
			}
			row(t, waits, rps, time.Since(start))
		}
	},
	"a full bucket reserves nothing": func(t *testing.T, open Opener) {
		start := time.Now()
		b := open(t, 1)
		take(t, b, 0)
		for range 20 {
			wait, err := b.Take(t.Context(), 0)
			if !errors.Is(err, gateway.ErrFull) {
				t.Fatalf("Take of an empty bucket = %v, %v; want ErrFull", wait, err)
			}
			about(t, "the wait with ErrFull", wait, time.Second, time.Since(start))
		}
		about(t, "the wait after refusals", take(t, b, time.Hour), time.Second, time.Since(start))
	},
	"as patient as the wait is long": func(t *testing.T, open Opener) {
		start := time.Now()
		b := open(t, 1)
		for range 10 {
			take(t, b, time.Hour)
		}
		if wait, err := b.Take(t.Context(), 5*time.Second); !errors.Is(err, gateway.ErrFull) {
			t.Errorf("Take(5s) of a slot in 10s = %v, %v; want ErrFull", wait, err)
		}
		about(t, "Take(15s) of a slot in 10s", take(t, b, 15*time.Second), 10*time.Second,
			time.Since(start))
	},
	"each slot goes to one": func(t *testing.T, open Opener) {
		const callers, each = 20, 5
		start := time.Now()
		b := open(t, 2)
		waits := make([]time.Duration, callers*each)
		var group sync.WaitGroup
		for i := range callers {
			group.Go(func() {
				for j := range each {
					wait, err := b.Take(t.Context(), time.Hour)
					if err != nil {
						t.Errorf("Take = %v", err)
					}
					waits[i*each+j] = wait
				}
			})
		}
		group.Wait()
		row(t, waits, 2, time.Since(start))
	},
	"slots come back": func(t *testing.T, open Opener) {
		b := open(t, 50)
		for range 50 {
			take(t, b, time.Hour)
		}
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for end := time.Now().Add(10 * time.Second); ; <-tick.C {
			if _, err := b.Take(t.Context(), 0); err == nil {
				return
			} else if !errors.Is(err, gateway.ErrFull) || time.Now().After(end) {
				t.Fatalf("Take(0) = %v; want a slot every 20ms", err)
			}
		}
	},
	"pause": func(t *testing.T, open Opener) {
		start := time.Now()
		b := open(t, 5)
		stop(t, b, 30*time.Second)
		wait, err := b.Take(t.Context(), time.Second)
		if !errors.Is(err, gateway.ErrFull) {
			t.Errorf("Take during a pause = %v, %v; want ErrFull", wait, err)
		}
		about(t, "the wait with ErrFull", wait, 30*time.Second, time.Since(start))
		for i := range 10 {
			about(t, "the wait during a pause", take(t, b, time.Hour),
				30*time.Second+time.Duration(i)*time.Second/5, time.Since(start))
		}
	},
	"a shorter pause shortens nothing": pauses(time.Minute, time.Second),
	"a longer pause lengthens":         pauses(time.Second, time.Minute),
	"a pause keeps what is reserved": func(t *testing.T, open Opener) {
		start := time.Now()
		b := open(t, 1)
		for range 60 {
			take(t, b, time.Hour)
		}
		stop(t, b, 10*time.Second)
		about(t, "the wait behind 60", take(t, b, time.Hour), time.Minute, time.Since(start))
	},
	"a pause of nothing is none": func(t *testing.T, open Opener) {
		b := open(t, 1)
		stop(t, b, 0)
		stop(t, b, -time.Hour)
		fortest.Equal(t, take(t, b, 0), 0, "wait")
	},
	"an ended context reserves nothing": func(t *testing.T, open Opener) {
		start := time.Now()
		b := open(t, 1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 5 {
			if wait, err := b.Take(ctx, time.Hour); err == nil || errors.Is(err, gateway.ErrFull) {
				t.Errorf("Take with an ended context = %v, %v; want its error", wait, err)
			}
		}
		row(t, []time.Duration{take(t, b, time.Hour), take(t, b, time.Hour)}, 1, time.Since(start))
	},
}
