package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
)

// view reads the shopper's view of a session.
func (r *rig) view(id string) wire.View {
	r.T.Helper()
	return fortest.Must(wire.ParseView(r.Do("GET", "/checkout/"+id+"/view", "").Body.Bytes()))(r.T)
}

// More time redirects a form to the page and answers JSON with the view; the new address replaces
// the old one.
func TestExtends(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
	}{
		"form": {
			"attempt=1&embed=inline&origin=https%3A%2F%2Fshop.example",
			[]string{isForm, "Accept: text/html"},
			http.StatusSeeOther,
		},
		"JSON":                {`{"attempt":1}`, []string{isJSON}, http.StatusOK},
		"JSON made of a form": {`{"attempt":"1"}`, []string{isJSON}, http.StatusOK},
		"nothing said":        {"", []string{isJSON}, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.Open(`{"amount_usd":"25.00"}`)
			r.Choose(id)
			r.Await(id, "pending")
			before := r.view(id)
			if !before.Can(wire.Extend) || before.Attempt.ExtendMinutes != 60 {
				t.Fatalf("actions %v, %d minutes; want extend and 60", before.Actions,
					before.Attempt.ExtendMinutes)
			}
			w := r.Do("POST", "/checkout/"+id+"/extend", c.body, c.headers...)
			fortest.Answer(t, "extend", w, c.status)
			to := w.Header().Get("Location")
			if c.status == http.StatusSeeOther &&
				!strings.HasPrefix(to, "/checkout/"+id+"?embed=inline") {
				t.Errorf("sent to %q; want the page as it was framed", to)
			}
			after := r.view(id)
			a := after.Attempt
			if a.Number != 2 || a.Address == before.Attempt.Address || a.NetworkCode != "trc20" ||
				a.ExpiresInMs < 59*60_000 {
				t.Errorf("attempt %+v; want the second on the same network, with an hour", a)
			}
			live := 0
			for _, tx := range r.Gateway.Transactions() {
				if tx.Status == sandbox.Pending {
					live++
				}
			}
			if live != 1 || strings.Contains(r.Log.String(), "checkout.cancelled") {
				t.Errorf("%d transactions can be paid; want one", live)
			}
			fortest.Lacks(t, "the merchant was notified of a cancellation",
				r.Do("GET", "/v1/events", "", bearer).Body.String(), "checkout.cancelled")
		})
	}
}

func TestExtendRefuses(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00"}`)
	path := "/checkout/" + id + "/extend"
	r.run([]scenario{
		{"nothing chosen", "POST", path, "", []string{isJSON}, 409, "not_possible", "", ""},
		{
			"unknown",
			"POST",
			"/checkout/cs_none/extend",
			"",
			[]string{isJSON},
			404,
			"session_unknown",
			"",
			"",
		},
		{
			"a price",
			"POST",
			path,
			`{"attempt":1,"amount_usd":"1"}`,
			[]string{isJSON},
			422,
			"unknown_field",
			"",
			"",
		},
		{
			"a coin",
			"POST",
			path,
			`{"currency_symbol":"GRAM"}`,
			[]string{isJSON},
			422,
			"unknown_field",
			"",
			"",
		},
		{"zero", "POST", path, `{"attempt":0}`, []string{isJSON}, 422, "invalid", "attempt", ""},
		{"null", "POST", path, `{"attempt":null}`, []string{isJSON}, 409, "not_possible", "", ""},
		{
			"negative",
			"POST",
			path,
			`{"attempt":-1}`,
			[]string{isJSON},
			422,
			"invalid",
			"attempt",
			"",
		},
		{"half", "POST", path, `{"attempt":1.5}`, []string{isJSON}, 422, "invalid", "attempt", ""},
		{
			"large",
			"POST",
			path,
			`{"attempt":99999999999999999999}`,
			[]string{isJSON},
			422,
			"invalid",
			"attempt",
			"",
		},
		{
			"octal",
			"POST",
			path,
			`{"attempt":"01"}`,
			[]string{isJSON},
			422,
			"invalid",
			"attempt",
			"",
		},
		{
			"empty text",
			"POST",
			path,
			`{"attempt":""}`,
			[]string{isJSON},
			422,
			"invalid",
			"attempt",
			"",
		},
		{
			"an object",
			"POST",
			path,
			`{"attempt":{}}`,
			[]string{isJSON},
			422,
			"invalid",
			"attempt",
			"",
		},
		{
			"words in a form",
			"POST",
			path,
			"attempt=one",
			[]string{isForm, "Accept: application/json"},
			422,
			"invalid",
			"attempt",
			"",
		},
		{
			"an attempt to come",
			"POST",
			path,
			`{"attempt":7}`,
			[]string{isJSON},
			409,
			"not_possible",
			"",
			"",
		},
		{
			"elsewhere",
			"POST",
			path,
			"",
			[]string{isJSON, "Origin: " + shop},
			403,
			"cross_site_refused",
			"",
			"",
		},
		{
			"in words",
			"POST",
			path,
			"attempt=1",
			[]string{isForm, "Accept: text/html"},
			409,
			"",
			`data-part="error"`,
			"",
		},
	})
	r.Choose(id)
	r.Await(id, "pending")
	fortest.OK(t, r.Gateway.Pay(r.Gateway.Transactions()[0].TrackingCode, "half"))
	problem(t, r.Do("POST", path, "", isJSON), "payment_in_progress")
	fortest.Equal(t, len(r.Gateway.Transactions()), 1, "transactions")
}

// Whom to ask is in every view and on the pages of no order.
func TestSupportIsShown(t *testing.T) {
	const support = "mailto:help@shop.example"
	r := newConfiguredRig(t, func(c *config.Config) { c.Support = support })
	id := r.Open(`{"amount_usd":"25.00","order_ref":"A&1"}`)
	var got struct{ Support string }
	err := json.Unmarshal(r.Do("GET", "/checkout/"+id+"/view", "").Body.Bytes(), &got)
	if err != nil || got.Support != support {
		t.Errorf("support = %q, %v; want %q", got.Support, err, support)
	}
	r.Do("POST", "/checkout/"+id+"/cancel", "", isForm)
	r.run([]scenario{
		{
			"cancelled", "GET", "/checkout/" + id, "", nil, 200, "",
			`href="mailto:help@shop.example?subject=A%261"`, "",
		},
		{
			"unknown", "GET", "/checkout/cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", "", nil, 404, "",
			`href="mailto:help@shop.example?subject=cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"`, "",
		},
		{
			"neutral return", "GET", "/return", "", nil, 200, "",
			`href="mailto:help@shop.example"`, "cs_",
		},
	})
}

// A link that leads nowhere says so, speaks of no charge, and shows the way back.
func TestUnknownAddress(t *testing.T) {
	r := newRig(t)
	html := "Accept: text/html"
	r.run([]scenario{
		{
			"title",
			"GET",
			"/checkout/cs_aaaaaaaaaaaaaaaaaaaaaaaaaa",
			"",
			[]string{html},
			404,
			"",
			"You don’t need to do anything here</h1>",
			"isn’t possible right now</h1>",
		},
		{
			"charges",
			"GET",
			"/checkout/cs_aaaaaaaaaaaaaaaaaaaaaaaaaa",
			"",
			[]string{html},
			404,
			"",
			"find this payment page.",
			"Nothing was charged",
		},
		{
			"way back",
			"GET",
			"/checkout/cs_none",
			"",
			[]string{html},
			404,
			"",
			`href="` + shop + `"`,
			"",
		},
		{
			"nowhere",
			"GET",
			"/index.html",
			"",
			[]string{html},
			404,
			"",
			"You don’t need to do anything here</h1>",
			"",
		},
	})
}

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
		status := map[sandbox.Kind]string{
			"pay":    "confirmed",
			"expire": "expired",
			"cancel": "cancelled",
		}[kind]
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
	fortest.Equal(t, all[len(all)-1].Email, "ann@shop.example", "the gateway got the e-mail")
}

// After COINSLOT_PAGES_FOR shoppers cannot open a finished session; the merchant's API can, and
// unfinished sessions stay open.
func TestPagesFor(t *testing.T) {
	r := newConfiguredRig(t, func(c *config.Config) { c.PagesFor = 1 })
	paid := r.OpenAndPay(`{"amount_usd":"25.00","order_id":341256}`, "pay", "confirmed")
	open := r.Open(`{"amount_usd":"25.00"}`)
	r.Do("POST", "/v1/sessions/"+open+"/recheck", "", bearer)
	code := r.Gateway.Transactions()[0].TrackingCode
	for _, c := range []struct {
		method, path, body string
	}{
		{"GET", "", ""},
		{"GET", "/view", ""},
		{"GET", "/receipt", ""},
		{"GET", "/qr.svg", ""},
		{"GET", "/qr.svg?kind=page", ""},
		{"POST", "/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`},
		{"POST", "/extend", `{}`},
		{"POST", "/cancel", `{}`},
		{"POST", "/recheck", `{}`},
	} {
		w := r.Do(c.method, "/checkout/"+paid+c.path, c.body, isJSON, "Accept: application/json")
		if w.Code != 404 || strings.Contains(w.Body.String(), "25.00") {
			t.Errorf("%s %s of a closed session = %d %.200s; want 404", c.method, c.path, w.Code,
				w.Body)
		}
	}
	if w := r.Do("GET", "/return?tracking_code="+code+"&order_id=341256", "",
		"Accept: text/html"); w.Code != 200 || strings.Contains(w.Body.String(), paid) {
		t.Errorf("/return to a closed session = %d; want the neutral page", w.Code)
	}
	fortest.Equal(t, r.Do("GET", "/v1/sessions/"+paid, "", bearer).Code, 200, "the merchant's API")
	fortest.Equal(t, r.Do("GET", "/checkout/"+open, "", "Accept: text/html").Code, 200,
		"the page of an open session")
}

// An e-mail that the shopper removes while changing the coin is not sent again.
func TestRemovedEmail(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00"}`)
	r.Do("POST", "/checkout/"+id+"/attempts",
		`{"currency_symbol":"USDT","network_code":"trc20","email":"ann@shop.example"}`, isJSON)
	r.Await(id, "pending")
	r.Do("POST", "/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"bep20"}`,
		isJSON)
	fortest.Until(t, "the other network", func() bool { return len(r.Gateway.Transactions()) == 2 })
	fortest.Equal(t, r.Gateway.Transactions()[1].Email, "", "the gateway got the e-mail")
}

// TestShopIsNamed: the page of an order, a token or an item, its view and its receipt call the shop
// by its name: the session's, else the setting's, else the host of its page.
func TestShopIsNamed(t *testing.T) {
	named := newConfiguredRig(t, func(c *config.Config) { c.ShopName = "Northlight Coffee" })
	plain := newConfiguredRig(t, func(*config.Config) {})
	const ofSession = `{"amount_usd":"25.00","shop_name":"Café & Söhne"}`
	const ofServer = `{"amount_usd":"25.00"}`
	page := func(r *rig, path string) string {
		t.Helper()
		return r.Do("GET", path, "", "Accept: text/html").Body.String()
	}
	for name, c := range map[string]struct {
		r    *rig
		path string
		want string
	}{
		"setting":          {named, "/checkout/" + named.Open(ofServer), "Pay Northlight Coffee"},
		"session":          {named, "/checkout/" + named.Open(ofSession), "Pay Café &amp; Söhne"},
		"item":             {named, "/checkout?item=coffee", "Pay Northlight Coffee"},
		"without":          {plain, "/checkout/" + plain.Open(ofServer), "Pay shop.example"},
		"session, without": {plain, "/checkout/" + plain.Open(ofSession), "Pay Café &amp; Söhne"},
	} {
		fortest.Has(t, name, page(c.r, c.path), `class="order-shop">`+c.want+"<")
	}
	id := named.Open(ofSession)
	fortest.Has(t, "the session", named.Do("GET", "/v1/sessions/"+id, "", bearer).Body.String(),
		`"shop_name":"Café `)
	named.Choose(id)
	named.Await(id, "pending")
	view := named.Do("GET", "/checkout/"+id+"/view", "").Body.String()
	fortest.Has(t, "the view", view, `"shop_name":"Café `)
}
