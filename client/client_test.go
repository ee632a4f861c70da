package client_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/client"
	"coinslot/docs/examples/exampletest"
	"coinslot/e2e/need"

	"github.com/goccy/go-yaml"
)

// document is docs/openapi.yaml.
type document struct {
	Paths      map[string]map[string]any
	Components struct{ Schemas map[string]schema }
}

func openAPI(t *testing.T) (d document) {
	t.Helper()
	fortest.OK(t, yaml.Unmarshal(fortest.Must(os.ReadFile("../docs/openapi.yaml"))(t), &d))
	return d
}

// serve starts a checkout with prices in dollars.
func serve(t *testing.T) (*servertest.Rig, *client.Client) {
	t.Helper()
	return serveAtRates(t, "")
}

// serveAtRates starts a checkout with fixed exchange rates; "" = dollars only. All requests to it
// have to be operations of the document.
func serveAtRates(t *testing.T, rates string) (*servertest.Rig, *client.Client) {
	t.Helper()
	operations, mu := http.NewServeMux(), sync.Mutex{}
	for path, methods := range openAPI(t).Paths {
		for method := range methods {
			if method == "get" || method == "post" {
				operations.Handle(strings.ToUpper(method)+" "+path, http.NotFoundHandler())
			}
		}
	}
	gateway, settings := servertest.NewGateway(t)
	settings.Rates = rates
	r, _ := servertest.Start(t, gateway, settings, server.Options{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		if _, pattern := operations.Handler(req); pattern == "" {
			t.Errorf("%s %s is not in docs/openapi.yaml", req.Method, req.URL.Path)
		}
		mu.Unlock()
		r.Handler.ServeHTTP(w, req)
	}))
	t.Cleanup(s.Close)
	return r, &client.Client{URL: s.URL + "/", Key: servertest.SecretKey}
}

func TestSessions(t *testing.T) {
	r, c := serve(t)
	order := client.NewSession{
		AmountUSD: "25.00", OrderRef: "1001", Title: "Two", Metadata: map[string]string{"cart": "81"}, IdempotencyKey: "k",
	}
	first := fortest.Must(c.CreateSession(t.Context(), order))(t)
	again := fortest.Must(c.CreateSession(t.Context(), order))(t)
	if first.ID != again.ID || first.Status != "open" || first.AmountUSD != "25.00" || first.Metadata["cart"] != "81" {
		t.Errorf("created %+v, then %+v; want one open session", first, again)
	}
	r.Choose(first.ID)
	r.Await(first.ID, "pending")
	r.Pay(first.ID)
	fortest.Must(c.Recheck(t.Context(), first.ID))(t)
	r.Await(first.ID, "confirmed")
	if s := fortest.Must(c.Session(t.Context(), first.ID))(t); s.Status != client.Confirmed || s.Attempts[0].PaidAmount == "" {
		t.Errorf("the paid session is %+v", s)
	}
	_, err := c.Cancel(t.Context(), first.ID)
	if !client.IsCode(err, "session_paid") {
		t.Errorf("canceling what is paid: %v; want session_paid", err)
	}
}

// Lists are read to their end, over pages.
func TestIterators(t *testing.T) {
	_, c := serve(t)
	want := map[string]bool{}
	for n := range 101 { // a page has 100
		s := fortest.Must(c.CreateSession(t.Context(), client.NewSession{AmountUSD: "1.00", OrderRef: fmt.Sprint(n)}))(t)
		if s := fortest.Must(c.Cancel(t.Context(), s.ID))(t); s.Status != "cancelled" {
			t.Fatalf("canceled: %s", s.Status)
		}
		want[s.ID] = true
	}
	got := map[string]bool{}
	for s, err := range c.Sessions(t.Context(), client.SessionQuery{Status: "cancelled"}) {
		fortest.OK(t, err)
		got[s.ID] = true
	}
	var events []client.Event
	var next string
	all := c.Events(t.Context(), client.EventQuery{})
	for range 2 { // an iterator may be used again
		events = nil
		for page, err := range all {
			fortest.OK(t, err)
			events, next = append(events, page.Events...), page.Next
		}
	}
	for _, e := range events {
		if s := fortest.Must(e.Session())(t); e.Type != "checkout.cancelled" || !want[s.ID] || e.ID == "" || e.Timestamp.IsZero() {
			t.Errorf("event %+v of %q", e, s.ID)
		}
	}
	if len(got) != 101 || len(events) != 101 {
		t.Errorf("%d sessions, %d events; want 101 each", len(got), len(events))
	}
	for page, err := range c.Events(t.Context(), client.EventQuery{After: client.Latest}) {
		if err != nil || len(page.Events) != 0 || page.Next != next {
			t.Errorf("the end of the log: %+v, %v; want %q and no event", page, err, next)
		}
	}
	for s, err := range c.Sessions(t.Context(), client.SessionQuery{OrderRef: "7"}) {
		if err != nil || s.OrderRef != "7" {
			t.Errorf("the session of order 7: %+v, %v", s, err)
		}
	}
}

func TestErrors(t *testing.T) {
	_, c := serve(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/v1/sessions" {
			t.Errorf("the client followed a redirect to %s", req.URL)
		}
		http.Redirect(w, req, "/stolen", http.StatusFound)
	}))
	t.Cleanup(elsewhere.Close)
	wrongKey := &client.Client{URL: c.URL, Key: "wrong"}
	for name, tc := range map[string]struct {
		client    *client.Client
		order     client.NewSession
		status    int
		code, has string
		temporary bool
	}{
		"member":    {c, client.NewSession{AmountUSD: "25.001"}, 422, "amount_invalid", "amount_usd", false},
		"wrong key": {wrongKey, client.NewSession{AmountUSD: "25.00"}, 401, "unauthorized", "Bearer", false},
		"redirect":  {&client.Client{URL: elsewhere.URL, Key: "k"}, client.NewSession{AmountUSD: "25.00"}, 302, "", "not an answer of Coinslot", false},
	} {
		_, err := tc.client.CreateSession(t.Context(), tc.order)
		refused, ok := errors.AsType[*client.Error](err)
		if !ok || refused.Status != tc.status || refused.Code != tc.code || refused.Temporary() != tc.temporary ||
			!strings.Contains(err.Error(), tc.has) || strings.Contains(err.Error(), servertest.SecretKey) {
			t.Errorf("%s: %v; want status %d, code %q and %q", name, err, tc.status, tc.code, tc.has)
		}
	}
	for _, err := range wrongKey.Sessions(t.Context(), client.SessionQuery{}) {
		if !client.IsCode(err, "unauthorized") {
			t.Errorf("a list with a wrong key: %v", err)
		}
	}
}

func TestVerifyWebhook(t *testing.T) {
	if _, err := client.VerifyWebhook("", http.Header{}, nil); err == nil {
		t.Error("a webhook was accepted without a secret") // bff/webhook has the other cases
	}

	// A header that was made from a map may have any names.
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	body, stamp := []byte(`{"type":"checkout.test"}`), strconv.FormatInt(time.Now().Unix(), 10)
	key := fortest.Must(base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")))(t)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "evt_1.%s.%s", stamp, body)
	header := http.Header{
		"webhook-id": {"evt_1"}, "WEBHOOK-TIMESTAMP": {stamp},
		"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
	}
	e, err := client.VerifyWebhook(secret, header, body)
	if err != nil || e.ID != "evt_1" {
		t.Errorf("VerifyWebhook = %q, %v; want evt_1", e.ID, err)
	}
}

// blocks returns the code of a page in a language.
func blocks(t *testing.T, file, language string) (list []string) {
	t.Helper()
	page := fortest.Must(os.ReadFile(file))(t)
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(page, -1) {
		list = append(list, string(m[1]))
	}
	return list
}

// The Go of docs/clients.md is that of this example, which is run.
func TestExample(t *testing.T) {
	r, c := serve(t)
	t.Setenv("COINSLOT_URL", c.URL)
	t.Setenv("COINSLOT_SECRET_KEY", c.Key)
	fortest.OK(t, example(t.Context(), ""))
	if w := r.Do("GET", "/v1/sessions?order_ref=1001", "", servertest.Bearer); !strings.Contains(w.Body.String(), "Two tickets") {
		t.Errorf("the example opened no session: %s", w.Body)
	}
	unindented := regexp.MustCompile(`(?m)^\t+`)
	source := fortest.Must(os.ReadFile("example_test.go"))(t)
	for _, code := range blocks(t, "../docs/clients.md", "go") {
		fortest.Has(t, "example_test.go", unindented.ReplaceAllString(string(source), ""),
			unindented.ReplaceAllString(code, ""))
	}
}

// The TypeScript of docs/clients.md compiles, and runs against a checkout; that of docs/migrate compiles.
func TestFullTypeScript(t *testing.T) {
	node := need.Command(t, "node")
	r, c := serve(t)
	id := r.OpenAndPay(`{"amount_usd":"4.50","order_ref":"42"}`, "pay", "confirmed")
	code := blocks(t, "../docs/clients.md", "ts")
	page := filepath.Join(t.TempDir(), "page.ts")
	more := `
for await (const session of checkout.sessions({ order_ref: "42" })) console.log("listed", session.id, session.status);
console.log((await checkout.session("` + id + `")).receipt.length > 9, (await checkout.recheck("` + id + `")).version > 0);
await checkout.cancel("` + id + `").catch((error) => console.log(error instanceof CoinslotError, error.code, error.status));
for await (const page of checkout.events({ after: "latest" })) console.log("latest", page.data.length, page.next_cursor === cursor);
`
	fortest.OK(t, os.WriteFile(page, []byte(code[0]+more), 0o600))
	run := exec.CommandContext(t.Context(), node, exampletest.Bundle(t, page))
	run.Env = append(os.Environ(), "FORCE_COLOR=0", "COINSLOT_URL="+c.URL, "COINSLOT_SECRET_KEY="+c.Key)
	out, err := run.CombinedOutput()
	want := "ship order 42\nlisted " + id + " confirmed\ntrue true\ntrue session_paid 409\nlatest 0 true\n"
	if _, said, _ := strings.Cut(string(out), "\n"); err != nil || said != want || !strings.HasPrefix(string(out), "send the shopper to http") {
		t.Errorf("%v: it printed\n%swant, after the page's address,\n%s", err, out, want)
	}
	need.Long(t, "it runs the TypeScript compiler")
	compiler := fortest.Must(filepath.Abs(need.File(t, "../.cache/npm/typescript/lib/tsc.js")))(t)
	folder := t.TempDir()
	for _, page := range fortest.Must(filepath.Glob("../docs/migrate/*.md"))(t) {
		code = append(code, blocks(t, page, "ts")...)
	}
	code = append(code, mistypedOrders)
	for i, text := range code {
		text = "declare const process: { env: Record<string, string | undefined> };\n" + text
		fortest.OK(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("page%d.ts", i)), []byte(text), 0o600))
	}
	source := fortest.Must(filepath.Abs("../npm/server/src/index.ts"))(t)
	project := `{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler",
		"lib": ["es2022", "dom", "dom.iterable"], "types": [], "skipLibCheck": true, "noUncheckedIndexedAccess": true, "noImplicitOverride": true,
		"exactOptionalPropertyTypes": true, "paths": {"@coinslot/server": ["` + source + `"]}}, "include": ["*.ts"]}`
	fortest.OK(t, os.WriteFile(filepath.Join(folder, "tsconfig.json"), []byte(project), 0o600))
	if out, err := exec.CommandContext(t.Context(), node, compiler, "--project", folder).CombinedOutput(); err != nil {
		t.Errorf("tsc: %v\n%s", err, out)
	}
}

// The PHP of docs/api.md opens a session.
func TestFullPHPOfTheDocs(t *testing.T) {
	php := need.Command(t, "php")
	r, c := serve(t)
	code := blocks(t, "../docs/api.md", "php")
	page := filepath.Join(t.TempDir(), "buy.php")
	after := `echo $session['id'], ' ', $session['amount_usd'];`
	fortest.OK(t, os.WriteFile(page, []byte("<?php\n"+code[0]+after), 0o600))
	for range 2 { // the second time it is the same session
		run := exec.CommandContext(t.Context(), php, page)
		run.Env = append(os.Environ(), "COINSLOT_URL="+strings.TrimRight(c.URL, "/"), "COINSLOT_SECRET_KEY="+c.Key)
		said := string(fortest.Must(run.Output())(t))
		if !strings.HasPrefix(said, "cs_") || !strings.HasSuffix(said, " 25.00") {
			t.Errorf("it prints %q", said)
		}
	}
	list := r.Do("GET", "/v1/sessions?order_ref=1001", "", servertest.Bearer).Body.String()
	fortest.Equal(t, strings.Count(list, `"object":"session"`), 1, "sessions of the order")

	refused := exec.CommandContext(t.Context(), php, page)
	refused.Env = append(os.Environ(), "COINSLOT_URL="+strings.TrimRight(c.URL, "/"), "COINSLOT_SECRET_KEY=wrong")
	said, err := refused.CombinedOutput()
	fortest.Fails(t, err, "a wrong key")
	fortest.Has(t, "it", string(said), "unauthorized")
}
