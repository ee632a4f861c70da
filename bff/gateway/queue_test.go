package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
)

// granted returns who got slots, in order, of calls made at once after the burst.
func granted(t *testing.T, calls []context.Context) (order []int) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(func(c *LimiterConfig) { c.Patience = time.Hour })
		drain(t, w)
		var mu sync.Mutex
		var all sync.WaitGroup
		for i, ctx := range calls {
			all.Go(func() {
				report, err := w.Acquire(ctx, true)
				if err != nil {
					t.Error(err)
					return
				}
				report(nil)
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			})
			synctest.Wait()
		}
		all.Wait()
	})
	return order
}

// calls returns n contexts of a network.
func calls(n int, network string, p Priority) (list []context.Context) {
	for range n {
		list = append(list,
			WithPriority(WithCaller(context.Background(), Caller{Network: network}), p))
	}
	return list
}

// place returns the position of the last of those calls.
func place(order []int, from, to int) (last int) {
	for at, i := range order {
		if i >= from && i < to {
			last = at + 1
		}
	}
	return last
}

// A greedy network delays itself: networks take turns.
func TestClientsShareFairly(t *testing.T) {
	for name, c := range map[string]struct {
		first, later []context.Context
		most         int // place of the last of later
	}{
		"one against a network with many calls": {
			calls(50, "a", Shopper),
			calls(1, "b", Shopper),
			1,
		},
		"ten of one network against fifty": {calls(50, "a", Shopper), calls(10, "b", Shopper), 20},
		"polls among shoppers":             {calls(50, "a", Shopper), calls(10, "", Poll), 30},
		"late polls among other polls":     {calls(50, "", Poll), calls(3, "", Late), 31},
		"late polls among shoppers":        {calls(50, "a", Shopper), calls(3, "", Late), 31},
	} {
		t.Run(name, func(t *testing.T) {
			order := granted(t, append(c.first, c.later...))
			n := len(c.first)
			// One may have come too late for the first slot.
			if got := place(order, n, n+len(c.later)); got > c.most+1 {
				t.Errorf("the last of the later ones is number %d of %d; want %d at most", got,
					len(order), c.most)
			}
		})
	}
}

// The memory of past networks is bounded.
func TestNetworksAreBounded(t *testing.T) {
	var q queue
	for i := range 3 * maxRemembered {
		q.join(Shopper, fmt.Sprint(i), time.Now())
		q.grant()
	}
	if len(q.lastSlot) > maxRemembered || len(q.waiters) != 0 {
		t.Errorf("%d networks and %d calls are kept", len(q.lastSlot), len(q.waiters))
	}
}

// noFree is a bucket without Free.
type noFree struct{ Bucket }

// unreachableBucket is a bucket whose database does not answer.
type unreachableBucket struct{ Bucket }

func (unreachableBucket) Free(context.Context) (int, error) { return 0, errors.New("away") }

// Free slots grow with time, and a pause takes all of them.
func TestFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		check := func(when string, want int) {
			t.Helper()
			if n, ok := w.Free(t.Context()); n != want || !ok {
				t.Errorf("%s: Free = %d, %t; want %d", when, n, ok, want)
			}
		}
		check("at first", 10)
		for range 7 {
			fortest.OK(t, w.call(t.Context(), false))
		}
		check("after seven", 3)
		time.Sleep(250 * time.Millisecond) // of the bubble's clock
		check("a quarter of a second later", 5)
		fortest.OK(t, w.Bucket.Pause(t.Context(), time.Minute))
		check("in a pause", 0)
	})
	for name, bucket := range map[string]Bucket{
		"no count":    noFree{LocalBucket(10, nil)},
		"no database": unreachableBucket{LocalBucket(10, nil)},
	} {
		w := newWorld(func(c *LimiterConfig) { c.Bucket = bucket })
		if n, ok := w.Free(t.Context()); ok {
			t.Errorf("%s: Free = %d", name, n)
		}
	}
}

// Waiting calls are counted by priority.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		fortest.OK(t, w.Bucket.Pause(t.Context(), time.Second))
		done := make(chan error)
		calls := []context.Context{
			t.Context(), t.Context(), WithPriority(t.Context(), Poll),
			WithPriority(t.Context(), Late), WithPriority(t.Context(), Late),
			WithPriority(t.Context(), Late),
		}
		for _, ctx := range calls {
			go func() { done <- w.call(ctx, false) }()
		}
		synctest.Wait()
		got := w.State()
		if want := [priorities]int{Shopper: 2, Poll: 1, Late: 3}; got.Waiting != want {
			t.Errorf("Waiting = %v; want %v", got.Waiting, want)
		}
		for range calls {
			<-done
		}
		if got := w.State(); got.Waiting != [priorities]int{} {
			t.Errorf("State afterwards = %+v", got)
		}
	})
}
