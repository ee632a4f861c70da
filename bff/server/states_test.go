package server_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/order"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/server/servertest"
	"coinslot/bff/web"
)

// Errors by the state of a session, an order or the gateway that no other test covers.
func TestRefusedByState(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	w.Do("GET", "/v1/currencies", "", bearer)
	post := func(route, id, body, code string) {
		t.Helper()
		problem(t, w.asked("192.0.2.1", "POST "+route, id, body, isJSON, bearer), code)
	}
	usdt := `"currency_symbol":"USDT","network_code":"bep20"`
	eth := `"currency_symbol":"ETH","network_code":"arbitrum"`

	problem(t, w.Do("GET", "/checkout?item=tip&amount=101", "", "Accept: application/json"),
		"amount_invalid")
	post("/checkout", "", `{"item":"coffee","currency_symbol":"XMR","network_code":"x"}`,
		"network_unsupported")
	post("/checkout", "", `{"item":"coffee","currency_symbol":"USDT","network_code":"erc20"}`,
		"amount_below_minimum")
	post(
		"/checkout",
		"",
		fmt.Sprintf(`{"order":%q,"currency_symbol":"USDT","network_code":"ton"}`,
			mintedFor(t, "large", "6000")),
		"amount_above_maximum",
	)
	post("/checkout/{session}/simulate", w.Open(`{"amount_usd":"25.00"}`), `{"kind":"pay"}`,
		"not_possible")

	// A member that is null is absent.
	post("/checkout/{session}/extend", w.Open(`{"amount_usd":"25.00"}`), `{"attempt":null}`,
		"not_possible")
	post("/checkout", "", `{"item":"coffee","quantity":null,"currency_symbol":"XMR"}`,
		"network_unsupported")

	// Money has begun to arrive: the payment cannot be canceled.
	token := mintedFor(t, "half", "25.00")
	half := w.opened(token, usdt)
	fortest.OK(t, w.Gateway.Pay(w.code(half), sandbox.KindHalf))
	post("/checkout/{session}/attempts", half, "{"+eth+"}", "payment_in_progress")
	post("/checkout/{session}/cancel", half, "", "payment_in_progress")
	post("/v1/sessions/{session}/cancel", half, "", "payment_in_progress")
	post("/checkout", "", fmt.Sprintf(`{"order":%q,%s}`, token, eth), "payment_in_progress")

	// The merchant has closed it.
	token = mintedFor(t, "closed", "25.00")
	w.asked("192.0.2.1", "POST /v1/sessions/{session}/cancel", w.opened(token, usdt), "", bearer)
	post("/checkout", "", fmt.Sprintf(`{"order":%q,%s}`, token, usdt), "session_expired")

	// The coin was changed twelve times.
	token = mintedFor(t, "often", "25.00")
	often := w.opened(token, usdt)
	for i := range 11 {
		w.asked("192.0.2.1", "POST /checkout/{session}/attempts", often,
			"{"+[]string{eth, usdt}[i%2]+"}", isJSON)
	}
	post("/checkout/{session}/extend", often, `{"attempt":12}`, "too_many_attempts")
	post("/checkout", "", fmt.Sprintf(`{"order":%q,%s}`, token, usdt), "too_many_attempts")
}

// The transaction of a payment in review has paid another session, unknown when it was resolved.
func TestRefusedByReview(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	paid := func(status string) string {
		id := w.Open(`{"amount_usd":"25.00"}`)
		w.Choose(id)
		w.Await(id, "pending")
		fortest.OK(t, w.Gateway.Pay(w.code(id), sandbox.KindPay))
		w.Await(id, status)
		return id
	}
	paid("confirmed")
	first := w.Gateway.Transactions()[0].Transfers[0].TxID
	w.Gateway.Falsify(sandboxtest.Answer{
		Path:  "transaction/status",
		Times: -1,
		Set:   map[string]any{"amount_usd": "1.00000000", "tx_id": first},
	})
	id := paid("review")
	const settle = "POST /v1/sessions/{session}/resolve"
	body := `{"as":"confirmed","reason":"seen in the explorer"}`
	problem(t, w.asked("192.0.2.1", settle, id, body, isJSON, bearer), "review_changed")
	fortest.Answer(t, "settled again, with the reason known",
		w.asked("192.0.2.1", settle, id, body, isJSON, bearer), 200)
}

// The gateway answers only errors: requests that need it fail, and change nothing.
func TestRefusedByGateway(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	id := w.Open(`{"amount_usd":"25.00"}`)
	w.Choose(id)
	w.Await(id, "pending")
	w.Gateway.Inject(sandbox.Fault{Status: 500, Times: -1})
	for _, route := range []string{
		"/checkout/{session}/recheck", "/v1/sessions/{session}/recheck",
		"/checkout/{session}/cancel", "/v1/sessions/{session}/cancel",
		"/checkout/{session}/extend", "/checkout/{session}/simulate",
	} {
		body := ""
		if route == "/checkout/{session}/simulate" {
			body = `{"kind":"half"}`
		}
		var answer *httptest.ResponseRecorder
		fortest.Until(t, route+
			" is refused", func() bool { // a look of a moment ago is as good as one now
			answer = w.asked("192.0.2.1", "POST "+route, id, body, isJSON, bearer)
			return answer.Code >= 400
		})
		problem(t, answer, "gateway_unavailable")
	}
	for _, path := range []string{"/v1/transactions", "/v1/withdrawals"} {
		problem(t, w.Do("GET", path, "", bearer), "gateway_unavailable")
	}
	fresh := newPolicyRig(t, ownOrigin, []string{shop},
		servertest.NoLimits) // which has not read the list of coins
	fresh.Gateway.Inject(sandbox.Fault{Status: 500, Times: -1})
	problem(
		t,
		fresh.Do("POST", "/checkout",
			`{"item":"coffee","currency_symbol":"USDT","network_code":"bep20"}`, isJSON),
		"gateway_unavailable",
	)
}

// mintedFor returns an order token.
func mintedFor(t *testing.T, ref, amount string) string {
	t.Helper()
	return fortest.Must(order.Mint([]byte(orderKey), order.NewToken{Amount: amount, Ref: ref, TTL: time.Hour}, time.Now()))(t)
}

// opened opens the session of a token by a choice, and returns its id.
func (w *policyRig) opened(token, choice string) string {
	w.T.Helper()
	answer := w.Do("POST", "/checkout", fmt.Sprintf(`{"order":%q,%s}`, token, choice), isJSON)
	id := sessionID.FindString(answer.Body.String())
	if id == "" {
		w.T.Fatalf("POST /checkout = %d %s", answer.Code, answer.Body)
	}
	w.Await(id, "pending")
	return id
}

// code is the tracking code of a session's first attempt.
func (w *policyRig) code(id string) string {
	w.T.Helper()
	var session struct {
		Attempts []struct {
			TrackingCode string `json:"tracking_code"`
		}
	}
	answer := w.Do("GET", "/v1/sessions/"+id, "", bearer)
	err := json.Unmarshal(answer.Body.Bytes(), &session)
	if err != nil || len(session.Attempts) == 0 {
		w.T.Fatalf("GET /v1/sessions/%s = %d %s", id, answer.Code, answer.Body)
	}
	return session.Attempts[0].TrackingCode
}

// bought opens a session of an item from an address; key is the page's, "" = none.
func (w *policyRig) bought(addr, key string) (id string, status int) {
	w.T.Helper()
	body := `{"item":"coffee","currency_symbol":"USDT","network_code":"trc20","key":"` + key + `"}`
	got := w.DoFrom(addr, "POST", "/checkout", body, isJSON)
	var view struct{ Session string }
	if got.Code == 200 {
		fortest.OK(w.T, json.Unmarshal(got.Body.Bytes(), &view))
	} else if got.Code != 429 || got.Header().Get("Retry-After") == "" ||
		!strings.Contains(got.Body.String(), "rate_limited") {
		w.T.Fatalf("a session of an item = %d %.200s; want 200, or 429 with Retry-After", got.Code,
			got.Body)
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
	if id, status := w.bought("203.0.113.1",
		"page_aaaaaaaaaaaaaaaaaaaa"); status != 200 || id != first {
		t.Errorf("the first one once more = %s, %d; want %s, 200", id, status, first)
	}
	if id := w.Open(`{"amount_usd":"25.00"}`); id == "" {
		t.Error("the merchant's server cannot open a session")
	}

	w.Await(first, "pending")
	fortest.Answer(t, "paying",
		w.Do("POST", "/checkout/"+first+"/simulate", `{"kind":"pay"}`, isJSON), 200)
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

// What was opened of an item counts, also after it was canceled, and with each attempt.
func TestOpenedItemsCount(t *testing.T) {
	w := newPolicyRig(t, ownOrigin, []string{shop}, web.Limits{Unpaid: 6})
	const client = "203.0.113.1"
	post := func(id, action, body string) int {
		return w.DoFrom(client, "POST", "/checkout/"+id+"/"+action, body, isJSON).Code
	}
	var last string
	for range 4 {
		id, status := w.bought(client, "")
		fortest.Equal(t, status, 200, "a session within the limit")
		w.Await(id, "pending")
		fortest.Equal(t, post(id, "cancel", `{}`), 200, "canceling")
		last = id
	}
	id, _ := w.bought(client, "")
	for n, network := range []string{"bep20", "trc20", "bep20"} {
		w.Await(id, "pending")
		choice := `{"currency_symbol":"USDT","network_code":"` + network + `"}`
		want := 200
		if n == 2 {
			want = 429
		}
		fortest.Equal(t, post(id, "attempts", choice), want, "change %d of the network", n+1)
	}
	if _, status := w.bought(client, ""); status != 429 {
		t.Errorf("one more, after %s was canceled = %d; want 429", last, status)
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
