package rules

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/webhook"
	"coinslot/e2e/need"
	"coinslot/torture/goal"
)

// first is an endpoint that notes when each event has come to it first.
type first struct {
	server *httptest.Server

	mu sync.Mutex // guards at
	at map[string]time.Time
}

func newFirst(t *testing.T) *first {
	f := &first{at: map[string]time.Time{}}
	f.server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if id := r.Header.Get("webhook-id"); f.at[id].IsZero() {
			f.at[id] = time.Now()
		}
	}))
	t.Cleanup(f.server.Close)
	return f
}

// arrived returns when each event came, and how many have come.
func (f *first) arrived(ids []string) (at []time.Time, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		at = append(at, f.at[id])
		if !f.at[id].IsZero() {
			n++
		}
	}
	return at, n
}

// refusing returns the address of an endpoint without a listener.
func refusing(t *testing.T) string {
	t.Helper()
	l := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return "http://" + l.Addr().String() + "/hook"
}

// hanging returns the address of an endpoint that takes requests and never answers.
func hanging(t *testing.T) string {
	quit := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the end of the connection goes unnoticed
		select {
		case <-r.Context().Done():
		case <-quit:
		}
	}))
	t.Cleanup(func() {
		close(quit)
		server.Close()
	})
	return server.URL + "/hook"
}

// TestTortureWebhookIsolation: an endpoint that is dead and one that hangs, with
// as many events waiting for each as are to come, delay nothing of a third.
func TestTortureWebhookIsolation(t *testing.T) {
	need.Long(t, "it waits for endpoints that hang")
	began := time.Now()
	rounds := goal.Rounds(200, 10_000)
	path, healthy, dead, slow := filepath.Join(scratch(t), "coinslot.db"), newFirst(t), refusing(t), hanging(t)
	db := openStore(t, path, nil, dead, slow)
	l := newDeliverer(t, db, time.Now())
	for l.n < rounds {
		l.tell(db, min(100, rounds-l.n), time.Now())
	}
	fortest.OK(t, db.Close())
	endpoints := []string{dead, slow, healthy.server.URL + "/hook"}
	db = openStore(t, path, nil, endpoints...)
	defer db.Close()
	timeout := time.Second
	if goal.Long() {
		timeout = 0 // the usual one
	}
	sender, err := webhook.New(webhook.Config{Outbox: db, Endpoints: endpoints, Secrets: secrets[:1], AllowPrivate: true, Timeout: timeout})
	fortest.OK(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- sender.Run(ctx) }()

	// A hundred payments a second, each committed and announced on its own.
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	var ids []string
	var committed []time.Time
	for range rounds {
		ids = append(ids, l.tell(db, 1, time.Now())...)
		committed = append(committed, time.Now())
		sender.Kick()
		<-ticker.C
	}
	at, n := healthy.arrived(ids)
	for deadline := time.Now().Add(30 * time.Second); n < rounds && time.Now().Before(deadline); at, n = healthy.arrived(ids) {
		<-ticker.C
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	report(t, began, rounds, n, waits(committed, at))
}

// waits returns how long each event that has come was on its way, shortest
// first; one that came before its commit had returned was not.
func waits(committed, at []time.Time) (all []time.Duration) {
	for i := range at {
		if !at[i].IsZero() {
			all = append(all, max(at[i].Sub(committed[i]), 0))
		}
	}
	slices.Sort(all)
	return all
}

func report(t *testing.T, began time.Time, rounds, n int, all []time.Duration) {
	t.Helper()
	limit := 5 * time.Second // of a machine that does something else at the same time
	if goal.Long() {
		limit = 2 * time.Second
	}
	violations := rounds - n
	if n == 0 {
		t.Fatal("nothing has arrived")
	}
	p50, p99, most := all[n/2], all[n*99/100], all[n-1]
	if p99 > limit {
		violations++
	}
	goal.Report(t, goal.Result{
		Goal: "webhook isolation", Rounds: rounds, Wanted: 10_000, Violations: violations, Took: time.Since(began),
		Figure: fmt.Sprintf("events beside one endpoint that refuses and one that hangs, each with %d waiting: first try p50 %s, p99 %s, most %s after commit; limit %s",
			rounds, p50.Round(time.Millisecond), p99.Round(time.Millisecond), most.Round(time.Millisecond), limit),
	})
}
