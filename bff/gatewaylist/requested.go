package gatewaylist

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

const (
	// maxRunTime bounds a requested run: the list may be long, and other requests go first.
	maxRunTime = 10 * time.Minute
	// maxDays bounds the range of a requested run.
	maxDays = 92
	// runLease is how long a run is protected after its last progress report; reports are
	// progressEvery. A page takes half of it at most.
	runLease      = time.Minute
	progressEvery = 2 * time.Second
)

// Start starts a reconciliation of the days from…to on behalf of by, and returns at once;
// [Reconciler.Status] has the outcome. It returns false if one is running at any instance. Errors:
// *wire.Error with CodeInvalid and Param "from" or "to", CodeGatewayUnavailable after Close;
// the store's.
func (c *Reconciler) Start(ctx context.Context, by string, from, to time.Time) (bool, error) {
	switch {
	case from.IsZero():
		return false, payment.NewError(wire.CodeInvalid, "from")
	case to.Before(from) || to.Sub(from) > maxDays*24*time.Hour:
		return false, payment.NewError(wire.CodeInvalid, "to")
	case c.closing.Err() != nil:
		return false, payment.NewError(wire.CodeGatewayUnavailable, "")
	}

	run := Run{By: by, From: from, To: to, Began: c.Now().UTC()}
	lease, err := c.begin(ctx, run)
	if errors.Is(err, ErrRunning) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c.runs.Go(func() { c.runRequested(context.WithoutCancel(ctx), lease) })
	return true, nil
}

// begin starts a run. Errors: as for the function begin.
func (c *Reconciler) begin(ctx context.Context, run Run) (*lease, error) {
	return begin(ctx, lease{
		run: run, runs: c.Runs, lasts: runLease, every: progressEvery, now: c.Now, log: c.Log,
	})
}

// Status returns the latest run of a kind and the last report, of any instance. Errors: the
// store's.
func (c *Reconciler) Status(ctx context.Context, kind RunKind) (RunStatus, error) {
	known, err := c.Runs.LastRun(ctx, kind)
	if err != nil {
		return known, fmt.Errorf("reading the last reconciliation: %w", err)
	}
	return known, nil
}

func (c *Reconciler) runRequested(ctx context.Context, l *lease) {
	reading, stop := context.WithTimeout(ctx, maxRunTime)
	defer stop()
	defer context.AfterFunc(c.closing, stop)()
	result, err := reconcile(reading, c.Records, c.Sessions, l.run, l)
	c.finish(ctx, l, result, err)
}

// finish stores the outcome. A run that is interrupted by ctx or Close has no end.
func (c *Reconciler) finish(ctx context.Context, l *lease, result Result, err error) {
	leaving := ctx.Err() != nil || c.closing.Err() != nil
	run, now := &l.run, c.Now().UTC()
	if err == nil || !leaving {
		run.Ended, run.Failed = now, err != nil
	}

	var report *Report
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
	l.end(ctx, report, run.next(now))
}
