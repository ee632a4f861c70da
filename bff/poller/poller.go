// Package poller decides when sessions are looked at: it claims what is due from
// the store and has it tended, a few at a time. What tending means is the
// domain's business; how often is written in each row's DueAt, so that a
// restart, or another instance, goes on where this one stopped.
package poller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

// Store is what the poller needs of the database.
type Store interface {
	// Claim leases up to limit sessions with DueAt at or before now that are not
	// leased and not [Session.DueForLateCheck], earliest first: no other claim returns them
	// before now+lease, unless they are released. Each returned session is Claimed,
	// with an Epoch that no claim of it has had before.
	Claim(
		ctx context.Context, now time.Time, lease time.Duration, limit int,
	) ([]payment.Session, error)
	// ClaimLate is Claim of those that are DueForLateCheck, and of no others.
	ClaimLate(
		ctx context.Context, now time.Time, lease time.Duration, limit int,
	) ([]payment.Session, error)
	// ClaimOf is Claim of those of the given sessions, late or not, in no order.
	ClaimOf(
		ctx context.Context, ids []string, now time.Time, lease time.Duration, limit int,
	) ([]payment.Session, error)
}

// Config is what a [Poller] is made of.
type Config struct {
	Store Store
	// Process does what is due for one session. It blocks until that is done.
	Process func(ctx context.Context, s payment.Session) error
	// Interval is the pause between two looks into the store. Zero means 50 ms.
	Interval time.Duration
	// Lease is how long a claimed session is left alone by other claims: what
	// takes longer than most of it is called off. Zero means 30 s.
	Lease time.Duration
	// Concurrency is how many sessions are tended at once, and as many again of those
	// that are watched. A quarter of that is for late checks besides, which wait for
	// one another and keep no other waiting. Zero means 16.
	Concurrency int
	// Watched returns the sessions that somebody looks at here, which do not wait
	// behind others; nil = none. WatchedInterval is how often such a one is due.
	Watched         func() []string
	WatchedInterval time.Duration
	// CapDue caps due times that a clock which was ahead has written, and returns
	// how many. It is called at start and after Now went back. Nil = not needed.
	CapDue func(ctx context.Context, now time.Time) (int, error)
	Now    func() time.Time // nil = time.Now
	Log    *slog.Logger     // nil = silent
}

// Poller tends sessions when they are due. One that takes long holds up no
// other: no more is claimed than can be started at once.
type Poller struct {
	Config
	kick       chan struct{} // one slot; written by Kick, read by Run
	lanes      []*lane
	processing sync.WaitGroup // of those that hold a slot
	watch      watch          // used by start only
	last       time.Time      // last result of Now, for Run only; zero = due times are to be capped
}

// lane is a way to be claimed, with places of its own.
type lane struct {
	heartbeat *background.Heartbeat // beats when there is a free place and the store has answered
	slots     chan struct{}         // full = as many are tended as may be
	claim     func(ctx context.Context, limit int) ([]payment.Session, error)
	// pause is how long nothing is claimed after a claim that has left nothing over, and
	// next when it ends. Zero = the next turn of Run claims.
	pause time.Duration
	next  time.Time
}

func newLane(
	places int, claim func(ctx context.Context, limit int) ([]payment.Session, error),
) *lane {
	return &lane{
		heartbeat: new(background.Heartbeat), slots: make(chan struct{}, places), claim: claim,
	}
}

// latePause is the pause between two looks for late checks, which are in no hurry.
const latePause = time.Second

// New returns a poller that does nothing until Run.
func New(c Config) *Poller {
	if c.Interval == 0 {
		c.Interval = 50 * time.Millisecond
	}
	if c.Lease == 0 {
		c.Lease = 30 * time.Second
	}
	if c.Concurrency == 0 {
		c.Concurrency = 16
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	p := &Poller{Config: c, kick: make(chan struct{}, 1)}
	if c.Watched != nil {
		p.lanes = append(p.lanes, newLane(c.Concurrency, p.claimWatched))
	}
	first := newLane(c.Concurrency,
		func(ctx context.Context, limit int) ([]payment.Session, error) {
			return c.Store.Claim(ctx, c.Now(), c.Lease, limit)
		})
	claimLate := func(ctx context.Context, limit int) ([]payment.Session, error) {
		return c.Store.ClaimLate(ctx, c.Now(), c.Lease, limit)
	}
	late := newLane(max(1, c.Concurrency/4), claimLate)
	late.pause = latePause
	p.lanes = append(p.lanes, first, late)
	return p
}

// Kick makes Run look into the store now. It never blocks.
func (p *Poller) Kick() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// Run looks into the store again and again until ctx ends, and returns after
// what it has started is done. What goes wrong is logged; it always returns nil.
func (p *Poller) Run(ctx context.Context) error {
	defer p.processing.Wait()
	for _, l := range p.lanes {
		l.heartbeat.Beat(0)
		defer l.heartbeat.Stop()
	}
	tick := time.NewTicker(p.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-p.kick:
		}
		p.capDue(ctx)
		if _, err := p.start(ctx); err != nil && ctx.Err() == nil {
			p.Log.Error("claiming due sessions", "error", err)
		}
	}
}

// backward is how far the clock has to go back for due times to be capped.
const backward = 5 * time.Second

// capDue caps due times at start and after the clock went back. What fails is
// tried again.
func (p *Poller) capDue(ctx context.Context) {
	now := p.Now().Round(0) // the wall clock: the monotonic one never goes back
	if p.CapDue == nil || !p.last.IsZero() && p.last.Sub(now) < backward {
		p.last = now
		return
	}
	n, err := p.CapDue(ctx, now)
	if err != nil {
		if ctx.Err() == nil {
			p.Log.ErrorContext(ctx, "capping due times", "error", err)
		}
		return
	}
	if !p.last.IsZero() {
		p.Log.WarnContext(ctx, "clock went back", "by", p.last.Sub(now), "rescheduled", n)
	}
	p.last = now
}

// Stats is what a [Poller] has to tell to its operator.
type Stats struct {
	Processing int // sessions that are tended now
	// LastBeat is when it last had a free place and an answer of the store, a failure
	// too, for those that somebody looks at, for late checks and for all others: the
	// earliest of the three. Zero = it does not run.
	LastBeat time.Time
}

// Stats returns the present state.
func (p *Poller) Stats() Stats {
	var s Stats
	for _, l := range p.lanes {
		s.Processing += len(l.slots)
		s.LastBeat = background.Earliest(s.LastBeat, l.heartbeat.Last())
	}
	return s
}

// ProcessDue tends what is due now, as much as may be at once, and waits for it; it
// returns how many sessions that were. A session whose tending fails is logged
// and comes back when it is due again. Errors: the store's. It must not be
// called while Run runs.
func (p *Poller) ProcessDue(ctx context.Context) (int, error) {
	n, err := p.start(ctx)
	p.processing.Wait()
	return n, err
}

// start claims as much as there are free slots and begins to tend it.
func (p *Poller) start(ctx context.Context) (n int, err error) {
	for _, l := range p.lanes {
		started, laneErr := p.startLane(ctx, l)
		n, err = n+started, errors.Join(err, laneErr)
	}
	return n, err
}

func (p *Poller) startLane(ctx context.Context, l *lane) (int, error) {
	free := cap(l.slots) - len(l.slots)
	if free == 0 {
		return 0, nil
	}
	if left := l.next.Sub(p.Now()); left > 0 && left <= l.pause {
		return 0, nil
	}
	due, err := l.claim(ctx, free)
	l.heartbeat.Beat(0)
	if len(due) < free {
		l.next = p.Now().Add(l.pause)
	}
	if err != nil {
		err = fmt.Errorf("claiming sessions: %w", err)
	}
	for _, s := range due {
		l.slots <- struct{}{}
		p.processing.Go(func() {
			p.process(ctx, s)
			<-l.slots
			if len(due) == free { // there may be more
				p.Kick()
			}
		})
	}
	return len(due), err
}

// process looks after one session; a panic in one must not stop the others.
func (p *Poller) process(ctx context.Context, s payment.Session) {
	defer func() {
		if r := recover(); r != nil {
			p.Log.ErrorContext(ctx, "tending a session panicked", "session", s.ID, "panic", r)
		}
	}()
	// Whatever it finds out after its lease is refused by the store.
	ctx, cancel := context.WithTimeout(ctx, p.Lease*5/6)
	defer cancel()
	if err := p.Process(ctx, s); err != nil && !errors.Is(err, context.Canceled) {
		p.Log.WarnContext(ctx, "tending a session", "session", s.ID, "error", err)
	}
}
