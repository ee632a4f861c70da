package checkout

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

const (
	// longestComparing bounds a comparison: the gateway's list is read after
	// everything that a payment needs, and may be long.
	longestComparing = 10 * time.Minute
	// mostDays is how many days one comparison may have.
	mostDays = 92
	// comparingLease is how long nobody else begins a comparison after this process was
	// last heard of, which is every comparingEvery.
	comparingLease = 30 * time.Second
	comparingEvery = 2 * time.Second
)

// StartComparing begins a comparison of the days from…to, see [Compare], in the name
// of by, and returns at once; [Service.Compared] has what comes of it. It reports
// false, and does nothing, if one is under way at any instance. Errors: *wire.Error
// with CodeInvalid and Param "from" or "to", CodeGatewayUnavailable after Close; the
// store's.
func (c *Service) StartComparing(ctx context.Context, by string, from, to time.Time) (bool, error) {
	switch {
	case from.IsZero():
		return false, payment.NewError(wire.CodeInvalid, "from")
	case to.Before(from) || to.Sub(from) > mostDays*24*time.Hour:
		return false, payment.NewError(wire.CodeInvalid, "to")
	case c.closing.Err() != nil:
		return false, payment.NewError(wire.CodeGatewayUnavailable, "")
	}
	now := c.Now().UTC()
	run := Comparing{By: by, From: from, To: to, Began: now}
	epoch, err := c.Comparisons.BeginComparing(ctx, run, now, comparingLease)
	if errors.Is(err, ErrComparing) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("beginning a comparison: %w", err)
	}
	c.creating.Go(func() { c.compareNow(context.WithoutCancel(ctx), epoch, run) })
	return true, nil
}

// Compared returns the comparison of a kind that was begun last and the last report,
// whichever instance they are of. Errors: the store's.
func (c *Service) Compared(ctx context.Context, kind ComparisonKind) (Compared, error) {
	known, err := c.Comparisons.Compared(ctx, kind)
	if err != nil {
		return known, fmt.Errorf("reading the last comparison: %w", err)
	}
	return known, nil
}

// compareNow makes the comparison that has just been begun.
func (c *Service) compareNow(ctx context.Context, epoch int64, run Comparing) {
	reading, stop := context.WithTimeout(ctx, longestComparing)
	defer stop()
	defer context.AfterFunc(c.closing, stop)()
	books := &counted{Lister: c.Ledger, Books: c.Store}
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		c.keepComparing(reading, stop, epoch, run, books)
	}()
	result, err := Compare(reading, books, books, run.From, run.To)
	stop()
	<-kept
	run.Progress = books.progress()
	c.endComparing(ctx, epoch, run, result, err)
}

// keepComparing tells how far it is, again and again until ctx ends. If the comparison
// is another's by now, it calls stop.
func (c *Service) keepComparing(
	ctx context.Context, stop func(), epoch int64, run Comparing, books *counted,
) {
	tick := time.NewTicker(comparingEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		run.Progress = books.progress()
		err := c.Comparisons.KeepComparing(ctx, epoch, run, c.Now().UTC().Add(comparingLease))
		if errors.Is(err, payment.ErrFenced) {
			stop()
		} else if err != nil && ctx.Err() == nil {
			c.Log.WarnContext(ctx, "telling how far the comparison is", "error", err)
		}
	}
}

// endComparing writes down what has come of it. One that this process breaks off
// because it ends, or because ctx does, has no end.
func (c *Service) endComparing(ctx context.Context, epoch int64, run Comparing, result Comparison, err error) {
	leaving := ctx.Err() != nil || c.closing.Err() != nil
	ctx = context.WithoutCancel(ctx)
	var report *Report
	now := c.Now().UTC()
	if err == nil || !leaving {
		run.Ended, run.Failed = now, err != nil
	}
	if err == nil {
		run.Failures = 0
		report = run.report(result)
		c.Log.InfoContext(ctx, "gateway and database were compared",
			"kind", run.Kind, "findings", len(result.Findings), "late_payments", run.Progress.Late)
	} else {
		if run.Failed {
			run.Failures++
		}
		c.Log.WarnContext(ctx, "a comparison broke off", "kind", run.Kind, "error", err)
	}
	if err := c.Comparisons.EndComparing(ctx, epoch, run, report, run.next(now)); err != nil {
		c.Log.ErrorContext(ctx, "writing down a comparison", "error", err)
	}
}

// counted counts what a comparison reads.
type counted struct {
	Lister
	Books

	mu  sync.Mutex // guards the field below
	far Progress
}

func (c *counted) progress() Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.far
}

func (c *counted) note(change func(*Progress)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.far)
}

// Transactions implements Lister.
func (c *counted) Transactions(ctx context.Context, q payment.ListQuery) (payment.RecordPage, error) {
	page, err := c.Lister.Transactions(ctx, q)
	if err == nil {
		c.note(func(p *Progress) { p.Day, p.Page, p.Pages = q.To, q.Page, page.LastPage })
	}
	return page, err
}

// Session implements Books.
func (c *counted) Session(ctx context.Context, id string) (payment.Session, error) {
	c.note(func(p *Progress) { p.Payments++ })
	return c.Books.Session(ctx, id)
}

// List implements Books.
func (c *counted) List(ctx context.Context, f payment.Filter) (payment.Page, error) {
	page, err := c.Books.List(ctx, f)
	c.note(func(p *Progress) { p.Payments += len(page.Sessions) })
	return page, err
}
