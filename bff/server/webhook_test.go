package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/server/servertest"
)

// webhookTest is an answer of POST /v1/webhooks/test.
type webhookTest struct {
	Object, Event string
	Taken         bool
	Endpoints     []struct {
		Number                           int
		Endpoint, Answer, Reason, Detail string
		Way                              string `json:"what_to_do"`
		Taken                            bool
		Status                           int
	}
}

// test asks for one.
func (r *rig) test(headers ...string) (got webhookTest) {
	r.T.Helper()
	w := r.Do("POST", "/v1/webhooks/test", "", append(headers, bearer)...)
	err := json.Unmarshal(w.Body.Bytes(), &got)
	if err != nil || w.Code != http.StatusOK || len(got.Endpoints) != 1 {
		r.T.Fatalf("POST /v1/webhooks/test = %d %s", w.Code, w.Body)
	}
	fortest.Lacks(r.T, "the answer has the endpoint's query", w.Body.String(), "canary")
	return got
}

// A merchant can test webhooks before the first order, without side effects.
func TestWebhookTest(t *testing.T) {
	t.Parallel()
	shop := servertest.NewMerchant(t)
	d := newConfiguredRig(t, shop.Configure)
	first := d.test("Idempotency-Key: ci-1")
	if sent := <-shop.Received; !first.Taken || first.Event != sent.ID ||
		first.Object != "webhook_test" || first.Endpoints[0].Status != 204 ||
		first.Endpoints[0].Reason != "" ||
		!strings.Contains(sent.Body, `"type":"checkout.test"`) ||
		!strings.HasPrefix(sent.Signature, "v1,") {
		t.Errorf("answer %+v to a message %+v", first, sent)
	}
	shop.Status.Store(http.StatusUnauthorized)
	again := d.test("Idempotency-Key: ci-1")
	at := again.Endpoints[0]
	if sent := <-shop.Received; sent.ID != first.Event || again.Taken || at.Number != 1 ||
		at.Taken || at.Status != 401 || at.Reason != "signature_refused" ||
		!strings.Contains(at.Way, "COINSLOT_WEBHOOK_SECRET") || at.Detail == "" ||
		at.Endpoint != strings.Split(shop.URL, "/")[2] {
		t.Errorf("answer %+v to a message %+v", again, sent)
	}
	if !strings.HasPrefix(at.Answer, "=<b>no</b>é") || len([]rune(at.Answer)) != 200 {
		t.Errorf("excerpt of %d characters: %s", len([]rune(at.Answer)), at.Answer)
	}
	for _, bad := range []struct{ body, code, header string }{
		{"{", "bad_json", isJSON},
		{`{"url":"https://evil.example"}`, "unknown_field", isJSON},
		{"", "invalid", "Idempotency-Key: a b"},
	} {
		problem(t, d.Do("POST", "/v1/webhooks/test", bad.body, bearer, bad.header), bad.code)
	}
	fortest.Equal(t, d.Do("POST", "/v1/webhooks/test", "").Code, http.StatusUnauthorized,
		"without a key")
	for range 8 {
		d.test()
	}
	problem(t, d.Do("POST", "/v1/webhooks/test", "", bearer), "rate_limited")
	fortest.Equal(t, len(shop.Received), 8, "messages came of 8 good requests")
	d.WantNoEvents()
}

// TestWebhookTestUnset: without an endpoint the error names the setting.
func TestWebhookTestUnset(t *testing.T) {
	t.Parallel()
	d := newRig(t)
	problem(t, d.Do("POST", "/v1/webhooks/test", "{}", bearer, isJSON), "webhook_unset")
}

// A merchant who reads page by page misses nothing, and can continue at the end of the log.
func TestEvents(t *testing.T) {
	r := newRig(t)
	if list := r.Events(""); len(list.Data) != 0 || list.More {
		t.Fatalf("events of an empty server: %+v", list)
	}
	var ids []string
	for range 3 {
		id := r.Open(`{"amount_usd":"25.00"}`)
		r.Choose(id)
		r.Await(id, "pending")
		ids = append(ids, id)
	}
	var seen []string
	cursor := ""
	for more := true; more; {
		list := r.Events("?limit=2&after=" + cursor)
		for _, e := range list.Data {
			seen = append(seen, e.Data.ID)
			if e.Type != "checkout.pending" || e.Data.Status != "pending" || e.ID == "" {
				t.Errorf("event = %+v", e)
			}
		}
		cursor, more = list.Next, list.More
	}
	if fmt.Sprint(seen) != fmt.Sprint(ids) {
		t.Errorf("sessions in the log = %v; want %v", seen, ids)
	}
	if list := r.Events("?after=" + cursor); len(list.Data) != 0 || list.Next != cursor {
		t.Errorf("after the end: %+v; want nothing and the same cursor", list)
	}
	problem(t, r.Do("GET", "/v1/events?after=0.7.0123456789ab", "", bearer),
		"cursor_gone") // of another database
	r.Pay(ids[0])
	r.Await(ids[0], "confirmed")
	if list := r.Events("?after=" +
		cursor); len(list.Data) != 1 || list.Data[0].Type != "checkout.confirmed" {
		t.Errorf("after the cursor: %+v; want what has come since", list)
	}
	fortest.Equal(t, len(r.Events("?session="+ids[0]).Data), 2, "events of one session")
}
