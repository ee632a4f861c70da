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
func (r *Reconciler) Start(ctx context.Context, by string, from, to time.Time) (bool, error) {
	switch {
	case from.IsZero():
		return false, payment.NewError(wire.CodeInvalid, "from")
	case to.Before(from) || to.After(from.AddDate(0, 0, maxDays)):
		return false, payment.NewError(wire.CodeInvalid, "to")
	case r.closing.Err() != nil:
		return false, payment.NewError(wire.CodeGatewayUnavailable, "")
	}

	run := Run{
		By:    by,
		From:  from,
		To:    to,
		Began: r.Now().UTC(),
	}
	lease, err := r.begin(ctx, run)
	if errors.Is(err, ErrRunning) {
		return false, nil
	}
	if err != nil {
		return false, err
	}

	r.runs.Go(func() { r.runRequested(context.WithoutCancel(ctx), lease) })
	return true, nil
}

// begin starts a run. Errors: as for the function begin.
func (r *Reconciler) begin(ctx context.Context, run Run) (*lease, error) {
	return begin(ctx, lease{
		run:   run,
		runs:  r.Runs,
		lasts: runLease,
		every: progressEvery,
		now:   r.Now,
		log:   r.Log,
	})
}

// Status returns the latest run of a kind and the last report, of any instance. Errors: the
// store's.
func (r *Reconciler) Status(ctx context.Context, kind RunKind) (RunStatus, error) {
	known, err := r.Runs.LastRun(ctx, kind)
	if err != nil {
		return known, fmt.Errorf("reading the last reconciliation: %w", err)
	}
	return known, nil
}

func (r *Reconciler) runRequested(ctx context.Context, l *lease) {
	reading, stop := context.WithTimeout(ctx, maxRunTime)
	defer stop()
	defer context.AfterFunc(r.closing, stop)()
	result, err := reconcile(reading, r.Records, r.Sessions, l.run, l)
	r.finish(ctx, l, result, err)
}

// finish stores the outcome. A run that is interrupted by ctx or Close has no end.
func (r *Reconciler) finish(ctx context.Context, l *lease, result Result, err error) {
	leaving := ctx.Err() != nil || r.closing.Err() != nil
	run := &l.run
	now := r.Now().UTC()
	if err == nil || !leaving {
		run.Ended = now
		run.Failed = err != nil
	}

	var report *Report
	if err == nil {
		run.Failures = 0
		report = run.report(result)
		r.Log.InfoContext(ctx, "reconciliation finished",
			"kind", run.Kind, "findings", len(result.Findings), "late_payments", run.Progress.Late)
	} else {
		if run.Failed {
			run.Failures++
		}
		r.Log.WarnContext(ctx, "reconciliation failed", "kind", run.Kind, "error", err)
	}

	l.end(ctx, report, run.next(now))
}
