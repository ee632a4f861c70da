package server_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
)

// canaryOrder has personal data wherever an order can.
const canaryOrder = `{"amount_usd":"25.00","order_ref":"%s","title":"Two","email":"ann@canary.example","description":"canary","metadata":{"cart":"C-7"},"success_url":"https://shop.example/thanks"}`

// retentionRig is a server that is started twice on one database.
type retentionRig struct {
	*rig
	config config.Config
	stop   func()
}

func newRetentionRig(t *testing.T) *retentionRig {
	t.Helper()
	gateway, c := servertest.NewGateway(t)
	k := &retentionRig{config: c}
	k.rig, k.stop = start(t, gateway, k.config)
	return k
}

// restart starts the server again, which erases what it kept for longer than so.
func (k *retentionRig) restart(retention time.Duration) {
	k.T.Helper()
	k.stop()
	k.config.Retention = retention
	k.rig, k.stop = start(k.T, k.rig.Gateway, k.config)
}

// ended is an order of which a payment has come to that end.
func (k *retentionRig) ended(ref string, kind sandbox.Kind, status string) string {
	k.T.Helper()
	id := k.Open(strings.Replace(canaryOrder, "%s", ref, 1))
	k.Do(
		"POST",
		"/checkout/"+id+"/attempts",
		`{"currency_symbol":"USDT","network_code":"trc20","email":"ann@canary.example","comment":"canary"}`,
		isJSON,
	)
	k.Await(id, "pending")
	all := k.Gateway.Transactions()
	fortest.OK(k.T, k.Gateway.Pay(all[len(all)-1].TrackingCode, kind))
	k.Await(id, status)
	return id
}

// erased waits until what is due was erased.
func (k *retentionRig) erased() {
	k.T.Helper()
	fortest.Until(k.T, "old data to be erased", func() bool {
		return strings.Contains(k.Log.String(), "old data erased")
	})
}

// stored reports whether the files of the database hold a text.
func (k *retentionRig) stored(text string) bool {
	k.T.Helper()
	files, err := filepath.Glob(k.config.Database + "*")
	if err != nil || len(files) == 0 {
		k.T.Fatalf("no files at %s, %v", k.config.Database, err)
	}
	for _, file := range files {
		if raw, err := os.ReadFile(file); err != nil || bytes.Contains(raw, []byte(text)) {
			return true
		}
	}
	return false
}

// By default nothing is erased. With COINSLOT_RETENTION all personal data is erased, paid orders
// stay, and unpaid ones leave a tombstone that accepts late payments and blocks a new start of the
// order.
func TestRetention(t *testing.T) {
	k := newRetentionRig(t)
	paid, unpaid := k.ended("paid", "pay", "confirmed"), k.ended("unpaid", "expire", "expired")
	code := k.Gateway.Transactions()[len(k.Gateway.Transactions())-1].TrackingCode
	k.restart(0)
	if !k.stored("canary") || k.Do("GET", "/v1/sessions/"+unpaid, "", bearer).Code != 200 {
		t.Fatal("data was erased by default")
	}
	k.restart(1)
	k.erased()
	if k.stored("canary") {
		t.Error("the database's files hold personal data")
	}
	if got := k.Do(
		"GET",
		"/v1/sessions/"+paid,
		"",
		bearer,
	).Body.String(); !strings.Contains(got, `"order_ref":"paid"`) ||
		!strings.Contains(got, `"cart":"C-7"`) || !strings.Contains(got, `"erased_at"`) ||
		strings.Contains(got, "canary") {
		t.Errorf("the paid session is %s", got)
	}
	if got := k.Do("GET", "/v1/sessions", "",
		bearer).Body.String(); strings.Contains(got, unpaid) || !strings.Contains(got, paid) {
		t.Errorf("the list is %s", got)
	}
	for _, path := range []string{"", "/view", "/qr.svg"} {
		fortest.Answer(t, "a shopper gets",
			k.Do("GET", "/checkout/"+unpaid+path, "", "Accept: application/json"), 404)
	}
	again := k.Do("POST", "/v1/sessions", strings.Replace(canaryOrder, "%s", "unpaid", 1), bearer,
		isJSON)
	if !strings.Contains(again.Body.String(), unpaid) ||
		!strings.Contains(again.Body.String(), `"deleted":true`) {
		t.Errorf("the same order again = %d %s; want the tombstone", again.Code, again.Body)
	}
	for _, path := range []string{"/attempts", "/extend", "/cancel", "/recheck"} {
		w := k.Do("POST", "/checkout/"+unpaid+path,
			`{"currency_symbol":"USDT","network_code":"trc20"}`, isJSON, "Accept: application/json")
		if w.Code < 400 {
			t.Errorf("POST %s to a deleted session = %d", path, w.Code)
		}
	}
	fortest.OK(t, k.Gateway.Pay(code, "pay"))
	k.Do("POST", "/v1/sessions/"+unpaid+"/recheck", "", bearer)
	k.Await(unpaid, "confirmed")
	if got := k.Do(
		"GET",
		"/v1/events?session="+unpaid,
		"",
		bearer,
	).Body.String(); !strings.Contains(got, "checkout.confirmed") ||
		!strings.Contains(got, `"order_ref":"unpaid"`) {
		t.Errorf("the events of late money are %s", got)
	}
	fortest.Equal(t, k.Do("GET", "/checkout/"+unpaid+"/receipt", "", "Accept: text/html").Code, 200,
		"the receipt of a shopper who has paid late")
}

// The key of a deleted session opens no other one: both could be paid.
func TestKeyOfATombstone(t *testing.T) {
	k := newRetentionRig(t)
	post := func() string {
		var got struct{ ID string }
		w := k.Do("POST", "/v1/sessions", `{"amount_usd":"25.00"}`, bearer, isJSON,
			"Idempotency-Key: order-1001")
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.ID == "" {
			t.Fatalf("POST = %d %s", w.Code, w.Body)
		}
		return got.ID
	}
	id := post()
	k.Do("POST", "/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`,
		isJSON)
	k.Await(id, "pending")
	fortest.OK(t, k.Gateway.Pay(k.Gateway.Transactions()[0].TrackingCode, "expire"))
	k.Await(id, "expired")
	k.restart(1)
	k.erased()
	fortest.Equal(t, post(), id, "the same request again opens")
}

// coinslot erase works beside a running server, is recorded, and can be repeated after a restore.
func TestEraseBesideAServer(t *testing.T) {
	k := newRetentionRig(t)
	ids := []string{k.ended("1", "pay", "confirmed"), k.ended("2", "expire", "expired")}
	e := fortest.Must(server.NewEraser(t.Context(), k.config.Database, "coinslot erase"))(t)
	done, err := e.Erase(t.Context(), "Ann@canary.example")
	if err != nil || len(done) != 2 || done[0] != ids[0] || done[1] != ids[1] {
		t.Errorf("Erase = %v, %v; want %v", done, err, ids)
	}
	if list, err := e.Recorded(t.Context()); err != nil ||
		strings.Join(list, " ") != strings.Join(ids, " ") {
		t.Errorf("Recorded = %v, %v; want %v", list, err, ids)
	}
	if done, err := e.Erase(t.Context(), "ann@canary.example"); err != nil || len(done) != 0 {
		t.Errorf("a second time = %v, %v", done, err)
	}
	if _, err := e.Erase(t.Context(), "cs_none"); err == nil {
		t.Error("a session that is not there is erased")
	}
	fortest.OK(t, e.Close())
	for _, id := range ids {
		got := k.Do("GET", "/v1/sessions/"+id, "", bearer).Body.String()
		if strings.Contains(got, "canary") || !strings.Contains(got, `"order_ref"`) {
			t.Errorf("the session is %s", got)
		}
	}
	fortest.Lacks(t, "the events are", k.Do("GET", "/v1/events", "", bearer).Body.String(),
		"canary")
	if id := k.ended("3", "pay",
		"confirmed"); k.Do("GET", "/v1/sessions/"+id, "", bearer).Code != 200 {
		t.Error("the server does not go on")
	}
	k.stop()
}
