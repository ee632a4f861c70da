package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/realtime"
	"coinslot/bff/store"
	"coinslot/bff/store/pgtest"
	"coinslot/bff/web"
	"coinslot/bff/webhook"
)

// unreliable is a loop's dependency. It answers at once; when down, fails after ten seconds, like
// store and gateway client; when stuck, does not return.
type unreliable struct {
	checkout.Gateway
	away  bool
	stuck chan struct{} // closed when it no longer is; nil = it is not
}

func (d *unreliable) ask(ctx context.Context) error {
	if d.stuck != nil {
		<-d.stuck
	}
	if d.away {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		<-ctx.Done()
		return &payment.UnknownError{Err: errors.New("away")}
	}
	return nil
}

func (d *unreliable) Claim(
	ctx context.Context, _ time.Time, _ time.Duration, _ int, _ bool,
) ([]checkout.StoredSession, error) {
	return nil, d.ask(ctx)
}

func (d *unreliable) ClaimOf(
	ctx context.Context, _ []string, _ time.Time, _ time.Duration, _ int,
) ([]checkout.StoredSession, error) {
	return nil, d.ask(ctx)
}

func (d *unreliable) ClaimDeliveries(
	ctx context.Context, _ time.Time, _ time.Duration, _ int, _ []string,
) ([]webhook.Delivery, error) {
	return nil, d.ask(ctx)
}

func (d *unreliable) RecordResult(context.Context, webhook.Delivery, webhook.DeliveryResult) error {
	return nil
}

func (d *unreliable) Watch(ctx context.Context, _ []string, _, _ time.Time) error {
	return d.ask(ctx)
}

func (d *unreliable) Revisions(
	ctx context.Context, _ []string,
) (map[string]store.Revision, error) {
	return nil, d.ask(ctx)
}

func (d *unreliable) Currencies(ctx context.Context) ([]payment.Currency, error) {
	return nil, d.ask(ctx)
}

// full is an outbox that always has more, of which each try waits for a dependency.
type full struct{ *unreliable }

func (f full) ClaimDeliveries(
	_ context.Context, _ time.Time, _ time.Duration, limit int, _ []string,
) ([]webhook.Delivery, error) {
	return make([]webhook.Delivery, limit), nil
}

func (f full) began(
	ctx context.Context, _ webhook.Delivery,
) (context.Context, func(webhook.DeliveryResult)) {
	_ = f.ask(ctx)
	ctx, cancel := context.WithCancel(ctx)
	cancel() // nothing is sent
	return ctx, func(webhook.DeliveryResult) {}
}

// looping is a server of main loops alone, whose dependencies are as the test wants.
func looping(t *testing.T, of func(loop string) *unreliable) *Server {
	s := &Server{hub: realtime.NewHub(realtime.HubConfig{}), store: new(store.DB)}
	s.hub.Subscribe("cs_1", func() {})
	hooks := webhook.Config{
		Outbox:    of("sender"),
		Endpoints: []string{"https://shop.example/"},
		Secrets:   []string{"whsec_" + strings.Repeat("A", 32)},
	}
	if tries := of("tries"); tries.stuck != nil {
		hooks.Outbox, hooks.Began = full{tries}, full{tries}.began
	}
	s.sender = fortest.Must(webhook.New(hooks))(t)
	s.poller = checkout.NewPoller(checkout.PollerConfig{Store: of("poller"), Interval: time.Second})
	s.listPoller = gatewaylist.NewPoller(gatewaylist.PollerConfig{
		Count:    func(context.Context) (int, error) { return 100_000, nil },
		Watched:  func() int { return 0 },
		Schedule: payment.DefaultSchedule(),
		Gateway:  askedPages(of("sweeper").ask),
		Apply: func(context.Context, *gatewaylist.ListPoll, []payment.Record, time.Time) (gatewaylist.Tally, error) {
			return gatewaylist.Tally{Unchanged: 100_000}, nil
		},
	})
	s.fanout = newFanout(of("fanout"), s.hub, time.Second, time.Now, slog.New(slog.DiscardHandler))
	s.checkout = checkout.New(checkout.Config{Gateway: of("currencies")})
	s.limiter = gateway.NewLimiter(gateway.LimiterConfig{Probe: func(ctx context.Context) error {
		report, err := s.limiter.Acquire(ctx, false)
		if err == nil {
			err = of("probe").ask(ctx)
			report(err)
		}
		return err
	}})
	for range 5 { // opens the breaker
		if report, err := s.limiter.Acquire(t.Context(), false); err == nil {
			report(&payment.UnknownError{})
		}
	}
	return s
}

// shoppers request what is only done on request.
func (s *Server) shoppers(ctx context.Context) {
	for ctx.Err() == nil {
		if report, err := s.limiter.Acquire(ctx, true); err == nil {
			report(nil)
		}
		asking, cancel := context.WithTimeout(ctx, time.Second)
		_, _ = s.checkout.Currencies(asking)
		<-asking.Done()
		cancel()
	}
}

// /healthz fails and names a stuck main loop, also one stuck from the start; but not for a
// dependency that is down.
func TestStuckLoops(t *testing.T) {
	every := []string{"currencies", "fanout", "poller", "probe", "sender", "sweeper"}
	for _, c := range []struct {
		name, want string
		stuck      []string
		away       bool
	}{
		{"all turn", "ok", nil, false}, {"database and gateway away", "ok", nil, true},
		{"poller", "poller", []string{"poller"}, false},
		{"sender", "sender", []string{"sender"}, false},
		{"tries of the sender", "sender", []string{"tries"}, false},
		{"sweeper", "sweeper", []string{"sweeper"}, false},
		{"fanout", "fanout", []string{"fanout"}, false},
		{"probe", "probe", []string{"probe"}, false},
		{"currencies", "currencies", []string{"currencies"}, false},
		{"all stuck", strings.Join(every, "\n"), every, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				freed := make(chan struct{})
				s := looping(t, func(loop string) *unreliable {
					d := &unreliable{away: c.away}
					if slices.Contains(c.stuck, loop) {
						d.stuck = freed
					}
					return d
				})
				ops := web.Ops(web.Health{Stuck: s.stuckLoops, Metrics: http.NotFoundHandler()})
				says := func(when, want string) {
					t.Helper()
					got := asked(ops, "/healthz")
					if (got.Code == 200) != (want == "ok") ||
						strings.TrimSpace(got.Body.String()) != want {
						t.Errorf("%s: /healthz = %d %q; want %q", when, got.Code, got.Body, want)
					}
				}
				says("before Run", "ok")
				ctx, cancel := context.WithCancel(t.Context())
				go s.poller.Run(ctx)
				go s.sender.Run(ctx)
				go s.listPoller.Run(ctx)
				go s.fanout.run(ctx)
				go s.shoppers(ctx)
				for range 10 { // of the bubble's minutes
					time.Sleep(stuckAfter / 4)
					if c.stuck == nil {
						says("while it runs", "ok")
					}
				}
				says("after five minutes", c.want)
				cancel()
				close(freed)
				time.Sleep(time.Minute)
				if got := s.loops(); len(got) > 0 {
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

// TestMissing: /readyz names what is missing, and nothing else.
func TestMissing(t *testing.T) {
	db := fortest.Must(store.Open(t.Context(),
		store.Config{DSN: filepath.Join(t.TempDir(), "canary.db")}))(t)
	s := &Server{store: db}
	ops := web.Ops(web.Health{Missing: s.missing, Metrics: http.NotFoundHandler()})
	check := func(when string, status int, want string) {
		t.Helper()
		got := asked(ops, "/readyz")
		if got.Code != status || got.Body.String() != want ||
			got.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: /readyz = %d %q; want %d %q", when, got.Code, got.Body, status, want)
		}
	}
	check("at first", 200, "ok\n")
	s.Leave()
	check("leaving", 503, "shutdown\n")
	fortest.OK(t, db.Close())
	check("without a database", 503, "shutdown\ndatabase\n")
}

// TestReplicaThatMayLackCommits: /readyz and check warn while a failover would lose commits.
func TestReplicaThatMayLackCommits(t *testing.T) {
	cluster := pgtest.New(t)
	dsn := cluster.DSN(t)
	db := fortest.Must(store.Open(t.Context(), store.Config{DSN: dsn}))(t)
	defer db.Close()
	s := &Server{store: db}
	ops := web.Ops(web.Health{
		Missing: s.missing,
		Warned:  s.warned,
		Metrics: http.NotFoundHandler(),
	})
	wants := func(when string, body string, replicas int) {
		t.Helper()
		got := asked(ops, "/readyz")
		for deadline := time.Now().Add(20 * time.Second); got.Body.String() != body &&
			time.Now().Before(deadline); {
			time.Sleep(10 * time.Millisecond)
			got = asked(ops, "/readyz")
		}
		state := fortest.Must(store.Inspect(t.Context(), dsn))(t)
		if got.Code != 200 || got.Body.String() != body || state.AsyncReplicas != replicas {
			t.Errorf("%s: /readyz = %d %q, %d replicas; want %q, %d", when, got.Code, got.Body,
				state.AsyncReplicas, body, replicas)
		}
	}
	wants("no replica", "ok\n", 0)
	cluster.Replica(t)
	wants("a replica",
		"ok\nwarning: a failover of the database loses commits: set synchronous_standby_names\n", 1)
	cluster.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	cluster.Exec(t, "SELECT pg_reload_conf()")
	wants("a synchronous replica", "ok\n", 0)
}

// askedPages is a list of twenty pages, each of which it first asks for.
type askedPages func(ctx context.Context) error

func (ask askedPages) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	page := payment.RecordPage{LastPage: 20}
	for n := range 50 {
		page.Items = append(page.Items, payment.Record{TrackingCode: fmt.Sprint(q.Page, ".", n)})
	}
	return page, ask(ctx)
}
