package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/hub"
	"coinslot/bff/poll"
	"coinslot/bff/store"
	"coinslot/bff/web"
	"coinslot/bff/webhook"
)

// mire is a store that does not come back, for as long as it is stuck.
type mire struct{ stuck chan struct{} }

func (m mire) wait() {
	if m.stuck != nil {
		<-m.stuck
	}
}

func (m mire) Claim(context.Context, time.Time, time.Duration, int) ([]checkout.Session, error) {
	m.wait()
	return nil, nil
}

func (m mire) ClaimOf(context.Context, []string, time.Time, time.Duration, int) ([]checkout.Session, error) {
	return nil, nil
}

func (m mire) ClaimDeliveries(context.Context, time.Time, time.Duration, int, []string) ([]checkout.Delivery, error) {
	m.wait()
	return nil, nil
}

func (m mire) Settle(context.Context, checkout.Delivery, checkout.DeliveryResult) error { return nil }

// TestAlive: /healthz fails when a main loop is stuck, and says which one; also when
// it was stuck from the first.
func TestAlive(t *testing.T) {
	for _, c := range []struct {
		name, want     string
		poller, sender bool // is stuck
		status         int
	}{
		{"both turn", "ok", false, false, 200}, {"stuck poller", "poller", true, false, 503}, {"stuck sender", "sender", false, true, 503}, {"both", "poller\nsender", true, true, 503},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var fields [2]mire
				for i, stuck := range []bool{c.poller, c.sender} {
					if stuck {
						fields[i].stuck = make(chan struct{})
					}
				}
				sender, err := webhook.New(webhook.Config{Outbox: fields[1], Endpoints: []string{"https://shop.example/"}, Secrets: []string{"whsec_" + strings.Repeat("A", 32)}})
				if err != nil {
					t.Fatal(err)
				}
				s := &Server{hub: hub.New(hub.Config{}), sender: sender, poller: poll.New(poll.Config{Store: fields[0], Every: time.Second})}
				ops := web.Ops(web.Health{Alive: s.alive, Metrics: http.NotFoundHandler()})
				if got := asked(ops, "/healthz"); got.Code != 200 {
					t.Errorf("before Run: %d %s", got.Code, got.Body)
				}
				ctx, cancel := context.WithCancel(t.Context())
				go s.poller.Run(ctx)
				go s.sender.Run(ctx)
				time.Sleep(stuckAfter / 2) // of the bubble's clock
				if got := asked(ops, "/healthz"); got.Code != 200 {
					t.Errorf("after half of the time: %d %s", got.Code, got.Body)
				}
				time.Sleep(stuckAfter)
				if got := asked(ops, "/healthz"); got.Code != c.status || strings.TrimSpace(got.Body.String()) != c.want {
					t.Errorf("/healthz = %d %q; want %d %q", got.Code, got.Body, c.status, c.want)
				}
				cancel()
				for _, f := range fields {
					if f.stuck != nil {
						close(f.stuck)
					}
				}
				synctest.Wait()
				if got := s.loops(); len(got) != 1 { // the poller's last turn stays; a sender that has ended is no loop
					t.Errorf("loops after the end: %v", got)
				}
			})
		})
	}
}

func asked(h http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

// TestReady: /readyz names what is missing, and nothing else.
func TestReady(t *testing.T) {
	db, err := store.Open(t.Context(), store.Config{DSN: filepath.Join(t.TempDir(), "canary.db")})
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{store: db}
	ops := web.Ops(web.Health{Ready: s.ready, Metrics: http.NotFoundHandler()})
	check := func(when string, status int, want string) {
		t.Helper()
		if got := asked(ops, "/readyz"); got.Code != status || got.Body.String() != want || got.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: /readyz = %d %q; want %d %q", when, got.Code, got.Body, status, want)
		}
	}
	check("at first", 200, "ok\n")
	s.Leave()
	check("leaving", 503, "shutdown\n")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	check("without a database", 503, "shutdown\ndatabase\n")
}
