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
	since      time.Time // when the generation began; zero = never opened
	failures   int       // in a row, while closed
	delay      time.Duration
	until      time.Time     // when the next probe may start
	probe      chan struct{} // closed when the current probe ends; nil = none
	probed     time.Time     // when it began
	opened     uint64
}

// state reports whether the breaker is open and, if so, whether a probe is due or running.
func (b *breaker) state(now time.Time) (open, due, probing bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open, b.open && !now.Before(b.until), b.probe != nil
}

// acquire returns a ticket if a call may be made now. While the breaker is open, only the probe
// may, or the first read once a probe is due, which becomes the probe.
func (b *breaker) acquire(now time.Time, effect bool, permit chan struct{}) (ticket, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.open:
		return ticket{generation: b.generation}, true
	case permit != nil && permit == b.probe:
		return ticket{generation: b.generation, probe: permit}, true
	case permit == nil && !effect && b.probe == nil && !now.Before(b.until):
		b.probe = make(chan struct{})
		b.probed = now
		return ticket{generation: b.generation, probe: b.probe}, true
	}

	return ticket{}, false
}

// join returns the ticket of the current probe, or of a new one that the caller must run
// (mine). ok is false if no probe is due.
func (b *breaker) join(now time.Time) (t ticket, mine, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.open || now.Before(b.until):
		return ticket{}, false, false
	case b.probe == nil:
		b.probe = make(chan struct{})
		b.probed = now
		mine = true
	}
	return ticket{generation: b.generation, probe: b.probe}, mine, true
}

// report records the outcome of the call of t, and reports whether that opened or closed the
// breaker. A ticket may be reported twice.
func (b *breaker) report(t ticket, n health, now time.Time) (changed, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.probe != nil && t.probe == b.probe {
		close(b.probe)
		b.probe = nil
	}

	was := b.open
	switch {
	case n == healthy:
		b.open = false
		b.failures = 0
	case n == inconclusive || t.generation != b.generation:
	case b.open:
		b.postponeProbe(2*b.delay, now)
	default:
		b.failures++
		if b.failures >= openAfter {
			b.open = true
			b.opened++
			b.postponeProbe(b.first, now)
		}
	}
	if b.open != was {
		b.generation++
		b.since = now
	}

	return b.open != was, b.open
}

// postponeProbe schedules the next probe after delay, less up to a fifth so that instances do
// not probe in step.
func (b *breaker) postponeProbe(delay time.Duration, now time.Time) {
	b.delay = min(delay, maxDelayFactor*b.first)
	b.until = now.Add(b.delay - rand.N(b.delay/5))
}

func (b *breaker) untilProbe(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until.Sub(now)
}
