package server_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/order"
	"coinslot/torture/goal"

	"golang.org/x/sync/errgroup"
)

// endpoint is an endpoint that names a session; {id} stands for it.
type endpoint struct {
	method, path, body string
	merchant           bool
	status             int // for who may
}

func endpoints() []endpoint {
	return []endpoint{
		{"GET", "/v1/sessions/{id}", "", true, 200},
		{"POST", "/v1/sessions/{id}/recheck", "", true, 200},
		{"POST", "/v1/sessions/{id}/resolve", `{"as":"confirmed","reason":"x"}`, true, 409},
		{"POST", "/v1/sessions/{id}/cancel", "", true, 409},
		{
			"POST", "/v1/sessions/{id}/refunds",
			`{"amount":"1","currency_symbol":"BTC","network_code":"btc","tx_id":"` +
				strings.Repeat("d", 64) + `"}`,
			true, 409,
		},
		{"GET", "/checkout/{id}", "", false, 200},
		{"GET", "/checkout/{id}/view", "", false, 200},
		{"GET", "/checkout/{id}/qr.svg", "", false, 200},
		{"GET", "/checkout/{id}/receipt", "", false, 200},
		{
			"POST", "/checkout/{id}/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`,
			false, 409,
		},
		{"POST", "/checkout/{id}/cancel", "{}", false, 409},
		{"POST", "/checkout/{id}/recheck", "{}", false, 200},
		{"POST", "/checkout/{id}/extend", "{}", false, 409},
	}
}

// Every endpoint of one session, with each kind of id and key: an answer never has data of another
// session, nor any without the id and, for merchants, the key.
func TestAccess(t *testing.T) {
	b := newInputRig(t)
	mine, other := b.paid(t, "mine-4711"), b.paid(t, "other-4712")
	before := b.hash(t)
	for _, d := range endpoints() {
		for name, id := range map[string]string{
			"this":      mine,
			"another":   other,
			"unknown":   "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa",
			"malformed": "%00",
			"half":      mine[:14],
			"empty":     "",
		} {
			for who, header := range map[string]string{
				"right key":       bearer,
				"wrong key":       "Authorization: Bearer wrong",
				"no key":          "",
				"key of the hook": "Authorization: Bearer " + hookToken,
				"id as key":       "Authorization: Bearer " + mine,
			} {
				headers := []string{isJSON}
				if header != "" {
					headers = append(headers, header)
				}
				want := d.status
				switch {
				case d.merchant && who != "right key":
					want = 401
				case id != mine && id != other:
					want = 404
				}
				if id == "" && strings.Contains(d.path, "{id}/") { // "//" is no address of ours
					want = map[string]int{"GET": 307, "POST": 405}[d.method]
				}
				what := fmt.Sprintf("%s %s for %s with %s", d.method, d.path, name, who)
				w, _ := b.send(input{
					method:  d.method,
					path:    strings.ReplaceAll(d.path, "{id}", id),
					body:    d.body,
					headers: headers,
				})
				fortest.Answer(t, what, w, want)
				knows := want == d.status
				noneOf(t, what, w, "mine-4711", knows && id == mine)
				noneOf(t, what, w, "other-4712", knows && id == other)
			}
		}
	}
	fortest.Equal(t, b.hash(t), before, "the database has changed")
}

// noneOf fails if an answer holds text, unless the client may know it.
func noneOf(t *testing.T, what string, w *httptest.ResponseRecorder, text string, may bool) {
	t.Helper()
	if !may && strings.Contains(w.Body.String()+fmt.Sprint(w.Header()), text) {
		t.Errorf("%s tells of %s", what, text)
	}
}

// paid returns a session of that title that was paid.
func (b *inputRig) paid(t *testing.T, title string) string {
	t.Helper()
	id := b.Open(`{"amount_usd":"25.00","title":"` + title + `","email":"` + title +
		`@shop.example"}`)
	b.Choose(id)
	b.Await(id, "pending")
	all := b.Gateway.Transactions()
	b.pay(t, all[len(all)-1].TrackingCode, id)
	return id
}

// TestTortureReplays repeats tokens, returns, hints and requests of ended sessions: nothing
// changes, and no event is written.
func TestTortureReplays(t *testing.T) {
	started := time.Now()
	b := newInputRig(t)
	replayed := order.NewToken{Amount: "25.00", Ref: "replayed", TTL: 24 * time.Hour}
	token := fortest.Must(order.Mint([]byte(orderKey), replayed, time.Now()))(t)
	coin := `"currency_symbol":"USDT","network_code":"trc20"`
	posted := b.Do("POST", "/checkout", `{"order":"`+token+`",`+coin+`}`, isJSON)
	id := session(t, posted.Body.Bytes())
	b.Await(id, "pending")
	tx := b.Gateway.Transactions()[0]
	b.pay(t, tx.TrackingCode, id)
	keyed := b.Do("POST", "/v1/sessions", `{"amount_usd":"25.00","order_ref":"replayed-2"}`, bearer,
		isJSON, "Idempotency-Key: replayed")
	fortest.Answer(t, "the answer", keyed, 201)
	back := fmt.Sprintf("/return?tracking_code=%s&order_id=%d&status=", tx.TrackingCode, tx.OrderID)
	again := []input{
		{
			method:  "POST",
			path:    "/checkout",
			body:    `{"order":"` + token + `",` + coin + `}`,
			headers: []string{isJSON},
			code:    "session_paid",
		},
		{
			method:  "POST",
			path:    "/checkout",
			body:    `{"order":"` + token + `","key":"page_other",` + coin + `}`,
			headers: []string{isJSON},
			code:    "session_paid",
		},
		{method: "GET", path: "/checkout?order=" + token, status: 303, has: id},
		{method: "GET", path: back + "confirmed", status: 303, has: id},
		{method: "GET", path: back + "expired", status: 303, has: id},
		{method: "GET", path: back + "cancelled", status: 303, has: id},
		{method: "GET", path: back + "pending", status: 303, has: id},
		{method: "GET", path: back + "confirmed&status=expired", status: 303, has: id},
		{
			method:  "POST",
			path:    "/hooks/gateway/" + hookToken,
			body:    `{"tracking_code":"` + tx.TrackingCode + `","status":"expired"}`,
			headers: []string{isJSON},
			status:  204,
		},
		{
			method: "POST",
			path:   "/hooks/gateway/" + hookToken,
			body: `{"tracking_code":"` + tx.TrackingCode +
				`","status":"confirmed","paid_amount":"999"}`,
			headers: []string{isJSON},
			status:  204,
		},
		{
			method:  "POST",
			path:    "/checkout/" + id + "/attempts",
			body:    "{" + coin + "}",
			headers: []string{isJSON},
			code:    "session_paid",
		},
		{
			method:  "POST",
			path:    "/checkout/" + id + "/cancel",
			headers: []string{isJSON},
			code:    "session_paid",
		},
		{
			method:  "POST",
			path:    "/checkout/" + id + "/recheck",
			headers: []string{isJSON},
			status:  200,
		},
		{
			method:  "POST",
			path:    "/v1/sessions/" + id + "/recheck",
			headers: []string{bearer},
			status:  200,
		},
		{
			method:  "POST",
			path:    "/v1/sessions",
			body:    `{"amount_usd":"25.00","order_ref":"replayed-2"}`,
			headers: []string{bearer, isJSON, "Idempotency-Key: replayed"},
			status:  201,
		},
		{
			method:  "POST",
			path:    "/v1/sessions",
			body:    `{"amount_usd":"25.01","order_ref":"replayed-2"}`,
			headers: []string{bearer, isJSON},
			code:    "order_conflict",
		},
	}
	before, calls, rounds := b.hash(t), len(b.Gateway.Requests()), goal.Rounds(400, 100_000)
	var wrong, n atomic.Int64
	var group errgroup.Group
	for range 4 {
		group.Go(func() error {
			for i := n.Add(1); i <= int64(rounds); i = n.Add(1) {
				in := again[int(i)%len(again)]
				if list := b.judge(in, b.from(in, i), 0); len(list) > 0 {
					wrong.Add(1)
					t.Errorf("replay %d, %s %.60s: %v", i, in.method, in.path, list)
				}
			}
			return nil
		})
	}
	fortest.OK(t, group.Wait())
	if b.hash(t) != before {
		wrong.Add(1)
		t.Error("the database has changed")
	}
	asked := len(b.Gateway.Requests()) - calls
	if asked > rounds/100+20 {
		t.Errorf("the gateway was asked %d times", asked)
	}
	goal.Report(t, goal.Result{
		Goal:       "replays",
		Rounds:     rounds,
		Wanted:     100_000,
		Violations: int(wrong.Load()),
		Took:       time.Since(started),
		Figure: fmt.Sprintf(
			"%d repeated tokens, returns, hints and requests, no state changed, no event written, %d calls of the gateway",
			rounds,
			asked,
		),
	})
}

// from is send for many goroutines: the n-th request, from an address of its own.
func (b *inputRig) from(in input, n int64) *httptest.ResponseRecorder {
	req := httptest.NewRequest(in.method, b.Public+in.path, strings.NewReader(in.body))
	req.Host = "localhost:8080"
	req.RemoteAddr = fmt.Sprintf("[2001:%x:%x::2]:1234", n>>16, n&0xffff)
	for _, h := range in.headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	b.Handler.ServeHTTP(w, req)
	return w
}

func session(t *testing.T, body []byte) string {
	t.Helper()
	var v viewSummary
	if err := json.Unmarshal(body, &v); err != nil || v.Session == "" {
		t.Fatalf("no session in %s", body)
	}
	return v.Session
}
