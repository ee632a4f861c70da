package checkout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"coinslot/bff/internal/background"
)

// DueStore is what a [Poller] needs of the database.
type DueStore interface {
	// Claim leases up to limit sessions that are due at now and not leased, earliest first: those
	// that are [payment.Session.DueForLateCheck], or the others. No other claim returns them before
	// now+lease, unless they are released.
	Claim(
		ctx context.Context, now time.Time, lease time.Duration, limit int, late bool,
	) ([]StoredSession, error)
	// ClaimOf is Claim of the given sessions, late or not, in no order.
	ClaimOf(
		ctx context.Context, ids []string, now time.Time, lease time.Duration, limit int,
	) ([]StoredSession, error)
}

// PollerConfig configures a [Poller].
type PollerConfig struct {
	Store DueStore
	// Process does what is due for one session, and blocks until it is done.
	Process func(ctx context.Context, s StoredSession) error
	// Interval is the pause between two claims. Zero means 50 ms.
	Interval time.Duration
	// Lease is how long a claim is exclusive; processing is canceled after five sixths of it.
	// Zero means 30 s.
	Lease time.Duration
	// Concurrency is how many sessions are processed at once, and as many again of the watched
	// ones. Late checks have an extra quarter of that, so they delay only each other. Zero
	// means 16.
	Concurrency int
	// Watched returns the sessions with an open page at this instance, which have their own
	// lane; nil = none. WatchedInterval is how often such a session is due.
	Watched         func() []string
	WatchedInterval time.Duration
	// CapDue moves due times forward that a clock which was ahead has stored, and returns how
	// many. It is called at start and after Now went back. Nil = not needed.
	CapDue func(ctx context.Context, now time.Time) (int, error)
	Now    func() time.Time // nil = time.Now
	Log    *slog.Logger     // nil = silent
}

// Poller decides when sessions are checked: it claims due sessions from the store and has them
// processed, a few at a time. The interval is in each row's DueAt, so a restarted or another
// instance continues where this one stopped. A slow session blocks no other: no more are claimed
// than can start at once.
type Poller struct {
	PollerConfig
	kick       chan struct{} // one slot; written by Kick, read by Run
	lanes      []*lane
	processing sync.WaitGroup  // sessions that hold a slot
	watched    watchedSessions // used by start only
	last       time.Time       // last result of Now, for Run only; zero = cap due times
	failing    time.Duration   // pause after the last claim, for Run only; zero = it succeeded
	retryAt    time.Time       // no claim before, for Run only
}

type claimFunc func(ctx context.Context, limit int) ([]StoredSession, error)

// lane is a kind of claim with slots of its own.
type lane struct {
	heartbeat *background.Heartbeat // beats when a slot is free and the store answered
	slots     chan struct{}         // full = at the limit
	claim     claimFunc
	// pause is the time after a claim that left nothing over, and next when it ends. Zero = none.
	pause time.Duration
	next  time.Time
}

func newLane(places int, claim claimFunc) *lane {
	return &lane{
		heartbeat: new(background.Heartbeat),
		slots:     make(chan struct{}, places),
		claim:     claim,
	}
}

// latePause is the pause between two claims of late checks, which are not urgent.
const latePause = time.Second

// NewPoller returns a poller that does nothing until Run.
func NewPoller(c PollerConfig) *Poller {
	c.Interval = cmp.Or(c.Interval, 50*time.Millisecond)
	c.Lease = cmp.Or(c.Lease, 30*time.Second)
	c.Concurrency = cmp.Or(c.Concurrency, 16)
	if c.Now == nil {
		c.Now = time.Now
	}

	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	p := &Poller{PollerConfig: c, kick: make(chan struct{}, 1)}
	if c.Watched != nil {
		p.lanes = append(p.lanes, newLane(c.Concurrency, p.claimWatched))
	}

	claim := func(late bool) claimFunc {
		return func(ctx context.Context, limit int) ([]StoredSession, error) {
			return c.Store.Claim(ctx, c.Now(), c.Lease, limit, late)
		}
	}
	late := newLane(max(1, c.Concurrency/4), claim(true))
	late.pause = latePause
	p.lanes = append(p.lanes, newLane(c.Concurrency, claim(false)), late)
	return p
}

// Kick makes Run claim now. It never blocks.
func (p *Poller) Kick() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// Run claims and processes due sessions until ctx ends, and returns after the last one is done.
// Errors are logged; it always returns nil.
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
		if time.Now().Before(p.retryAt) {
			continue
		}

		err := p.capDue(ctx)
		_, claimErr := p.start(ctx)
		p.backOff(ctx, errors.Join(err, claimErr))
	}
}

// maxPause is the longest pause between two claims while they fail.
const maxPause = 5 * time.Second

// backOff doubles the pause before the next claim as long as claims fail. It logs the first failure,
// and the first success after it.
func (p *Poller) backOff(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
		return
	case err == nil && p.failing > 0:
		p.Log.InfoContext(ctx, "claiming due sessions works again")
	case err != nil && p.failing == 0:
		p.Log.ErrorContext(ctx, "claiming due sessions failed; retrying", "error", err)
	}
	if err == nil {
		p.failing = 0
		p.retryAt = time.Time{}
		return
	}

	p.failing = min(max(2*p.failing, p.Interval), maxPause)
	p.retryAt = time.Now().Add(p.failing)
}

// backward is how far the clock must go back for due times to be capped.
const backward = 5 * time.Second

// capDue caps due times at start and after the clock went back, until it succeeds. Errors: the
// store's.
func (p *Poller) capDue(ctx context.Context) error {
	now := p.Now().Round(0) // the wall clock: the monotonic one never goes back
	if p.CapDue == nil || !p.last.IsZero() && p.last.Sub(now) < backward {
		p.last = now
		return nil
	}

	n, err := p.CapDue(ctx, now)
	if err != nil {
		return fmt.Errorf("capping due times: %w", err)
	}
	if !p.last.IsZero() {
		p.Log.WarnContext(ctx, "system clock moved back", "by", p.last.Sub(now), "rescheduled", n)
	}

	p.last = now
	return nil
}

// PollerStats is the state of a [Poller] for its operator.
type PollerStats struct {
	Processing int // sessions being processed
	// LastBeat is when it last had a free slot and an answer of the store, even an error: the
	// earliest time of the three lanes. Zero = it is not running.
	LastBeat time.Time
}

// Stats returns the present state.
func (p *Poller) Stats() PollerStats {
	var s PollerStats
	for _, l := range p.lanes {
		s.Processing += len(l.slots)
		s.LastBeat = background.Earliest(s.LastBeat, l.heartbeat.Last())
	}
	return s
}

// ProcessDue processes what is due now, as much as fits at once, waits for it, and returns the
// number of sessions. Processing errors are logged. Errors: the store's. It must not be called
// while Run runs.
func (p *Poller) ProcessDue(ctx context.Context) (int, error) {
	n, err := p.start(ctx)
	p.processing.Wait()
	return n, err
}

// start claims as many sessions as there are free slots and starts processing them.
func (p *Poller) start(ctx context.Context) (n int, err error) {
	for _, l := range p.lanes {
		started, laneErr := p.startLane(ctx, l)
		n += started
		err = errors.Join(err, laneErr)
	}
	return n, err
}

func (p *Poller) startLane(ctx context.Context, l *lane) (int, error) {
	free := cap(l.slots) - len(l.slots)
	if free == 0 {
		return 0, nil
	}

	left := l.next.Sub(p.Now())
	if left > 0 && left <= l.pause {
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

// process processes one session; a panic must not stop the others.
func (p *Poller) process(ctx context.Context, s StoredSession) {
	defer func() {
		if r := recover(); r != nil {
			p.Log.ErrorContext(ctx, "processing a session panicked", "session", s.ID, "panic", r)
		}
	}()
	// the store refuses changes after the lease
	ctx, cancel := context.WithTimeout(ctx, p.Lease*5/6)
	defer cancel()
	err := p.Process(ctx, s)
	if err != nil && !errors.Is(err, context.Canceled) {
		p.Log.WarnContext(ctx, "processing a session failed", "session", s.ID, "error", err)
	}
}
