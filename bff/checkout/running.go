package checkout

import "sync"

// running counts what goes on in the background. Unlike a sync.WaitGroup it takes
// more while somebody waits: requests are answered while the process ends.
type running struct {
	mu   sync.Mutex // guards the fields below
	n    int
	none chan struct{} // closed when n is zero again; nil while it is
}

// Go runs f in a goroutine of its own.
func (r *running) Go(f func()) {
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

func (r *running) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n--; r.n == 0 {
		close(r.none)
		r.none = nil
	}
}

// Wait waits until nothing was running for a moment.
func (r *running) Wait() {
	r.mu.Lock()
	none := r.none
	r.mu.Unlock()
	if none != nil {
		<-none
	}
}
