//go:build linux

package torture

import (
	"context"
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"coinslot/torture/goal"
)

// TestTortureSecrets searches everything that a process under load says and writes for the secrets
// that it was given. The other tests of this package do the same with all that they see; this one
// also asks wrongly and ends the process so that it prints its stacks.
func TestTortureSecrets(t *testing.T) {
	began := time.Now()
	r := goal.Result{Goal: "canary secrets", Wanted: 20, Seed: goal.Seed(t)}
	var texts, bytes int64
	for want := goal.Rounds(1, 20); r.Rounds < want; r.Rounds++ {
		w := newWorld(t, r.Seed+uint64(r.Rounds), newSQLite(t), 1)
		w.killRepeatedly(3)
		w.startAndWait(0)
		w.sendInvalidRequests()
		w.dumpStacks()
		w.startAndWait(0)
		w.finalCheck()
		r.Violations += w.reportViolations()
		texts, bytes = texts+w.secrets.answers.Load(), bytes+w.secrets.searched.Load()
	}
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf("%d answers, pages, log lines, messages, webhooks and files searched, %.1f MB", texts, float64(bytes)/1e6)
	goal.Report(t, r)
}

// sendInvalidRequests makes requests that are refused.
func (w *world) sendInvalidRequests() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, ask := range []struct{ method, path, body string }{
		{"POST", "/v1/sessions", `{"amount_usd":1}`}, {"POST", "/v1/sessions", `{"amount_usd":"x","metadata":{"k":"v"}}`},
		{"POST", "/v1/sessions", `{`}, {"DELETE", "/v1/sessions", ""}, {"GET", "/v1/sessions/cs_none", ""},
		{"POST", "/v1/sessions/cs_none/resolve", `{"as":"confirmed","reason":"x"}`}, {"GET", "/v1/sessions?limit=x", ""},
		{"GET", "/checkout?order=eyJhbGciOiJIUzI1NiJ9.e30.AAAA", ""}, {"POST", "/checkout", `{"order":"eyJhbGciOiJub25lIn0.e30."}`},
		{"POST", "/hooks/gateway/wrong-token-wrong-token", "{}"}, {"GET", "/checkout/cs_none/live", ""},
	} {
		w.request(ctx, ask.method, ask.path, ask.body)
		if _, _, err := w.call(ctx, w.hosts[0], ask.method, ask.path, ask.body, http.Header{"Authorization": {"Bearer wrong"}}); err != nil {
			w.t.Errorf("%s %s: %v", ask.method, ask.path, err)
		}
	}
}

// dumpStacks ends the process with what Go prints of all goroutines.
func (w *world) dumpStacks() {
	w.pauseShoppers()
	w.mu.Lock()
	p := w.running[0]
	w.mu.Unlock()
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		w.t.Error(err)
	}
	select {
	case <-p.gone:
	case <-wait(time.Minute):
		w.t.Error("coinslot does not end at SIGQUIT")
	}
	w.kill()
}
