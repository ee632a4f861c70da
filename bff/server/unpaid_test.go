package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/web"
)

// bought opens a session of an item from an address; key is the page's, "" = none.
func (w *policyRig) bought(addr, key string) (id string, status int) {
	w.T.Helper()
	body := `{"item":"coffee","currency_symbol":"USDT","network_code":"trc20","key":"` + key + `"}`
	got := w.DoFrom(addr, "POST", "/checkout", body, isJSON)
	var view struct{ Session string }
	if got.Code == 200 {
		fortest.OK(w.T, json.Unmarshal(got.Body.Bytes(), &view))
	} else if got.Code != 429 || got.Header().Get("Retry-After") == "" || !strings.Contains(got.Body.String(), "rate_limited") {
		w.T.Fatalf("a session of an item = %d %.200s; want 200, or 429 with Retry-After", got.Code, got.Body)
	}
	return view.Session, got.Code
}

// A client, and a wide network, has a maximum of open sessions; a payment makes room, and repeated
// requests still work.
func TestUnpaidSessionsOfItems(t *testing.T) {
	w := newPolicyRig(t, ownOrigin, []string{shop}, web.Limits{Unpaid: 3})
	first, _ := w.bought("203.0.113.1", "page_aaaaaaaaaaaaaaaaaaaa")
	for range 2 {
		if _, status := w.bought("203.0.113.1", ""); status != 200 {
			t.Fatalf("a session within the limit = %d", status)
		}
	}
	if _, status := w.bought("203.0.113.1", ""); status != 429 {
		t.Errorf("one more = %d; want 429", status)
	}
	if id, status := w.bought("203.0.113.1", "page_aaaaaaaaaaaaaaaaaaaa"); status != 200 || id != first {
		t.Errorf("the first one once more = %s, %d; want %s, 200", id, status, first)
	}
	if id := w.Open(`{"amount_usd":"25.00"}`); id == "" {
		t.Error("the merchant's server cannot open a session")
	}

	w.Await(first, "pending")
	if got := w.Do("POST", "/checkout/"+first+"/simulate", `{"kind":"pay"}`, isJSON); got.Code != 200 {
		t.Fatalf("paying = %d %s", got.Code, got.Body)
	}
	w.Await(first, "confirmed")
	if _, status := w.bought("203.0.113.1", ""); status != 200 {
		t.Errorf("one more after a payment = %d; want 200", status)
	}

	for n := range 9 { // with the three, four times three
		if _, status := w.bought(fmt.Sprintf("203.0.113.%d", 100+n), ""); status != 200 {
			t.Fatalf("neighbor %d = %d; want 200", n, status)
		}
	}
	if _, status := w.bought("203.0.113.200", ""); status != 429 {
		t.Errorf("one more of the /24 = %d; want 429", status)
	}
	if _, status := w.bought("203.0.114.1", ""); status != 200 {
		t.Errorf("somebody of another /24 = %d; want 200", status)
	}
	for range 5 { // an address of this machine is a proxy that no setting names
		if _, status := w.bought("127.0.0.9", ""); status != 200 {
			t.Errorf("from this machine = %d; want 200", status)
		}
	}
}

// TestShoppersBehindOneAddress: a campus, or a carrier, is one client.
func TestShoppersBehindOneAddress(t *testing.T) {
	w := newPolicyRig(t, ownOrigin, []string{shop}, web.Limits{})
	for n := range 50 {
		if _, status := w.bought("[2001:db8::1]", ""); status != 200 {
			t.Fatalf("shopper %d = %d; want 200", n+1, status)
		}
	}
}
