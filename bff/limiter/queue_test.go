package limiter

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
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
