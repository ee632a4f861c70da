package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/store/storetest"
)

// getReturn counts what the gateway was asked about payments.
func getReturn(g *sandboxtest.Gateway) (n int) {
	for _, q := range g.Requests() {
		if q.Endpoint != "currencies" {
			n++
		}
	}
	return n
}

// returnURL is the return address of the last transaction.
func returnURL(g *sandboxtest.Gateway, number int, status string) string {
	all := g.Transactions()
	return fmt.Sprintf("/return?tracking_code=%s&order_id=%d&status=%s",
		all[len(all)-1].TrackingCode, number, status)
}

// Many returns and hints cause one gateway request in ten seconds. Without that limit it would be
// one in a tenth of a second.
func TestReturnReplayed(t *testing.T) {
	gateway, c := servertest.NewGateway(t)
	schedule := payment.DefaultSchedule()
	schedule.Watched = 100 * time.Millisecond
	schedule.Unwatched = time.Hour // what opens a page may ask often; nothing else asks
	r, _ := startWith(t, gateway, c,
		server.Options{Limits: servertest.NoLimits, Schedule: schedule})
	id := r.Open(`{"amount_usd":"25.00","order_id":341256}`)
	r.Choose(id)
	r.Await(id, "pending")
	path, code := returnURL(gateway, 341256, "confirmed"), gateway.Transactions()[0].TrackingCode
	before, began := getReturn(gateway), time.Now()
	replays := 0
	for ; time.Since(began) < time.Second; replays++ {
		hint := r.Do("POST", "/hooks/gateway/"+hookToken, `{"tracking_code":"`+code+`"}`)
		fortest.Answer(t, "a hint", hint, http.StatusNoContent)
		fortest.Answer(t, "a return", r.Do("GET", path, ""), http.StatusSeeOther)
		time.Sleep(5 * time.Millisecond)
	}
	took := time.Since(began)
	looks, most := getReturn(gateway)-before, 1+int(took/(10*time.Second))
	if looks > most {
		t.Errorf("%d looks in %v; want at most %d", looks, took, most)
	}
	fortest.Equal(t, r.Status(id), "pending", "status")
	t.Logf("%d of each in %v: %d looks", replays, took, looks)
}

// Another site cannot frame the page or the redirect to it, nor reach it as its opener.
func TestReturnFramed(t *testing.T) {
	w := newPolicyRig(t, "https://pay.example", []string{shop}, servertest.NoLimits)
	id := w.Open(`{"amount_usd":"25.00","order_id":341256}`)
	w.Choose(id)
	w.Await(id, "pending")
	for _, headers := range [][]string{
		nil,
		{"Sec-Fetch-Dest: iframe", "Sec-Fetch-Site: cross-site", "Origin: https://evil.example"},
		{"Sec-Fetch-Dest: document", "Referer: " + shop},
	} {
		page := w.try(t, "alone", "GET", "/return?status=confirmed", "", headers...)
		policy := page.Header().Get("Content-Security-Policy")
		if page.Code != 200 || !strings.Contains(policy, "frame-ancestors 'none'") ||
			page.Header().Get("Cross-Origin-Opener-Policy") != "same-origin" {
			t.Errorf("page %v = %d %v", headers, page.Code, page.Header())
		}
		way := w.Do("GET", returnURL(w.Gateway, 341256, "confirmed"), "", headers...)
		if wrong := w.check("alone", way); way.Code != 303 || wrong != nil {
			t.Errorf("redirect %v = %d: %v", headers, way.Code, wrong)
		}
	}
}

// Another merchant's tracking code is answered like an unknown one.
func TestReturnOfAnotherSession(t *testing.T) {
	gateway, c := servertest.NewGateway(t)
	ours, _ := start(t, gateway, c)
	c.Database = storetest.Migrated(t, checkouttest.CreateTables)
	theirs, _ := start(t, gateway, c)
	id := theirs.Open(`{"amount_usd":"25.00","order_id":341256}`)
	theirs.Choose(id)
	theirs.Await(id, "pending")
	code := gateway.Transactions()[0].TrackingCode
	others := ours.Do("GET", "/return?tracking_code="+code+"&order_id=341256&status=confirmed", "")
	unknown := ours.Do("GET", "/return?tracking_code=none&order_id=341256&status=confirmed", "")
	if others.Code != 200 || others.Body.String() != unknown.Body.String() ||
		strings.Contains(others.Body.String(), code) {
		t.Errorf("another merchant's code = %d %.300s", others.Code, others.Body)
	}
}
