package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/config"
)

// hookKey signs webhooks here.
const hookKey = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// shopSide is a merchant's server that answers with a status and keeps what it was told.
type shopSide struct {
	url    string
	status atomic.Int32
	told   chan hookMessage
}

// hookMessage is one message.
type hookMessage struct{ id, signature, body string }

func newShopSide(t *testing.T) *shopSide {
	t.Helper()
	s := &shopSide{told: make(chan hookMessage, 100)}
	s.status.Store(http.StatusNoContent)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.told <- hookMessage{r.Header.Get("webhook-id"), r.Header.Get("webhook-signature"), string(body)}
		w.WriteHeader(int(s.status.Load()))
		if s.status.Load() != http.StatusNoContent {
			fmt.Fprint(w, "=<b>no</b>", strings.Repeat("é", 300))
		}
	}))
	t.Cleanup(server.Close)
	s.url = server.URL + "/in?key=canary-of-the-endpoint"
	return s
}

// hooked points a server's webhooks at it.
func (s *shopSide) hooked(c *config.Config) {
	c.WebhookURLs, c.AllowPrivateWebhooks, c.WebhookSecrets = []string{s.url}, true, []config.Secret{config.NewSecret(hookKey)}
}

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
	r.t.Helper()
	w := r.ask("POST", "/v1/webhooks/test", "", append(headers, bearer)...)
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || len(got.Endpoints) != 1 {
		r.t.Fatalf("POST /v1/webhooks/test = %d %s", w.Code, w.Body)
	}
	if strings.Contains(w.Body.String(), "canary") {
		r.t.Errorf("the answer has the endpoint's query: %s", w.Body)
	}
	return got
}

// TestWebhookTest: a merchant finds out before the first order whether his server
// takes webhooks, and nothing else comes of it.
func TestWebhookTest(t *testing.T) {
	t.Parallel()
	shop := newShopSide(t)
	d := newDesk(t, shop.hooked)
	first := d.test("Idempotency-Key: ci-1")
	if sent := <-shop.told; !first.Taken || first.Event != sent.id || first.Object != "webhook_test" || first.Endpoints[0].Status != 204 || first.Endpoints[0].Reason != "" ||
		!strings.Contains(sent.body, `"type":"checkout.test"`) || !strings.HasPrefix(sent.signature, "v1,") {
		t.Errorf("answer %+v to a message %+v", first, sent)
	}
	shop.status.Store(http.StatusUnauthorized)
	again := d.test("Idempotency-Key: ci-1")
	at := again.Endpoints[0]
	if sent := <-shop.told; sent.id != first.Event || again.Taken || at.Number != 1 || at.Taken || at.Status != 401 || at.Reason != "signature_refused" ||
		!strings.Contains(at.Way, "COINSLOT_WEBHOOK_SECRET") || at.Detail == "" || at.Endpoint != strings.Split(shop.url, "/")[2] {
		t.Errorf("answer %+v to a message %+v", again, sent)
	}
	if !strings.HasPrefix(at.Answer, "=<b>no</b>é") || len([]rune(at.Answer)) != 200 {
		t.Errorf("excerpt of %d characters: %s", len([]rune(at.Answer)), at.Answer)
	}
	for _, bad := range []struct{ body, code, header string }{{"{", "bad_json", isJSON}, {`{"url":"https://evil.example"}`, "unknown_field", isJSON}, {"", "invalid", "Idempotency-Key: a b"}} {
		problem(t, d.ask("POST", "/v1/webhooks/test", bad.body, bearer, bad.header), bad.code)
	}
	if w := d.ask("POST", "/v1/webhooks/test", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("without a key = %d", w.Code)
	}
	for range 8 {
		d.test()
	}
	problem(t, d.ask("POST", "/v1/webhooks/test", "", bearer), "rate_limited")
	if len(shop.told) != 8 {
		t.Errorf("%d messages came of 8 good requests", len(shop.told))
	}
	d.leavesNothing()
}

// leavesNothing asserts that no event was kept, that nothing waits, and that no
// try was counted.
func (d *desk) leavesNothing() {
	d.t.Helper()
	if list := d.events(""); len(list.Data) != 0 {
		d.t.Errorf("events: %+v; want none", list)
	}
	span := fmt.Sprintf(`{"from":%q,"to":%q}`, time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	if w := d.ask("POST", "/v1/events/replay", span, bearer, isJSON); !strings.Contains(w.Body.String(), `"deliveries":0`) {
		d.t.Errorf("a replay of it = %s", w.Body)
	}
}

// TestWebhookTestUnset: who has no endpoint is told which setting to set.
func TestWebhookTestUnset(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	problem(t, d.ask("POST", "/v1/webhooks/test", "{}", bearer, isJSON), "webhook_unset")
}
