package gateway

import (
	"slices"
	"sync"
	"time"
)

// mostPassed guarantees shares: while a call of that priority waits, at most so many slots in a
// row go to higher priorities. So polls get every third slot in a flood of shoppers, and late
// checks every tenth slot in any flood.
var mostPassed = [priorities]int{Poll: 2, Late: 9}

// queue holds the calls waiting for a slot. Within the shares, shoppers go before polls, and
// polls before late checks. Among shoppers, the network whose last slot is longest ago goes
// first, so that a greedy one delays only itself. Otherwise calls go in FIFO order.
type queue struct {
	mu       sync.Mutex // guards the fields below
	serving  bool       // Limiter.serve is running
	waiters  []*waiter  // in FIFO order
	waiting  [priorities]int
	passed   [priorities]int   // slots in a row given to higher priorities
	lastSlot map[string]uint64 // by network, of shoppers; not set = none recently
	granted  uint64            // slots given
}

type waiter struct {
	priority Priority
	network  string
	end      time.Time  // when it gives up
	answer   chan error // nil = a slot; capacity one
}

// maxRemembered is how many networks are remembered before all are forgotten.
const maxRemembered = 10_000

// join adds a call, and reports whether the caller must start serving.
func (q *queue) join(p Priority, network string, end time.Time) (joined *waiter, serve bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	joined = &waiter{
		priority: p,
		network:  network,
		end:      end,
		answer:   make(chan error, 1),
	}
	q.waiters = append(q.waiters, joined)
	q.waiting[p]++
	serve = !q.serving
	q.serving = true
	return joined, serve
}

// leave removes a call, and reports whether it was still waiting.
func (q *queue) leave(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiters, w)
	if i >= 0 {
		q.remove(i)
	}
	return i >= 0
}

// remove removes a waiter. q.mu is held.
func (q *queue) remove(i int) {
	q.waiting[q.waiters[i].priority]--
	q.waiters = slices.Delete(q.waiters, i, i+1)
}

// poll reports whether shoppers wait. If nothing does, ok is false, and the caller has to stop
// serving.
func (q *queue) poll() (shoppers, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.serving = len(q.waiters) > 0
	return q.waiting[Shopper] > 0, q.serving
}

// reject answers each call that gives up before that time with an error, and returns their number.
func (q *queue) reject(before time.Time, why func() error) (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := len(q.waiters) - 1; i >= 0; i-- {
		if w := q.waiters[i]; w.end.Before(before) {
			q.remove(i)
			w.answer <- why()
			n++
		}
	}
	return n
}

// grant gives a slot to the next call, if one waits.
func (q *queue) grant() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiters) == 0 {
		return
	}

	p := q.nextPriority()
	best := -1
	for i, w := range q.waiters {
		if w.priority == p && (best < 0 || q.before(w, q.waiters[best])) {
			best = i
		}
	}

	w := q.waiters[best]
	q.remove(best)
	q.granted++
	if p == Shopper {
		q.remember(w.network)
	}

	for lower := range Priority(priorities) {
		switch {
		case lower == p || q.waiting[lower] == 0:
			q.passed[lower] = 0
		case lower > p:
			q.passed[lower]++
		}
	}
	w.answer <- nil
}

// nextPriority returns the priority that gets the next slot. A call waits. q.mu is held.
func (q *queue) nextPriority() Priority {
	for p := Late; p > Shopper; p-- {
		if q.waiting[p] > 0 && q.passed[p] >= mostPassed[p] {
			return p
		}
	}
	p := Shopper
	for q.waiting[p] == 0 {
		p++
	}
	return p
}

// before reports whether w goes before other, of the same priority, which came sooner. q.mu is
// held.
func (q *queue) before(w, other *waiter) bool {
	return w.priority == Shopper && q.lastSlot[w.network] < q.lastSlot[other.network]
}

// remember records that a network has got a slot. q.mu is held.
func (q *queue) remember(network string) {
	if q.lastSlot == nil || len(q.lastSlot) >= maxRemembered {
		q.lastSlot = map[string]uint64{}
	}
	q.lastSlot[network] = q.granted
}

// lengths returns how many calls wait, by priority.
func (q *queue) lengths() [priorities]int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}
