package limiter

import (
	"slices"
	"sync"
	"time"
)

// set is a bit set of priorities.
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

// shares guarantee slots: while a call of some priorities waits, at most so many slots in a row
// go to others of a wider set. So polls get every third slot in a flood of shoppers, creates
// every fifth of the shoppers' slots, and each kind of poll every fifth of the polls' slots,
// late ones every tenth.
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

// queue holds the calls waiting for a slot. Within the shares, shoppers go before polls, and
// watched polls before others. Among shoppers, the network served least recently goes first,
// then the address in it, then the session; so a greedy client delays only itself. Otherwise
// calls go in FIFO order.
type queue struct {
	mu      sync.Mutex // guards the fields below
	serving bool       // Limiter.serve is running
	waiters []*waiter  // in FIFO order
	waiting [priorities]int
	passed  [len(shares)]int    // consecutive slots given to others, by share
	flows   map[[3]string]*flow // of waiting and recently served clients
	granted uint64              // slots given
}

type waiter struct {
	priority Priority
	flows    [3]*flow   // of its network, address and session
	end      time.Time  // when it gives up
	answer   chan error // nil = a slot; capacity one
}

// flow is the state of a network, an address or a session.
type flow struct {
	waiters int
	last    uint64 // number of its last slot; zero = none recently
}

// maxFlows is how many flows are kept before idle ones are dropped.
const maxFlows = 10_000

// join adds a call, and reports whether the caller must start serving.
func (q *queue) join(p Priority, c Client, end time.Time) (joined *waiter, serve bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.flows == nil {
		q.flows = map[[3]string]*flow{}
	}
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
		f := q.flows[key]
		if f == nil {
			f = new(flow)
			q.flows[key] = f
		}
		f.waiters++
		joined.flows[i] = f
	}
	q.waiters = append(q.waiters, joined)
	q.waiting[p]++
	serve, q.serving = !q.serving, true
	return joined, serve
}

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
	w := q.waiters[i]
	q.waiters = slices.Delete(q.waiters, i, i+1)
	q.waiting[w.priority]--
	for _, f := range w.flows {
		f.waiters--
	}
}

// poll returns what waits. If nothing does, the caller has to stop serving.
func (q *queue) poll() (waiting set, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.serving = len(q.waiters) > 0
	return q.present(), q.serving
}

// present returns the waiting priorities. q.mu is held.
func (q *queue) present() (s set) {
	for p, n := range q.waiting {
		if n > 0 {
			s |= setOf(Priority(p))
		}
	}
	return s
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

func (q *queue) lengths() [priorities]int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}
