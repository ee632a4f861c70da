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
func (l *Refusals) Add(origin, session string) {
	if l == nil || len(origin) > maxOrigin {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r, known := l.list[origin]
	if !known && len(l.list) >= maxRefusals && !(session != "" && l.evict()) {
		return
	}
	if session != "" {
		r.session = session
	}
	r.times++
	l.list[origin] = r
}

// evict drops one without a session, which anyone can cause. l.mu is held.
func (l *Refusals) evict() bool {
	for origin, r := range l.list {
		if r.session == "" {
			delete(l.list, origin)
			return true
		}
	}
	return false
}

// maxOrigin is the length of the longest host name with a scheme and a port.
const maxOrigin = 8 + 253 + 6

// Run saves the counts until ctx ends, and then once more for at most a second. It returns nil.
func (l *Refusals) Run(ctx context.Context) error {
	tick := time.NewTicker(refusalInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.Flush(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			l.Flush(last)
			return nil
		}
	}
}

// Flush saves the counts; on an error the rest is lost.
func (l *Refusals) Flush(ctx context.Context) {
	l.mu.Lock()
	list := l.list
	l.list = map[string]refusal{}
	l.mu.Unlock()
	for origin, r := range list {
		if err := l.write(ctx, origin, r.session, r.times); err != nil {
			l.log.Warn("saving refused origins failed", "error", err)
			return
		}
	}
}
