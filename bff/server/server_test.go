package server_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/config"
	"coinslot/bff/order"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/web"
	"coinslot/e2e/need"
	"coinslot/static"
)

const (
	secretKey  = servertest.SecretKey
	orderKey   = servertest.OrderKey
	gatewayKey = servertest.GatewayKey
	hookToken  = servertest.HookToken
	shop       = servertest.Shop
	isJSON     = servertest.IsJSON
	isForm     = servertest.IsForm
	bearer     = servertest.Bearer
)

// rig is a server whose answers are held to docs/openapi.yaml.
type rig struct {
	*servertest.Rig
	routes []web.Route
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newStalledRig(t, servertest.New(t))
}

// newStalledRig holds what r answers to docs/openapi.yaml.
func newStalledRig(t *testing.T, r *servertest.Rig) *rig {
	t.Helper()
	r.Handler = deferHeaders(t, r.Handler)
	return &rig{Rig: r, routes: r.Server.Routes()}
}

// settings are those of a server at the gateway that listens at api.
func settings(t testing.TB, api string) config.Config {
	t.Helper()
	return servertest.Settings(t, api)
}

// start runs a server until t ends, or until stop is called.
func start(t *testing.T, gateway *sandbox.Server, c config.Config) (r *rig, stop func()) {
	t.Helper()
	return startWith(t, gateway, c, server.Options{})
}

// startWith is start with options.
func startWith(t *testing.T, gateway *sandbox.Server, c config.Config, o server.Options) (r *rig, stop func()) {
	t.Helper()
	kit, stop := servertest.Start(t, gateway, c, o)
	return newStalledRig(t, kit), stop
}

// scenario is one request and what its answer must and must not be.
type scenario struct {
	name, method, path, body string
	headers                  []string
	status                   int
	code                     string // of problem+json
	has, hasNot              string
}

func (r *rig) run(list []scenario) {
	for _, c := range list {
		r.T.Run(c.name, func(t *testing.T) {
			w := r.Do(c.method, c.path, c.body, c.headers...)
			if w.Code != c.status {
				t.Errorf("status = %d; want %d; body %.300s", w.Code, c.status, w.Body)
			}
			if c.code != "" {
				problem(t, w, c.code)
			}
			if !strings.Contains(w.Body.String(), c.has) {
				t.Errorf("body lacks %q: %.600s", c.has, w.Body)
			}
			if c.hasNot != "" && strings.Contains(w.Body.String(), c.hasNot) {
				t.Errorf("body has %q", c.hasNot)
			}
		})
	}
}

// problem checks the form of an error (RFC 9457).
func problem(t *testing.T, w *httptest.ResponseRecorder, code string) {
	t.Helper()
	var got struct {
		Status                  int
		Title, Detail, Code, ID string
		RequestID               string `json:"request_id"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("the error is no JSON: %v: %.200s", err, w.Body)
	}
	if got.Code != code || got.Status != w.Code || got.Title == "" || got.Detail == "" || got.RequestID == "" {
		t.Errorf("problem = %+v; want code %s, status %d and the rest filled", got, code, w.Code)
	}
	if kind := w.Header().Get("Content-Type"); kind != "application/problem+json" {
		t.Errorf("content type = %q", kind)
	}
}

func TestMerchantAPI(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00","order_ref":"1001","title":"<b>Two</b>"}`)
	long := strings.Repeat("x", 70<<10)
	r.run([]scenario{
		{"no key", "POST", "/v1/sessions", `{"amount_usd":"1"}`, []string{isJSON}, 401, "unauthorized", "", ""},
		{"wrong key", "GET", "/v1/sessions/" + id, "", []string{"Authorization: Bearer wrong"}, 401, "unauthorized", "", "amount"},
		{"key in query", "GET", "/v1/sessions?key=" + "x", "", nil, 401, "unauthorized", "", ""},
		{"basic", "GET", "/v1/sessions", "", []string{"Authorization: Basic " + secretKey}, 401, "unauthorized", "", ""},
		{"two headers", "GET", "/v1/sessions", "", []string{bearer, bearer}, 401, "unauthorized", "", ""},
		{"same again", "POST", "/v1/sessions", `{"order_ref":"1001","amount_usd":"25","title":"<b>Two</b>"}`, []string{bearer, isJSON}, 201, "", id, ""},
		{"same ref, other amount", "POST", "/v1/sessions", `{"order_ref":"1001","amount_usd":"24.99","title":"<b>Two</b>"}`, []string{bearer, isJSON}, 409, "order_conflict", "", ""},
		{"number", "POST", "/v1/sessions", `{"amount_usd":25}`, []string{bearer, isJSON}, 422, "amount_type", `"param":"amount_usd"`, ""},
		{"unknown member", "POST", "/v1/sessions", `{"amount_usd":"1","wallet_address":"T"}`, []string{bearer, isJSON}, 422, "unknown_field", "wallet_address", ""},
		{"too large", "POST", "/v1/sessions", `{"title":"` + long + `"}`, []string{bearer, isJSON}, 413, "too_large", "", ""},
		{"form", "POST", "/v1/sessions", "amount_usd=1", []string{bearer, isForm}, 415, "unsupported_media_type", "", ""},
		{"encoded", "POST", "/v1/sessions", `{"amount_usd":"1"}`, []string{bearer, isJSON, "Content-Encoding: gzip"}, 415, "unsupported_media_type", "", ""},
		{"no JSON", "POST", "/v1/sessions", "", []string{bearer, isJSON}, 400, "bad_json", "", ""},
		{"bad idempotency key", "POST", "/v1/sessions", `{"amount_usd":"1"}`, []string{bearer, isJSON, "Idempotency-Key: a b"}, 422, "invalid", "Idempotency-Key", ""},
		{"key first", "POST", "/v1/sessions", `{"amount_usd":"1"}`, []string{bearer, isJSON, "Idempotency-Key: k1"}, 201, "", "", ""},
		{"key reused", "POST", "/v1/sessions", `{"amount_usd":"2"}`, []string{bearer, isJSON, "Idempotency-Key: k1"}, 409, "idempotency_conflict", "", ""},
		{"read", "GET", "/v1/sessions/" + id, "", []string{bearer}, 200, "", `"amount_usd":"25.00"`, ""},
		{"read unknown", "GET", "/v1/sessions/cs_none", "", []string{bearer}, 404, "session_unknown", "", ""},
		{"list", "GET", "/v1/sessions?order_ref=1001", "", []string{bearer}, 200, "", id, ""},
		{"list limit", "GET", "/v1/sessions?limit=0", "", []string{bearer}, 422, "invalid", "limit", ""},
		{"list status", "GET", "/v1/sessions?status=paid", "", []string{bearer}, 422, "invalid", "status", ""},
		{"list cursor", "GET", "/v1/sessions?cursor=%00", "", []string{bearer}, 422, "invalid", "cursor", ""},
		{"currencies", "GET", "/v1/currencies", "", []string{bearer}, 200, "", "trc20", ""},
		{"recheck nothing", "POST", "/v1/sessions/" + id + "/recheck", "", []string{bearer}, 409, "not_possible", "", ""},
		{"resolve nothing", "POST", "/v1/sessions/" + id + "/resolve", `{"as":"confirmed","reason":"x"}`, []string{bearer, isJSON}, 409, "not_possible", "", ""},
		{"method", "DELETE", "/v1/sessions/" + id, "", []string{bearer}, 405, "method_not_allowed", "", ""},
		{"override", "POST", "/v1/sessions/" + id, "", []string{bearer, "X-HTTP-Method-Override: GET"}, 405, "method_not_allowed", "", ""},
		{"nothing there", "GET", "/v1/secrets", "", []string{bearer}, 404, "not_found", "", ""},
		{"metrics in public", "GET", "/metrics", "", nil, 404, "not_found", "", ""},
		{"cancel", "POST", "/v1/sessions/" + id + "/cancel", "", []string{bearer}, 200, "", `"status":"cancelled"`, ""},
		{"cancel again", "POST", "/v1/sessions/" + id + "/cancel", "", []string{bearer}, 200, "", `"status":"cancelled"`, ""},
	})
}

func TestShopsScript(t *testing.T) {
	need.Assets(t, static.Files)
	newRig(t).run([]scenario{
		{"script", "GET", "/checkout.js", "", nil, 200, "", "customElements", ""},
	})
}

func TestShopper(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00","title":"<script>alert(1)</script>"}`)
	page := "/checkout/" + id
	html := "Accept: text/html"
	r.run([]scenario{
		{"page", "GET", page, "", []string{html}, 200, "", `data-status="open"`, "<script>alert"},
		{"page for HEAD", "HEAD", page, "", []string{html}, 200, "", "", ""},
		{"unknown session", "GET", "/checkout/cs_none", "", []string{html}, 404, "", `data-part="error"`, "problem+json"},
		{"odd session", "GET", "/checkout/..%2f..%2fetc", "", []string{html}, 404, "", "", ""},
		{"money in the query", "GET", page + "?amount=0.01&amount_usd=0.01&address=T&status=confirmed", "", []string{html}, 200, "", "25.00", "0.01"},
		{"view", "GET", page + "/view", "", nil, 200, "", `"status":"open"`, ""},
		{"view unknown", "GET", "/checkout/cs_none/view", "", nil, 404, "session_unknown", "", ""},
		{"no QR yet", "GET", page + "/qr.svg", "", nil, 404, "not_found", "", ""},
		{"nothing chosen", "POST", page + "/attempts", `{}`, []string{isJSON}, 422, "network_required", "", ""},
		{"unknown coin", "POST", page + "/attempts", `{"currency_symbol":"DOGE","network_code":"doge"}`, []string{isJSON}, 422, "network_unsupported", "", ""},
		{"pair mismatch", "POST", page + "/attempts", `{"currency_symbol":"USDC","network_code":"USDT:trc20"}`, []string{isJSON}, 422, "network_unsupported", "", ""},
		{"price from the browser", "POST", page + "/attempts", `{"currency_symbol":"USDT","network_code":"trc20","amount_usd":"0.01"}`, []string{isJSON}, 422, "unknown_field", "amount_usd", ""},
		{"below the minimum", "POST", page + "/attempts", `{"currency_symbol":"USDT","network_code":"erc20"}`, []string{isJSON}, 422, "amount_below_minimum", "", ""},
		{"bad email", "POST", page + "/attempts", `{"currency_symbol":"USDT","network_code":"trc20","email":"a@b\r\nBcc:c"}`, []string{isJSON}, 422, "invalid", "email", ""},
		{"other origin", "POST", page + "/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`, []string{isJSON, "Origin: " + shop}, 403, "cross_site_refused", "", ""},
		{"null origin", "POST", page + "/attempts", `{}`, []string{isJSON, "Origin: null"}, 403, "cross_site_refused", "", ""},
		{"cross site", "POST", page + "/cancel", "", []string{isJSON, "Sec-Fetch-Site: cross-site"}, 403, "cross_site_refused", "", ""},
		{"multipart", "POST", page + "/attempts", "x", []string{"Content-Type: multipart/form-data; boundary=x"}, 415, "", "", ""},
		{"form with a bad choice", "POST", page + "/attempts", "currency_symbol=DOGE&network_code=x", []string{isForm, html}, 422, "", `data-part="error"`, ""},
		{"get of a post", "GET", page + "/attempts", "", nil, 405, "method_not_allowed", "", ""},
		{"no simulation with real money", "POST", page + "/simulate", "kind=pay", []string{isForm}, 404, "", "", ""},
		{"no upgrade", "GET", page + "/live", "", []string{"Origin: http://localhost:8080"}, 426, "upgrade_required", "", ""},
		{"socket from elsewhere", "GET", page + "/live", "", []string{"Origin: " + shop, "Connection: Upgrade", "Upgrade: websocket"}, 403, "cross_site_refused", "", ""},
		{"socket without origin", "GET", page + "/live", "", []string{"Connection: Upgrade", "Upgrade: websocket"}, 403, "cross_site_refused", "", ""},
		{"neutral return", "GET", "/return?status=confirmed&tracking_code=none&order_id=1", "", []string{html}, 200, "", "", "cs_"},
		{"hostile return", "GET", "/return?status=%0d%0aX:y&tracking_code=%3Cscript%3E&tracking_code=b", "", []string{html}, 200, "", "", "<script>%"},
		{"hook without token", "POST", "/hooks/gateway/wrong-token-wrong", `{}`, nil, 404, "not_found", "", ""},
		{"hook", "POST", "/hooks/gateway/" + hookToken, `{"data":{"tracking_code":"none"}}`, nil, 204, "", "", ""},
		{"hook with rubbish", "POST", "/hooks/gateway/" + hookToken, "\x00\xff<xml>", nil, 204, "", "", ""},
		{"no item", "GET", "/checkout?item=tea", "", []string{html}, 404, "", `data-part="error"`, ""},
		{"nothing sold", "GET", "/checkout", "", []string{html}, 404, "", `data-part="error"`, ""},
		{"item", "GET", "/checkout?item=coffee&amount=0.01", "", []string{html}, 200, "", "4.50", "0.01\""},
		{"open item", "GET", "/checkout?item=tip&amount=7", "", []string{html}, 200, "", "7.00", ""},
		{"open item beyond", "GET", "/checkout?item=tip&amount=101", "", []string{html}, 422, "", `data-part="error"`, ""},
		{"bad order", "GET", "/checkout?order=abc", "", []string{html}, 422, "", `data-part="error"`, ""},
		{"doctor", "GET", "/checkout/doctor?origin=" + shop, "", nil, 200, "", ": listed", "NOT"},
		{"doctor for a stranger", "GET", "/checkout/doctor?origin=https://other.example", "", nil, 200, "", "COINSLOT_ORIGINS=…,https://other.example", ""},
		{"doctor for rubbish", "GET", "/checkout/doctor?origin=%3Cscript%3E", "", nil, 200, "", "not an origin", "<script>"},
		{"receipt of nothing paid", "GET", page + "/receipt", "", []string{html}, 409, "", `data-part="error"`, `data-status="confirmed"`},
		{"nowhere, for people", "GET", "/index.html", "", []string{html}, 404, "", `data-part="error"`, "problem+json"},
	})
	if n := len(r.Gateway.Transactions()); n != 0 {
		t.Errorf("%d transactions were created by requests that were refused", n)
	}
}

func TestPaysByForms(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00","order_ref":"forms"}`)
	w := r.Do("POST", "/checkout/"+id+"/attempts", "currency_symbol=USDT&network_code=USDT%3Atrc20&embed=modal&origin=https%3A%2F%2Fshop.example", isForm, "Sec-Fetch-Site: same-origin", "Origin: http://localhost:8080")
	if want := "/checkout/" + id + "?embed=modal&origin=https%3A%2F%2Fshop.example"; w.Code != 303 || w.Header().Get("Location") != want {
		t.Fatalf("attempts = %d to %q; want 303 to %q", w.Code, w.Header().Get("Location"), want)
	}
	r.Await(id, "pending")
	tx := r.Gateway.Transactions()[0]
	page := r.Do("GET", "/checkout/"+id, "").Body.String()
	for _, want := range []string{`data-value="` + tx.WalletAddress + `"`, `data-status="pending"`, "http-equiv=\"refresh\""} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if qr := r.Do("GET", "/checkout/"+id+"/qr.svg", ""); qr.Code != 200 || !strings.Contains(qr.Body.String(), "<svg") {
		t.Errorf("qr.svg = %d", qr.Code)
	}
	if err := r.Gateway.Pay(tx.TrackingCode, "pay"); err != nil {
		t.Fatal(err)
	}
	r.Await(id, "confirmed")
	if w := r.Do("GET", "/checkout/"+id+"/receipt", ""); w.Code != 200 || !strings.Contains(w.Body.String(), tx.PayAmount.String()) || strings.Contains(w.Body.String(), `data-part="receipt"`) {
		t.Errorf("receipt = %d; want the amount and no button for another one", w.Code)
	}
	for path, body := range map[string]string{"/attempts": `{"currency_symbol":"USDT","network_code":"trc20"}`, "/cancel": "{}"} {
		w := r.Do("POST", "/checkout/"+id+path, body, isJSON)
		if w.Code != 409 {
			t.Errorf("POST %s after payment = %d; want 409", path, w.Code)
		}
	}
	if w := r.Do("POST", "/v1/sessions/"+id+"/cancel", "", bearer); w.Code != 409 {
		t.Errorf("cancel after payment = %d; want 409", w.Code)
	}
}

// A page without anything to choose from says whose doing that is.
func TestNoCurrencies(t *testing.T) {
	r := newRig(t)
	r.Gateway.Inject(sandbox.Fault{Path: "currencies", Times: 1, Status: 503})
	id := r.Open(`{"amount_usd":"25.00","currencies":["NONE"]}`)
	var got struct{ Notice struct{ Code string } }
	w := r.Do("GET", "/checkout/"+id+"/view", "")
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Notice.Code != "network_unsupported" {
		t.Errorf("a list that allows nothing = %d %s; want network_unsupported", w.Code, w.Body)
	}
	r = newRig(t)
	r.Gateway.Inject(sandbox.Fault{Path: "currencies", Times: -1, Status: 503})
	id = r.Open(`{"amount_usd":"25.00"}`)
	w = r.Do("GET", "/checkout/"+id+"/view", "")
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Notice.Code != "gateway_unavailable" {
		t.Errorf("no list = %d %s; want gateway_unavailable", w.Code, w.Body)
	}
}

// Currencies of which the gateway offers none are refused; where they cannot be
// compared, the answer says so.
func TestCurrenciesThatMatchNothing(t *testing.T) {
	const none = `{"amount_usd":"25.00","currencies":["NOPE"]}`
	r := newRig(t)
	w := r.Do("POST", "/v1/sessions", none, bearer, isJSON)
	var refused wire.Error
	err := json.Unmarshal(w.Body.Bytes(), &refused)
	if err != nil || w.Code != 422 || refused.Code != wire.CodeInvalid || refused.Param != "currencies" ||
		!strings.Contains(refused.Detail, "GET /v1/currencies") {
		t.Errorf("POST /v1/sessions of NOPE = %d %s; want 422 invalid, currencies", w.Code, w.Body)
	}
	r = newRig(t)
	r.Gateway.Inject(sandbox.Fault{Path: "currencies", Times: -1, Status: 503})
	w = r.Do("POST", "/v1/sessions", none, bearer, isJSON)
	var opened payment.Object
	err = json.Unmarshal(w.Body.Bytes(), &opened)
	if err != nil || w.Code != 201 || len(opened.Warnings) != 1 || opened.Warnings[0].Param != "currencies" {
		t.Errorf("POST /v1/sessions without a list = %d %s; want 201 with a warning", w.Code, w.Body)
	}
	if !strings.Contains(r.Log.String(), "currencies not checked") {
		t.Errorf("log = %s; want a warning", r.Log)
	}
	w = r.Do("GET", "/v1/sessions/"+opened.ID, "", bearer)
	if strings.Contains(w.Body.String(), "warnings") {
		t.Errorf("GET /v1/sessions/{id} = %s; want no warnings", w.Body)
	}
}

// What the return address says is never believed, and what belongs to
// somebody is shown only to who knows code and number.
func TestReturnIsNotTrusted(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00","order_id":123456}`)
	r.Do("POST", "/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`, isJSON)
	r.Await(id, "pending")
	tx := r.Gateway.Transactions()[0]
	w := r.Do("GET", "/return?status=confirmed&order_id=123456&tracking_code="+tx.TrackingCode, "")
	if w.Code != 303 || w.Header().Get("Location") != "/checkout/"+id {
		t.Errorf("return = %d to %q; want 303 to the session's page", w.Code, w.Header().Get("Location"))
	}
	if got := r.Status(id); got != "pending" {
		t.Errorf("status = %q after a return that says confirmed; want pending", got)
	}
	w = r.Do("GET", "/return?status=confirmed&order_id=999999&tracking_code="+tx.TrackingCode, "")
	if w.Code != 200 || strings.Contains(w.Body.String(), id) {
		t.Errorf("return with another number = %d and may name the session; want a neutral page", w.Code)
	}
}

func TestOrderTokens(t *testing.T) {
	r := newRig(t)
	token, err := order.Mint([]byte(orderKey), "25.00", "token-1", "Tickets", time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if w := r.Do("GET", "/checkout?order="+token, ""); w.Code != 200 || !strings.Contains(w.Body.String(), "25.00") {
		t.Fatalf("the page of a token = %d", w.Code)
	}
	if list := r.Do("GET", "/v1/sessions", "", bearer).Body.String(); strings.Contains(list, "cs_") {
		t.Error("looking at a token stored a session")
	}
	ids := map[string]bool{}
	for range 2 {
		w := r.Do("POST", "/checkout", `{"order":"`+token+`","currency_symbol":"USDT","network_code":"trc20"}`, isJSON)
		var view struct{ Session string }
		if err := json.Unmarshal(w.Body.Bytes(), &view); err != nil || w.Code != 200 {
			t.Fatalf("POST /checkout = %d %s", w.Code, w.Body)
		}
		ids[view.Session] = true
	}
	if len(ids) != 1 || len(r.Gateway.Transactions()) != 1 {
		t.Errorf("%d sessions and %d transactions; want one of each", len(ids), len(r.Gateway.Transactions()))
	}
	if w := r.Do("GET", "/checkout?order="+token, ""); w.Code != 303 {
		t.Errorf("the page of a token that was used = %d; want 303 to its session", w.Code)
	}
}

// A gateway that is away is told in words, and nothing is stored or lost.
func TestGatewayUnavailable(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00"}`)
	r.Gateway.Inject(sandbox.Fault{Status: 500, Times: -1})
	if w := r.Do("GET", "/checkout/"+id, ""); w.Code != 200 || !strings.Contains(w.Body.String(), `data-part="error"`) {
		t.Errorf("page = %d; want 200 with words", w.Code)
	}
	w := r.Do("POST", "/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`, isJSON)
	if w.Code != 503 {
		t.Errorf("attempts = %d; want 503", w.Code)
	}
	problem(t, w, "gateway_unavailable")
	r.Gateway.ClearFaults()
	w = r.Do("POST", "/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`, isJSON)
	if w.Code != 200 {
		t.Errorf("attempts when it is back = %d; want 200", w.Code)
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
