package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/reconcile"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/store"
	"coinslot/bff/store/pgtest"

	"github.com/gorilla/websocket"
)

// pair is two instances on one PostgreSQL database, with their gateway.
type pair struct {
	a, b  *rig
	stopA func()
	conf  config.Config
	heard *heard
}

// heard is what a merchant's endpoint has been sent.
type heard struct {
	mu     sync.Mutex
	types  map[string][]string // by session
	ids    map[string]int      // how often, by event id
	broken bool                // answers with 500
}

func (h *heard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var e struct {
		Type string
		Data struct{ ID string }
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if json.Unmarshal(body, &e) != nil || h.broken {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	h.types[e.Data.ID] = append(h.types[e.Data.ID], e.Type)
	h.ids[r.Header.Get("webhook-id")]++
}

func (h *heard) of(session string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.types[session], " ")
}

func newPair(t *testing.T, poll time.Duration) *pair {
	t.Helper()
	gateway := sandbox.New(sandbox.Config{Key: gatewayKey})
	api := httptest.NewServer(gateway)
	t.Cleanup(api.Close)
	p := &pair{heard: &heard{types: map[string][]string{}, ids: map[string]int{}}}
	shop := httptest.NewServer(p.heard)
	t.Cleanup(shop.Close)
	p.conf = settings(t, api.URL)
	p.conf.Database, p.conf.PollInterval = pgtest.DSN(t), poll
	p.conf.WebhookURLs, p.conf.AllowPrivateWebhooks = []string{shop.URL}, true
	p.conf.WebhookSecrets = []config.Secret{config.NewSecret("whsec_" + strings.Repeat("MDEyMzQ1", 6))}
	p.a, p.stopA = start(t, gateway, p.conf)
	p.b, _ = start(t, gateway, p.conf)
	return p
}

// What is asked of one instance is true at the other at once, and a page that
// is open at one hears within moments what the other has found out.
func TestTwoInstances(t *testing.T) {
	p := newPair(t, 300*time.Millisecond)
	id := p.a.open(`{"amount_usd":"25.00","order_ref":"1001"}`)
	if again := p.b.open(`{"amount_usd":"25.00","order_ref":"1001"}`); again != id {
		t.Errorf("the same order at the other instance is %s; want %s", again, id)
	}
	addr := listen(t, p.b.handler)
	conn := connect(t, addr, id)
	next(t, conn)
	p.a.choose(id)
	shows(t, conn, "pending")
	p.a.pay(id)
	shows(t, conn, "confirmed")
	until(t, "the merchant to hear of the payment", func() bool {
		return p.heard.of(id) == "checkout.pending checkout.confirmed"
	})
}

// shows reads views until one has the status, ten seconds at most.
func shows(t *testing.T, conn *websocket.Conn, status string) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for {
		var v struct{ Status string }
		if err := conn.ReadJSON(&v); err != nil {
			t.Fatalf("waiting for %s: %v", status, err)
		}
		if v.Status == status {
			return
		}
	}
}

// An instance stops in the middle of its work: its pages are told to come back,
// and the other goes on with what it has left.
func TestInstanceStops(t *testing.T) {
	p := newPair(t, 200*time.Millisecond)
	var ids []string
	for range 12 {
		id := p.a.open(`{"amount_usd":"25.00"}`)
		p.a.choose(id)
		p.a.await(id, "pending")
		ids = append(ids, id)
	}
	conn := connect(t, listen(t, p.a.handler), ids[0])
	next(t, conn)
	p.stopA()
	if code := closed(t, conn); code != websocket.CloseServiceRestart {
		t.Errorf("the page was told %d; want %d", code, websocket.CloseServiceRestart)
	}
	back := connect(t, listen(t, p.b.handler), ids[0])
	next(t, back)
	for _, id := range ids {
		p.b.pay(id)
	}
	shows(t, back, "confirmed")
	for _, id := range ids {
		p.b.await(id, "confirmed")
		until(t, "the merchant to hear of "+id, func() bool { return strings.HasSuffix(p.heard.of(id), "checkout.confirmed") })
	}
}

// Webhooks that nobody could receive are sent again by request, to the same
// ids, from whichever instance is asked.
func TestReplay(t *testing.T) {
	p := newPair(t, 100*time.Millisecond)
	id := p.a.open(`{"amount_usd":"25.00"}`)
	from := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	to := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	p.a.choose(id)
	until(t, "the first event", func() bool { return p.heard.of(id) == "checkout.pending" })
	w := p.b.ask("POST", "/v1/events/replay", `{"from":"`+from+`","to":"`+to+`","session":"`+id+`"}`, bearer, isJSON)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"deliveries":1`) {
		t.Fatalf("replay = %d %s", w.Code, w.Body)
	}
	until(t, "the event again", func() bool { return p.heard.of(id) == "checkout.pending checkout.pending" })
	if len(p.heard.ids) != 1 {
		t.Errorf("ids = %v; want one, twice", p.heard.ids)
	}
}

// A comparison is begun at one instance and seen at all; one at a time is under way,
// and one whose instance has died is begun again at another.
func TestComparisonOfInstances(t *testing.T) {
	t.Parallel()
	gateway := sandbox.New(sandbox.Config{Key: gatewayKey})
	api := httptest.NewServer(gateway)
	t.Cleanup(api.Close)
	c := settings(t, api.URL)
	c.Database = pgtest.DSN(t)
	c.AdminProxyHeader, c.TrustedProxies = "X-Remote-User", []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	r, stop := start(t, gateway, c)
	one := &office{rig: r, api: api.URL}
	r, _ = start(t, gateway, c)
	other := &office{rig: r, api: api.URL}
	const path = "/admin/reconciliation"
	shows := func(what string, parts ...string) {
		t.Helper()
		for _, o := range []*office{one, other} {
			displays(t, what, o.page(path, http.StatusOK), parts...)
		}
	}
	form := url.Values{"from": {"2026-11-01"}, "to": {"2026-11-02"}}
	agree := func(o *office) {
		t.Helper()
		if to := o.post(path, path, form); to != path {
			t.Fatalf("it leads to %s", to)
		}
		until(t, "it has ended", func() bool { return !strings.Contains(other.page(path, http.StatusOK), "looks again by itself") })
		displays(t, "the end", other.page(path, http.StatusOK), "They agree.", "2026-11-01 to 2026-11-02", ">console:ann</bdi>")
	}
	agree(one)

	db, err := store.Open(t.Context(), store.Config{DSN: c.Database}) // a third instance, which dies
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	run := reconcile.Run{By: "console:bob", From: day, To: day, Began: db.Now(), Progress: reconcile.Progress{Day: day, Page: 3, Pages: 4}}
	begun := func(lease time.Duration) int64 {
		t.Helper()
		epoch, err := db.BeginComparing(t.Context(), run, db.Now(), lease)
		if err != nil {
			t.Fatal(err)
		}
		return epoch
	}
	many := reconcile.Report{Run: run, Counts: map[reconcile.FindingKind]int{reconcile.FindingMoney: 700}, Findings: []reconcile.Finding{{Kind: reconcile.FindingMoney, Session: "cs_1"}}}
	if err := db.EndComparing(t.Context(), begun(time.Minute), run, &many, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if rows := one.file(path + ".csv"); len(rows) != 3 || rows[2][0] != "money" || !strings.HasSuffix(rows[2][7], "coinslot reconcile -from 2026-10-01 -to 2026-10-01") {
		t.Errorf("the file of some of many is %q", rows)
	}
	begun(time.Second)
	shows("one that is under way elsewhere", "Comparing 2026-10-01 to 2026-10-01, begun by console:bob", "page 3 of 4", "looks again by itself", "Amounts differ (700)", "The first 500 of 700 are kept")
	if to := other.post(path, path, form); !strings.HasPrefix(to, path+"?done=comparing.") {
		t.Errorf("a second one leads to %s", to)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "the lease has run out", func() bool { return strings.Contains(one.page(path, http.StatusOK), "broke off: the instance") })
	agree(other)

	gateway.Inject(sandbox.Fault{Path: "list", Latency: time.Minute, Times: -1})
	one.post(path, path, form)
	shows("one under way", "the gateway is being asked", "looks again by itself")
	stop()
	displays(t, "after the stop", other.page(path, http.StatusOK), "broke off: the instance", "They agree.")
	gateway.ClearFaults()
	agree(other)
}

// Every main loop is watched where there are several instances.
func TestLoopsOfInstances(t *testing.T) {
	t.Parallel()
	c := settings(t, "http://127.0.0.1:9")
	c.Database = pgtest.DSN(t)
	srv, err := server.New(t.Context(), c, server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()
	until(t, "all loops turn", func() bool {
		w := httptest.NewRecorder()
		srv.Ops.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		page := w.Body.String()
		for _, loop := range []string{"poller", "sweeper", "fanout", "listener", "clock"} {
			if !strings.Contains(page, `coinslot_loop_age_seconds{loop="`+loop+`"} `) {
				return false
			}
		}
		return true
	})
	cancel()
	if err := errors.Join(<-ended, srv.Close()); err != nil {
		t.Error(err)
	}
}
