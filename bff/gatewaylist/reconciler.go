package gatewaylist

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

// ReconcilerConfig configures a [Reconciler].
type ReconcilerConfig struct {
	// Gateway is read by scheduled runs, with the priority of their context.
	Gateway Gateway
	// Records reads the gateway's records for operators; nil = unavailable.
	Records GatewayRecords
	// Runs stores runs and reports for all instances; required.
	Runs     Runs
	Sessions ReconciledSessions
	// Change changes a session; see checkout.Service.Change.
	Change func(
		ctx context.Context, id string, fn payment.ChangeFunc,
	) (payment.Session, error)
	// ListPause is the time between two pages of a scheduled run.
	ListPause time.Duration
	// PaymentPage is the base URL of the gateway's hosted pages; empty = none is shown.
	PaymentPage string
	Schedule    payment.Schedule // zero = [payment.DefaultSchedule]
	Now         func() time.Time // nil = time.Now
	Log         *slog.Logger     // nil = silent
}

// Gateway is what a [Reconciler] needs of the gateway.
type Gateway interface {
	Lister
	Environment() string
}

// ReconciledSessions is what a [Reconciler] needs of the database.
type ReconciledSessions interface {
	SessionReader
	// Tracked returns the sessions of the tracking codes, in no order; unknown codes are skipped.
	Tracked(ctx context.Context, trackingCodes []string) ([]TrackedSession, error)
}

// Reconciler compares the gateway's records with the database. Operators start a reconciliation of
// some days ([Reconciler.Start]). Every hour and every day a scheduled run reads the gateway's
// list and schedules a check of every payment whose record shows money that the database does
// not ([Reconciler.RunScheduled]).
type Reconciler struct {
	ReconcilerConfig
	runs background.Group

	closing context.Context // ends with Close
	end     context.CancelFunc
}

// NewReconciler returns a reconciler. It starts nothing by itself.
func NewReconciler(c ReconcilerConfig) *Reconciler {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Schedule.Unwatched == 0 {
		c.Schedule = payment.DefaultSchedule()
	}
	closing, end := context.WithCancel(context.Background())
	return &Reconciler{ReconcilerConfig: c, closing: closing, end: end}
}

// Close stops the current run after the page it is reading. It may be called again; no new run
// starts.
func (r *Reconciler) Close() {
	r.end()
	r.runs.Wait()
}

func (r *Reconciler) unavailable(ctx context.Context, doing string, err error) error {
	r.Log.WarnContext(ctx, "gateway call failed", "call", doing, "error", err)
	return payment.GatewayUnavailable(doing, err)
}
