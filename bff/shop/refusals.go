package shop

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	maxRefusals     = 50               // origins in memory until they are saved
	refusalInterval = 10 * time.Second // how often they are saved
)

// Refusals counts pages that tried to show the checkout without permission, and saves the counts
// periodically: anyone can invent origins, and no request should wait. It is safe for concurrent
// use; create one with [NewRefusals].
type Refusals struct {
	write func(ctx context.Context, origin, session string, times int) error
	log   *slog.Logger

	mu   sync.Mutex         // guards list
	list map[string]refusal // by origin
}

type refusal struct {
	session string
	times   int
}

// NewRefusals returns one that saves by write; a nil log is silent.
func NewRefusals(
	write func(ctx context.Context, origin, session string, times int) error, log *slog.Logger,
) *Refusals {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Refusals{write: write, log: log, list: map[string]refusal{}}
}

// Add counts one, without blocking; on nil it does nothing. Beyond maxRefusals origins, those
// without a session are dropped first.
func (r *Refusals) Add(origin, session string) {
	if r == nil || len(origin) > maxOrigin {
		return
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	counted, known := r.list[origin]
	isFull := !known && len(r.list) >= maxRefusals
	if isFull && (session == "" || !r.evict()) {
		return
	}
	if session != "" {
		counted.session = session
	}

	counted.times++
	r.list[origin] = counted
}

// evict drops one without a session, which anyone can cause. r.mu is held.
func (r *Refusals) evict() bool {
	for origin, counted := range r.list {
		if counted.session == "" {
			delete(r.list, origin)
			return true
		}
	}
	return false
}

// maxOrigin is the length of the longest host name with a scheme and a port.
const maxOrigin = 8 + 253 + 6

// Run saves the counts until ctx ends, and then once more for at most a second. It returns nil.
func (r *Refusals) Run(ctx context.Context) error {
	tick := time.NewTicker(refusalInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.Flush(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			r.Flush(last)
			return nil
		}
	}
}

// Flush saves the counts; on an error the rest is lost.
func (r *Refusals) Flush(ctx context.Context) {
	r.mu.Lock()
	list := r.list
	r.list = map[string]refusal{}
	r.mu.Unlock()
	for origin, counted := range list {
		err := r.write(ctx, origin, counted.session, counted.times)
		if err != nil {
			r.log.Warn("saving refused origins failed", "error", err)
			return
		}
	}
}
