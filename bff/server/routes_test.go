package server_test

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// askHost is ask with a Host of the caller's choice.
func (r *rig) askHost(host, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r.t.Helper()
	req := httptest.NewRequest(method, r.public+path, strings.NewReader(body))
	req.Host = host
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, req)
	return w
}

const (
	pagePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'self' " + shop + "; require-trusted-types-for 'script'; trusted-types 'none'"
	barePolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)

// TestEveryRoute sends every method with a few bodies to every route and looks
// at what must hold for all answers.
func TestEveryRoute(t *testing.T) {
	r := newRig(t)
	open := r.open(`{"amount_usd":"25.00"}`)
	pending := r.open(`{"amount_usd":"25.00"}`)
	r.choose(pending)
	r.await(pending, "pending")
	paid := r.open(`{"amount_usd":"25.00"}`)
	r.choose(paid)
	r.await(paid, "pending")
	if err := r.gateway.Pay(r.gateway.Transactions()[1].TrackingCode, "pay"); err != nil {
		t.Fatal(err)
	}
	r.await(paid, "confirmed")
	paths := []string{"/", "/checkout", "/checkout/", "/checkout?item=coffee", "/checkout?item=tip&amount=7", "/checkout?item=x", "/checkout?order=x", "/return",
		"/return?tracking_code=x&order_id=1", "/hooks/gateway/wrong", "/hooks/gateway/" + hookToken, "/v1/", "/v1/sessions", "/v1/sessions?limit=1",
		"/v1/sessions?cursor=x", "/v1/currencies", "/v1/transactions", "/v1/withdrawals", "/v1/events", "/checkout/doctor", "/.well-known/jwks.json",
		"/checkout.js", "/checkout.d.ts", "/checkout/0.0.0/checkout.js", "/assets/none.js", "/icons/usdt.svg", "/icons/none.svg", "/favicon.ico", "/metrics", "//checkout"}
	for _, id := range []string{open, pending, paid, "cs_none", "%00", strings.Repeat("x", 5000)} {
		paths = append(paths, "/v1/sessions/"+id, "/v1/sessions/"+id+"/recheck", "/v1/sessions/"+id+"/resolve")
		for _, end := range []string{"", "/view", "/live", "/qr.svg", "/qr.svg?kind=uri", "/qr.svg?kind=x", "/receipt", "/recheck", "/simulate", "/attempts", "/extend", "?change=1", "?embed=inline&origin=" + shop} {
			paths = append(paths, "/checkout/"+id+end)
		}
	}
	paths = append(paths, "/checkout/"+open+"/cancel", "/v1/sessions/"+open+"/cancel") // last: they end it
	n := 0
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "PATCH", "DELETE", "CONNECT", "FOO", "get", "POST"} {
			for _, in := range []struct {
				body    string
				headers []string
			}{
				{"", nil},
				{"", []string{"Accept: text/html", bearer}},
				{"{", []string{isJSON, bearer}},
				{`{"as":"x"}`, []string{isJSON, bearer, "Accept: application/json"}},
				{"currency_symbol=DOGE&network_code=x", []string{isForm, "Accept: text/html,*/*"}},
				{"%", []string{isForm, "Accept: text/html"}},
				{"x", []string{"Content-Type: \x01"}},
			} {
				w := r.ask(method, path, in.body, in.headers...)
				check(t, fmt.Sprintf("%s %.60s %q %v", method, path, in.body, in.headers), w)
				n++
			}
		}
	}
	t.Logf("%d requests", n)
}

// check looks at one answer.
func check(t *testing.T, what string, w *httptest.ResponseRecorder) {
	t.Helper()
	h := w.Header()
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s = %d %s: %s", what, w.Code, kind, fmt.Sprintf(format, args...))
	}
	if w.Code >= 500 {
		fail("body %.300s", w.Body)
	}
	want := barePolicy
	if kind == "text/html" && w.Code/100 != 3 {
		want = pagePolicy
	}
	if w.Code == 200 && strings.Contains(what, " /return") && kind == "text/html" { // belongs in no frame
		want = strings.Replace(pagePolicy, "'self' "+shop, "'none'", 1)
	}
	if got := h.Values("Content-Security-Policy"); len(got) != 1 || got[0] != want {
		fail("policy %q", got)
	}
	for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin-allow-popups"} {
		if got := h.Values(name); len(got) != 1 || got[0] != value {
			fail("%s %q", name, got)
		}
	}
	for _, name := range []string{"Set-Cookie", "Server", "X-Powered-By", "Access-Control-Allow-Credentials"} {
		if h.Get(name) != "" {
			fail("%s %q", name, h.Get(name))
		}
	}
	asset := strings.HasPrefix(h.Get("Cache-Control"), "public, max-age=")
	if !asset && h.Get("Cache-Control") != "no-store" {
		fail("cache control %q", h.Get("Cache-Control"))
	}
	if asset && (sessionID.Match(w.Body.Bytes()) || kind == "text/html" || kind == "application/json") {
		fail("it may be kept, and holds a session")
	}
	if cors := h.Get("Access-Control-Allow-Origin"); cors != "" && !asset {
		fail("open to every origin")
	}
	for name, values := range h {
		if strings.Contains(strings.Join(values, ""), "*") && name != "Access-Control-Allow-Origin" {
			fail("%s %q", name, values)
		}
	}
	if w.Code >= 400 && kind == "application/problem+json" {
		problem(t, w, codeOf(w))
	} else if w.Code >= 400 && kind != "text/html" {
		fail("an error of no known form: %.100s", w.Body)
	}
	if w.Code == 405 && h.Get("Allow") == "" {
		fail("no Allow")
	}
}

var sessionID = regexp.MustCompile(`cs_[a-z2-7]{26}`)

// codeOf returns the code that an answer itself names.
func codeOf(w *httptest.ResponseRecorder) string {
	_, after, _ := strings.Cut(w.Body.String(), `"code":"`)
	code, _, _ := strings.Cut(after, `"`)
	return code
}
