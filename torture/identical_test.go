//go:build linux

package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/torture/goal"
)

// simultaneousChoices is how many shoppers choose the same coin for the same order at once.
const simultaneousChoices = 1000

// TestTortureIdenticalStarts chooses one coin for one order a thousand times at
// once: the gateway must be asked for one transaction.
func TestTortureIdenticalStarts(t *testing.T) {
	identical(t, "identical starts, one instance", newSQLite, 1)
}

func identical(t *testing.T, name string, store func(testing.TB) database, instances int) {
	began := time.Now()
	r := goal.Result{Goal: name, Wanted: 20, Seed: goal.Seed(t)}
	w := newWorld(t, r.Seed, store(t), instances)
	w.env = append(w.env, "CRASH_HURRY=1") // or a thousand at once make create too slow for its hurried deadline
	for i := range instances {
		w.startAndWait(i)
	}
	for range goal.Rounds(2, 20) {
		w.startTogether(r.Rounds)
		r.Rounds++
		if w.gateway.opened != r.Rounds {
			w.violate("", "I1: %d transactions were created for %d sessions", w.gateway.opened, r.Rounds)
		}
	}
	w.finalCheck()
	r.Violations = w.reportViolations()
	r.Took, r.Figure = time.Since(began), fmt.Sprintf("%d starts at once over %d instances, %d creates", simultaneousChoices, instances, w.gateway.opened)
	goal.Report(t, r)
}

// startTogether opens a session and chooses its coin from every side at once.
func (w *world) startTogether(n int) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	amount := fmt.Sprintf("%d.00", 20+n)
	_, body, err := w.merchant(ctx, http.MethodPost, "/v1/sessions", fmt.Sprintf(`{"amount_usd":%q,"order_ref":"same-%d"}`, amount, n))
	var o object
	if err != nil || json.Unmarshal(body, &o) != nil || o.ID == "" {
		w.t.Fatalf("opening a session: %v %s", err, body)
	}
	s := w.acknowledged(o, amount, o.OrderRef, "start from every side")
	var all sync.WaitGroup
	for i := range simultaneousChoices {
		b := &shopper{w: w, name: fmt.Sprint("shopper ", i), last: map[string]int64{}, ip: fmt.Sprintf("10.%d.%d.1", i/250, i%250)}
		all.Go(func() {
			v, ok := b.ask(ctx, s, http.MethodPost, "attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`)
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
