package server_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/store/storetest"
)

// getReturn counts what the gateway was asked about payments.
func getReturn(g *sandbox.Server) (n int) {
	for _, q := range g.Requests() {
		if q.Endpoint != "currencies" {
			n++
		}
	}
	return n
}

// returnURL is the return address of the last transaction.
func returnURL(g *sandbox.Server, number int, status string) string {
	all := g.Transactions()
	return fmt.Sprintf("/return?tracking_code=%s&order_id=%d&status=%s", all[len(all)-1].TrackingCode, number, status)
}

// B55: thousands of returns or hints cause one gateway request in ten seconds. Without that limit
// it would be one in a tenth of a second.
func TestReturnReplayed(t *testing.T) {
	gateway, c := servertest.NewGateway(t)
	schedule := payment.DefaultSchedule()
	schedule.Watched, schedule.Unwatched = 100*time.Millisecond, time.Hour // what opens a page may ask often; nothing else asks
	r, _ := startWith(t, gateway, c, server.Options{Limits: servertest.NoLimits, Schedule: schedule})
	id := r.Open(`{"amount_usd":"25.00","order_id":341256}`)
	r.Choose(id)
	r.Await(id, "pending")
	path, code := returnURL(gateway, 341256, "confirmed"), gateway.Transactions()[0].TrackingCode
	before, began := getReturn(gateway), time.Now()
	const replays = 3000
	for i := range replays {
		var w *httptest.ResponseRecorder
		if i%2 == 0 {
			w = r.Do("POST", "/hooks/gateway/"+hookToken, `{"tracking_code":"`+code+`"}`)
		} else {
			w = r.Do("GET", path, "")
		}
		if w.Code != 303 && w.Code != 204 {
			t.Fatalf("replay %d = %d", i, w.Code)
		}
	}
	took := time.Since(began)
	looks, most := getReturn(gateway)-before, 1+int(took/(10*time.Second))
	if looks > most {
		t.Errorf("%d looks in %v; want at most %d", looks, took, most)
	}
	fortest.Equal(t, r.Status(id), "pending", "status")
	t.Logf("%d in %v: %d looks", replays, took, looks)
}

// B57: another site cannot frame the page or the redirect to it, nor reach it as its opener.
func TestReturnFramed(t *testing.T) {
	w := newPolicyRig(t, "https://pay.example", []string{shop}, servertest.NoLimits)
	id := w.Open(`{"amount_usd":"25.00","order_id":341256}`)
	w.Choose(id)
	w.Await(id, "pending")
	for _, headers := range [][]string{nil, {"Sec-Fetch-Dest: iframe", "Sec-Fetch-Site: cross-site", "Origin: https://evil.example"}, {"Sec-Fetch-Dest: document", "Referer: " + shop}} {
		page := w.try(t, "alone", "GET", "/return?status=confirmed", "", headers...)
		if policy := page.Header().Get("Content-Security-Policy"); page.Code != 200 || !strings.Contains(policy, "frame-ancestors 'none'") || page.Header().Get("Cross-Origin-Opener-Policy") != "same-origin" {
			t.Errorf("B57/page %v = %d %v", headers, page.Code, page.Header())
		}
		way := w.Do("GET", returnURL(w.Gateway, 341256, "confirmed"), "", headers...)
		if wrong := w.check("alone", way); way.Code != 303 || wrong != nil {
			t.Errorf("B57/way %v = %d: %v", headers, way.Code, wrong)
		}
	}
}

// B58: another merchant's tracking code is answered like an unknown one.
func TestReturnOfAnotherSession(t *testing.T) {
	gateway, c := servertest.NewGateway(t)
	ours, _ := start(t, gateway, c)
	c.Database = storetest.Migrated(t)
	theirs, _ := start(t, gateway, c)
	id := theirs.Open(`{"amount_usd":"25.00","order_id":341256}`)
	theirs.Choose(id)
	theirs.Await(id, "pending")
	code := gateway.Transactions()[0].TrackingCode
	others := ours.Do("GET", "/return?tracking_code="+code+"&order_id=341256&status=confirmed", "")
	unknown := ours.Do("GET", "/return?tracking_code=none&order_id=341256&status=confirmed", "")
	if others.Code != 200 || others.Body.String() != unknown.Body.String() || strings.Contains(others.Body.String(), code) {
		t.Errorf("another merchant's code = %d %.300s", others.Code, others.Body)
	}
}

// B19: an invalid origin fails at start, naming the setting; a valid one is normalized, and the
// policy has only that.
func TestOriginsAtStart(t *testing.T) {
	load := func(value string) (config.Config, error) {
		return config.Load([]string{"COINSLOT_GATEWAY_URL=https://gateway.example", "COINSLOT_GATEWAY_KEY=" + gatewayKey, "COINSLOT_GATEWAY_PAGE_URL=https://gateway.example/pay",
			"COINSLOT_SECRET_KEY=" + secretKey, "COINSLOT_PUBLIC_URL=https://pay.example", "COINSLOT_ORIGINS=" + value}, nil)
	}
	for _, value := range []string{"*", "null", "https://*", "https://*.shop.example", "*.shop.example", "https://shop.example/path", "https://shop.example/?q", "https://shop.example/#f", "https://shop.example//", "https://a@shop.example",
		"https://shop.example\r\nX-A: b", "https://shop.example;script-src *", "https://shop.example 'unsafe-inline'", "'self'", "'unsafe-inline'", "https:", "https://", "//shop.example", "shop.example", "data:", "javascript:alert(1)", "ftp://shop.example",
		"https://b\u00fccher.example", "https://shop.example:0", "https://shop.example:99999", "https://shop.example,*", "https://shop.example,,", ",", "https://shop.example https://b.example", "https://shop.example\x00"} {
		t.Run(fmt.Sprintf("B19/%q", value), func(t *testing.T) {
			if _, err := load(value); err == nil || !strings.Contains(err.Error(), "COINSLOT_ORIGINS") {
				t.Errorf("%q = %v; want a refusal that names the setting", value, err)
			}
		})
	}
	hundred := make([]string, 100)
	for i := range hundred {
		hundred[i] = fmt.Sprintf("https://s%d.example", i)
	}
	for value, want := range map[string][]string{
		"https://shop.example/": {shop}, " https://shop.example\n": {shop}, "HTTPS://Shop.Example": {shop}, "https://shop.example:443": {shop}, "http://localhost:3000, https://b.example:8443": {"http://localhost:3000", "https://b.example:8443"},
		"http://shop.example:80": {"http://shop.example"}, "https://xn--bcher-kva.example": {"https://xn--bcher-kva.example"}, "": nil, strings.Join(hundred, ","): hundred,
	} {
		t.Run(fmt.Sprintf("B19/%.40q is kept", value), func(t *testing.T) {
			c, err := load(value)
			if err != nil || !slices.Equal(c.Origins, want) {
				t.Fatalf("%q = %v, %v; want %v", value, c.Origins, err, want)
			}
			w := newPolicyRig(t, c.PublicURL, c.Origins, servertest.NoLimits)
			w.origins = want
			w.try(t, "page", "GET", "/checkout?item=coffee", "", "Accept: text/html")
		})
	}
}
