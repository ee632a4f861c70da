// Package background runs what outlives a request, and waits without a clock of its own.
package background

import (
	"context"
	"sync"
	"time"
)

// Group counts what goes on in the background. Unlike a sync.WaitGroup it takes
// more while somebody waits: requests are answered while the process ends.
type Group struct {
	mu   sync.Mutex // guards the fields below
	n    int
	none chan struct{} // closed when n is zero again; nil while it is
}

// Go runs f in a goroutine of its own.
func (r *Group) Go(f func()) {
	r.mu.Lock()
	if r.n++; r.n == 1 {
		r.none = make(chan struct{})
	}
	r.mu.Unlock()
	go func() {
		defer r.done()
		f()
	}()
}

func (r *Group) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n--; r.n == 0 {
		close(r.none)
		r.none = nil
	}
}

// Wait waits until nothing was running for a moment.
func (r *Group) Wait() {
	r.mu.Lock()
	none := r.none
	r.mu.Unlock()
	if none != nil {
		<-none
	}
}

// Sleep waits for d, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
