package reconcile

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Kind is why a comparison of gateway and database is made.
type Kind int

// The kinds of comparisons. The database has at most one of each under way.
const (
	Requested Kind = iota // an operator has asked for it
	Daily                 // automatic: all that the gateway lists of ours
	Hourly                // automatic: what it lists of the last days
)

// String is for logs.
func (k Kind) String() string {
	return [...]string{"requested", "daily", "hourly"}[k]
}

// Run is a comparison of gateway and database.
type Run struct {
	Kind   Kind      `json:"kind,omitempty"`
	By     string    `json:"by"`   // who asked for it
	From   time.Time `json:"from"` // dates, both inclusive
	To     time.Time `json:"to"`
	Began  time.Time `json:"began"`
	Ended  time.Time `json:"ended"` // zero = under way, or broken off
	Failed bool      `json:"failed,omitempty"`
	// Failures is how often an automatic one has failed since it last read a page.
	Failures int      `json:"failures,omitempty"`
	Progress Progress `json:"progress"`
}

// Progress is how far a comparison has come.
type Progress struct {
	// the last one of the part of the gateway's list that is read; zero = nothing is read
	// yet
	Day      time.Time `json:"day"`
	Page     int       `json:"page"`     // of that part
	Pages    int       `json:"pages"`    // it has; zero = not said
	Payments int       `json:"payments"` // of ours that were looked at
	// Of an automatic one: transactions that were listed, and payments of ours that
	// were made due because the list shows money that was not known.
	Transactions int `json:"transactions,omitempty"`
	Late         int `json:"late,omitempty"`
}

// Report is what a comparison has come to, as much of it as is kept.
type Report struct {
	Run
	Transactions int                 `json:"transactions"` // as in [Result]
	NotOurs      int                 `json:"foreign"`
	Attempts     int                 `json:"attempts"`
	Counts       map[FindingKind]int `json:"counts"` // of all findings
	// the gravest first, MaxFindings of a kind at most
	Findings []Finding `json:"findings"`
}

// MaxFindings is how many findings of a kind are kept of a comparison.
const MaxFindings = 500

// maxFindingText bounds what the gateway wrote, in bytes of a finding's text.
const maxFindingText = 300

// report is what is kept of a result of c.
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

// Status is what all instances know of comparisons.
type Status struct {
	Epoch int64     // counts those that were begun; zero = none ever was
	Last  Run       // the one that was begun last
	Until time.Time // whoever is at it has it until then; zero = nobody is
	Next  time.Time // none is begun before; zero = at any time
	// of the last one that came to its end, which may be an earlier one; nil = none has
	Report *Report
}

// RunState is where the comparison stands that was begun last.
type RunState int

// The states of a comparison.
const (
	NeverRun RunState = iota
	Running
	Done
	Failed  // the gateway or the database did not answer
	Aborted // whoever was at it is gone
)

// State returns where the last comparison stands.
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

// MaxPause is how far ahead Next of [Status] can be. One that is further ahead was
// written by a clock that was wrong, and does not count.
const MaxPause = 48 * time.Hour

// Runs keeps, for all instances and for each kind, the comparison that was begun
// last and the last report. storetest.Run is the contract. Errors besides those that
// are named are the database's.
type Runs interface {
	// BeginRun makes c the last one of its kind and leases it until now+lease.
	// epoch names it. Errors: ErrRunning if another of that kind is leased at now,
	// or Next is ahead of now by MaxPause at most; nothing is changed then.
	BeginRun(
		ctx context.Context, c Run, now time.Time, lease time.Duration,
	) (epoch int64, err error)
	// ExtendRun says how far the comparison of that epoch is and leases it until
	// then. Errors: ErrFenced if it has ended, or another of its kind was begun since.
	ExtendRun(ctx context.Context, epoch int64, c Run, until time.Time) error
	// EndRun ends the lease of that epoch's comparison; no other one of its kind
	// is begun before next. A report, if it is not nil, takes the place of the last
	// one. Errors: ErrFenced, as above.
	EndRun(ctx context.Context, epoch int64, c Run, r *Report, next time.Time) error
	// LastRun returns what is kept of a kind.
	LastRun(ctx context.Context, kind Kind) (Status, error)
	// OldestSession returns when the oldest session was created; zero = there is none.
	OldestSession(ctx context.Context) (time.Time, error)
}

// ErrRunning says that a comparison is under way, or that it is too soon for one.
var ErrRunning = errors.New("a comparison is under way, or it is too soon for one")
