//go:build linux

package torture

import (
	"fmt"
	"os"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store"
	"coinslot/torture/goal"
)

// releases are the programs that torture/upgrade.sh has compiled from two commits. It skips t without
// them.
func releases(t *testing.T) (from, to string) {
	t.Helper()
	from, to = os.Getenv("UPGRADE_FROM"), os.Getenv("UPGRADE_TO")
	if from == "" || to == "" {
		t.Skip("torture/upgrade.sh runs this with two commits")
	}
	return from, to
}

// TestTortureUpgrades replaces one release by another and back, one after the other.
func TestTortureUpgrades(t *testing.T) {
	upgrades(t, "upgrades and rollbacks, SQLite", newSQLite, 1)
}

// TestTorturePostgresUpgrades has both releases side by side on the way.
func TestTorturePostgresUpgrades(t *testing.T) {
	upgrades(t, "upgrades and rollbacks, PostgreSQL", newPostgres, 2)
}

func upgrades(t *testing.T, name string, store func(testing.TB) database, instances int) {
	began := time.Now()
	r := goal.Result{Goal: name, Wanted: 100, Seed: goal.Seed(t)}
	from, to := releases(t)
	var sessions, events int
	for rounds := goal.Rounds(1, 100); r.Rounds < rounds && r.Violations == 0; r.Rounds++ {
		w := newWorld(t, r.Seed+uint64(r.Rounds), store(t), instances)
		w.gateway.setFaults(0.05, 0.15)
		w.sink.setFaults(sinkShare)
		stop := w.startShoppers(orders)
		w.replace(from)
		before := w.tables()
		w.replace(to)
		if w.tables() == before {
			w.replace(from)
			w.replace(to)
		}
		stop()
		w.finalCheck()
		r.Violations += w.reportViolations()
		sessions, events = sessions+len(w.sessions), events+len(w.sink.events)
	}
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf("forward, back and forward, %d sessions, %d events", sessions, events)
	goal.Report(t, r)
}

// paidBetween is how many payments are confirmed after each change, at least.
const paidBetween = 5

// replace has every instance run a release, one after another, with payments between.
func (w *world) replace(release string) {
	w.t.Helper()
	w.release = release
	for i := range w.running {
		if p := w.running[i]; p != nil {
			w.terminate(i)
			<-p.gone
		}
		w.startAndWait(i)
		w.awaitPaid(paidBetween)
	}
}

// awaitPaid waits until shoppers have seen n more payments confirmed.
func (w *world) awaitPaid(n int) {
	w.t.Helper()
	count := func() (paid int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, s := range w.sessions {
			if s.confirmed {
				paid++
			}
		}
		return paid
	}
	want := count() + n
	fortest.Within(w.t, patience, "payments to be confirmed",
		func() bool { return count() >= want })
}

// tables returns the version of the tables.
func (w *world) tables() int64 {
	w.t.Helper()
	s := fortest.Must(store.Inspect(w.t.Context(), w.store.dsn()))(w.t)
	return s.Version
}
