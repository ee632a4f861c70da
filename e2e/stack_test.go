// Package e2e tests the whole product the way it is used: the real binary in
// a process of its own, a gateway, a shop on another site, a merchant's webhook
// endpoint, and a shopper in a real Chromium.
package e2e

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/e2e/browser"
	"coinslot/e2e/built"
	"coinslot/e2e/child"
	"coinslot/e2e/need"
)

const (
	secretKey  = "e2e-secret-key-0123456789abcdef0123456789"
	orderKey   = "e2e-order-key-0123456789abcdef0123456789"
	gatewayKey = "e2e-gateway-key-which-no-answer-may-hold"
	hookKey    = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwAAAAAAAAAA"
)

// stack is a checkout with everything around it.
type stack struct {
	t       testing.TB
	program string // path of coinslot
	gateway *sandboxtest.Gateway
	api     *httptest.Server // the gateway
	shop    *httptest.Server // the host page, on 127.0.0.1
	sink    *sink            // the merchant's webhook endpoint
	dir     string
	base    string // the checkout, on localhost
	public  string // where browsers reach it; empty = at base
	process *exec.Cmd
	log     *fortest.Log
	env     []string
}

// runParallel lets a test run beside others: each has a stack of its own, and most
// of its time is waiting. Parts of a test go one after the other.
func runParallel(tb testing.TB) {
	t, isTest := tb.(*testing.T)
	if !isTest || strings.Contains(t.Name(), "/") {
		return
	}
	if _, again := alongside.LoadOrStore(t, true); !again {
		t.Parallel()
	}
}

var alongside sync.Map // *testing.T to true

// newStack starts everything. extra settings are added to the environment.
func newStack(t testing.TB, extra ...string) *stack {
	t.Helper()
	return newStackOf(t, built.Program(t), extra...)
}

// newStackOf is newStack with another release of the program.
func newStackOf(t testing.TB, program string, extra ...string) *stack {
	t.Helper()
	runParallel(t)
	s := &stack{t: t, program: program, dir: t.TempDir(), log: &fortest.Log{}, sink: newSink(t)}
	s.gateway = sandboxtest.New(sandbox.Config{Key: gatewayKey})
	s.api = httptest.NewServer(s.gateway)
	t.Cleanup(s.api.Close)
	s.shop = httptest.NewServer(http.HandlerFunc(s.serveShop))
	t.Cleanup(s.shop.Close)
	port := fortest.FreePort(t)
	s.base = "http://localhost:" + port
	s.env = append([]string{
		"COINSLOT_LISTEN=127.0.0.1:" + port, "COINSLOT_PUBLIC_URL=" + s.base,
		"COINSLOT_OPS_LISTEN=-", "COINSLOT_GATEWAY_URL=" + s.api.URL,
		"COINSLOT_GATEWAY_KEY=" + gatewayKey, "COINSLOT_GATEWAY_PAGE_URL=" + s.api.URL + "/pay",
		"COINSLOT_ORIGINS=" + s.shop.URL, "COINSLOT_SECRET_KEY=" + secretKey,
		"COINSLOT_ORDER_KEY=" + orderKey, "COINSLOT_DATABASE=" + filepath.Join(s.dir, "e2e.db"),
		"COINSLOT_WEBHOOK_URL=" + s.sink.server.URL + "/hook",
		"COINSLOT_WEBHOOK_SECRET=whsec_" + hookKey, "COINSLOT_ALLOW_PRIVATE_WEBHOOKS=true",
		"COINSLOT_POLL_INTERVAL=300ms", "COINSLOT_GATEWAY_RPS=200",
	}, extra...)
	s.start()
	t.Cleanup(s.kill)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("coinslot said:\n%s", s.log.String())
		}
		s.noSecrets()
	})
	return s
}

// start runs the binary until it answers.
func (s *stack) start() {
	s.t.Helper()
	s.process = exec.Command(s.program, "serve")
	s.process.Env = s.env
	s.process.Stdout, s.process.Stderr = s.log, s.log
	child.Tie(s.process)
	if err := s.process.Start(); err != nil {
		s.t.Fatalf("starting coinslot: %v", err)
	}
	fortest.Until(s.t, "coinslot to answer", func() bool {
		resp, err := http.Get(s.base + "/checkout.js")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// kill is kill -9.
func (s *stack) kill() {
	if s.process != nil {
		child.End(s.process)
	}
	s.process = nil
}

// noSecrets looks for keys in what the process has printed.
func (s *stack) noSecrets() {
	for _, secret := range []string{gatewayKey, secretKey, orderKey, hookKey} {
		if strings.Contains(s.log.String(), secret) {
			s.t.Errorf("the log holds a secret that starts with %q", secret[:8])
		}
	}
}

// order is the body of POST /v1/sessions.
type order map[string]any

// session opens one and returns its id.
func (s *stack) session(o order) string {
	s.t.Helper()
	body := fortest.Must(json.Marshal(o))(s.t)
	var got struct{ ID, URL, Status string }
	if status := s.call(http.MethodPost, "/v1/sessions", body, &got); status != http.StatusCreated {
		s.t.Fatalf("POST /v1/sessions = %d; want 201", status)
	}
	fortest.Equal(s.t, cmp.Or(s.public, s.base)+"/checkout/"+got.ID, got.URL,
		"session url = %q; want", got.URL)
	return got.ID
}

// object is a session as the merchant's API returns it.
type object struct {
	Status   string
	Version  int64
	Attempts []struct {
		Number       int
		Status       string
		TrackingCode string `json:"tracking_code"`
		Address      string
		PayAmount    string `json:"pay_amount"`
	}
}

// read returns the session as the merchant sees it.
func (s *stack) read(id string) object {
	s.t.Helper()
	var got object
	if status := s.call(http.MethodGet, "/v1/sessions/"+id, nil, &got); status != http.StatusOK {
		s.t.Fatalf("GET /v1/sessions/%s = %d; want 200", id, status)
	}
	return got
}

func (s *stack) call(method, path string, body []byte, into any) int {
	s.t.Helper()
	req := fortest.Must(http.NewRequest(method, s.base+path, bytes.NewReader(body)))(s.t)
	req.Header.Set("Authorization", "Bearer "+secretKey)
	req.Header.Set("Content-Type", "application/json")
	resp := fortest.Must(http.DefaultClient.Do(req))(s.t)
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		s.t.Fatalf("%s %s: decoding the answer: %v", method, path, err)
	}
	return resp.StatusCode
}

// issued returns the transactions that the gateway has ever opened.
func (s *stack) issued() []sandbox.Transaction { return s.gateway.Transactions() }

// live returns those of them that can still be paid.
func (s *stack) live() []sandbox.Transaction {
	var list []sandbox.Transaction
	for _, tx := range s.issued() {
		if tx.Status == "pending" {
			list = append(list, tx)
		}
	}
	return list
}

// screen is a document in whichever browser.
type screen interface {
	Wait(css string)
	Click(css string)
	Attr(css, name string) string
}

// matches compares address and amount on screen with what the gateway issued
// last, and returns that transaction.
func (s *stack) matches(v screen) sandbox.Transaction {
	s.t.Helper()
	v.Wait(`[data-part="address"]`)
	list := s.issued()
	if len(list) == 0 {
		s.t.Fatal("an address is shown, but the gateway issued none")
	}
	tx := list[len(list)-1]
	if got := v.Attr(`[data-part="address"]`, "data-value"); got != tx.WalletAddress {
		s.t.Errorf("address on screen = %q; the gateway issued %q", got, tx.WalletAddress)
	}
	shown := v.Attr(`[data-part="pay-amount"]`, "data-value")
	if !roundsUp(shown, tx.PayAmount.String()) {
		s.t.Errorf("amount on screen = %q; the gateway asks for %s", shown, tx.PayAmount)
	}
	return tx
}

// choose picks a coin, compares what is on screen with what the gateway issued last, and returns that.
func (s *stack) choose(v screen, symbol, network string) sandbox.Transaction {
	s.t.Helper()
	choose(v, symbol, network)
	return s.matches(v)
}

// serveShop is the host page; the query says what is on it.
func (s *stack) serveShop(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><html lang="%[4]s"><meta charset="utf-8"><title>Shop</title>
<script async src="%[1]s/checkout.js"></script>
<h1>Shop</h1>
<coinslot-checkout session="%[2]s" mode="%[3]s"><a href="%[1]s/checkout/%[2]s">Pay with crypto</a></coinslot-checkout>
<pre id="log"></pre><input id="pasted">
<script>
for (const type of ['ready', 'open', 'status', 'complete', 'close', 'error'])
  addEventListener('coinslot-' + type, e => {
    document.getElementById('log').textContent += type + ' ' + (e.detail.code || e.detail.status || '') + '\n';
  }, true);
</script></html>`, s.base, q.Get("session"), q.Get("mode"), cmp.Or(q.Get("lang"), "en"))
}

func (s *stack) shopURL(id, mode string) string {
	return s.shop.URL + "/?session=" + id + "&mode=" + mode
}

// sink is the merchant's endpoint. It verifies signatures with nothing but
// the standard library, as the Standard Webhooks specification says.
type sink struct {
	server *httptest.Server

	mu   sync.Mutex // guards the fields below
	got  []event
	ids  map[string]string // body by webhook-id
	bad  []string
	down bool
}

type event struct {
	ID, Type, Session, Status string
}

func newSink(t testing.TB) *sink {
	k := &sink{ids: map[string]string{}}
	k.server = httptest.NewServer(k)
	t.Cleanup(k.server.Close)
	t.Cleanup(func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, why := range k.bad {
			t.Errorf("a webhook was wrong: %s", why)
		}
	})
	return k
}

func (k *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if why := verify(r.Header, body); err != nil || why != "" {
		k.bad = append(k.bad, fmt.Sprint(why, err))
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	k.take(r.Header.Get("webhook-id"), body)
}

func (k *sink) take(id string, body []byte) {
	var e struct {
		Type string
		Data struct{ ID, Status string }
	}
	if err := json.Unmarshal(body, &e); err != nil {
		k.bad = append(k.bad, "body: "+err.Error())
	}
	if before, known := k.ids[id]; known {
		if before != string(body) {
			k.bad = append(k.bad, "two bodies under one webhook-id "+id)
		}
		return
	}
	k.ids[id] = string(body)
	k.got = append(k.got, event{id, e.Type, e.Data.ID, e.Data.Status})
}

// verify is Standard Webhooks 1.0.0, symmetric signatures.
func verify(h http.Header, body []byte) string {
	key, err := base64.StdEncoding.DecodeString(hookKey)
	if err != nil {
		return err.Error()
	}
	at, err := time.ParseDuration(h.Get("webhook-timestamp") + "s")
	if err != nil || time.Since(time.Unix(int64(at.Seconds()), 0)).Abs() > 5*time.Minute {
		return "timestamp " + h.Get("webhook-timestamp")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", h.Get("webhook-id"), h.Get("webhook-timestamp"), body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for got := range strings.FieldsSeq(h.Get("webhook-signature")) {
		if hmac.Equal([]byte(got), []byte(want)) {
			return ""
		}
	}
	return "no signature matches"
}

// types returns the types of the events about a session, in order.
func (k *sink) types(session string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []string
	for _, e := range k.got {
		if e.Session == session {
			list = append(list, e.Type)
		}
	}
	return list
}

// await waits for an event of a type about the session.
func (k *sink) await(t testing.TB, session, typ string) {
	t.Helper()
	fortest.Until(t, "the webhook "+typ, func() bool { return count(k.types(session), typ) > 0 })
	if n := count(k.types(session), typ); n != 1 {
		t.Errorf("%d events %s; want 1", n, typ)
	}
}

func count(list []string, want string) int {
	n := 0
	for _, s := range list {
		if s == want {
			n++
		}
	}
	return n
}

// chromium is shared by all tests: each opens pages of its own.
var chromium *browser.Browser

func TestMain(m *testing.M) {
	os.Exit(need.Main(m, "it drives a browser", browser.Installed(), func() int {
		if err := errors.Join(built.Build(), flag.Set("test.parallel", "4")); err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			return 1
		}
		return browser.Share(m, &chromium)
	}))
}
