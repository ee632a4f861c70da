package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
)

func pairs(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"k%d":"v"`, i))
	}
	return strings.Join(list, ",")
}

// Markup and formulas in the texts of an order stay text.
func TestHostileTexts(t *testing.T) {
	r := newRig(t)
	for _, text := range []string{
		"<script>alert(1)</script>", "</script><script>alert(1)", "<!--<script>", "{{7*7}}",
		"=cmd|' /C calc'!A0", "\u2028x", `"><img src=x onerror=alert(1)>`, "&lt;b&gt;",
		"</noscript><script>x",
	} {
		body := fortest.Must(json.Marshal(map[string]any{
			"amount_usd":  "25.00",
			"title":       text,
			"order_ref":   text,
			"description": text,
		}))(t)
		id := r.Open(string(body))
		page := r.Do("GET", "/checkout/"+id, "", "Accept: text/html").Body.String()
		fortest.Lacks(t, "title "+text+": the page", page,
			"<script>alert", "<img src=x", "<!--<", "</noscript><s")
		var view struct {
			Order struct{ Title, Ref, Description string }
		}
		fortest.OK(t, json.Unmarshal(r.Do("GET", "/checkout/"+id+"/view", "").Body.Bytes(), &view))
		if view.Order.Title != text || view.Order.Ref != text || view.Order.Description != text {
			t.Errorf("text %q came back as %+v", text, view.Order)
		}
	}
}

// Addresses are made from the setting alone, whatever a request says of hosts.
func TestHostHeaderIsNotTrusted(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00"}`)
	r.Choose(id)
	evil := []string{
		"X-Forwarded-Host: evil.example",
		"X-Forwarded-Proto: https",
		"X-Forwarded-For: <script>evil</script>, 127.0.0.1",
		"Forwarded: host=evil.example;proto=https",
		"X-Host: evil.example",
		"X-Original-URL: /v1/sessions",
		"X-Rewrite-URL: /v1/sessions",
		"X-Forwarded-Prefix: /evil.example",
		"X-Real-IP: evil",
		"Via: evil",
		"Cookie: session=evil",
		"X-Request-Id: evil",
		"Traceparent: evil",
	}
	for _, path := range []string{
		"/checkout/" + id, "/checkout/" + id + "/view", "/v1/sessions/" + id,
		"/checkout?item=coffee", "/return", "/nothing", "//checkout/" + id,
	} {
		w := r.DoTo("evil.example", "GET", path, "", append(evil, bearer)...)
		text := w.Body.String() + fmt.Sprint(w.Header())
		fortest.Lacks(t, "GET "+path+" repeats the request's host", text, "evil")
	}
	w := r.DoTo("evil.example", "POST", "/checkout/"+id+"/cancel", "",
		append(evil, "Origin: http://evil.example")...)
	fortest.Equal(t, w.Code, http.StatusForbidden, "a post from the origin that Host names")
	w = r.DoTo("evil.example", "POST", "/v1/sessions", `{"amount_usd":"1"}`,
		append(evil, bearer, isJSON)...)
	fortest.Has(t, "url is not of the public origin", w.Body.String(),
		`"url":"`+ownOrigin+"/checkout/cs_")
}

// A page's key must not match a merchant's equal key.
func TestPageKeysAreNotMerchantKeys(t *testing.T) {
	r := newRig(t)
	taken := `{"item":"coffee","key":"order-1001","currency_symbol":"USDT","network_code":"trc20"}`
	w := r.Do("POST", "/checkout", taken, isJSON)
	fortest.Answer(t, "POST /checkout", w, http.StatusOK)
	w = r.Do("POST", "/v1/sessions", `{"amount_usd":"25.00"}`, bearer, isJSON,
		"Idempotency-Key: order-1001")
	fortest.Answer(t, "the merchant's key", w, http.StatusCreated)
	w = r.Do("POST", "/v1/sessions", `{"amount_usd":"4.50","title":"Coffee"}`, bearer, isJSON,
		"Idempotency-Key: order-1002")
	var own struct{ ID string }
	fortest.OK(t, json.Unmarshal(w.Body.Bytes(), &own))
	w = r.Do("POST", "/checkout", strings.Replace(taken, "1001", "1002", 1), isJSON)
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), own.ID) {
		t.Errorf("a shopper with the merchant's key = %d; want a session of their own, not %s",
			w.Code, own.ID)
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
	took := time.Since(start)
	if w.Code != 200 || took > 7*time.Second || !strings.Contains(w.Body.String(), "25.00") {
		t.Errorf("page = %d after %v; want it without the currencies within seconds", w.Code, took)
	}
	r.Gateway.ClearFaults()
}
