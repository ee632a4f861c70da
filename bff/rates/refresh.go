package rates

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"coinslot/bff/internal/background"
)

// Schedule is when the source is read, and how that went. It is stored with the state, so that one
// instance at a time reads the source, and all wait after a failure.
type Schedule struct {
	// Next is when the source is to be read again. While an instance reads it, that is when
	// another one takes over.
	Next time.Time `json:"next"`
	// Failures counts the consecutive reads that failed, the first at FailingSince. Failure is the
	// last one's error.
	Failures     int       `json:"failures,omitempty"`
	FailingSince time.Time `json:"failing_since,omitzero"`
	Failure      string    `json:"failure,omitempty"`
}

// Store keeps the state for all instances. Errors not named here are the database's.
type Store interface {
	// LoadRates returns the stored state, and a version that changes with every save. If there is
	// none yet, it is the zero State and version zero.
	LoadRates(ctx context.Context) (s State, version int64, err error)
	// SaveRates stores s. Errors: ErrConflict, without changes, if the version is not that of the
	// stored state.
	SaveRates(ctx context.Context, s State, version int64) error
}

// ErrConflict means that another instance or an operator has changed the rates.
var ErrConflict = errors.New("the stored rates were changed meanwhile")

const (
	// readLease is how long an instance has to read the source and store what it says.
	readLease = time.Minute
	// firstRetry is how long to wait after a first failure, about. It doubles with each, up to the
	// source's interval.
	firstRetry = 30 * time.Second
	// saveTries is how often a state is applied again after another one was stored meanwhile.
	saveTries = 5
	// maxFailure bounds the stored error, in bytes.
	maxFailure = 300
)

// Refresher keeps the stored state current. All its fields are required.
type Refresher struct {
	Source Source
	Store  Store
	Now    func() time.Time
	Log    *slog.Logger
}

// Run reads the source whenever it is due, at one instance at a time, until ctx ends; it always
// returns nil. It logs failures, rates that are held and rates that are invalid.
func (r *Refresher) Run(ctx context.Context) error {
	for {
		wait, err := r.refresh(ctx)
		if err != nil && ctx.Err() == nil {
			r.Log.WarnContext(ctx, "storing exchange rates failed", "error", err)
			wait = around(firstRetry)
		}
		if !background.Sleep(ctx, wait) {
			return nil
		}
	}
}

// refresh reads the source if it is due. wait is how long until it is due again. Errors: the
// store's.
func (r *Refresher) refresh(ctx context.Context) (wait time.Duration, err error) {
	state, version, err := r.Store.LoadRates(ctx)
	if err != nil {
		return 0, err
	}
	if state.Source != r.Source.Name() { // what another source said is not for this one
		state = State{Source: r.Source.Name()}
	}
	now := r.Now()
	wait = state.Schedule.Next.Sub(now)
	if wait > 0 && wait <= 2*Interval(state.Source) { // a later time is of a wrong clock
		return wait, nil
	}

	state.Schedule.Next = now.Add(readLease).UTC()
	err = r.Store.SaveRates(ctx, state, version)
	if errors.Is(err, ErrConflict) {
		return time.Second, nil // another instance reads the source
	}
	if err != nil {
		return 0, err
	}

	table, failure := r.Source.Fetch(ctx, now)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return r.store(ctx, table, failure)
}

// store applies what the source says to the stored state. An operator may have accepted a rate
// meanwhile. Errors: the store's.
func (r *Refresher) store(ctx context.Context, t Table, failure error) (time.Duration, error) {
	for range saveTries {
		before, version, err := r.Store.LoadRates(ctx)
		if err != nil {
			return 0, err
		}
		wait := Interval(r.Source.Name())
		after := before
		after.Schedule = Schedule{}
		if failure == nil {
			after = after.Apply(t)
		} else {
			failures := before.Schedule.Failures + 1
			wait = pause(failures, wait)
			after.Schedule.Failures = failures
			after.Schedule.FailingSince = before.Schedule.FailingSince
			if after.Schedule.FailingSince.IsZero() {
				after.Schedule.FailingSince = r.Now().UTC()
			}
			after.Schedule.Failure = shortened(failure.Error())
		}
		after.Schedule.Next = r.Now().Add(wait).UTC()

		err = r.Store.SaveRates(ctx, after, version)
		if errors.Is(err, ErrConflict) {
			continue
		}
		if err != nil {
			return 0, err
		}
		r.report(ctx, before, after, t)
		return wait, nil
	}
	return 0, fmt.Errorf("%w %d times", ErrConflict, saveTries)
}

// report logs what an operator has to know of a change.
func (r *Refresher) report(ctx context.Context, before, after State, t Table) {
	log := r.Log.With("source", r.Source.Name())
	if after.Schedule.Failures > 0 {
		log.WarnContext(ctx, "reading exchange rates failed",
			"error", after.Schedule.Failure, "failures", after.Schedule.Failures)
	}
	for code, e := range after.Currencies {
		last := before.Currencies[code]
		if e.Held != nil && last.Held == nil {
			log.ErrorContext(ctx, "exchange rate held",
				"currency", code, "in_use", e.Rate.USDPerUnit(), "held", e.Held.USDPerUnit())
		}
		if e.Reason != "" && last.Reason != e.Reason {
			log.WarnContext(ctx, "exchange rate unusable",
				"currency", code, "reason", e.Reason, "number", t.Invalid[code])
		}
	}
}

// pause returns how long to wait after so many failures, at most the interval.
func pause(failures int, interval time.Duration) time.Duration {
	wait := firstRetry
	for range failures - 1 {
		wait = min(2*wait, interval)
	}
	return min(around(wait), interval)
}

// around returns d, give or take a quarter, so that instances and installations do not keep step.
func around(d time.Duration) time.Duration {
	return d*3/4 + rand.N(d/2)
}

func shortened(text string) string {
	if len(text) <= maxFailure {
		return text
	}
	return strings.ToValidUTF8(text[:maxFailure], "") + "…"
}
