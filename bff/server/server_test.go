package server_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/web"
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
	return withContract(t, servertest.New(t))
}

// withContract holds what r answers to docs/openapi.yaml.
func withContract(t *testing.T, r *servertest.Rig) *rig {
	t.Helper()
	r.Handler = deferHeaders(t, r.Handler)
	return &rig{Rig: r, routes: r.Server.Routes()}
}

// newConfiguredRig is newRig with other settings and without limits.
func newConfiguredRig(t *testing.T, change func(*config.Config)) *rig {
	t.Helper()
	gateway, c := servertest.NewGateway(t)
	change(&c)
	r, _ := startWith(t, gateway, c, server.Options{Limits: servertest.NoLimits})
	return r
}

// start runs a server until t ends, or until stop is called.
func start(t *testing.T, gateway *sandboxtest.Gateway, c config.Config) (r *rig, stop func()) {
	t.Helper()
	return startWith(t, gateway, c, server.Options{})
}

// startWith is start with options.
func startWith(
	t *testing.T, gateway *sandboxtest.Gateway, c config.Config, o server.Options,
) (r *rig, stop func()) {
	t.Helper()
	kit, stop := servertest.Start(t, gateway, c, o)
	return withContract(t, kit), stop
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
			fortest.Answer(t, "status", w, c.status)
			if c.code != "" {
				problem(t, w, c.code)
			}
			fortest.Has(t, "body", w.Body.String(), c.has)
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
	if got.Code != code || got.Status != w.Code || got.Title == "" || got.Detail == "" ||
		got.RequestID == "" {
		t.Errorf("problem = %+v; want code %s, status %d and the rest filled", got, code, w.Code)
	}
	fortest.Equal(t, w.Header().Get("Content-Type"), "application/problem+json", "content type")
}

func TestPaysByForms(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00","order_ref":"forms"}`)
	w := r.Do(
		"POST",
		"/checkout/"+id+"/attempts",
		"currency_symbol=USDT&network_code=USDT%3Atrc20&embed=modal&origin=https%3A%2F%2Fshop.example",
		isForm,
		"Sec-Fetch-Site: same-origin",
		"Origin: http://localhost:8080",
	)
	want := "/checkout/" + id + "?embed=modal&origin=https%3A%2F%2Fshop.example"
	if w.Code != 303 || w.Header().Get("Location") != want {
		t.Fatalf("attempts = %d to %q; want 303 to %q", w.Code, w.Header().Get("Location"), want)
	}
	r.Await(id, "pending")
	tx := r.Gateway.Transactions()[0]
	fortest.Has(t, "the page", r.Do("GET", "/checkout/"+id, "").Body.String(),
		`data-value="`+tx.WalletAddress+`"`, `data-status="pending"`, "http-equiv=\"refresh\"")
	fortest.Answer(t, "qr.svg", r.Do("GET", "/checkout/"+id+"/qr.svg", ""), 200, "<svg")
	fortest.OK(t, r.Gateway.Pay(tx.TrackingCode, "pay"))
	r.Await(id, "confirmed")
	if w := r.Do(
		"GET",
		"/checkout/"+id+"/receipt",
		"",
	); w.Code != 200 || !strings.Contains(w.Body.String(), tx.PayAmount.String()) ||
		strings.Contains(w.Body.String(), `data-part="receipt"`) {
		t.Errorf("receipt = %d; want the amount and no button for another one", w.Code)
	}
	for path, body := range map[string]string{
		"/attempts": `{"currency_symbol":"USDT","network_code":"trc20"}`,
		"/cancel":   "{}",
	} {
		w := r.Do("POST", "/checkout/"+id+path, body, isJSON)
		fortest.Equal(t, w.Code, 409, "POST %s after payment", path)
	}
	fortest.Equal(t, r.Do("POST", "/v1/sessions/"+id+"/cancel", "", bearer).Code, 409,
		"cancel after payment")
}

// A page without anything to choose from says whose doing that is.
func TestNoCurrencies(t *testing.T) {
	r := newRig(t)
	r.Gateway.Inject(sandbox.Fault{Path: "currencies", Times: 1, Status: 503})
	id := r.Open(`{"amount_usd":"25.00","currencies":["NONE"]}`)
	var got struct{ Notice struct{ Code string } }
	w := r.Do("GET", "/checkout/"+id+"/view", "")
	if err := json.Unmarshal(w.Body.Bytes(),
		&got); err != nil || got.Notice.Code != "network_unsupported" {
		t.Errorf("a list that allows nothing = %d %s; want network_unsupported", w.Code, w.Body)
	}
	r = newRig(t)
	r.Gateway.Inject(sandbox.Fault{Path: "currencies", Times: -1, Status: 503})
	id = r.Open(`{"amount_usd":"25.00"}`)
	w = r.Do("GET", "/checkout/"+id+"/view", "")
	if err := json.Unmarshal(w.Body.Bytes(),
		&got); err != nil || got.Notice.Code != "gateway_unavailable" {
		t.Errorf("no list = %d %s; want gateway_unavailable", w.Code, w.Body)
	}
}

// Currencies that the gateway does not offer are rejected; if they cannot be compared, the answer
// says so.
func TestCurrenciesThatMatchNothing(t *testing.T) {
	const none = `{"amount_usd":"25.00","currencies":["NOPE"]}`
	r := newRig(t)
	w := r.Do("POST", "/v1/sessions", none, bearer, isJSON)
	var refused wire.Error
	err := json.Unmarshal(w.Body.Bytes(), &refused)
	if err != nil || w.Code != 422 || refused.Code != wire.CodeInvalid ||
		refused.Param != "currencies" ||
		!strings.Contains(refused.Detail, "GET /v1/currencies") {
		t.Errorf("POST /v1/sessions of NOPE = %d %s; want 422 invalid, currencies", w.Code, w.Body)
	}
	r = newRig(t)
	r.Gateway.Inject(sandbox.Fault{Path: "currencies", Times: -1, Status: 503})
	w = r.Do("POST", "/v1/sessions", none, bearer, isJSON)
	var opened payment.Object
	err = json.Unmarshal(w.Body.Bytes(), &opened)
	if err != nil || w.Code != 201 || len(opened.Warnings) != 1 ||
		opened.Warnings[0].Param != "currencies" {
		t.Errorf("POST /v1/sessions without a list = %d %s; want 201 with a warning", w.Code,
			w.Body)
	}
	fortest.Has(t, "log", r.Log.String(), "currencies not validated")
	w = r.Do("GET", "/v1/sessions/"+opened.ID, "", bearer)
	fortest.Lacks(t, "GET /v1/sessions/{id}", w.Body.String(), "warnings")
}

func write(t testing.TB, path, text string) {
	t.Helper()
	fortest.OK(t, os.WriteFile(path, []byte(text), 0o600))
}
