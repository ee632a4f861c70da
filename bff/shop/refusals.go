package shop

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// maxRefusals is how many origins are kept in mind until they are written.
	maxRefusals = 50
	// refusalInterval is how often they are written.
	refusalInterval = 10 * time.Second
)

// Refusals counts the pages that wanted to show the checkout and may not, and has
// them written now and then: strangers can make up as many as they like, and no
// request waits for it. It is safe for concurrent use; make one with
// [NewRefusals].
type Refusals struct {
	write func(ctx context.Context, origin, session string, times int) error
	log   *slog.Logger

	mu   sync.Mutex         // guards the field below
	list map[string]refusal // by origin
}

// refusal is what is to be written of an origin.
type refusal struct {
	session string
	times   int
}

// NewRefusals returns one that writes by write; log may be nil, which is silent.
func NewRefusals(
	write func(ctx context.Context, origin, session string, times int) error, log *slog.Logger,
) *Refusals {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Refusals{write: write, log: log, list: map[string]refusal{}}
}

// Add counts one. Those of more origins than can be kept in mind are lost, those
// about a session last. It does not block; on nil it does nothing.
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

// evict forgets one that was about no session, if there is one: anybody can ask for
// such. l.mu is held.
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

// Run writes what was counted until ctx ends, and once more then, for a second at
// most. It always returns nil.
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

// Flush writes what was counted. What cannot be written is lost.
func (l *Refusals) Flush(ctx context.Context) {
	l.mu.Lock()
	list := l.list
	l.list = map[string]refusal{}
	l.mu.Unlock()
	for origin, r := range list {
		if err := l.write(ctx, origin, r.session, r.times); err != nil {
			l.log.Warn("refused origins are not written", "error", err)
			return
		}
	}
}
