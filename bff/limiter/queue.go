package limiter

import (
	"slices"
	"sync"
	"time"
)

// set is a set of priorities, a bit each.
type set uint

func setOf(list ...Priority) (s set) {
	for _, p := range list {
		s |= 1 << p
	}
	return s
}

func (s set) has(p Priority) bool { return s&setOf(p) != 0 }

var (
	shoppers = setOf(Shopper, Create)
	polls    = setOf(Watched, Shared, Single, Late)
)

// shares are the least parts of the slots: while a call of some priorities waits, at
// most so many slots in a row go to others of a wider set. So polls get every third
// slot in a flood of shoppers, creates every fifth of the shoppers' slots in a flood
// of other calls, and each kind of poll every fifth of the polls' slots, late ones every
// tenth.
var shares = [...]struct {
	within, of set
	most       int
}{
	{shoppers | polls, polls, 2},
	{shoppers, setOf(Create), 4},
	{polls, setOf(Shared), 4},
	{polls, setOf(Single), 4},
	{polls, setOf(Late), 9},
}

// queue is the calls that wait for a slot. The next one goes to shoppers before polls,
// and to watched polls before the others, but for the shares. Among shoppers it goes to
// the network that has waited longest since its last slot, there to the address, there
// to the session; so a client that asks for more than others waits for itself. Calls
// that are alike in that go in the order in which they came.
type queue struct {
	mu      sync.Mutex // guards the fields below
	serving bool       // slots are being taken; see Budget.serve
	waiters []*waiter  // in the order in which they came
	waiting [priorities]int
	passed  [len(shares)]int    // slots in a row that went to others, by share
	flows   map[[3]string]*flow // of clients that wait, and of those served of late
	granted uint64              // slots so far
}

// waiter is a call that waits.
type waiter struct {
	priority Priority
	flows    [3]*flow   // of its network, address and session
	end      time.Time  // when it gives up
	answer   chan error // gets nil for a slot; has room for one
}

// flow is what is kept of a network, an address or a session.
type flow struct {
	waiters int
	last    uint64 // the number of its last slot; zero = it had none of late
}

// maxFlows is how many flows are kept before those of nobody who waits are dropped.
const maxFlows = 10_000

// join adds a call to those that wait.
func (q *queue) join(p Priority, c Client, end time.Time) (joined *waiter, serve bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.flows) > maxFlows {
		for key, f := range q.flows {
			if f.waiters == 0 {
				delete(q.flows, key)
			}
		}
	}
	joined = &waiter{priority: p, end: end, answer: make(chan error, 1)}
	for i, key := range [3][3]string{
		{c.Network}, {c.Network, c.Address}, {c.Network, c.Address, c.Session},
	} {
		joined.flows[i] = q.flow(key)
		joined.flows[i].waiters++
	}
	q.waiters = append(q.waiters, joined)
	q.waiting[p]++
	serve, q.serving = !q.serving, true
	return joined, serve
}

func (q *queue) flow(key [3]string) *flow {
	f := q.flows[key]
	if f == nil {
		if q.flows == nil {
			q.flows = map[[3]string]*flow{}
		}
		f = new(flow)
		q.flows[key] = f
	}
	return f
}

// leave gives up waiting, and reports whether w has waited until now.
func (q *queue) leave(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiters, w)
	if i >= 0 {
		q.remove(i)
	}
	return i >= 0
}

// remove takes a call out of the queue. q.mu is held.
func (q *queue) remove(i int) {
	w := q.waiters[i]
	q.waiters = slices.Delete(q.waiters, i, i+1)
	q.waiting[w.priority]--
	for _, f := range w.flows {
		f.waiters--
	}
}

// poll returns what waits. If nothing does, the caller has to stop taking slots.
func (q *queue) poll() (waiting set, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.serving = len(q.waiters) > 0
	return q.present(), q.serving
}

// present is what waits. q.mu is held.
func (q *queue) present() (s set) {
	for p, n := range q.waiting {
		if n > 0 {
			s |= setOf(Priority(p))
		}
	}
	return s
}

// reject answers with an error to each call that gives up before a time, and returns
// how many that were.
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

// grant gives a slot to the call whose turn it is, if one waits.
func (q *queue) grant() {
	q.mu.Lock()
	defer q.mu.Unlock()
	eligible, best := q.eligible(), -1
	for i, w := range q.waiters {
		if eligible.has(w.priority) && (best < 0 || w.before(q.waiters[best])) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	w := q.waiters[best]
	q.remove(best)
	q.granted++
	for _, f := range w.flows {
		f.last = q.granted
	}
	present := q.present()
	for i, s := range shares {
		switch {
		case !s.within.has(w.priority):
		case s.of.has(w.priority) || present&s.of == 0:
			q.passed[i] = 0
		default:
			q.passed[i]++
		}
	}
	w.answer <- nil
}

// eligible returns the priorities one of which gets the next slot. q.mu is held.
func (q *queue) eligible() set {
	present := q.present()
	eligible := present & shoppers
	if eligible == 0 || present&polls != 0 && q.passed[0] >= shares[0].most {
		eligible = present & polls
	}
	for i, s := range shares[1:] {
		if s.within&eligible != 0 && s.of&eligible != 0 && q.passed[i+1] >= s.most {
			return s.of
		}
	}
	if eligible&shoppers != 0 {
		return eligible
	}
	return eligible & -eligible // the lowest bit
}

// before reports whether w goes before other, which came sooner.
func (w *waiter) before(other *waiter) bool {
	if polls.has(w.priority) {
		return false
	}
	for i, f := range w.flows {
		if f.last != other.flows[i].last {
			return f.last < other.flows[i].last
		}
	}
	return false
}

// lengths returns how many calls wait, by Priority.
func (q *queue) lengths() [priorities]int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}
