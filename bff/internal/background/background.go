// Package background runs what outlives a request, servers among it, and provides heartbeats of loops.
package background

import (
	"context"
	"sync"
	"time"
)

// Group counts running goroutines. Unlike a sync.WaitGroup it accepts more during Wait:
// requests are answered while the process shuts down.
type Group struct {
	mu   sync.Mutex // guards the fields below
	n    int
	none chan struct{} // closed when n is zero again; nil while it is
}

// Go runs f in a goroutine of its own.
func (g *Group) Go(f func()) {
	g.mu.Lock()
	g.n++
	if g.n == 1 {
		g.none = make(chan struct{})
	}
	g.mu.Unlock()
	go func() {
		defer g.done()
		f()
	}()
}

func (g *Group) done() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n--
	if g.n == 0 {
		close(g.none)
		g.none = nil
	}
}

// Wait waits until nothing was running for a moment.
func (g *Group) Wait() {
	g.mu.Lock()
	none := g.none
	g.mu.Unlock()
	if none != nil {
		<-none
	}
}

// Sleep waits for d, or until ctx ends. It reports whether ctx is still open.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err() == nil
}

// Heartbeat shows whether a main loop still runs: it beats each time around. The watcher
// decides how long is too long. The zero Heartbeat is of a loop that does not run. Its
// methods may be called by many goroutines.
type Heartbeat struct {
	mu sync.Mutex // guards the field below
	at time.Time  // by this machine's clock, with a monotonic reading
}

// Beat records that the loop runs, and that it rests for pause before the next beat; 0 or
// less = not at all. A beat does not shorten the rest of another.
func (h *Heartbeat) Beat(pause time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := time.Now().Add(max(0, pause)); at.After(h.at) {
		h.at = at
	}
}

// Stop records that the loop has ended, or waits for what may never come.
func (h *Heartbeat) Stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = time.Time{}
}

// Last returns when the loop last beat or, if that is later, is to beat again; zero = it
// does not run.
func (h *Heartbeat) Last() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
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
