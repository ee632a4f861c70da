package reconcile

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Kind is who or what starts a run.
type Kind int

// The kinds of runs. At most one of each is running.
const (
	Requested Kind = iota // by an operator
	Daily                 // scheduled: everything since the oldest session
	Hourly                // scheduled: the last days
)

// String returns the name in logs.
func (k Kind) String() string { return [...]string{"requested", "daily", "hourly"}[k] }

// Run is one reconciliation of gateway and database.
type Run struct {
	Kind   Kind      `json:"kind,omitempty"`
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
	// last day of the part of the gateway's list that was read; zero = none
	Day      time.Time `json:"day"`
	Page     int       `json:"page"`     // of that part
	Pages    int       `json:"pages"`    // in total; zero = unknown
	Payments int       `json:"payments"` // of ours that were compared
	// Of scheduled runs: listed transactions, and our payments that were made due because
	// the list shows unknown money.
	Transactions int `json:"transactions,omitempty"`
	Late         int `json:"late,omitempty"`
}

// Report is the stored result of a run.
type Report struct {
	Run
	Transactions int                 `json:"transactions"` // as in [Result]
	NotOurs      int                 `json:"foreign"`
	Attempts     int                 `json:"attempts"`
	Counts       map[FindingKind]int `json:"counts"` // of all findings
	// most severe first, at most MaxFindings of a kind
	Findings []Finding `json:"findings"`
}

// MaxFindings is how many findings of a kind are stored.
const MaxFindings = 500

// maxFindingText bounds the gateway's text in a finding, in bytes.
const maxFindingText = 300

func (c Run) report(result Result) *Report {
	r := &Report{
		Run: c, Transactions: result.Transactions, NotOurs: result.NotOurs,
		Attempts: result.Attempts, Counts: result.Counts(),
	}
	kept := map[FindingKind]int{}
	for _, f := range result.Findings {
		if kept[f.Kind]++; kept[f.Kind] > MaxFindings {
			continue
		}
		for _, text := range []*string{&f.TrackingCode, &f.OrderRef, &f.AtGateway, &f.InDatabase} {
			if len(*text) > maxFindingText {
				*text = strings.ToValidUTF8((*text)[:maxFindingText], "") + "…"
			}
		}
		r.Findings = append(r.Findings, f)
	}
	return r
}

// Status is the shared state of the runs of a kind.
type Status struct {
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
func (c Status) State(now time.Time) RunState {
	switch {
	case c.Epoch == 0:
		return NeverRun
	case c.Last.Failed:
		return Failed
	case !c.Last.Ended.IsZero():
		return Done
	case now.Before(c.Until):
		return Running
	}
	return Aborted
}

// MaxPause is how far ahead Next of [Status] can be. A later one was stored by a wrong clock
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
	LastRun(ctx context.Context, kind Kind) (Status, error)
	// OldestSession returns when the oldest session was created; zero = there is none.
	OldestSession(ctx context.Context) (time.Time, error)
}

// ErrRunning means that a run is in progress, or that it is too soon for one.
var ErrRunning = errors.New("a reconciliation is running, or it is too soon for one")
