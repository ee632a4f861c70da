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
	// maxRunTime bounds a requested run: the list is read with the lowest priority, and may
	// be long.
	maxRunTime = 10 * time.Minute
	// maxDays bounds the range of a requested run.
	maxDays = 92
	// runLease is how long a run is protected after its last progress report; reports are
	// progressEvery.
	runLease      = 30 * time.Second
	progressEvery = 2 * time.Second
)

// Start starts a reconciliation of the days from…to on behalf of by, and returns at once;
// [Service.Status] has the outcome. It returns false if one is running at any instance. Errors:
// *wire.Error with CodeInvalid and Param "from" or "to", CodeGatewayUnavailable after Close;
// the store's.
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
		return false, fmt.Errorf("starting a reconciliation: %w", err)
	}
	c.runs.Go(func() { c.runRequested(context.WithoutCancel(ctx), epoch, run) })
	return true, nil
}

// Status returns the latest run of a kind and the last report, of any instance. Errors: the
// store's.
func (c *Service) Status(ctx context.Context, kind Kind) (Status, error) {
	known, err := c.Runs.LastRun(ctx, kind)
	if err != nil {
		return known, fmt.Errorf("reading the last reconciliation: %w", err)
	}
	return known, nil
}

func (c *Service) runRequested(ctx context.Context, epoch int64, run Run) {
	reading, stop := context.WithTimeout(ctx, maxRunTime)
	defer stop()
	defer context.AfterFunc(c.closing, stop)()
	counter := &progressCounter{Lister: c.Records, SessionReader: c.Sessions}
	var reporting sync.WaitGroup
	reporting.Go(func() { c.reportProgress(reading, stop, epoch, run, counter) })
	result, err := Reconcile(reading, counter, counter, run.From, run.To, run.Began)
	stop()
	reporting.Wait()
	run.Progress = counter.progress()
	c.finish(ctx, epoch, run, result, err)
}

// reportProgress stores the progress regularly until ctx ends. If another run has started, it
// calls stop.
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
			c.Log.WarnContext(ctx, "storing reconciliation progress failed", "error", err)
		}
	}
}

// finish stores the outcome. A run that is interrupted by ctx or Close has no end.
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
		c.Log.InfoContext(ctx, "reconciliation finished",
			"kind", run.Kind, "findings", len(result.Findings), "late_payments", run.Progress.Late)
	} else {
		if run.Failed {
			run.Failures++
		}
		c.Log.WarnContext(ctx, "reconciliation failed", "kind", run.Kind, "error", err)
	}
	if err := c.Runs.EndRun(ctx, epoch, run, report, run.next(now)); err != nil {
		c.Log.ErrorContext(ctx, "storing a reconciliation failed", "error", err)
	}
}

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
