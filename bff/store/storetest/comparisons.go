package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/payment"
	"coinslot/bff/reconcile"
)

func comparisonTests() map[string]func(*testing.T, Opener) {
	return map[string]func(*testing.T, Opener){
		"a comparison and its report":     on(comparison),
		"a comparison outlives its lease": on(comparisonKept),
		"a comparison that nobody is at":  on(comparisonLeft),
		"a comparison that did not end":   on(comparisonBroken),
		"comparisons of several kinds":    on(comparisonKinds),
		"a comparison too soon":           on(comparisonTooSoon),
		"the oldest session":              on(oldestSession),
		"comparisons begin once at a time": func(t *testing.T, open Opener) {
			raceForComparison(t, open(t, nil))
		},
	}
}

// compared is what b keeps.
func compared(t *testing.T, b Backend) reconcile.Status {
	return must(b.LastRun(t.Context(), reconcile.Requested))
}

// comparing is a comparison that by asks for.
func comparing(by string) reconcile.Run {
	return reconcile.Run{
		By: by, From: epoch().Truncate(24 * time.Hour), To: epoch().Truncate(24 * time.Hour),
		Began: epoch(),
	}
}

// compareBegun begins a comparison that can be begun, for a minute.
func compareBegun(t *testing.T, b Backend, c reconcile.Run, now time.Time) int64 {
	return must(b.BeginRun(t.Context(), c, now, time.Minute))
}

// compareRefused fails unless a comparison is under way at now.
func compareRefused(t *testing.T, b Backend, now time.Time) {
	t.Helper()
	before := compared(t, b)
	if n, err := b.BeginRun(t.Context(), comparing("eve"), now, time.Hour); !errors.Is(
		err, reconcile.ErrRunning,
	) {
		t.Errorf("BeginComparing = %d, %v; want ErrComparing", n, err)
	}
	same(t, "what was refused", compared(t, b), before)
}

func comparison(t *testing.T, b Backend) {
	same(t, "Compared of nothing", compared(t, b), reconcile.Status{})
	run := comparing("a\x00<b>\u202e")
	n := compareBegun(t, b, run, epoch())
	same(t, "Compared", compared(t, b), reconcile.Status{
		Epoch: 1, Last: run, Until: epoch().Add(time.Minute),
	})
	run.Ended = epoch().Add(time.Second)
	report := &reconcile.Report{Run: run, Transactions: 2, NotOurs: 1, Attempts: 3,
		Counts: map[reconcile.FindingKind]int{reconcile.FindingMoney: 700},
		Findings: []reconcile.Finding{{
			Kind: reconcile.FindingMoney, TrackingCode: "x", Session: "cs_1", Attempt: 2,
			OrderRef: "\x00", AtGateway: "1 \U0001F4A9", InDatabase: "2",
		}}}
	ok(t, b.EndRun(t.Context(), n, run, report, time.Time{}))
	want := reconcile.Status{Epoch: 1, Last: run, Report: report}
	same(t, "Compared after the end", compared(t, b), want)
	for what, err := range map[string]error{
		"KeepComparing": b.ExtendRun(
			t.Context(), n, comparing("late"), epoch().Add(time.Hour),
		), "EndComparing": b.EndRun(t.Context(), n, comparing("late"), nil, time.Time{}),
	} {
		if !errors.Is(err, payment.ErrFenced) {
			t.Errorf("%s after the end = %v; want ErrFenced", what, err)
		}
	}
	same(t, "Compared still", compared(t, b), want)

	run = comparing("next")
	n = compareBegun(t, b, run, epoch())
	same(t, "the report during the next", compared(t, b), reconcile.Status{
		Epoch: 2, Last: run, Until: epoch().Add(time.Minute), Report: report,
	})
	run.Failed, run.Ended = true, epoch()
	ok(t, b.EndRun(t.Context(), n, run, nil, time.Time{}))
	same(t, "the report after one that failed", compared(t, b), reconcile.Status{
		Epoch: 2, Last: run, Report: report,
	})
}

func comparisonKept(t *testing.T, b Backend) {
	run := comparing("ann")
	n := compareBegun(t, b, run, epoch())
	compareRefused(t, b, epoch().Add(time.Minute-time.Microsecond))
	run.Progress = reconcile.Progress{Day: run.To, Page: 3, Pages: 4, Payments: 5}
	ok(t, b.ExtendRun(t.Context(), n, run, epoch().Add(2*time.Minute)))
	compareRefused(t, b, epoch().Add(time.Minute))
	same(t, "Compared", compared(t, b), reconcile.Status{
		Epoch: 1, Last: run, Until: epoch().Add(2 * time.Minute),
	})
}

// Whoever was at it slept through the lease: what it writes then is refused.
func comparisonLeft(t *testing.T, b Backend) {
	slept := compareBegun(t, b, comparing("slept"), epoch())
	awake := comparing("awake")
	if n := compareBegun(t, b, awake, epoch().Add(time.Minute)); n != slept+1 {
		t.Errorf("epoch = %d after %d", n, slept)
	}
	for what, err := range map[string]error{
		"KeepComparing": b.ExtendRun(
			t.Context(), slept, comparing("slept"), epoch().Add(time.Hour),
		),
		"EndComparing": b.EndRun(
			t.Context(), slept, comparing("slept"), &reconcile.Report{}, time.Time{},
		),
		"of no epoch": b.ExtendRun(t.Context(), 0, comparing("slept"), epoch()),
	} {
		if !errors.Is(err, payment.ErrFenced) {
			t.Errorf("%s = %v; want ErrFenced", what, err)
		}
	}
	same(t, "Compared", compared(t, b), reconcile.Status{
		Epoch: slept + 1, Last: awake, Until: epoch().Add(2 * time.Minute),
	})
}

// One that is ended without an end frees the place at once.
func comparisonBroken(t *testing.T, b Backend) {
	run := comparing("ann")
	ok(t, b.EndRun(t.Context(), compareBegun(t, b, run, epoch()), run, nil, time.Time{}))
	same(t, "Compared", compared(t, b), reconcile.Status{Epoch: 1, Last: run})
	compareBegun(t, b, run, epoch())
}

// raceForComparison begins comparisons with all backends at once, round after round.
func raceForComparison(t *testing.T, backends ...Backend) {
	t.Helper()
	for round := range 3 {
		now := epoch().Add(time.Duration(round) * time.Minute)
		var all sync.WaitGroup
		var begun atomic.Int64
		for n := range 16 {
			all.Go(func() {
				switch _, err := backends[n%len(backends)].BeginRun(
					t.Context(), comparing("ann"), now, time.Minute,
				); {
				case err == nil:
					begun.Add(1)
				case !errors.Is(err, reconcile.ErrRunning):
					t.Errorf("BeginComparing = %v", err)
				}
			})
		}
		if all.Wait(); begun.Load() != 1 || compared(t, backends[0]).Epoch != int64(round+1) {
			t.Errorf("round %d: %d were begun, epoch %d; want one", round, begun.Load(),
				compared(t, backends[0]).Epoch)
		}
	}
}

func sharedComparison(t *testing.T, one, other Backend) { raceForComparison(t, one, other) }

// Those of one kind neither keep nor change those of another.
func comparisonKinds(t *testing.T, b Backend) {
	kinds := []reconcile.Kind{reconcile.Requested, reconcile.Daily, reconcile.Hourly}
	want := map[reconcile.Kind]reconcile.Status{}
	for _, kind := range kinds {
		run := comparing(kind.String())
		run.Kind, run.Failures = kind, 3
		run.Progress = reconcile.Progress{Transactions: 7, Late: 2}
		n := compareBegun(t, b, run, epoch())
		report := &reconcile.Report{Run: run}
		next := epoch().Add(time.Hour * time.Duration(kind))
		ok(t, b.EndRun(t.Context(), n, run, report, next))
		want[kind] = reconcile.Status{Epoch: 1, Last: run, Report: report, Next: next}
	}
	for _, kind := range kinds {
		got := must(b.LastRun(t.Context(), kind))
		same(t, "Compared of "+kind.String(), got, want[kind])
	}
}

// None begins before its time, at any instance and after any restart; but a time that a
// wrong clock has written is not waited for.
func comparisonTooSoon(t *testing.T, b Backend) {
	run := comparing("")
	run.Kind = reconcile.Daily
	begin := func(now time.Time) (int64, error) {
		return b.BeginRun(t.Context(), run, now, time.Minute)
	}
	end := func(n int64, next time.Time) {
		t.Helper()
		ok(t, b.EndRun(t.Context(), n, run, nil, next))
	}
	next := epoch().Add(24 * time.Hour)
	end(compareBegun(t, b, run, epoch()), next)
	if _, err := begin(next.Add(-time.Microsecond)); !errors.Is(err, reconcile.ErrRunning) {
		t.Errorf("BeginComparing a moment too soon = %v; want ErrComparing", err)
	}
	n := must(begin(next))
	end(n, next.Add(reconcile.MaxPause))
	if _, err := begin(next); !errors.Is(err, reconcile.ErrRunning) {
		t.Errorf("BeginComparing before the longest pause = %v; want ErrComparing", err)
	}
	must(begin(next.Add(-time.Microsecond)))
}

func oldestSession(t *testing.T, b Backend) {
	oldest := func() time.Time {
		t.Helper()
		at := must(b.OldestSession(t.Context()))
		return at
	}
	if at := oldest(); !at.IsZero() {
		t.Errorf("OldestSession of none = %v; want zero", at)
	}
	for _, n := range []int{2, 1, 3} {
		inserted(t, b, fresh(n))
	}
	if at, want := oldest(), fresh(1).CreatedAt; !at.Equal(want) {
		t.Errorf("OldestSession = %v; want %v", at, want)
	}
}
