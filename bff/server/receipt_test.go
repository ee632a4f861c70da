package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/server/servertest"
	"coinslot/docs/examples/verify"
)

// receipts returns the receipt of a session from the view, the page's data, the session object,
// the list and the last event.
func (r *rig) receipts(id string) map[string]string {
	r.T.Helper()
	type holder struct{ ID, Receipt string }
	var page struct{ View holder }
	var view, object holder
	var list struct{ Data []holder }
	var events struct{ Data []struct{ Data holder } }
	ask := func(path string) string {
		return r.Do("GET", path, "", bearer, "Accept: text/html").Body.String()
	}
	_, data, _ := strings.Cut(ask("/checkout/"+id), `id="coinslot-page">`)
	data, _, _ = strings.Cut(data, "</script>")
	for _, said := range []struct {
		text string
		into any
	}{
		{data, &page},
		{ask("/checkout/" + id + "/view"), &view},
		{ask("/v1/sessions/" + id), &object},
		{ask("/v1/sessions?limit=1"), &list}, {ask("/v1/events?session=" + id), &events},
	} {
		if err := json.Unmarshal([]byte(said.text), said.into); err != nil {
			r.T.Fatalf("%v: %.300s", err, said.text)
		}
	}
	if object.ID != id || len(list.Data) != 1 || list.Data[0].ID != id || len(events.Data) == 0 {
		r.T.Fatalf("session %s is not said: %+v, %+v, %+v", id, object, list, events)
	}
	return map[string]string{
		"page":   page.View.Receipt,
		"view":   view.Receipt,
		"object": object.Receipt,
		"list":   list.Data[0].Receipt,
		"event":  events.Data[len(events.Data)-1].Data.Receipt}
}

// keySet is what a merchant's server fetches.
func (r *rig) keySet() (keys verify.Keys) {
	r.T.Helper()
	w := r.Do("GET", "/.well-known/jwks.json", "")
	if err := json.Unmarshal(w.Body.Bytes(), &keys); err != nil || w.Code != http.StatusOK {
		r.T.Fatalf("keys: %d, %v: %s", w.Code, err, w.Body)
	}
	return keys
}

// A confirmed payment has the same receipt everywhere, which proves only that order.
func TestReceipts(t *testing.T) {
	r := newRig(t)
	id := r.OpenAndPay(`{"amount_usd":"25","order_ref":"1001","email":"shopper@mail.example"}`,
		"pay", "confirmed")
	said := r.receipts(id)
	text := said["view"]
	for where, got := range said {
		if got == "" || got != text {
			t.Errorf("%s: receipt %q; want that of the view, %q", where, got, text)
		}
	}
	claims, err := verify.Receipt(text, r.keySet(), ownOrigin,
		verify.Order{Ref: "1001", Amount: "25.00"})
	tx := r.Gateway.Transactions()[0]
	if err != nil || claims.Session != id || claims.TrackingCode != tx.TrackingCode ||
		claims.TxID == "" || claims.PaidAmount == "" {
		t.Errorf("verified: %+v, %v", claims, err)
	}
	other := r.receipts(r.OpenAndPay(`{"amount_usd":"25.00","order_ref":"1002"}`, "pay",
		"confirmed"))["view"]
	if _, err := verify.Receipt(other, r.keySet(), ownOrigin,
		verify.Order{Ref: "1001", Amount: "25.00"}); err == nil {
		t.Error("the receipt of 1002 proves that 1001 is paid")
	}
	fortest.Answer(t, "the page", r.Do("GET", "/checkout/"+id+"/receipt", ""), 200, text)
	fortest.Lacks(t, "the log holds a receipt", r.Log.String(), text)
}

// Nothing but a confirmed payment has a receipt.
func TestNoReceipt(t *testing.T) {
	for status, kind := range map[string]sandbox.Kind{
		"expired": "expire", "cancelled": "cancel", "pending": "half", "review": "pay",
	} {
		t.Run(status, func(t *testing.T) {
			r := newRig(t)
			if status == "review" {
				r.Gateway.Falsify(sandboxtest.Answer{
					Path:  "transaction/status",
					Times: -1,
					Set:   map[string]any{"amount_usd": "1.00000000"},
				})
			}
			id := r.OpenAndPay(`{"amount_usd":"25.00","order_ref":"1001"}`, kind, status)
			for where, got := range r.receipts(id) {
				fortest.Equal(t, got, "", "%s: receipt", where)
			}
			fortest.Equal(t, r.Do("GET", "/checkout/"+id+"/receipt", "").Code, http.StatusConflict,
				"the printable page")
		})
	}
}

// With a new key beside the old one both work, for requests and receipts, until the old one is
// removed.
func TestKeysOverlap(t *testing.T) {
	const newKey = "server-test-newer-key-0123456789abcdef"
	gateway, c := servertest.NewGateway(t)
	withOld, withNew := bearer, "Authorization: Bearer "+newKey
	var id string
	var signed []string // a receipt of each start
	for _, now := range []struct {
		name     string
		keys     []string
		bearers  []string // those that open /v1
		receipts []bool   // whether each receipt so far is good
	}{
		{"old", []string{secretKey}, []string{withOld}, []bool{true}},
		{
			"new and old",
			[]string{newKey, secretKey},
			[]string{withOld, withNew},
			[]bool{true, true},
		},
		{"new", []string{newKey}, []string{withNew}, []bool{false, true, true}},
		{"none", nil, nil, []bool{false, false, false}},
	} {
		c.SecretKeys = nil
		for _, key := range now.keys {
			c.SecretKeys = append(c.SecretKeys, config.NewSecret(key))
		}
		r, stop := start(t, gateway, c)
		if id == "" {
			id = r.OpenAndPay(`{"amount_usd":"25.00","order_ref":"1001"}`, "pay", "confirmed")
		}
		var opened []string
		for _, header := range []string{
			withOld, withNew, withNew + "," + secretKey, "Authorization: Bearer ",
			"Authorization: Bearer ,",
		} {
			if r.Do("GET", "/v1/sessions", "", header).Code == http.StatusOK {
				opened = append(opened, header)
			}
		}
		fortest.Diff(t, opened, now.bearers, "%s: what opens the API", now.name)
		var view struct{ Receipt string }
		if err := json.Unmarshal(r.Do("GET", "/checkout/"+id+"/view", "").Body.Bytes(),
			&view); err != nil || (view.Receipt == "") != (len(now.keys) == 0) {
			t.Errorf("%s: receipt %q, %v", now.name, view.Receipt, err)
		}
		if view.Receipt != "" {
			signed = append(signed, view.Receipt)
		}
		var good []bool
		for _, text := range signed {
			_, err := verify.Receipt(text, r.keySet(), ownOrigin,
				verify.Order{Ref: "1001", Amount: "25.00"})
			good = append(good, err == nil)
		}
		fortest.Diff(t, good, now.receipts, "%s: receipts that are good", now.name)
		stop()
		fortest.Lacks(t, now.name+": the log holds a key", r.Log.String(), newKey)
	}
	if signed[1] != signed[2] || signed[0] == signed[1] {
		t.Error("the first key does not sign")
	}
}
