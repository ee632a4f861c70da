package limiter

import (
	"math/rand/v2"
	"sync"
	"time"
)

// How fast the breaker opens, and how soon it looks again.
const (
	openAfter      = 5               // failures in a row
	firstDelay     = 2 * time.Second // before the first probe, by default
	maxDelayFactor = 5               // between two probes, in first delays
)

// health is what the end of a call tells about the gateway.
type health int

const (
	inconclusive health = iota // the caller went away
	healthy                    // it has answered, be it with a no
	failing                    // no connection, no answer, or none that can be trusted
)

// ticket is the right to make one call, and says when it was given.
type ticket struct {
	generation uint64
	probe      chan struct{} // nil = an ordinary call
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

	mu         sync.Mutex // guards the fields below
	generation uint64     // counts openings and closings
	open       bool
	since      time.Time // of the era; zero = never opened
	failures   int       // in a row, while closed
	delay      time.Duration
	until      time.Time     // no probe sooner
	probe      chan struct{} // closed when the probe under way ends; nil = none
	probed     time.Time     // when it began
	opened     uint64
}

// state reports whether the breaker is open and, if so, whether a probe is due
// or under way.
func (k *breaker) state(now time.Time) (open, due, probing bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.open, k.open && !now.Before(k.until), k.probe != nil
}

// acquire returns a ticket if a call may be made now. While the breaker is open
// that is the holder of the probe's permit, or the first read that comes when
// a probe is due, which becomes the probe.
func (k *breaker) acquire(now time.Time, effect bool, permit chan struct{}) (ticket, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case !k.open:
		return ticket{generation: k.generation}, true
	case permit != nil && permit == k.probe:
		return ticket{generation: k.generation, probe: permit}, true
	case permit == nil && !effect && k.probe == nil && !now.Before(k.until):
		k.probe, k.probed = make(chan struct{}), now
		return ticket{generation: k.generation, probe: k.probe}, true
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
	return ticket{generation: k.generation, probe: k.probe}, mine, true
}

// report takes in how the call of t ended, and reports whether that has opened
// or closed the breaker. Telling about one ticket twice is allowed.
func (k *breaker) report(t ticket, n health, now time.Time) (changed, open bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t.probe != nil && t.probe == k.probe {
		close(k.probe)
		k.probe = nil
	}
	was := k.open
	switch {
	case n == healthy:
		k.open, k.failures = false, 0
	case n == inconclusive || t.generation != k.generation:
	case k.open:
		k.postponeProbe(2*k.delay, now)
	default:
		if k.failures++; k.failures >= openAfter {
			k.open = true
			k.opened++
			k.postponeProbe(k.first, now)
		}
	}
	if k.open != was {
		k.generation, k.since = k.generation+1, now
	}
	return k.open != was, k.open
}

// postponeProbe puts the next probe off by delay, less up to a fifth of it so that
// instances do not probe in step.
func (k *breaker) postponeProbe(delay time.Duration, now time.Time) {
	k.delay = min(delay, maxDelayFactor*k.first)
	k.until = now.Add(k.delay - rand.N(k.delay/5))
}

// untilProbe returns how long it takes until a probe is due.
func (k *breaker) untilProbe(now time.Time) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.until.Sub(now)
}
