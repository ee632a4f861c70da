//go:build linux

package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/torture/failpoint"
	"coinslot/torture/goal"
)

const (
	pointRounds = 100         // of each point, in full
	settleEvery = 25          // rounds of one point
	deathWithin = time.Minute // the load passes every point long before
)

// TestTortureCrashPoints lets the process die at each of its crash points.
func TestTortureCrashPoints(t *testing.T) { crashPoints(t, "crash points, SQLite", newSQLite) }

func crashPoints(t *testing.T, name string, store func(testing.TB) database) {
	began := time.Now()
	r := goal.Result{Goal: name, Wanted: pointRounds * len(failpoint.Points), Seed: goal.Seed(t)}
	each := goal.Rounds(1, pointRounds)
	if each == 1 {
		r.Violations = crashAt(t, r.Seed, store, failpoint.Points, 1)
		r.Rounds = len(failpoint.Points)
	}
	for i, point := range failpoint.Points {
		if each == 1 || r.Violations > 0 || t.Failed() {
			break
		}
		if only := os.Getenv("TORTURE_POINT"); only != "" && only != point {
			continue
		}
		t.Logf("%s: %d rounds after %v", point, each, time.Since(began).Round(time.Second))
		r.Violations += crashAt(t, r.Seed+uint64(i), store, []string{point}, each)
		r.Rounds += each
	}
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf("%d points, each died at %d times", len(failpoint.Points),
		r.Rounds/len(failpoint.Points))
	goal.Report(t, r)
}

// crashAt makes a world in which the process dies so many times at each of the
// points, one after another, and returns the number of violations.
func crashAt(
	t *testing.T, seed uint64, store func(testing.TB) database, points []string, rounds int,
) int {
	w := newWorld(t, seed, store(t), 1)
	stop := w.startShoppers(orders)
	for round := range rounds {
		for _, point := range points {
			w.spoilFor(point)
			w.startAndCrash(point)
			w.recover(rounds)
		}
		if round%settleEvery == settleEvery-1 {
			w.startAndWait(0)
			w.awaitConsistency()
			w.kill()
		}
		if t.Failed() {
			break
		}
	}
	stop()
	w.startAndWait(0)
	w.finalCheck()
	return w.reportViolations()
}

// recover is a life after a death, under load and as short as any other. In the
// short form the next one is enough.
func (w *world) recover(rounds int) {
	if rounds == 1 {
		return
	}
	w.startAndWait(0)
	<-wait(w.randomLifetime())
	w.kill()
}

// rare are the points, by the beginning of their names, that a life passes once or so.
var rare = []string{"start", "shutdown", "adopt.", "orphan.", "replacement."}

func isRare(point string) bool {
	return slices.ContainsFunc(rare, func(r string) bool { return strings.HasPrefix(point, r) })
}

// spoilFor sets the faults and plans that lead past a point often.
func (w *world) spoilFor(point string) {
	step, _, _ := strings.Cut(point, ".")
	creates := 0.15
	if isRare(point) || step == "list" {
		creates = 0.7
	}
	w.gateway.setFaults(0.03, creates)
	w.preferPlan(map[string]string{"recheck": "pay late", "cancel": "cancel"}[step])
	w.sink.setFaults(sinkShare)
}

// startAndCrash starts the process and waits until it has died at a point by itself.
func (w *world) startAndCrash(point string) {
	w.mu.Lock()
	hit := 1 + w.rng.IntN(3)
	w.mu.Unlock()
	if isRare(point) {
		hit = 1
	}
	began := time.Now()
	p := w.start(0, []string{fmt.Sprintf("CRASH_AT=%s:%d", point, hit)})
	select {
	case <-p.ready:
		w.resumeShoppers()
	case <-p.gone:
	}
	if point == "shutdown" {
		<-wait(time.Duration(20+rand.IntN(100)) * time.Millisecond)
		w.terminate(0)
	}
	select {
	case <-p.gone:
	case <-wait(deathWithin):
		w.t.Errorf("%s was not passed %d times within %v", point, hit, deathWithin)
	}
	w.kill()
	if !w.t.Failed() && !p.killed() {
		w.t.Errorf("at %s coinslot ended by itself: %v\n%s", point, p.cmd.ProcessState, w.log)
	}
	w.note("", "it was at %s, passing %d, after %v", point, hit, time.Since(began))
}
