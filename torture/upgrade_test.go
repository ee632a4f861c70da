//go:build linux

package torture

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store"
	"coinslot/e2e/need"
	"coinslot/torture/goal"
)

// previous is the newest release with older tables; see PREVIOUS in the Makefile.
const previous = "../.cache/previous/coinslot"

// TestTortureUpgrades replaces the previous release by this one and back, one after the other.
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
	old := fortest.Must(filepath.Abs(need.File(t, previous)))(t)
	var sessions, events int
	for rounds := goal.Rounds(1, 100); r.Rounds < rounds && r.Violations == 0; r.Rounds++ {
		w := newWorld(t, r.Seed+uint64(r.Rounds), store(t), instances)
		w.gateway.setFaults(0.05, 0.15)
		w.sink.setFaults(sinkShare)
		stop := w.startShoppers(orders)
		w.replace(old)
		if have, latest := w.tables(); have >= latest {
			t.Fatal("the previous release has the tables of this one: set PREVIOUS in the Makefile to one that has not")
		}
		w.replace("")
		w.goBack()
		w.replace(old)
		w.replace("")
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
	fortest.Within(w.t, patience, "payments to be confirmed", func() bool { return count() >= want })
}

// tables returns the version of the tables, and the newest.
func (w *world) tables() (have, latest int64) {
	w.t.Helper()
	s := fortest.Must(store.Inspect(w.t.Context(), store.Config{DSN: w.store.dsn()}))(w.t)
	return s.Version, s.Latest
}

// goBack ends all instances and makes the tables those of the previous release, as docs/upgrade.md
// says.
func (w *world) goBack() {
	w.t.Helper()
	page := string(fortest.Must(os.ReadFile("../docs/upgrade.md"))(w.t))
	driver, name := "sqlite", "SQLite"
	if _, ok := w.store.(postgres); ok {
		driver, name = "pgx", "PostgreSQL"
	}
	_, after, _ := strings.Cut(page, "### Going back\n")
	_, after, _ = strings.Cut(after, name+", with `")
	_, after, _ = strings.Cut(after, "```sql\n")
	statements, _, ok := strings.Cut(after, "```")
	if !ok {
		w.t.Fatal("docs/upgrade.md has no statements under Going back")
	}
	for i, p := range w.running {
		w.terminate(i)
		<-p.gone
	}
	db := fortest.Must(sql.Open(driver, w.store.dsn()))(w.t)
	defer db.Close()
	fortest.Must(db.Exec(statements))(w.t)
}
