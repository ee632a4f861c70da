package server_test

import (
	"strings"
	"testing"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/server/servertest"
)

// The page has the e-mail until the payment ends; a link to a finished session does not reveal it.
func TestFinishedPageHasNoEmail(t *testing.T) {
	r := newRig(t)
	const order = `{"amount_usd":"25.00","email":"ann@shop.example"}`
	shows := func(path string) bool {
		w := r.Do("GET", path, "", "Accept: text/html")
		return strings.Contains(w.Body.String(), "ann@shop.example")
	}
	if id := r.Open(order); !shows("/checkout/" + id) {
		t.Error("the page of an open session does not offer the e-mail")
	}
	for _, kind := range []sandbox.Kind{"pay", "expire", "cancel"} {
		status := map[sandbox.Kind]string{"pay": "confirmed", "expire": "expired", "cancel": "cancelled"}[kind]
		id := r.OpenAndPay(order, kind, status)
		for _, path := range []string{"", "/receipt", "/view", "?change=1"} {
			if shows("/checkout/" + id + path) {
				t.Errorf("%s of a session that is %s shows the e-mail", path, status)
			}
		}
	}
}

// The page of an expired payment lacks the e-mail; the gateway still gets it on a retry.
func TestRetryKeepsTheEmail(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00"}`)
	const coin = `"currency_symbol":"USDT","network_code":"trc20"`
	r.Do("POST", "/checkout/"+id+"/attempts", `{`+coin+`,"email":"ann@shop.example"}`, isJSON)
	r.Await(id, "pending")
	all := r.Gateway.Transactions()
	fortest.OK(t, r.Gateway.Pay(all[len(all)-1].TrackingCode, "expire"))
	r.Await(id, "expired")
	r.Do("POST", "/checkout/"+id+"/attempts", `{`+coin+`}`, isJSON)
	r.Await(id, "pending")
	all = r.Gateway.Transactions()
	if got := all[len(all)-1].Email; got != "ann@shop.example" {
		t.Errorf("the gateway got the e-mail %q", got)
	}
}

// After COINSLOT_PAGES_FOR shoppers cannot open a finished session; the merchant's API can, and
// unfinished sessions stay open.
func TestPagesFor(t *testing.T) {
	r := newConfiguredRig(t, func(c *config.Config) { c.PagesFor = 1 })
	paid, open := r.OpenAndPay(`{"amount_usd":"25.00","order_id":341256}`, "pay", "confirmed"), r.Open(`{"amount_usd":"25.00"}`)
	r.Do("POST", "/v1/sessions/"+open+"/recheck", "", bearer)
	code := r.Gateway.Transactions()[0].TrackingCode
	for _, c := range []struct {
		method, path, body string
	}{
		{"GET", "", ""}, {"GET", "/view", ""}, {"GET", "/receipt", ""}, {"GET", "/qr.svg", ""}, {"GET", "/qr.svg?kind=page", ""},
		{"POST", "/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`}, {"POST", "/extend", `{}`}, {"POST", "/cancel", `{}`}, {"POST", "/recheck", `{}`},
	} {
		w := r.Do(c.method, "/checkout/"+paid+c.path, c.body, isJSON, "Accept: application/json")
		if w.Code != 404 || strings.Contains(w.Body.String(), "25.00") {
			t.Errorf("%s %s of a closed session = %d %.200s; want 404", c.method, c.path, w.Code, w.Body)
		}
	}
	if w := r.Do("GET", "/return?tracking_code="+code+"&order_id=341256", "", "Accept: text/html"); w.Code != 200 || strings.Contains(w.Body.String(), paid) {
		t.Errorf("/return to a closed session = %d; want the neutral page", w.Code)
	}
	if w := r.Do("GET", "/v1/sessions/"+paid, "", bearer); w.Code != 200 {
		t.Errorf("the merchant's API = %d; want 200", w.Code)
	}
	if w := r.Do("GET", "/checkout/"+open, "", "Accept: text/html"); w.Code != 200 {
		t.Errorf("the page of an open session = %d; want 200", w.Code)
	}
}

// An e-mail that the shopper removes while changing the coin is not sent again.
func TestRemovedEmail(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00"}`)
	r.Do("POST", "/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"trc20","email":"ann@shop.example"}`, isJSON)
	r.Await(id, "pending")
	r.Do("POST", "/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"bep20"}`, isJSON)
	servertest.Until(t, "the other network", func() bool { return len(r.Gateway.Transactions()) == 2 })
	if got := r.Gateway.Transactions()[1].Email; got != "" {
		t.Errorf("the gateway got the e-mail %q", got)
	}
}
