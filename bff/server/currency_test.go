package server_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/order"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// ratesFile writes fixed rates of the euro, the yen and the dinar of Kuwait, and returns its path.
func ratesFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rates.yaml")
	file := "base: USD\ndate: 2026-11-26\nrates: {EUR: 0.9157, JPY: 157.25, KWD: 0.3067}\n"
	fortest.OK(t, os.WriteFile(path, []byte(file), 0o600))
	return path
}

// newCurrencyRig starts a server with the rates of [ratesFile], and waits until they serve.
func newCurrencyRig(t *testing.T) *rig {
	r := newConfiguredRig(t, func(c *config.Config) {
		c.Rates = ratesFile(t)
		c.RatesSpread = decimal.RequireFromString("0.5")
	})
	fortest.Until(t, "rates", func() bool {
		return strings.Contains(r.Do("GET", "/v1/rates", "", bearer).Body.String(), `"KWD"`)
	})
	return r
}

// TestPricesInOtherCurrencies follows an order in euros from its opening to the receipt.
func TestPricesInOtherCurrencies(t *testing.T) {
	r := newCurrencyRig(t)
	id := r.OpenAndPay(`{"amount":"25.00","currency":"EUR","order_ref":"1001"}`, "pay", "confirmed")

	// 25 / 0.9157 × 1.005 = 27.4380…, up to the cent
	const price = `"amount":"25.00","currency":"EUR","amount_usd":"27.44","rate":{"usd_per_unit":"1.092060719",` +
		`"usd_per_unit_exact":"1/0.9157","source":"fixed","as_of":"2026-11-26T00:00:00Z","spread_percent":"0.5"}`
	object := r.Do("GET", "/v1/sessions/"+id, "", bearer).Body.String()
	fortest.Has(t, "the session object", object, price)
	fortest.Has(t, "the event", r.Do("GET", "/v1/events?session="+id, "", bearer).Body.String(), price)

	var session struct{ Receipt string }
	fortest.OK(t, json.Unmarshal([]byte(object), &session))
	fortest.Has(t, "the receipt", receiptClaims(t, session.Receipt),
		`"amount":"25.00"`, `"currency":"EUR"`, `"amount_usd":"27.44"`, `"1/0.9157"`)

	view := r.Do("GET", "/checkout/"+id+"/view", "").Body.String()
	fortest.Has(t, "the view", view, `"amount":"25.00","currency":"EUR","amount_usd":"27.44"`,
		`"price":"€25.00"`, `"charge":"charged as $27.44 · the shop’s own rate"`)
	printed := r.Do("GET", "/checkout/"+id+"/receipt", "", "Accept: text/html").Body.String()
	fortest.Has(t, "the printed receipt", printed, "€25.00", "charged as $27.44")
}

// TestDollarsStayDollars: currency USD is the same as amount_usd, and needs no rate.
func TestDollarsStayDollars(t *testing.T) {
	r := newRig(t)
	for _, body := range []string{
		`{"amount_usd":"25","order_ref":"1001"}`, `{"amount":"25.0","currency":"USD","order_ref":"1001"}`,
	} {
		w := r.Do("POST", "/v1/sessions", body, bearer, isJSON)
		fortest.Answer(t, body, w, http.StatusCreated)
		fortest.Has(t, "the session", w.Body.String(),
			`"amount":"25.00","currency":"USD","amount_usd":"25.00","rate":null`)
	}
	var page struct{ Data []payment.Object }
	fortest.OK(t, json.Unmarshal(r.Do("GET", "/v1/sessions", "", bearer).Body.Bytes(), &page))
	fortest.Equal(t, len(page.Data), 1, "sessions of one order")
	fortest.Has(t, "the rates", r.Do("GET", "/v1/rates", "", bearer).Body.String(), `"data":[]`)
}

// TestPricesRefused: each mistake has a code, and a sentence that says what is possible.
func TestPricesRefused(t *testing.T) {
	r := newCurrencyRig(t)
	for body, want := range map[string]struct {
		status int
		code   string
		param  string
		detail string
	}{
		`{"amount":"25.001","currency":"EUR"}`: {400, "amount_invalid", "amount", "at most 2 digits after the point"},
		`{"amount":"25.0","currency":"JPY"}`:   {400, "amount_invalid", "amount", "a whole number"},
		`{"amount":"1.2345","currency":"KWD"}`: {400, "amount_invalid", "amount", "at most 3 digits after the point"},
		`{"amount":"0","currency":"EUR"}`:      {400, "amount_invalid", "amount", "above zero"},
		`{"amount":"-1","currency":"EUR"}`:     {400, "amount_invalid", "amount", "above zero"},
		`{"amount":"1e3","currency":"EUR"}`:    {400, "amount_invalid", "amount", "above zero"},
		`{"amount":"999999999999999","currency":"EUR"}`: {
			400, "amount_invalid", "amount", "more than 999,999,999.99 dollars",
		},
		`{"amount":25,"currency":"EUR"}`:   {422, "amount_type", "amount", ""},
		`{"amount":"25","currency":"CHF"}`: {400, "currency_unsupported", "currency", "EUR, JPY, KWD, USD"},
		`{"amount":"25","currency":"eur"}`: {400, "currency_unsupported", "currency", "EUR, JPY, KWD, USD"},
		`{"amount":"25","currency":"XTS"}`: {400, "currency_unsupported", "currency", "EUR, JPY, KWD, USD"},
		`{"amount":"25"}`:                  {422, "invalid", "currency", "ISO 4217"},
		`{"currency":"EUR"}`:               {422, "amount_required", "amount", ""},
		`{}`:                               {422, "amount_required", "amount_usd", ""},
		`{"amount_usd":"25","amount":"25","currency":"EUR"}`: {
			422, "invalid", "amount_usd", "either",
		},
		`{"amount":"25","currency":"EUR","expires_in_minutes":1441}`: {
			422, "invalid", "expires_in_minutes", "",
		},
	} {
		w := r.Do("POST", "/v1/sessions", body, bearer, isJSON)
		var got struct {
			Code, Param, Detail string
		}
		fortest.OK(t, json.Unmarshal(w.Body.Bytes(), &got))
		if w.Code != want.status || got.Code != want.code || got.Param != want.param ||
			!strings.Contains(got.Detail, want.detail) {
			t.Errorf("%s = %d %+v; want %+v", body, w.Code, got, want)
		}
	}
	fortest.Has(t, "the sessions", r.Do("GET", "/v1/sessions", "", bearer).Body.String(), `"data":[]`)
}

// TestPricesOfTokensRefused: the page of an order whose price cannot be converted has the reason,
// and a choice on it opens nothing.
func TestPricesOfTokensRefused(t *testing.T) {
	refused := func(r *rig, currency string, status int, code string) {
		minted := order.NewToken{Amount: "25", Currency: currency, Ref: "1001", TTL: time.Hour}
		token, err := order.Mint([]byte(orderKey), minted, time.Now())
		fortest.OK(t, err)

		page := r.Do("GET", "/checkout?order="+token, "", "Accept: text/html")
		fortest.Answer(t, "the page", page, status)
		view := r.Do("GET", "/checkout?order="+token, "", "Accept: application/json")
		fortest.Answer(t, "the view", view, status)
		problem(t, view, code)

		choice := `{"order":"` + token + `","currency_symbol":"USDT","network_code":"bep20"}`
		chosen := r.Do("POST", "/checkout", choice, isJSON)
		fortest.Answer(t, "the choice", chosen, status)
		problem(t, chosen, code)
		fortest.Has(t, "the sessions", r.Do("GET", "/v1/sessions", "", bearer).Body.String(), `"data":[]`)
	}

	refused(newCurrencyRig(t), "CHF", http.StatusBadRequest, "currency_unsupported")
	without := newConfiguredRig(t, func(c *config.Config) { c.Rates = "/there/is/no.yaml" })
	refused(without, "EUR", http.StatusServiceUnavailable, "rate_unavailable")
}

// TestNoRateNoSession: without a rate that can be trusted, nothing is opened, and a client learns
// when to ask again.
func TestNoRateNoSession(t *testing.T) {
	r := newConfiguredRig(t, func(c *config.Config) { c.Rates = "/there/is/no.yaml" })
	open := func() *httptest.ResponseRecorder {
		w := r.Do("POST", "/v1/sessions", `{"amount":"25","currency":"EUR"}`, bearer, isJSON)
		fortest.Answer(t, "an order in euros", w, http.StatusServiceUnavailable)
		fortest.Has(t, "the answer", w.Body.String(), "rate_unavailable")
		return w
	}
	// Other refusals say 12 seconds; the file is read again half a minute after a failure.
	fortest.Until(t, "Retry-After of the source", func() bool {
		wait, err := strconv.Atoi(open().Header().Get("Retry-After"))
		return err == nil && wait > 15
	})
}

// TestRatesForOperators: /metrics and /readyz say how the rates are; an instance without rates that
// can be used still serves orders in dollars.
func TestRatesForOperators(t *testing.T) {
	ops := func(r *rig, path string) string {
		w := httptest.NewRecorder()
		r.Server.Ops.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fortest.Equal(t, w.Code, http.StatusOK, "the status of %s", path)
		return w.Body.String()
	}
	order := func(r *rig, body string, status int) {
		w := r.Do("POST", "/v1/sessions", body, bearer, isJSON)
		fortest.Answer(t, body, w, status)
	}

	r := newCurrencyRig(t)
	order(r, `{"amount":"25","currency":"CHF"}`, http.StatusBadRequest)
	fortest.Has(t, "/metrics", ops(r, "/metrics"),
		"coinslot_rates_usable 3\n", "coinslot_rates_held 0\n", "coinslot_rate_failing_seconds 0\n",
		`coinslot_rate_age_seconds{source="fixed"} `,
		`coinslot_sessions_refused_total{reason="currency_unsupported"} 1`,
		`coinslot_sessions_refused_total{reason="rate_unavailable"} 0`)
	fortest.Equal(t, ops(r, "/readyz"), "ok\n", "/readyz")

	r = newConfiguredRig(t, func(c *config.Config) { c.Rates = "/there/is/no.yaml" })
	fortest.Until(t, "a failure", func() bool {
		return strings.Contains(ops(r, "/readyz"), "no such file")
	})
	order(r, `{"amount":"25","currency":"EUR"}`, http.StatusServiceUnavailable)
	order(r, `{"amount_usd":"25"}`, http.StatusCreated)
	fortest.Has(t, "/readyz", ops(r, "/readyz"),
		"ok\nwarning: no exchange rate can be used, so only orders in USD are accepted: ")
	fortest.Has(t, "/metrics", ops(r, "/metrics"), "coinslot_rates_usable 0\n",
		`coinslot_sessions_refused_total{reason="rate_unavailable"} 1`)
	fortest.Lacks(t, "/metrics", ops(r, "/metrics"), "coinslot_rate_age_seconds{")

	r = newRig(t)
	fortest.Lacks(t, "/metrics", ops(r, "/metrics"), "coinslot_rates_usable")
	fortest.Equal(t, ops(r, "/readyz"), "ok\n", "/readyz without rates")
}

// receiptClaims returns the claims of a receipt as JSON.
func receiptClaims(t *testing.T, receipt string) string {
	t.Helper()
	parts := strings.Split(receipt, ".")
	fortest.Equal(t, len(parts), 3, "the parts of the receipt %q", receipt)
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	fortest.OK(t, err)
	return string(claims)
}
