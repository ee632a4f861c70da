package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/order"
	"coinslot/bff/sandbox"
)

func pairs(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"k%d":"v"`, i))
	}
	return strings.Join(list, ",")
}

// URLs that a merchant's page may send along, and texts that travel far.
func TestHostileTexts(t *testing.T) {
	r := newRig(t)
	var list []scenario
	for i, u := range []string{
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "//evil.example", "/evil", "https:evil.example", "https://a@b.example",
		`https://shop.example\\@evil.example`, "https://shop.example\\u0000", "https://shop.example/\\n", "https://", "https:///x", " https://x.example",
		"vbscript:x", "https://" + strings.Repeat("a", 3000) + ".example",
	} {
		list = append(list, scenario{fmt.Sprintf("url %d", i), "POST", "/v1/sessions", `{"amount_usd":"1","success_url":"` + u + `"}`, []string{bearer, isJSON}, 422, "invalid", "success_url", ""})
	}
	r.run(list)
	for _, text := range []string{"<script>alert(1)</script>", "</script><script>alert(1)", "<!--<script>", "{{7*7}}", "=cmd|' /C calc'!A0", "\u2028x", `"><img src=x onerror=alert(1)>`, "&lt;b&gt;", "</noscript><script>x"} {
		body, err := json.Marshal(map[string]any{"amount_usd": "25.00", "title": text, "order_ref": text, "description": text})
		if err != nil {
			t.Fatal(err)
		}
		id := r.Open(string(body))
		page := r.Do("GET", "/checkout/"+id, "", "Accept: text/html").Body.String()
		for _, bad := range []string{"<script>alert", "<img src=x", "<!--<", "</noscript><s"} {
			if strings.Contains(page, bad) {
				t.Errorf("title %q: the page holds %s", text, bad)
			}
		}
		var view struct {
			Order struct{ Title, Ref, Description string }
		}
		if err := json.Unmarshal(r.Do("GET", "/checkout/"+id+"/view", "").Body.Bytes(), &view); err != nil {
			t.Fatal(err)
		}
		if view.Order.Title != text || view.Order.Ref != text || view.Order.Description != text {
			t.Errorf("text %q came back as %+v", text, view.Order)
		}
	}
}

// Paths that are written in odd ways lead nowhere else.
func TestPaths(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00"}`)
	for path, status := range map[string]int{
		"//checkout//" + id:                   307,
		"/checkout/./" + id:                   307,
		"/x/../checkout/" + id:                307,
		"//evil.example/checkout/" + id:       307,
		"//evil.example/%2e%2e":               307,
		"/checkout/%2e%2e/v1/sessions":        404,
		"/checkout/" + id + "/%2e%2e/" + id:   404,
		"/checkout/" + id + "/":               404,
		"/Checkout/" + id:                     404,
		"/checkout/" + strings.ToUpper(id):    404,
		"/checkout/%2e%2e%2f" + id:            404,
		"/checkout/..%2f..%2fv1%2fsessions":   404,
		"/checkout/%00":                       404,
		"/checkout/%ff":                       404,
		"/checkout/" + id + "%00":             404,
		"/checkout/" + id + "%0d%0aX-A:%20b":  404,
		"/checkout/" + id + ";x":              404,
		"/checkout/%27%20OR%201=1--":          404,
		"/checkout/" + id[:len(id)-1]:         404,
		"/checkout/" + id + "a":               404,
		"/v1/%2e%2e/metrics":                  401,
		"/assets/..%2f..%2fmanifest.json":     404,
		"/assets/%2e%2e%2fmanifest.json":      404,
		"/icons/..%2f..%2fserver.go":          200, // the neutral icon
		"/debug/pprof/":                       404,
		"/healthz":                            404,
		"/.well-known/security.txt":           404,
		"/checkout/doctor/../" + id + "/view": 307,
	} {
		w := r.Do("GET", path, "", "Accept: text/html")
		if w.Code != status {
			t.Errorf("GET %s = %d to %q; want %d", path, w.Code, w.Header().Get("Location"), status)
		}
		if to := w.Header().Get("Location"); to != "" && (!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.HasPrefix(to, "/\\")) {
			t.Errorf("GET %s leads to %q, which may be elsewhere", path, to)
		}
		for name := range w.Header() {
			if name == "X-A" {
				t.Errorf("GET %s sets a header", path)
			}
		}
	}
}

// askHost is ask with a Host of the caller's choice.
func (r *rig) askHost(host, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r.T.Helper()
	req := httptest.NewRequest(method, r.Public+path, strings.NewReader(body))
	req.Host = host
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	r.Handler.ServeHTTP(w, req)
	return w
}

// Addresses are made from the setting alone, whatever a request says of hosts.
func TestHostHeaderIsNotTrusted(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00"}`)
	r.Choose(id)
	evil := []string{"X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https", "X-Forwarded-For: 127.0.0.1", "Forwarded: host=evil.example;proto=https",
		"X-Host: evil.example", "X-Original-URL: /v1/sessions", "X-Rewrite-URL: /v1/sessions", "X-Forwarded-Prefix: /evil.example"}
	for _, path := range []string{"/checkout/" + id, "/checkout/" + id + "/view", "/v1/sessions/" + id, "/checkout?item=coffee", "/return", "/nothing", "//checkout/" + id} {
		w := r.askHost("evil.example", "GET", path, "", append(evil, bearer)...)
		text := w.Body.String() + fmt.Sprint(w.Header())
		if strings.Contains(text, "evil") {
			t.Errorf("GET %s repeats the request's host: %.300s", path, text)
		}
	}
	w := r.askHost("evil.example", "POST", "/checkout/"+id+"/cancel", "", append(evil, "Origin: http://evil.example")...)
	if w.Code != http.StatusForbidden {
		t.Errorf("a post from the origin that Host names = %d; want 403", w.Code)
	}
	w = r.askHost("evil.example", "POST", "/v1/sessions", `{"amount_usd":"1"}`, append(evil, bearer, isJSON)...)
	if !strings.Contains(w.Body.String(), `"url":"`+ownOrigin+"/checkout/cs_") {
		t.Errorf("url is not of the public origin: %s", w.Body)
	}
}

// Forms: what is given twice, too often or in the wrong place.
func TestForms(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00"}`)
	page := "/checkout/" + id
	form := func(name, path, body string, status int, code string, headers ...string) scenario {
		return scenario{name, "POST", path, body, append([]string{isForm, "Accept: application/json"}, headers...), status, code, "", ""}
	}
	many := strings.Repeat("x=1&", 1000)
	r.run([]scenario{
		form("choice in the query", page+"/attempts?currency_symbol=USDT&network_code=trc20", "", 422, "network_required"),
		form("bad escape", page+"/attempts", "currency_symbol=%zz", 422, "invalid"),
		form("semicolons", page+"/attempts", "currency_symbol=USDT;network_code=trc20", 422, "invalid"),
		form("1,000 fields of nothing", page+"/attempts", many, 422, "network_required"),
		form("20,000 fields", page+"/attempts", strings.Repeat("x&", 20_000), 422, "invalid"),
		form("too large", page+"/attempts", "email="+strings.Repeat("a", 65<<10), 413, "too_large"),
		form("coins twice, a bad one first", page+"/attempts", "currency_symbol=DOGE&currency_symbol=USDT&network_code=trc20", 422, "network_unsupported"),
		form("look-alike", page+"/attempts", "currency_symbol=%D0%A3SDT&network_code=trc20", 422, "network_unsupported"),
		form("SQL", page+"/attempts", "currency_symbol=USDT%27--&network_code=trc20", 422, "network_unsupported"),
		form("1 KiB symbol", page+"/attempts", "currency_symbol="+strings.Repeat("U", 1024)+"&network_code=trc20", 422, "network_unsupported"),
		form("header in the email", page+"/attempts", "currency_symbol=USDT&network_code=trc20&email=a%40b.example%0d%0aBcc%3ac", 422, "invalid"),
		form("long comment", page+"/attempts", "currency_symbol=USDT&network_code=trc20&comment="+strings.Repeat("c", 201), 422, "invalid"),
		form("order and item", "/checkout", "order=a.b.c&item=coffee&currency_symbol=USDT&network_code=trc20", 422, "order_invalid"),
		form("neither", "/checkout", "currency_symbol=USDT&network_code=trc20", 404, "item_unknown"),
		form("item in the query", "/checkout?item=coffee", "currency_symbol=USDT&network_code=trc20", 404, "item_unknown"),
		form("items twice, a bad one first", "/checkout", "item=tea&item=coffee&currency_symbol=USDT&network_code=trc20", 404, "item_unknown"),
		form("amount beyond", "/checkout", "item=tip&amount=100.01&currency_symbol=USDT&network_code=trc20", 422, "amount_invalid"),
		form("amounts twice, a bad one first", "/checkout", "item=tip&amount=0.01&amount=5&currency_symbol=USDT&network_code=trc20", 422, "amount_invalid"),
		form("key with a space", "/checkout", "item=coffee&key=a+b&currency_symbol=USDT&network_code=trc20", 422, "invalid"),
		form("unsigned order", "/checkout", "order=eyJhbGciOiJub25lIn0.eyJhbW91bnRfdXNkIjoiMSJ9.&currency_symbol=USDT&network_code=trc20", 422, "order_invalid"),
		form("no coin", "/checkout", "item=coffee", 422, "network_required"),
		form("Sec-Fetch-Site none", page+"/cancel", "", 403, "cross_site_refused", "Sec-Fetch-Site: none"),
		form("same site", page+"/cancel", "", 403, "cross_site_refused", "Sec-Fetch-Site: same-site"),
		form("origin with a slash", page+"/cancel", "", 403, "cross_site_refused", "Origin: http://localhost:8080/"),
		{"both in the query", "GET", "/checkout?order=a&item=coffee", "", nil, 422, "", `data-part="error"`, ""},
		{"price with a fixed item", "GET", "/checkout?item=coffee&amount_usd=0.01&price=0.01&status=confirmed", "", nil, 200, "", "4.50", "0.01"},
		{"hostile query", "GET", page + "?embed=modal&origin=https://evil.example%22%3E%3Cscript%3E&theme=%22%3E%3Cb%3E&lang=..%2Fen&key=%22", "", nil, 200, "", `data-origin=""`, "<b>"},
		{"10,000 parameters", "GET", page + "?" + strings.Repeat("a&", 7000), "", nil, 200, "", "25.00", ""},
	})
	if n := len(r.Gateway.Transactions()); n != 0 {
		t.Errorf("%d transactions after nothing but refusals", n)
	}
	if list := r.Do("GET", "/v1/sessions", "", bearer).Body.String(); strings.Count(list, `"id":"cs_`) != 1 {
		t.Error("a refused POST /checkout stored a session")
	}
}

// A token pays once: after that its page is the paid session's, and a new post
// opens nothing.
func TestOrderTokenReplay(t *testing.T) {
	r := newRig(t)
	token, err := order.Mint([]byte(orderKey), "25.00", "replay-1", "", time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	body := `{"order":"` + token + `","currency_symbol":"USDT","network_code":"trc20"}`
	var view viewSummary
	if err := json.Unmarshal(r.Do("POST", "/checkout", body, isJSON).Body.Bytes(), &view); err != nil {
		t.Fatal(err)
	}
	r.Await(view.Session, "pending")
	if err := r.Gateway.Pay(r.Gateway.Transactions()[0].TrackingCode, "pay"); err != nil {
		t.Fatal(err)
	}
	r.Await(view.Session, "confirmed")
	for _, more := range []string{"", `"key":"page_again",`} {
		w := r.Do("POST", "/checkout", strings.Replace(body, "{", "{"+more, 1), isJSON)
		if w.Code != http.StatusConflict {
			t.Errorf("the token again = %d %s; want 409", w.Code, w.Body)
		}
		problem(t, w, "session_paid")
	}
	if w := r.Do("GET", "/checkout?order="+token, ""); w.Header().Get("Location") != "/checkout/"+view.Session {
		t.Errorf("the page of the paid token leads to %q", w.Header().Get("Location"))
	}
	other, err := order.Mint([]byte(orderKey), "0.01", "replay-1", "", time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if w := r.Do("GET", "/checkout?order="+other, ""); w.Code == http.StatusSeeOther {
		t.Error("another order of the same reference leads to the first one's session")
	}
	if n := len(r.Gateway.Transactions()); n != 1 {
		t.Errorf("%d transactions; want 1", n)
	}
}

// The key of a page is a shopper's word: it must not stand for, or take, what a
// merchant's server calls by the same key.
func TestPageKeysAreNotMerchantKeys(t *testing.T) {
	r := newRig(t)
	taken := `{"item":"coffee","key":"order-1001","currency_symbol":"USDT","network_code":"trc20"}`
	w := r.Do("POST", "/checkout", taken, isJSON)
	if w.Code != http.StatusOK {
		t.Fatalf("POST /checkout = %d %s", w.Code, w.Body)
	}
	w = r.Do("POST", "/v1/sessions", `{"amount_usd":"25.00"}`, bearer, isJSON, "Idempotency-Key: order-1001")
	if w.Code != http.StatusCreated {
		t.Errorf("the merchant's key = %d %s; want 201, though a shopper sent the same", w.Code, w.Body)
	}
	w = r.Do("POST", "/v1/sessions", `{"amount_usd":"4.50","title":"Coffee"}`, bearer, isJSON, "Idempotency-Key: order-1002")
	var own struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &own); err != nil {
		t.Fatal(err)
	}
	w = r.Do("POST", "/checkout", strings.Replace(taken, "1001", "1002", 1), isJSON)
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), own.ID) {
		t.Errorf("a shopper with the merchant's key = %d; want a session of their own, not %s", w.Code, own.ID)
	}
	w = r.Do("POST", "/checkout", taken, isJSON)
	again := r.Do("POST", "/checkout", taken, isJSON)
	if session(t, w.Body.Bytes()) != session(t, again.Body.Bytes()) {
		t.Error("two posts of one page are two sessions")
	}
}

func session(t *testing.T, body []byte) string {
	t.Helper()
	var v viewSummary
	if err := json.Unmarshal(body, &v); err != nil || v.Session == "" {
		t.Fatalf("no session in %s", body)
	}
	return v.Session
}

// However often and at once a coin is chosen, the gateway is asked once.
func TestManyChoicesAtOnce(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	const n = 200
	var group sync.WaitGroup
	codes := make(chan int, n)
	for i := range n {
		group.Go(func() { codes <- choosing(addr, id, i%2 == 0) })
	}
	group.Wait()
	close(codes)
	got := map[int]int{}
	for code := range codes {
		got[code]++
	}
	if got[200]+got[303] != n {
		t.Errorf("answers by status = %v; want 200 and 303 only", got)
	}
	creates := 0
	for _, q := range r.Gateway.Requests() {
		if q.Method == "POST" && strings.Contains(q.Path, "create") {
			creates++
		}
	}
	if tx := len(r.Gateway.Transactions()); tx != 1 || creates != 1 {
		t.Errorf("%d creates, %d transactions; want one of each", creates, tx)
	}
}

// choosing posts a choice over the wire and returns the status, 0 for none.
func choosing(addr, id string, asForm bool) int {
	kind, body := "application/json", `{"currency_symbol":"USDT","network_code":"trc20"}`
	if asForm {
		kind, body = "application/x-www-form-urlencoded", url.Values{"currency_symbol": {"USDT"}, "network_code": {"USDT:trc20"}}.Encode()
	}
	client := &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Post("http://"+addr+"/checkout/"+id+"/attempts", kind, strings.NewReader(body))
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

// The hook's token is part of a path: the log must not have it, whatever goes
// wrong with the request (newRig looks for it at the end).
func TestRefusedHintsAreNotLoggedWithTheToken(t *testing.T) {
	r := newRig(t)
	if w := r.Do("POST", "/hooks/gateway/"+hookToken, strings.Repeat("x", 65<<10)); w.Code != 413 {
		t.Errorf("a large hint = %d; want 413", w.Code)
	}
	if w := r.Do("GET", "/hooks/gateway/"+hookToken, ""); w.Code != 405 {
		t.Errorf("GET of the hook = %d; want 405", w.Code)
	}
	r.Do("POST", "/hooks/gateway/"+hookToken+"/more", "")
	if !strings.Contains(r.Log.String(), "/hooks/") {
		t.Error("the refusals are not in the log at all")
	}
}

// A gateway that hangs does not make pages hang: they show what is known.
func TestGatewayHangs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00"}`)
	r.Gateway.Inject(sandbox.Fault{Latency: 9 * time.Second, Times: -1})
	start := time.Now()
	w := r.Do("GET", "/checkout/"+id, "", "Accept: text/html")
	if took := time.Since(start); w.Code != 200 || took > 7*time.Second || !strings.Contains(w.Body.String(), "25.00") {
		t.Errorf("page = %d after %v; want it without the currencies within seconds", w.Code, took)
	}
	r.Gateway.ClearFaults()
}

// The picture of an address is as private as the page, and never an old one.
func TestQRIsNotKept(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"50.00"}`)
	r.Choose(id)
	r.Await(id, "pending")
	first := r.Do("GET", "/checkout/"+id+"/qr.svg", "")
	w := r.Do("POST", "/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"bep20"}`, isJSON)
	if w.Code != http.StatusOK {
		t.Fatalf("another network = %d %s", w.Code, w.Body)
	}
	r.Await(id, "pending")
	second := r.Do("GET", "/checkout/"+id+"/qr.svg", "", "If-Modified-Since: "+first.Header().Get("Last-Modified"), "If-None-Match: "+first.Header().Get("ETag"))
	if second.Code != http.StatusOK || second.Body.String() == first.Body.String() {
		t.Errorf("the picture after a change of coin = %d; want the new address, not the old one's", second.Code)
	}
}
