//go:build linux

package torture

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/torture/goal"
)

// orders is how many are in flight while a process is killed.
const orders = 24

// worldRounds is how many rounds a world lasts, so that it does not grow forever.
const worldRounds = 200

// sinkShare of webhooks fail or are slow when they first come.
const sinkShare = 0.1

// TestTortureKills kills the process at any moment of its life, under load.
func TestTortureKills(t *testing.T) {
	kills(t, "kill -9, SQLite", newSQLite, goal.Rounds(3, 3000), 3000)
}

func kills(t *testing.T, name string, store func(testing.TB) database, rounds, wanted int) {
	began := time.Now()
	seed := goal.Seed(t)
	r := goal.Result{Goal: name, Wanted: wanted, Seed: seed}
	var sessions, deleted, events, lost, histories, seen int
	var killing time.Duration
	for r.Rounds < rounds && r.Violations == 0 {
		w := newWorld(t, seed+uint64(r.Rounds), store(t), 1)
		some := min(worldRounds, rounds-r.Rounds)
		started := time.Now()
		w.killRepeatedly(some)
		killing += time.Since(started)
		w.startAndWait(0)
		deleted += w.deletions(patience)
		w.finalCheck()
		r.Violations += w.reportViolations()
		r.Rounds += some
		sessions, events, lost = sessions+
			len(w.sessions), events+len(w.sink.events), lost+w.gateway.faulty
		histories, seen = histories+w.histories, seen+w.observations
	}
	r.Took = time.Since(began)
	if deleted == 0 && goal.Long() { // a few rounds may end without an unpaid session
		t.Error("no session was deleted: COINSLOT_RETENTION did nothing")
	}
	r.Figure = fmt.Sprintf("%d orders in flight, %d sessions, %d deleted, %d events, %d histories of %d observations, %d gateway calls spoiled, %.1f rounds/s",
		orders, sessions, deleted, events, histories, seen, lost, float64(r.Rounds)/killing.Seconds())
	goal.Report(t, r)
}

// killRepeatedly makes rounds of starting, serving a crowd for a moment, and dying.
func (w *world) killRepeatedly(rounds int) {
	stop := w.startShoppers(orders)
	defer stop()
	w.gateway.setFaults(0.05, 0.15)
	w.startAndWait(0)
	w.awaitOrders()
	w.kill()
	for range rounds {
		w.gateway.setFaults(0.05, 0.15)
		w.sink.setFaults(sinkShare)
		p := w.startAndWait(0)
		select {
		case <-wait(w.randomLifetime()):
		case <-p.gone:
			w.t.Fatalf("coinslot has ended by itself: %v\n%s", p.cmd.ProcessState, w.log)
		}
		w.kill()
	}
}

// awaitOrders waits until every shopper has an order in hand.
func (w *world) awaitOrders() {
	w.t.Helper()
	fortest.Within(w.t, patience, "an order of every shopper", func() bool {
		return len(w.allSessions()) >= orders
	})
}

// randomLifetime draws how long a life lasts once it serves.
func (w *world) randomLifetime() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Duration(20+w.rng.IntN(230)) * time.Millisecond
}

// simultaneousChoices is how many shoppers choose the same coin for the same order at once.
const simultaneousChoices = 1000

// TestTorturePostgresIdenticalStarts chooses one coin for one order a thousand times at once, at
// two instances: the gateway must be asked for one transaction.
func TestTorturePostgresIdenticalStarts(t *testing.T) {
	began := time.Now()
	r := goal.Result{Goal: "identical starts", Wanted: 20, Seed: goal.Seed(t)}
	w := newWorld(t, r.Seed, newPostgres(t), 2)
	w.env = append(w.env,
		"CRASH_HURRY=1") // or a thousand at once make create too slow for its hurried deadline
	for i := range w.hosts {
		w.startAndWait(i)
	}
	for range goal.Rounds(2, 20) {
		w.startTogether()
		r.Rounds++
		if w.gateway.opened != r.Rounds {
			w.violate("", "I1: %d transactions were created for %d sessions", w.gateway.opened,
				r.Rounds)
		}
	}
	w.finalCheck()
	r.Violations = w.reportViolations()
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf("%d starts at once over %d instances, %d creates", simultaneousChoices,
		len(w.hosts), w.gateway.opened)
	goal.Report(t, r)
}

// startTogether opens a session and chooses its coin from every side at once.
func (w *world) startTogether() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s := fortest.Must(w.open(ctx, w.host()))(w.t)
	var all sync.WaitGroup
	for i := range simultaneousChoices {
		b := &shopper{
			w:    w,
			name: fmt.Sprint("shopper ", i),
			ip:   fmt.Sprintf("10.%d.%d.1", i/250, i%250),
		}
		all.Go(func() {
			v, ok := b.ask(ctx, s, http.MethodPost, "attempts",
				`{"currency_symbol":"USDT","network_code":"trc20"}`)
			for ; ctx.Err() == nil && (!ok || v.Status != wire.Pending); v, ok = b.view(ctx, s) {
				<-wait(10 * time.Millisecond)
			}
			if v.Status != wire.Pending {
				w.violate(s.id, "%s got no address within %v", b.name, patience)
			}
		})
	}
	all.Wait()
}
