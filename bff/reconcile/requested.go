package reconcile

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/listing"
	"coinslot/bff/payment"
)

const (
	// maxRunTime bounds a comparison: the gateway's list is read after
	// everything that a payment needs, and may be long.
	maxRunTime = 10 * time.Minute
	// maxDays is how many days one comparison may have.
	maxDays = 92
	// runLease is how long nobody else begins a comparison after this process was
	// last heard of, which is every progressEvery.
	runLease      = 30 * time.Second
	progressEvery = 2 * time.Second
)

// Start begins a comparison of the days from…to, see [Compare], in the name
// of by, and returns at once; [Service.Status] has what comes of it. It reports
// false, and does nothing, if one is under way at any instance. Errors: *wire.Error
// with CodeInvalid and Param "from" or "to", CodeGatewayUnavailable after Close; the
// store's.
func (c *Service) Start(ctx context.Context, by string, from, to time.Time) (bool, error) {
	switch {
	case from.IsZero():
		return false, payment.NewError(wire.CodeInvalid, "from")
	case to.Before(from) || to.Sub(from) > maxDays*24*time.Hour:
		return false, payment.NewError(wire.CodeInvalid, "to")
	case c.closing.Err() != nil:
		return false, payment.NewError(wire.CodeGatewayUnavailable, "")
	}
	now := c.Now().UTC()
	run := Run{By: by, From: from, To: to, Began: now}
	epoch, err := c.Runs.BeginRun(ctx, run, now, runLease)
	if errors.Is(err, ErrRunning) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("beginning a comparison: %w", err)
	}
	c.runs.Go(func() { c.runRequested(context.WithoutCancel(ctx), epoch, run) })
	return true, nil
}

// Status returns the comparison of a kind that was begun last and the last report,
// whichever instance they are of. Errors: the store's.
func (c *Service) Status(ctx context.Context, kind Kind) (Status, error) {
	known, err := c.Runs.LastRun(ctx, kind)
	if err != nil {
		return known, fmt.Errorf("reading the last comparison: %w", err)
	}
	return known, nil
}

// runRequested makes the comparison that has just been begun.
func (c *Service) runRequested(ctx context.Context, epoch int64, run Run) {
	reading, stop := context.WithTimeout(ctx, maxRunTime)
	defer stop()
	defer context.AfterFunc(c.closing, stop)()
	counter := &progressCounter{Lister: c.Records, SessionReader: c.Sessions}
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		c.reportProgress(reading, stop, epoch, run, counter)
	}()
	result, err := Reconcile(reading, counter, counter, run.From, run.To)
	stop()
	<-kept
	run.Progress = counter.progress()
	c.finish(ctx, epoch, run, result, err)
}

// reportProgress tells how far it is, again and again until ctx ends. If the comparison
// is another's by now, it calls stop.
func (c *Service) reportProgress(
	ctx context.Context, stop func(), epoch int64, run Run, counter *progressCounter,
) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		run.Progress = counter.progress()
		err := c.Runs.ExtendRun(ctx, epoch, run, c.Now().UTC().Add(runLease))
		if errors.Is(err, payment.ErrFenced) {
			stop()
		} else if err != nil && ctx.Err() == nil {
			c.Log.WarnContext(ctx, "telling how far the comparison is", "error", err)
		}
	}
}

// finish writes down what has come of it. One that this process breaks off
// because it ends, or because ctx does, has no end.
func (c *Service) finish(ctx context.Context, epoch int64, run Run, result Result, err error) {
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
	if err := c.Runs.EndRun(ctx, epoch, run, report, run.next(now)); err != nil {
		c.Log.ErrorContext(ctx, "writing down a comparison", "error", err)
	}
}

// progressCounter counts what a comparison reads.
type progressCounter struct {
	listing.Lister
	SessionReader

	mu      sync.Mutex // guards the field below
	current Progress
}

func (c *progressCounter) progress() Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

func (c *progressCounter) update(change func(*Progress)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.current)
}

// Transactions implements Lister.
func (c *progressCounter) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	page, err := c.Lister.Transactions(ctx, q)
	if err == nil {
		c.update(func(p *Progress) { p.Day, p.Page, p.Pages = q.To, q.Page, page.LastPage })
	}
	return page, err
}

// Session implements SessionReader.
func (c *progressCounter) Session(ctx context.Context, id string) (payment.Session, error) {
	c.update(func(p *Progress) { p.Payments++ })
	return c.SessionReader.Session(ctx, id)
}

// List implements SessionReader.
func (c *progressCounter) List(ctx context.Context, f payment.Filter) (payment.Page, error) {
	page, err := c.SessionReader.List(ctx, f)
	c.update(func(p *Progress) { p.Payments += len(page.Sessions) })
	return page, err
}
