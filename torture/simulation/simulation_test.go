package simulation

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/torture/goal"
)

// fast lets the goroutines of a world, of which one runs at a time, share one thread.
func fast(t *testing.T) {
	procs, percent := runtime.GOMAXPROCS(1), debug.SetGCPercent(400)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(procs)
		debug.SetGCPercent(percent)
	})
}

// TestTortureSimulation simulates checkouts, of which each has the seed after the one before. The
// first that breaks an invariant is simulated again to print all its steps: with TORTURE_SEED, or
// -seed of tools/torture, it comes first.
func TestTortureSimulation(t *testing.T) {
	fast(t)
	began, first := time.Now(), uint64(1)
	if goal.Long() || os.Getenv("TORTURE_SEED") != "" { // or the same seeds each time
		first = goal.Seed(t)
	}
	short := 10_000
	if testing.Short() {
		short = 500
	}
	rounds := goal.Rounds(short/slowed, 1_000_000)
	made, violations, steps, ends := 0, 0, 0, map[string]int{}
	for ; made < rounds && violations < 5; made++ {
		seed := first + uint64(made)
		r := simulate(t, seed, "", false)
		steps += r.steps
		for end, count := range r.ends {
			ends[end] += count
		}
		if len(r.wrong) == 0 {
			continue
		}
		if violations++; violations == 1 {
			t.Log(strings.Join(simulate(t, seed, "", true).trace, "\n"))
		}
		t.Errorf("seed %d: %s", seed, strings.Join(r.wrong, "; "))
	}
	goal.Report(t, goal.Result{
		Goal: "simulation", Rounds: made, Wanted: 1_000_000, Violations: violations, Seed: first,
		Took:   time.Since(began),
		Figure: fmt.Sprintf("seeds, %d calls of ports, sessions ended %v", steps, ends),
	})
}

// TestSeedsRepeat: a seed always repeats the same steps.
func TestSeedsRepeat(t *testing.T) {
	fast(t)
	for seed := range uint64(100 / slowed) {
		r, again := simulate(t, seed, "", true), simulate(t, seed, "", true)
		fortest.Diff(t, again.trace, r.trace, "trace of seed %d", seed)
		if len(r.trace) < 50 || t.Failed() {
			t.Fatalf("seed %d has %d steps", seed, len(r.trace))
		}
	}
}
