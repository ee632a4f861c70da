package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

var runTests = cases{
	"a run and its report": on(func(t *testing.T, b Backend) {
		same(t, "LastRun of nothing", lastRun(t, b), gatewaylist.RunStatus{})
		run := runBy("a\x00<b>\u202e")
		n := begunRun(t, b, run, epoch())
		same(t, "LastRun", lastRun(t, b), gatewaylist.RunStatus{
			Epoch: 1,
			Last:  run,
			Until: epoch().Add(time.Minute),
		})
		run.Ended = epoch().Add(time.Second)
		report := &gatewaylist.Report{
			Run:          run,
			Transactions: 2,
			NotOurs:      1,
			Attempts:     3,
			Counts:       map[gatewaylist.FindingKind]int{gatewaylist.FindingMoney: 700},
			Findings: []gatewaylist.Finding{{
				Kind:         gatewaylist.FindingMoney,
				TrackingCode: "x",
				Session:      "cs_1",
				Attempt:      2,
				OrderRef:     "\x00",
				AtGateway:    "1 \U0001F4A9",
				InDatabase:   "2",
			}},
		}
		fortest.OK(t, b.EndRun(t.Context(), n, run, report, time.Time{}))
		want := gatewaylist.RunStatus{Epoch: 1, Last: run, Report: report}
		same(t, "LastRun after the end", lastRun(t, b), want)
		for what, err := range map[string]error{
			"ExtendRun": b.ExtendRun(t.Context(), n, runBy("late"), epoch().Add(time.Hour)),
			"EndRun":    b.EndRun(t.Context(), n, runBy("late"), nil, time.Time{}),
		} {
			fortest.Is(t, err, payment.ErrFenced, "%s after the end", what)
		}

		same(t, "LastRun still", lastRun(t, b), want)

		run = runBy("next")
		n = begunRun(t, b, run, epoch())
		same(t, "the report during the next", lastRun(t, b), gatewaylist.RunStatus{
			Epoch:  2,
			Last:   run,
			Until:  epoch().Add(time.Minute),
			Report: report,
		})
		run.Failed = true
		run.Ended = epoch()
		fortest.OK(t, b.EndRun(t.Context(), n, run, nil, time.Time{}))
		same(t, "the report after one that failed", lastRun(t, b), gatewaylist.RunStatus{
			Epoch:  2,
			Last:   run,
			Report: report,
		})
	}),
	"a run outlives its lease": on(func(t *testing.T, b Backend) {
		run := runBy("ann")
		n := begunRun(t, b, run, epoch())
		wantRunning(t, b, epoch().Add(time.Minute-time.Microsecond))
		run.Progress = gatewaylist.Progress{
			Day:      run.To,
			Page:     3,
			Pages:    4,
			Payments: 5,
		}
		fortest.OK(t, b.ExtendRun(t.Context(), n, run, epoch().Add(2*time.Minute)))
		wantRunning(t, b, epoch().Add(time.Minute))
		same(t, "LastRun", lastRun(t, b), gatewaylist.RunStatus{
			Epoch: 1,
			Last:  run,
			Until: epoch().Add(2 * time.Minute),
		})
	}),
	// An instance that slept through its lease is refused.
	"a run whose lease has ended": on(func(t *testing.T, b Backend) {
		slept := begunRun(t, b, runBy("slept"), epoch())
		awake := runBy("awake")
		n := begunRun(t, b, awake, epoch().Add(time.Minute))
		if n != slept+1 {
			t.Errorf("epoch = %d after %d", n, slept)
		}

		for what, err := range map[string]error{
			"ExtendRun": b.ExtendRun(t.Context(), slept, runBy("slept"), later()),
			"EndRun": b.EndRun(t.Context(), slept, runBy("slept"), &gatewaylist.Report{},
				time.Time{}),
			"of no epoch": b.ExtendRun(t.Context(), 0, runBy("slept"), epoch()),
		} {
			fortest.Is(t, err, payment.ErrFenced, "%s", what)
		}

		same(t, "LastRun", lastRun(t, b), gatewaylist.RunStatus{
			Epoch: slept + 1,
			Last:  awake,
			Until: epoch().Add(2 * time.Minute),
		})
	}),
	// Those of one kind neither keep nor change those of another.
	"runs of several kinds": on(func(t *testing.T, b Backend) {
		kinds := []gatewaylist.RunKind{gatewaylist.Requested, gatewaylist.Daily, gatewaylist.Hourly}
		want := map[gatewaylist.RunKind]gatewaylist.RunStatus{}
		for _, kind := range kinds {
			run := runBy(kind.String())
			run.Kind = kind
			run.Failures = 3
			run.Progress = gatewaylist.Progress{Transactions: 7, Late: 2}
			n := begunRun(t, b, run, epoch())
			report := &gatewaylist.Report{Run: run}
			next := epoch().Add(time.Hour * time.Duration(kind))
			fortest.OK(t, b.EndRun(t.Context(), n, run, report, next))
			want[kind] = gatewaylist.RunStatus{
				Epoch:  1,
				Last:   run,
				Report: report,
				Next:   next,
			}
		}

		for _, kind := range kinds {
			got := fortest.Must(b.LastRun(t.Context(), kind))(t)
			same(t, "LastRun of "+kind.String(), got, want[kind])
		}
	}),
	// None begins before its time, at any instance and after any restart; but a time that a
	// wrong clock has written is not waited for.
	"a run too soon": on(func(t *testing.T, b Backend) {
		run := runBy("")
		run.Kind = gatewaylist.Daily
		begin := func(now time.Time) (int64, error) {
			return b.BeginRun(t.Context(), run, now, time.Minute)
		}
		end := func(n int64, next time.Time) {
			t.Helper()
			fortest.OK(t, b.EndRun(t.Context(), n, run, nil, next))
		}
		next := epoch().Add(24 * time.Hour)
		end(begunRun(t, b, run, epoch()), next)
		if _, err := begin(next.Add(-time.Microsecond)); !errors.Is(err, gatewaylist.ErrRunning) {
			t.Errorf("BeginRun a moment too soon = %v; want ErrRunning", err)
		}

		n := fortest.Must(begin(next))(t)
		end(n, next.Add(gatewaylist.MaxPause))
		_, err := begin(next)
		if !errors.Is(err, gatewaylist.ErrRunning) {
			t.Errorf("BeginRun before the longest pause = %v; want ErrRunning", err)
		}

		fortest.Must(begin(next.Add(-time.Microsecond)))(t)
	}),
	"the oldest session": on(func(t *testing.T, b Backend) {
		oldest := func() time.Time {
			t.Helper()
			return fortest.Must(b.OldestSession(t.Context()))(t)
		}
		if at := oldest(); !at.IsZero() {
			t.Errorf("OldestSession of none = %v; want zero", at)
		}

		for _, n := range []int{2, 1, 3} {
			inserted(t, b, fresh(n))
		}

		at := oldest()
		want := fresh(1).CreatedAt
		if !at.Equal(want) {
			t.Errorf("OldestSession = %v; want %v", at, want)
		}
	}),
	"runs begin once at a time": alone(raceForRun),
}

// lastRun is the last requested run.
func lastRun(t *testing.T, b Backend) gatewaylist.RunStatus {
	return fortest.Must(b.LastRun(t.Context(), gatewaylist.Requested))(t)
}

// runBy is a run that an operator requests.
func runBy(by string) gatewaylist.Run {
	return gatewaylist.Run{
		By:    by,
		From:  epoch().Truncate(24 * time.Hour),
		To:    epoch().Truncate(24 * time.Hour),
		Began: epoch(),
	}
}

// begunRun begins a run for a minute.
func begunRun(t *testing.T, b Backend, c gatewaylist.Run, now time.Time) int64 {
	return fortest.Must(b.BeginRun(t.Context(), c, now, time.Minute))(t)
}

// wantRunning fails unless a run is under way at now.
func wantRunning(t *testing.T, b Backend, now time.Time) {
	t.Helper()
	before := lastRun(t, b)
	n, err := b.BeginRun(t.Context(), runBy("eve"), now, time.Hour)
	if !errors.Is(err, gatewaylist.ErrRunning) {
		t.Errorf("BeginRun = %d, %v; want ErrRunning", n, err)
	}
	same(t, "what was refused", lastRun(t, b), before)
}

// raceForRun begins runs with all backends at once, round after round.
func raceForRun(t *testing.T, backends ...Backend) {
	t.Helper()
	for round := range 3 {
		now := epoch().Add(time.Duration(round) * time.Minute)
		var all sync.WaitGroup
		var begun atomic.Int64
		for n := range 16 {
			all.Go(func() {
				_, err := backends[n%len(backends)].BeginRun(
					t.Context(), runBy("ann"), now, time.Minute,
				)
				switch {
				case err == nil:
					begun.Add(1)
				case !errors.Is(err, gatewaylist.ErrRunning):
					t.Errorf("BeginRun = %v", err)
				}
			})
		}
		all.Wait()
		if begun.Load() != 1 || lastRun(t, backends[0]).Epoch != int64(round+1) {
			t.Errorf("round %d: %d were begun, epoch %d; want one", round, begun.Load(),
				lastRun(t, backends[0]).Epoch)
		}
	}
}
