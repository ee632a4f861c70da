package gatewaylist

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"coinslot/bff/payment"
)

// RunKind is what a run is for.
type RunKind int

// The kinds of runs. At most one of each is running.
const (
	Requested RunKind = iota // a reconciliation by an operator
	Daily                    // a scheduled one: everything since the oldest session
	Hourly                   // a scheduled one: the last days
	Polling                  // waiting payments
)

// String returns the name in logs.
func (k RunKind) String() string {
	return [...]string{"requested", "daily", "hourly", "polling"}[k]
}

// Run is one reading of the gateway's list by one instance.
type Run struct {
	Kind   RunKind   `json:"kind,omitempty"`
	By     string    `json:"by"`   // who started it
	From   time.Time `json:"from"` // dates, both inclusive
	To     time.Time `json:"to"`
	Began  time.Time `json:"began"`
	Ended  time.Time `json:"ended"` // zero = running, or aborted
	Failed bool      `json:"failed,omitempty"`
	// Failures counts the consecutive failures of a scheduled run since it last read a page.
	Failures int      `json:"failures,omitempty"`
	Progress Progress `json:"progress"`
}

// Progress is how far a run has come.
type Progress struct {
	// last day of the part of the gateway's list that is read; zero = none
	Day      time.Time `json:"day"`
	Page     int       `json:"page"`     // of that part
	Pages    int       `json:"pages"`    // in total; zero = unknown
	Payments int       `json:"payments"` // of ours that were compared
	// Of scheduled runs: transactions in the parts that were read, and our payments that were
	// made due because the list shows unknown money.
	Transactions int `json:"transactions,omitempty"`
	Late         int `json:"late,omitempty"`
}

// Report is the stored result of a run.
type Report struct {
	Run
	Transactions int                 `json:"transactions"` // as in [Result]
	NotOurs      int                 `json:"foreign"`
	Attempts     int                 `json:"attempts"`
	Counts       map[FindingKind]int `json:"counts"` // all findings, stored or not
	// most severe first, at most MaxFindings of a kind
	Findings []Finding `json:"findings"`
}

// MaxFindings is how many findings of a kind are stored.
const MaxFindings = 500

// maxFindingText bounds the gateway's text in a finding, in bytes.
const maxFindingText = 300

func (r Run) report(result Result) *Report {
	report := &Report{
		Run:          r,
		Transactions: result.Transactions,
		NotOurs:      result.NotOurs,
		Attempts:     result.Attempts,
		Counts:       result.Counts(),
	}
	kept := map[FindingKind]int{}
	for _, f := range result.Findings {
		kept[f.Kind]++
		if kept[f.Kind] > MaxFindings {
			continue
		}
		for _, text := range []*string{&f.TrackingCode, &f.OrderRef, &f.AtGateway, &f.InDatabase} {
			if len(*text) > maxFindingText {
				*text = strings.ToValidUTF8((*text)[:maxFindingText], "") + "…"
			}
		}
		report.Findings = append(report.Findings, f)
	}

	return report
}

// RunStatus is the shared state of the runs of a kind.
type RunStatus struct {
	Epoch  int64     // counts runs; zero = never run
	Last   Run       // the latest
	Until  time.Time // end of its lease; zero = not leased
	Next   time.Time // no run starts before; zero = at any time
	Report *Report   // of the last completed run, which may be an earlier one; nil = none
}

// RunState is the state of the latest run.
type RunState int

// The states of a run.
const (
	NeverRun RunState = iota
	Running
	Done
	Failed  // the gateway or the database did not answer
	Aborted // its process is gone
)

// State returns the state of the latest run.
func (s RunStatus) State(now time.Time) RunState {
	switch {
	case s.Epoch == 0:
		return NeverRun
	case s.Last.Failed:
		return Failed
	case !s.Last.Ended.IsZero():
		return Done
	case now.Before(s.Until):
		return Running
	}
	return Aborted
}

// MaxPause is how far ahead Next of [RunStatus] can be. A later one was stored by a wrong clock
// and is ignored.
const MaxPause = 48 * time.Hour

// Runs stores, for all instances and each kind, the latest run and the last report.
// storetest.Run tests this contract. Errors not named here are the database's.
type Runs interface {
	// BeginRun makes c the latest run of its kind and leases it until now+lease. epoch
	// identifies it. Errors: ErrRunning, without changes, if another of that kind is leased at
	// now, or Next is ahead of now by at most MaxPause.
	BeginRun(
		ctx context.Context, c Run, now time.Time, lease time.Duration,
	) (epoch int64, err error)
	// ExtendRun stores the progress of that run and extends its lease. Errors: ErrFenced if it
	// has ended, or another of its kind has started.
	ExtendRun(ctx context.Context, epoch int64, c Run, until time.Time) error
	// EndRun ends the lease of that run; no other of its kind starts before next. A non-nil
	// report replaces the last one. Errors: ErrFenced, as above.
	EndRun(ctx context.Context, epoch int64, c Run, r *Report, next time.Time) error
	// LastRun returns the stored state of a kind.
	LastRun(ctx context.Context, kind RunKind) (RunStatus, error)
	// OldestSession returns when the oldest session was created; zero = there is none.
	OldestSession(ctx context.Context) (time.Time, error)
}

// ErrRunning means that a run is in progress, or that it is too soon for one.
var ErrRunning = errors.New("a reconciliation is running, or it is too soon for one")

// lease is a run that this instance alone does. A nil lease is a run of the only instance, which
// is stored nowhere.
type lease struct {
	run    Run
	runs   Runs
	epoch  int64
	lasts  time.Duration // from its last extension
	every  time.Duration // between two extensions
	stored time.Time     // the last one
	now    func() time.Time
	log    *slog.Logger
}

// begin starts a run unless another of its kind is running, or it is too soon. Without Runs, there
// is no other. Errors: ErrRunning; the store's.
func begin(ctx context.Context, l lease) (*lease, error) {
	if l.runs == nil {
		return nil, nil
	}

	l.stored = l.now()
	epoch, err := l.runs.BeginRun(ctx, l.run, l.stored.UTC(), l.lasts)
	if errors.Is(err, ErrRunning) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("starting a run: %w", err)
	}

	l.epoch = epoch
	return &l, nil
}

// report sets the progress of the run, and stores it and extends the lease from time to time.
// Errors: payment.ErrFenced if the lease was lost, and another instance has started.
func (l *lease) report(ctx context.Context, p Progress) error {
	if l == nil {
		return nil
	}
	l.run.Progress = p
	now := l.now()
	passed := now.Sub(l.stored)
	if passed >= 0 && passed < l.every {
		return nil
	}

	l.stored = now
	err := l.runs.ExtendRun(ctx, l.epoch, l.run, now.UTC().Add(l.lasts))
	if errors.Is(err, payment.ErrFenced) {
		return fmt.Errorf("extending the lease of a run: %w", err)
	}
	if err != nil && ctx.Err() == nil {
		l.log.WarnContext(ctx, "storing the progress of a run failed",
			"kind", l.run.Kind, "error", err)
	}
	return nil
}

// end stores the run and its report, if any, and ends the lease. The next run of the kind starts
// no sooner than next; zero = at any time. It ignores the end of ctx.
func (l *lease) end(ctx context.Context, r *Report, next time.Time) {
	if l == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := l.runs.EndRun(ctx, l.epoch, l.run, r, next)
	if err != nil && !errors.Is(err, payment.ErrFenced) {
		l.log.ErrorContext(ctx, "storing the end of a run failed",
			"kind", l.run.Kind, "error", err)
	}
}
