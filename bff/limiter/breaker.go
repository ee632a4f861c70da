package limiter

import (
	"math/rand/v2"
	"sync"
	"time"
)

// How fast the breaker opens, and how soon it looks again.
const (
	openAfter  = 5               // failures in a row
	firstDelay = 2 * time.Second // before the first probe, by default
	mostDelay  = 5               // between two probes, in first delays
)

// news is what the end of a call tells about the gateway.
type news int

const (
	nothing news = iota // the caller went away
	alive               // it has answered, be it with a no
	dead                // no connection, no answer, or none that can be trusted
)

// ticket is the right to make one call, and says when it was given.
type ticket struct {
	era   uint64
	probe chan struct{} // nil = an ordinary call
}

// breaker refuses calls while the gateway does not answer. Open, it lets one
// probe at a time through, never sooner than its delay; the first answer
// closes it. What calls of an earlier era report as failures is no news: they
// were on their way before the breaker knew.
//
// It is our own because failsafe-go's knows no outcome that tells nothing (a
// probe whose caller went away would hold its permit for ever), takes late
// failures for the probe's, and asks its delay function only inside of its own
// executor.
type breaker struct {
	first time.Duration // delay before the first probe

	mu       sync.Mutex // guards the fields below
	era      uint64     // counts openings and closings
	open     bool
	since    time.Time // of the era; zero = never opened
	failures int       // in a row, while closed
	delay    time.Duration
	until    time.Time     // no probe sooner
	probe    chan struct{} // closed when the probe under way ends; nil = none
	probed   time.Time     // when it began
	opened   uint64
}

// look reports whether the breaker is open and, if so, whether a probe is due
// or under way.
func (k *breaker) look(now time.Time) (open, due, probing bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.open, k.open && !now.Before(k.until), k.probe != nil
}

// pass returns a ticket if a call may be made now. While the breaker is open
// that is the holder of the probe's permit, or the first read that comes when
// a probe is due, which becomes the probe.
func (k *breaker) pass(now time.Time, effect bool, permit chan struct{}) (ticket, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case !k.open:
		return ticket{era: k.era}, true
	case permit != nil && permit == k.probe:
		return ticket{era: k.era, probe: permit}, true
	case permit == nil && !effect && k.probe == nil && !now.Before(k.until):
		k.probe, k.probed = make(chan struct{}), now
		return ticket{era: k.era, probe: k.probe}, true
	}
	return ticket{}, false
}

// join returns the ticket of the probe under way, or of a new one that the
// caller must run (mine). ok is false if no probe is wanted now.
func (k *breaker) join(now time.Time) (t ticket, mine, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case !k.open || now.Before(k.until):
		return ticket{}, false, false
	case k.probe == nil:
		k.probe, k.probed, mine = make(chan struct{}), now, true
	}
	return ticket{era: k.era, probe: k.probe}, mine, true
}

// tell takes in how the call of t ended, and reports whether that has opened
// or closed the breaker. Telling about one ticket twice is allowed.
func (k *breaker) tell(t ticket, n news, now time.Time) (changed, open bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t.probe != nil && t.probe == k.probe {
		close(k.probe)
		k.probe = nil
	}
	was := k.open
	switch {
	case n == alive:
		k.open, k.failures = false, 0
	case n == nothing || t.era != k.era:
	case k.open:
		k.wait(2*k.delay, now)
	default:
		if k.failures++; k.failures >= openAfter {
			k.open = true
			k.opened++
			k.wait(k.first, now)
		}
	}
	if k.open != was {
		k.era, k.since = k.era+1, now
	}
	return k.open != was, k.open
}

// wait puts the next probe off by delay, less up to a fifth of it so that
// instances do not probe in step.
func (k *breaker) wait(delay time.Duration, now time.Time) {
	k.delay = min(delay, mostDelay*k.first)
	k.until = now.Add(k.delay - rand.N(k.delay/5))
}

// left returns how long it takes until a probe is due.
func (k *breaker) left(now time.Time) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.until.Sub(now)
}
