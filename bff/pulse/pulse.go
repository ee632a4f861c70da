// Package pulse tells whether what should go on for ever still does. Whoever runs a
// loop beats its [Pulse] each time round; whoever watches sees when it last did. It
// decides nothing: how long is too long is the watcher's business.
package pulse

import (
	"sync"
	"time"
)

// Pulse is one loop's. The zero Pulse is of a loop that does not run. Its methods may
// be called by many goroutines.
type Pulse struct {
	mu sync.Mutex // guards the field below
	at time.Time  // by this machine's clock, with a monotonic reading
}

// Beat says that the loop turns, and that it rests for pause before it does so again;
// 0 or less = not at all. A beat does not shorten the rest of another.
func (p *Pulse) Beat(pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := time.Now().Add(max(0, pause)); at.After(p.at) {
		p.at = at
	}
}

// Stop says that the loop has ended, or waits for what may never come.
func (p *Pulse) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = time.Time{}
}

// Turned returns when the loop last turned or, if that is later, is to turn again;
// zero = it does not run.
func (p *Pulse) Turned() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// Earliest returns the earliest of the times that are not zero; zero = all are.
func Earliest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}
