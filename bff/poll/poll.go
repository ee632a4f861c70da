// Package poll decides when sessions are looked at: it claims what is due from
// the store and has it tended, a few at a time. What tending means is the
// domain's business; how often is written in each row's DueAt, so that a
// restart, or another instance, goes on where this one stopped.
package poll

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/crash"
)

// Store is what the poller needs of a [checkout.Store].
type Store interface {
	Claim(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]checkout.Session, error)
}

// Config is what a [Poller] is made of.
type Config struct {
	Store Store
	// Tend does what is due for one session. It blocks until that is done.
	Tend func(ctx context.Context, s checkout.Session) error
	// Every is the pause between two looks into the store. Zero means 250 ms.
	Every time.Duration
	// Lease is how long a claimed session is left alone by other claims: what
	// takes longer than most of it is called off. Zero means 30 s.
	Lease time.Duration
	// AtOnce is how many sessions are tended at once. Zero means 16.
	AtOnce int
	Now    func() time.Time // nil = time.Now
	Log    *slog.Logger     // nil = silent
}

// Poller tends sessions when they are due. One that takes long holds up no
// other: no more is claimed than can be started at once.
type Poller struct {
	Config
	kick    chan struct{}  // one slot; written by Kick, read by Run
	slots   chan struct{}  // capacity AtOnce; full = as many are tended as may be
	tending sync.WaitGroup // of those that hold a slot
}

// New returns a poller that does nothing until Run.
func New(c Config) *Poller {
	if c.Every == 0 {
		c.Every = 250 * time.Millisecond
	}
	if c.Lease == 0 {
		c.Lease = max(5*time.Second, crash.Hurry(30*time.Second))
	}
	if c.AtOnce == 0 {
		c.AtOnce = 16
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Poller{Config: c, kick: make(chan struct{}, 1), slots: make(chan struct{}, c.AtOnce)}
}

// Kick makes Run look into the store now. It never blocks.
func (p *Poller) Kick() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// Run looks into the store again and again until ctx ends, and returns after
// what it has started is done.
func (p *Poller) Run(ctx context.Context) error {
	defer p.tending.Wait()
	tick := time.NewTicker(p.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-p.kick:
		}
		if _, err := p.start(ctx); err != nil && ctx.Err() == nil {
			p.Log.Error("claiming due sessions", "error", err)
		}
	}
}

// Pass tends what is due now, as much as may be at once, and waits for it; it
// returns how many sessions that were. A session whose tending fails is logged
// and comes back when it is due again. Errors: the store's. It must not be
// called while Run runs.
func (p *Poller) Pass(ctx context.Context) (int, error) {
	n, err := p.start(ctx)
	p.tending.Wait()
	return n, err
}

// start claims as much as there are free slots and begins to tend it.
func (p *Poller) start(ctx context.Context) (int, error) {
	free := cap(p.slots) - len(p.slots)
	if free == 0 {
		return 0, nil
	}
	due, err := p.Store.Claim(ctx, p.Now(), p.Lease, free)
	if err != nil {
		return 0, fmt.Errorf("claiming sessions: %w", err)
	}
	if len(due) > 0 {
		crash.Point("session.claimed")
	}
	for _, s := range due {
		p.slots <- struct{}{}
		p.tending.Go(func() {
			p.tend(ctx, s)
			<-p.slots
			if len(due) == free { // there may be more
				p.Kick()
			}
		})
	}
	return len(due), nil
}

// tend looks after one session; a panic in one must not stop the others.
func (p *Poller) tend(ctx context.Context, s checkout.Session) {
	defer func() {
		if r := recover(); r != nil {
			p.Log.Error("tending a session panicked", "session", s.ID, "panic", r)
		}
	}()
	// Whatever it finds out after its lease is refused by the store.
	ctx, cancel := context.WithTimeout(ctx, p.Lease*5/6)
	defer cancel()
	if err := p.Tend(ctx, s); err != nil && !errors.Is(err, context.Canceled) {
		p.Log.Warn("tending a session", "session", s.ID, "error", err)
	}
}
