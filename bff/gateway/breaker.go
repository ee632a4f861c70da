package gateway

import (
	"math/rand/v2"
	"sync"
	"time"
)

// When the breaker opens and probes.
const (
	openAfter      = 5               // failures in a row
	firstDelay     = 2 * time.Second // before the first probe, by default
	maxDelayFactor = 5               // between two probes, in first delays
)

// health is what the outcome of a call says about the gateway.
type health int

const (
	inconclusive health = iota // nothing: the caller went away
	healthy                    // it answered, even with a refusal
	failing                    // no connection, or no valid answer
)

type ticket struct {
	generation uint64
	probe      chan struct{} // nil = an ordinary call
}

// breaker refuses calls while the gateway does not answer. While open, it permits one probe at
// a time, after a delay; the first answer closes it. Failures of calls from an earlier
// generation do not count: they were sent before the breaker opened.
//
// It is our own: sony/gobreaker's gives the permit of a caller that went away to another, but can
// neither slow its probes down, nor let only reads probe, nor say when the next probe is. Its form
// for several instances holds one lock during each call.
type breaker struct {
	first time.Duration // delay before the first probe

	mu         sync.Mutex // guards the fields below
	generation uint64     // counts openings and closings
	open       bool
	since      time.Time // of the generation; zero = never opened
	failures   int       // in a row, while closed
	delay      time.Duration
	until      time.Time     // no probe sooner
	probe      chan struct{} // closed when the current probe ends; nil = none
	probed     time.Time     // when it began
	opened     uint64
}

// state reports whether the breaker is open and, if so, whether a probe is due or running.
func (k *breaker) state(now time.Time) (open, due, probing bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.open, k.open && !now.Before(k.until), k.probe != nil
}

// acquire returns a ticket if a call may be made now. While the breaker is open, only the probe
// may, or the first read once a probe is due, which becomes the probe.
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

// join returns the ticket of the current probe, or of a new one that the caller must run
// (mine). ok is false if no probe is due.
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

// report records the outcome of the call of t, and reports whether that opened or closed the
// breaker. A ticket may be reported twice.
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

// postponeProbe schedules the next probe after delay, less up to a fifth so that instances do
// not probe in step.
func (k *breaker) postponeProbe(delay time.Duration, now time.Time) {
	k.delay = min(delay, maxDelayFactor*k.first)
	k.until = now.Add(k.delay - rand.N(k.delay/5))
}

func (k *breaker) untilProbe(now time.Time) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.until.Sub(now)
}
