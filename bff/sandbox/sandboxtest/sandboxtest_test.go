package sandboxtest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
)

// ask sends a request to the merchant API.
func ask(g *Gateway, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1/api/v1/merchant/"+path,
		strings.NewReader(body))
	r.Header.Set("X-Api-Key", sandbox.DefaultKey)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

// newGateway returns a gateway with one transaction.
func newGateway(t *testing.T) (g *Gateway, code string) {
	t.Helper()
	g = New(sandbox.Config{})
	w := ask(g, http.MethodPost, "transaction/create",
		`{"currency_symbol":"USDT","network_code":"trc20","amount_usd":25,"ttl":15}`)
	fortest.Answer(t, "create", w, http.StatusOK)
	return g, g.Transactions()[0].TrackingCode
}

// Fields of every item are overwritten, or removed, and what the gateway knows stays as it is.
func TestSet(t *testing.T) {
	g, code := newGateway(t)
	status := "transaction/status?tracking_code="

	g.Falsify(Answer{Set: map[string]any{"status": "confirmed", "email": nil, "extra": 1}})
	got := ask(g, http.MethodGet, status+code, "").Body.String()
	fortest.Has(t, "status", got, `"status":"confirmed"`, `"extra":1`, `"amount_usd":"25.00000000"`)
	fortest.Lacks(t, "status", got, `"email"`)

	g.Falsify(Answer{Set: map[string]any{"status": "confirmed", "pagination.total": 99}})
	got = ask(g, http.MethodGet, "transaction/list", "").Body.String()
	fortest.Has(t, "list", got, `"status":"confirmed"`, `"total":99`)

	minimum := map[string]any{"supported_networks.minimum_pay_usd": "7", "price_in_usdt": 2}
	g.Falsify(Answer{Set: minimum})
	got = ask(g, http.MethodGet, "currencies/list", "").Body.String()
	fortest.Equal(t, strings.Count(got, `"minimum_pay_usd":"7"`), 16, "minimums")
	fortest.Lacks(t, "currencies", got, "0.9998")

	g.Falsify(Answer{Set: map[string]any{"status": "confirmed"}})
	got = ask(g, http.MethodGet, status+"nobody", "").Body.String()
	fortest.Has(t, "a refusal", got, `"data":null`)
	fortest.Equal(t, g.Transactions()[0].Status, sandbox.Pending, "the transaction's status")
}

// A body is replaced after the request was processed.
func TestBody(t *testing.T) {
	g, _ := newGateway(t)
	for _, c := range []struct {
		answer      Answer
		status      int
		contentType string
		body        string
	}{
		{Answer{Body: BadGateway}, 200, "text/html; charset=utf-8", BadGateway},
		{Answer{Body: BadGateway, Status: 502}, 502, "text/html; charset=utf-8", BadGateway},
		{Answer{Body: "{"}, 200, "application/json", "{"},
	} {
		before := len(g.Transactions())
		g.Falsify(c.answer)
		w := ask(g, http.MethodPost, "transaction/create",
			`{"currency_symbol":"USDT","network_code":"trc20","amount_usd":25,"ttl":15}`)
		fortest.Equal(t, w.Code, c.status, "status")
		fortest.Equal(t, w.Header().Get("Content-Type"), c.contentType, "type")
		fortest.Equal(t, w.Body.String(), c.body, "body")
		fortest.Equal(t, len(g.Transactions()), before+1, "transactions")
	}
}

// An answer is given as often as it says, to its own requests, and never by the controls.
func TestTimesAndPath(t *testing.T) {
	g, _ := newGateway(t)
	g.Falsify(Answer{Path: "transaction/list", Times: 2, Status: 500})
	g.Falsify(Answer{Path: "currencies/list", Times: -1, Status: 503})
	var got []int
	for _, path := range []string{
		"currencies/list", "transaction/list", "withdrawals/list", "transaction/list",
		"transaction/list", "currencies/list",
	} {
		got = append(got, ask(g, http.MethodGet, path, "").Code)
	}
	fortest.Diff(t, got, []int{503, 500, 200, 500, 200, 503}, "statuses")

	g.ClearFaults()
	fortest.Equal(t, ask(g, http.MethodGet, "currencies/list", "").Code, 200, "after ClearFaults")

	g.Falsify(Answer{Status: 500})
	w := httptest.NewRecorder()
	g.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/sandbox/transactions", nil))
	fortest.Equal(t, w.Code, 200, "the controls")
}
