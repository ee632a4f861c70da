// Package servertest runs whole servers for tests: against a sandbox gateway, without a browser.
package servertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/server"
	"coinslot/bff/store/storetest"
	"coinslot/bff/web"
)

// What servers are started with, and headers that go with it.
const (
	SecretKey  = "server-test-secret-key-0123456789abcdef"
	OrderKey   = "server-test-order-key-0123456789abcdef"
	GatewayKey = "server-test-gateway-key-0123456789abcdef"
	HookToken  = "server-test-hook-token"
	Shop       = "https://shop.example"

	IsJSON = "Content-Type: application/json"
	IsForm = "Content-Type: application/x-www-form-urlencoded"
	Bearer = "Authorization: Bearer " + SecretKey
)

// ConsoleHash is of the password "correct horse battery", as cheap as is taken.
const ConsoleHash = "$argon2id$v=19$m=7168,t=1,p=1$c2FsdC1vZi10aGUtdGVzdHM$EPZS0jqRTa5QmdHhlKt5AmXxNzShvNJ6QL1bF+W4E5w"

// NoLimits lets a test ask as often as it likes.
var NoLimits = web.Limits{Reads: 1 << 20, Posts: 1 << 20, Calls: 1 << 20, Guesses: 1 << 20, Sockets: 1 << 20, Unpaid: 1 << 20}

// Rig is a whole server against a sandbox gateway, without a browser.
type Rig struct {
	T       *testing.T
	Server  *server.Server
	Gateway *sandboxtest.Gateway
	Handler http.Handler // the server's own, or what wraps it
	Public  string       // origin
	Log     *fortest.Log
}

// New starts a server with [Settings] and a gateway of its own.
func New(t *testing.T) *Rig {
	t.Helper()
	gateway, c := NewGateway(t)
	r, _ := Start(t, gateway, c, server.Options{})
	return r
}

// NewGateway returns a sandbox gateway, and the settings of a server that uses it.
func NewGateway(t *testing.T) (*sandboxtest.Gateway, config.Config) {
	t.Helper()
	gateway := sandboxtest.New(sandbox.Config{Key: GatewayKey})
	api := httptest.NewServer(gateway)
	t.Cleanup(api.Close)
	return gateway, Settings(t, api.URL)
}

// Settings are those of a server at the gateway that listens at api.
func Settings(t testing.TB, api string) config.Config {
	t.Helper()
	catalog := filepath.Join(t.TempDir(), "catalog.yaml")
	items := "items:\n  coffee: {title: Coffee, amount_usd: \"4.50\"}\n  tip: {title: Tip, open: {minimum: \"1\", maximum: \"100\", suggested: \"5\"}}\n"
	fortest.OK(t, os.WriteFile(catalog, []byte(items), 0o600))
	return config.Config{
		PublicURL:      "http://localhost:8080",
		Database:       storetest.Migrated(t, checkouttest.CreateTables),
		Origins:        []string{Shop},
		GatewayURL:     api,
		GatewayKey:     config.NewSecret(GatewayKey),
		GatewayPageURL: api + "/pay",
		GatewayRPS:     1000,
		SecretKeys:     []config.Secret{config.NewSecret(SecretKey)},
		OrderKey:       config.NewSecret(OrderKey),
		HookToken:      config.NewSecret(HookToken),
		Catalog:        catalog,
		PollInterval:   50 * time.Millisecond,
	}
}

// Start runs a server until t ends, or until stop is called. Rig.Log is what it logs unless o.Log is set.
func Start(t *testing.T, gateway *sandboxtest.Gateway, c config.Config, o server.Options) (r *Rig, stop func()) {
	t.Helper()
	r = &Rig{T: t, Gateway: gateway, Public: c.PublicURL, Log: &fortest.Log{}}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(r.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	srv := fortest.Must(server.New(t.Context(), c, o))(t)
	r.Server, r.Handler = srv, srv.Handler
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, srv.Close()); err != nil {
			t.Errorf("stopping: %v", err)
		}
		r.NoSecrets(r.Log.String(), "the log")
	})
	t.Cleanup(stop)
	return r, stop
}

// NoSecrets looks for keys where none may be.
func (r *Rig) NoSecrets(text, where string) {
	r.T.Helper()
	fortest.Lacks(r.T, where+" holds the secret", text, SecretKey, OrderKey, GatewayKey, HookToken)
}

// Do sends one request; headers are "Name: value".
func (r *Rig) Do(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r.T.Helper()
	w := r.DoTo("localhost:8080", method, path, body, headers...)
	r.NoSecrets(w.Body.String(), "an answer to "+method+" "+path)
	return w
}

// DoTo is Do with a Host of the caller's choice.
func (r *Rig) DoTo(host, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	return r.send(func(req *http.Request) { req.Host = host }, method, path, body, headers)
}

// DoFrom is Do from an address.
func (r *Rig) DoFrom(
	addr, method, path, body string, headers ...string,
) *httptest.ResponseRecorder {
	from := func(req *http.Request) { req.RemoteAddr = addr + ":1234" }
	return r.send(from, method, path, body, headers)
}

func (r *Rig) send(
	change func(*http.Request), method, path, body string, headers []string,
) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, r.Public+path, strings.NewReader(body))
	change(req)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	r.Handler.ServeHTTP(w, req)
	return w
}

// Open opens a session and returns its id.
func (r *Rig) Open(body string) string {
	r.T.Helper()
	w := r.Do("POST", "/v1/sessions", body, Bearer, IsJSON)
	var got struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusCreated {
		r.T.Fatalf("POST /v1/sessions = %d %s", w.Code, w.Body)
	}
	return got.ID
}

// Status returns the status that the merchant sees.
func (r *Rig) Status(id string) string {
	r.T.Helper()
	var got struct{ Status string }
	fortest.OK(r.T, json.Unmarshal(r.Do("GET", "/v1/sessions/"+id, "", Bearer).Body.Bytes(), &got))
	return got.Status
}

// Await waits until the session has that status.
func (r *Rig) Await(id, want string) {
	r.T.Helper()
	fortest.Until(r.T, "status "+want, func() bool { return r.Status(id) == want })
}

// Choose picks a coin as the page's script does.
func (r *Rig) Choose(id string) {
	r.T.Helper()
	w := r.Do("POST", "/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`, IsJSON)
	fortest.Answer(r.T, "attempts", w, http.StatusOK)
}

// EventList is an answer of GET /v1/events.
type EventList struct {
	Data []struct {
		ID, Type string
		Data     struct{ ID, Status string }
	}
	Next string `json:"next_cursor"`
	More bool   `json:"has_more"`
}

// Events reads the log of events.
func (r *Rig) Events(query string) (list EventList) {
	r.T.Helper()
	w := r.Do("GET", "/v1/events"+query, "", Bearer)
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK {
		r.T.Fatalf("GET /v1/events%s = %d %s", query, w.Code, w.Body)
	}
	return list
}

// Pay pays what the session shows.
func (r *Rig) Pay(id string) {
	r.T.Helper()
	var got struct {
		Attempts []struct {
			Code string `json:"tracking_code"`
		}
	}
	w := r.Do("GET", "/v1/sessions/"+id, "", Bearer)
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Attempts) == 0 {
		r.T.Fatalf("session %s: %s", id, w.Body)
	}
	fortest.OK(r.T, r.Gateway.Pay(got.Attempts[len(got.Attempts)-1].Code, "pay"))
}

// CreateUnrelated opens a transaction at the gateway that no checkout knows of.
func (r *Rig) CreateUnrelated(api string) {
	r.T.Helper()
	req, err := http.NewRequest("POST", api+"/api/v1/merchant/transaction/create", strings.NewReader(
		`{"currency_symbol":"USDT","network_code":"trc20","amount_usd":7,"ttl":15,"comment":"the point of sale `+GatewayKey+`"}`))
	fortest.OK(r.T, err)
	req.Header.Set("x-api-key", GatewayKey)
	req.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(req)
	if err != nil || answer.StatusCode != http.StatusOK {
		r.T.Fatal(err, answer)
	}
	answer.Body.Close()
}

// OpenAndPay opens a session, chooses a coin and has the gateway tell of a payment.
func (r *Rig) OpenAndPay(body string, kind sandbox.Kind, status string) (id string) {
	r.T.Helper()
	id = r.Open(body)
	r.Choose(id)
	r.Await(id, "pending")
	all := r.Gateway.Transactions()
	fortest.OK(r.T, r.Gateway.Pay(all[len(all)-1].TrackingCode, kind))
	r.Await(id, status)
	return id
}

// WantNoEvents asserts that no event was kept, that nothing waits, and that no try was counted.
func (r *Rig) WantNoEvents() {
	r.T.Helper()
	fortest.Equal(r.T, len(r.Events("").Data), 0, "events")
	span := fmt.Sprintf(`{"from":%q,"to":%q}`, time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	fortest.Has(r.T, "a replay of it",
		r.Do("POST", "/v1/events/replay", span, Bearer, IsJSON).Body.String(), `"deliveries":0`)
}
