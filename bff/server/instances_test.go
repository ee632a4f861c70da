package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/store/pgtest"

	"github.com/gorilla/websocket"
)

// instancePair is two instances on one PostgreSQL database, with their gateway.
type instancePair struct {
	a, b  *rig
	stopA func()
	conf  config.Config
	heard *webhookReceiver
}

// webhookReceiver is what a merchant's endpoint has been sent.
type webhookReceiver struct {
	mu     sync.Mutex
	types  map[string][]string // by session
	ids    map[string]int      // how often, by event id
	broken bool                // answers with 500
}

func (h *webhookReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

func (h *webhookReceiver) of(session string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.types[session], " ")
}

func newPair(t *testing.T, poll time.Duration) *instancePair {
	t.Helper()
	gateway, c := servertest.NewGateway(t)
	p := &instancePair{heard: &webhookReceiver{types: map[string][]string{}, ids: map[string]int{}}}
	shop := httptest.NewServer(p.heard)
	t.Cleanup(shop.Close)
	p.conf = c
	p.conf.Database, p.conf.PollInterval = pgtest.DSN(t), poll
	p.conf.WebhookURLs, p.conf.AllowPrivateWebhooks = []string{shop.URL}, true
	p.conf.WebhookSecrets = []config.Secret{
		config.NewSecret("whsec_" + strings.Repeat("MDEyMzQ1", 6)),
	}
	p.a, p.stopA = start(t, gateway, p.conf)
	p.b, _ = start(t, gateway, p.conf)
	return p
}

// What is asked of one instance is true at the other at once, and a page that
// is open at one hears within moments what the other has found out.
func TestTwoInstances(t *testing.T) {
	p := newPair(t, 300*time.Millisecond)
	id := p.a.Open(`{"amount_usd":"25.00","order_ref":"1001"}`)
	fortest.Equal(t, p.b.Open(`{"amount_usd":"25.00","order_ref":"1001"}`), id,
		"the same order at the other instance")
	addr := listen(t, p.b.Handler)
	conn := connect(t, addr, id)
	next(t, conn)
	p.a.Choose(id)
	shows(t, conn, "pending")
	p.a.Pay(id)
	shows(t, conn, "confirmed")
	fortest.Until(t, "the merchant to hear of the payment", func() bool {
		return p.heard.of(id) == "checkout.pending checkout.confirmed"
	})
}

// shows reads views until one has the status, ten seconds at most.
func shows(t *testing.T, conn *websocket.Conn, status string) {
	t.Helper()
	fortest.OK(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
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

// When an instance stops, its pages reconnect, and the other continues its work.
func TestInstanceStops(t *testing.T) {
	p := newPair(t, 200*time.Millisecond)
	var ids []string
	for range 4 {
		id := p.a.Open(`{"amount_usd":"25.00"}`)
		p.a.Choose(id)
		p.a.Await(id, "pending")
		ids = append(ids, id)
	}
	conn := connect(t, listen(t, p.a.Handler), ids[0])
	next(t, conn)
	p.stopA()
	fortest.Equal(t, closed(t, conn), websocket.CloseServiceRestart, "the page was told")
	back := connect(t, listen(t, p.b.Handler), ids[0])
	next(t, back)
	for _, id := range ids {
		p.b.Pay(id)
	}
	shows(t, back, "confirmed")
	for _, id := range ids {
		p.b.Await(id, "confirmed")
		fortest.Until(t, "the merchant to hear of "+id,
			func() bool { return strings.HasSuffix(p.heard.of(id), "checkout.confirmed") })
	}
}

// Failed webhooks are sent again on request, with the same ids, from any instance.
func TestReplay(t *testing.T) {
	p := newPair(t, 100*time.Millisecond)
	id := p.a.Open(`{"amount_usd":"25.00"}`)
	from := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	to := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	p.a.Choose(id)
	fortest.Until(t, "the first event", func() bool { return p.heard.of(id) == "checkout.pending" })
	w := p.b.Do("POST", "/v1/events/replay", `{"from":"`+from+`","to":"`+to+`","session":"`+id+`"}`,
		bearer, isJSON)
	fortest.Answer(t, "replay", w, http.StatusOK, `"deliveries":1`)
	fortest.Until(t, "the event again",
		func() bool { return p.heard.of(id) == "checkout.pending checkout.pending" })
	if len(p.heard.ids) != 1 {
		t.Errorf("ids = %v; want one, twice", p.heard.ids)
	}
}

// Every main loop is watched where there are several instances.
func TestLoopsOfInstances(t *testing.T) {
	t.Parallel()
	c := servertest.Settings(t, "http://127.0.0.1:9")
	c.Database = pgtest.DSN(t)
	srv := fortest.Must(server.New(t.Context(), c, server.Options{}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()
	fortest.Until(t, "all loops turn", func() bool {
		w := httptest.NewRecorder()
		srv.Ops.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		page := w.Body.String()
		for _, loop := range []string{"poller", "sweeper", "fanout", "clock"} {
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
