package gatewaylist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

// PollerConfig configures a [Poller].
type PollerConfig struct {
	Gateway Lister
	// Count returns how many payments wait, Watched how many of them have an open page at this
	// instance.
	Count   func(ctx context.Context) (int, error)
	Watched func() int
	// Apply applies a page; see [PageApplier.Apply].
	Apply func(
		ctx context.Context, p *ListPoll, records []payment.Record, asked time.Time,
	) (Tally, error)
	// Runs has the lease: one instance polls at a time. Nil = this is the only one.
	Runs Runs
	// Kick is called when something was made due. Nil = no callback.
	Kick     func()
	Schedule payment.Schedule
	Now      func() time.Time // nil = time.Now
	// Wait waits until a time. Nil = by the clock. Errors: ctx's.
	Wait func(ctx context.Context, until time.Time) error
	Log  *slog.Logger // nil = silent
}

// Poller reads the gateway's list of pending transactions whenever that takes fewer requests than
// the status of each payment. It only postpones status reads: if it fails, stops or is too slow,
// payments become due.
type Poller struct {
	PollerConfig
	mode       mode
	pages      int           // how many the list had when it was read last; 0 = unknown
	watched    int           // payments in it that were watched, at any instance
	measuredAt time.Time     // when pages and watched were measured
	took       time.Duration // duration of the last reading; 0 = unknown
	suspicion  suspicion
	tooSlow    suspicion            // the list is too slow for watched payments
	failing    bool                 // the last reading failed
	current    *ListPoll            // or the last one; nil = none
	heartbeat  background.Heartbeat // beats with each page, and pauses with Run
}

// NewPoller returns a poller that does nothing until Run.
func NewPoller(c PollerConfig) *Poller {
	if c.Kick == nil {
		c.Kick = func() {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = func(ctx context.Context, until time.Time) error {
			background.Sleep(ctx, until.Sub(c.Now()))
			return ctx.Err()
		}
	}

	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return &Poller{PollerConfig: c}
}

// Run reads the list whenever that pays off, until ctx ends. Errors are logged; it always
// returns nil.
func (p *Poller) Run(ctx context.Context) error {
	p.heartbeat.Beat(0)
	defer p.heartbeat.Stop()
	for ctx.Err() == nil {
		began := p.Now()
		pause := p.poll(ctx)
		if p.pause(ctx, p.notInFuture(began).Add(pause)) != nil {
			break
		}
	}
	return nil
}

// LastBeat returns the last or next expected heartbeat: the list is read with pauses. Zero = it
// is not running.
func (p *Poller) LastBeat() time.Time { return p.heartbeat.Last() }

// pause is Wait with a heartbeat for its end.
func (p *Poller) pause(ctx context.Context, until time.Time) error {
	p.heartbeat.Beat(until.Sub(p.Now()))
	return p.Wait(ctx, until)
}

// notInFuture returns t, or now if the clock was set back since t.
func (p *Poller) notInFuture(t time.Time) time.Time { return payment.Earlier(t, p.Now()) }

// poll reads the list once if that pays off, and returns how long after its start the next poll
// starts.
func (p *Poller) poll(ctx context.Context) time.Duration {
	usual := slow.interval(p.Schedule)
	if p.suspicion.lasts(p.Schedule, p.Now()) {
		p.mode = statuses
		return usual
	}

	pending, err := p.Count(ctx)
	if err != nil {
		p.logFailure(ctx, fmt.Errorf("counting payments: %w", err))
		return usual
	}

	age := p.Now().Sub(p.measuredAt)
	if age < 0 || age > suspectFor(p.Schedule) { // the list may have changed
		p.pages = 0
		p.watched = 0
	}

	now := load{pending: pending, watched: max(p.Watched(), p.watched), pages: p.pages}
	p.mode = p.plan(now)
	if p.mode == statuses {
		return usual
	}

	every := p.mode.interval(p.Schedule)
	err = p.readList(ctx, now, every)
	if errors.Is(err, ErrRunning) { // another instance does
		return every / 4
	}
	p.logFailure(ctx, err)
	if err != nil {
		return usual
	}
	return every
}

func (p *Poller) plan(l load) mode {
	return plan(l, p.Schedule, p.mode, p.tooSlow.lasts(p.Schedule, p.Now()))
}

// logFailure logs the first of consecutive failures, and the first success after them.
func (p *Poller) logFailure(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil || p.failing == (err != nil):
		return
	case err != nil:
		p.Log.Warn("polling the gateway's transaction list failed", "error", err)
	default:
		p.Log.Info("polling the gateway's transaction list works again")
	}
	p.failing = err != nil
}

// readList reads the whole list once, its pages spread over the time until the next reading, under
// a lease: if this instance dies, another one takes over within one and a quarter intervals.
// Errors: ErrRunning; errUseless; those of a Reader; the store's.
func (p *Poller) readList(ctx context.Context, l load, every time.Duration) error {
	began := p.Now()
	held, err := begin(ctx, lease{
		run:   Run{Kind: Polling, By: "coinslot", Began: began.UTC()},
		runs:  p.Runs,
		lasts: every,
		every: every / 2,
		now:   p.Now,
		log:   p.Log,
	})
	if err != nil {
		return err
	}

	err = p.readHeldList(ctx, held, l, began, every)
	if held == nil {
		return err
	}
	if ctx.Err() != nil { // an interrupted run has no end, and another may begin at any time
		held.end(ctx, nil, time.Time{})
		return err
	}

	held.run.Ended = p.Now().UTC()
	held.run.Failed = err != nil
	justBeforeTheNext := began.UTC().Add(every * 19 / 20)
	held.end(ctx, nil, justBeforeTheNext)
	return err
}

// readHeldList is readList under the lease of a run; nil = there are no other instances.
func (p *Poller) readHeldList(
	ctx context.Context, held *lease, l load, began time.Time, every time.Duration,
) error {
	p.current = p.current.After(max(every, p.took) * 29 / 27)
	tally, err := p.readPages(ctx, held, l, every)
	if errors.Is(err, errReplanned) {
		return nil
	}
	if err != nil {
		p.took = 0
		if errors.Is(err, ErrUnreadable) {
			p.suspicion.raise(p.Schedule, p.Now())
		}
		return err
	}

	p.took = p.Now().Sub(p.notInFuture(began))
	p.watched = tally.Watched
	if p.mode == fast && p.took > every*21/20 {
		p.tooSlow.raise(p.Schedule, p.Now())
	}
	if useless(tally, l.pending) {
		p.suspicion.raise(p.Schedule, p.Now())
		return fmt.Errorf("%w: of %d payments it shows %d, and %d that have ended", errUseless,
			l.pending, tally.Unchanged+tally.Changed, tally.Stale)
	}
	return nil
}

// errUseless means that the list contradicts the database.
var errUseless = errors.New("transaction list is stale or incomplete")

// useless reports whether the list shows payments as pending that have ended, or lacks most of
// those that wait. A few stuck rows must not stop it from being read.
func useless(t Tally, pending int) bool {
	return t.Stale > 2+pending/1000 || t.Unchanged+t.Changed < pending/2
}

// errReplanned means that the list is longer or shorter than it was thought to be, so that
// another mode is cheaper.
var errReplanned = errors.New("another mode is cheaper")

// readPages reads and applies the pages, one after the other, spread over nine tenths of the
// interval.
func (p *Poller) readPages(
	ctx context.Context, lease *lease, l load, every time.Duration,
) (tally Tally, err error) {
	began := p.Now()
	asked := p.Now()
	list := NewReader(p.Gateway, payment.ListQuery{Status: "pending"})
	list.OnePass = true
	for n := 1; list.Next(ctx); n++ {
		p.heartbeat.Beat(0)
		l.pages = list.Page.LastPage
		p.pages = l.pages
		p.measuredAt = began
		m := p.plan(l)
		if n == 1 && m != p.mode {
			p.mode = m
			return tally, errReplanned
		}

		page, err := p.Apply(ctx, p.current, list.Page.Items, asked)
		if err != nil {
			return tally, err
		}
		tally = tally.Add(page)
		if page.Changed > 0 {
			p.Kick()
		}
		if err := lease.report(ctx, Progress{Page: n, Pages: p.pages}); err != nil {
			return tally, err
		}

		if n < p.pages {
			began = p.notInFuture(began)
			next := began.Add(every * 9 / 10 * time.Duration(n) / time.Duration(p.pages))
			if err := p.pause(ctx, next); err != nil {
				return tally, err
			}
		}
		asked = p.Now()
	}

	return tally, list.Err()
}
