package limiter

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

// sent returns who got slots, in order, of calls made at once after the burst.
func sent(t *testing.T, calls []context.Context) (order []int) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(func(c *Config) { c.Patience = time.Hour })
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

// calls returns n contexts of a client, each with its own session.
func calls(n int, network, address string, p Priority) (list []context.Context) {
	for i := range n {
		ctx := WithClient(context.Background(), Client{Network: network, Address: address})
		list = append(list, WithPriority(WithSession(ctx, fmt.Sprint("cs_", i)), p))
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

// A greedy client delays itself: networks take turns, then addresses, then sessions.
func TestClientsShareFairly(t *testing.T) {
	for name, c := range map[string]struct {
		first, later []context.Context
		most         int // place of the last of later
	}{
		"one against a client with many sessions": {calls(50, "a", "a1", Shopper), calls(1, "b", "b1", Shopper), 1},
		"ten of one address against fifty":        {calls(50, "a", "a1", Shopper), calls(10, "b", "b1", Shopper), 20},
		"a network of many addresses": {
			append(calls(25, "a", "a1", Shopper), calls(25, "a", "a2", Shopper)...), calls(10, "b", "b1", Shopper), 20,
		},
		"two addresses of one network": {calls(50, "a", "a1", Shopper), calls(10, "a", "a2", Shopper), 20},
		"a new session of one address": {
			append(calls(1, "a", "a1", Shopper), append(calls(1, "a", "a1", Shopper), calls(1, "a", "a1", Shopper)...)...), // all of cs_0
			[]context.Context{WithSession(WithClient(context.Background(), Client{Network: "a", Address: "a1"}), "cs_other")}, 2,
		},
		"creates among checks of one client": {calls(50, "a", "a1", Shopper), calls(5, "a", "a1", Create), 25},
		"creates among checks of many": {
			func() (list []context.Context) {
				for i := range 50 {
					list = append(list, calls(1, fmt.Sprint(i), "x", Shopper)...)
				}
				return list
			}(), calls(5, "b", "b1", Create), 25,
		},
		"polls among shoppers":         {calls(50, "a", "a1", Shopper), calls(10, "", "", Single), 30},
		"late polls among other polls": {calls(50, "", "", Single), calls(3, "", "", Late), 31},
	} {
		t.Run(name, func(t *testing.T) {
			order := sent(t, append(c.first, c.later...))
			n := len(c.first)
			// One may have come too late for the first slot.
			if got := place(order, n, n+len(c.later)); got > c.most+1 {
				t.Errorf("the last of the later ones is number %d of %d; want %d at most", got, len(order), c.most)
			}
		})
	}
}

// Continuous creates do not starve other calls of shoppers.
func TestCreatesStarveNoOther(t *testing.T) {
	order := sent(t, append(calls(50, "a", "a1", Create), calls(5, "b", "b1", Shopper)...))
	if got := place(order, 50, 55); got > 11 {
		t.Errorf("the last other call is number %d; want 11 at most", got)
	}
}

// The state of past clients is bounded.
func TestFlowsAreBounded(t *testing.T) {
	var q queue
	for i := range 3 * maxFlows {
		w, _ := q.join(Shopper, Client{Network: fmt.Sprint(i), Address: "a", Session: "s"}, time.Now())
		q.leave(w)
	}
	if len(q.flows) > maxFlows+3 || len(q.waiters) != 0 {
		t.Errorf("%d flows and %d calls are kept", len(q.flows), len(q.waiters))
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
	for name, bucket := range map[string]Bucket{"no count": noFree{Local(10, nil)}, "no database": unreachableBucket{Local(10, nil)}} {
		w := newWorld(func(c *Config) { c.Bucket = bucket })
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
		calls := []context.Context{t.Context(), t.Context(), WithPriority(t.Context(), Watched), WithPriority(t.Context(), Single), WithPriority(t.Context(), Single), WithPriority(t.Context(), Single)}
		for _, ctx := range calls {
			go func() { done <- w.call(ctx, false) }()
		}
		synctest.Wait()
		got := w.State()
		if want := [priorities]int{Shopper: 2, Watched: 1, Single: 3}; got.Waiting != want {
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
