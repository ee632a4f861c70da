package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	receipt "coinslot/docs/examples/verify"
	"coinslot/e2e/browser"
)

// recordOutcome has the host page keep the element's outcome.
const recordOutcome = `(() => {
	addEventListener('coinslot-complete', e => { window.complete = e.detail; });
	document.querySelector('coinslot-checkout').result.then(result => { window.result = result; });
})()`

// outcome is what a host page gets when a checkout has ended.
type outcome struct{ Session, Status, Receipt string }

// endsWith opens a session in the shop, has it end by a kind of payment and returns
// what the event and the promise of the element say.
func (s *stack) endsWith(t *testing.T, id, status string, kind sandbox.Kind, o browser.Options) (event, result outcome) {
	t.Helper()
	s.post("/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`)
	p, f := s.open(t, id, "inline", o)
	p.WaitJS(`customElements.get('coinslot-checkout') !== undefined`, "the element to be defined")
	p.Eval(recordOutcome, nil)
	f.Wait(pending)
	fortest.OK(t, s.gateway.Pay(s.matches(f).TrackingCode, kind))
	f.Wait(`[data-status="` + status + `"]`)
	if status == "expired" { // else the shopper may try again, and the promise waits
		p.WaitText("#log", "complete expired") // the shop's page hears of it later
		p.Eval(`document.querySelector('coinslot-checkout').close()`, nil)
	}
	p.WaitJS(`window.complete !== undefined && window.result !== undefined`, "the outcome")
	p.Eval(`window.complete`, &event)
	p.Eval(`window.result`, &result)
	return event, result
}

// verifyReceipt reports whether a receipt proves to the shop that an order is paid,
// with the keys that the checkout tells now.
func (s *stack) verifyReceipt(text, ref, amount string) (receipt.Claims, error) {
	s.t.Helper()
	var keys receipt.Keys
	fortest.OK(s.t, json.Unmarshal([]byte(s.download("/.well-known/jwks.json")), &keys))
	return receipt.Receipt(text, keys, s.base, receipt.Order{Ref: ref, AmountUSD: amount})
}

// The receipt that the shop's page gets proves the payment to the shop's server, for this order
// only.
func TestReceiptProves(t *testing.T) {
	runParallel(t)
	for name, o := range map[string]browser.Options{"wasm": {}, "html": {BlockURLs: []string{"*.wasm"}}} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			id := s.session(order{"amount_usd": "25.00", "order_ref": "1001"})
			event, result := s.endsWith(t, id, "confirmed", "pay", o)
			if event.Receipt == "" || event != result || event.Session != id {
				t.Fatalf("the event says %+v, the promise %+v; want the same receipt", event, result)
			}
			claims, err := s.verifyReceipt(event.Receipt, "1001", "25.00")
			if err != nil || claims.Session != id || claims.TrackingCode != s.issued()[0].TrackingCode {
				t.Errorf("verified: %+v, %v", claims, err)
			}
			for ref, amount := range map[string]string{"1002": "25.00", "1001": "24.99"} {
				if _, err := s.verifyReceipt(event.Receipt, ref, amount); err == nil {
					t.Errorf("the receipt proves order %s of %s too", ref, amount)
				}
			}
			late := s.session(order{"amount_usd": "25.00", "order_ref": "1002"})
			event, result = s.endsWith(t, late, "expired", "expire", o)
			if event.Receipt != "" || result.Receipt != "" || event.Status != "expired" {
				t.Errorf("an order that was not paid: the event says %+v, the promise %+v", event, result)
			}
		})
	}
}

// The printed page has the same text, to be copied and sent.
func TestReceiptIsCopied(t *testing.T) {
	s := newStack(t)
	id, p, _ := s.end(t, browser.Options{}, "confirmed", "pay")
	p.Goto(s.base + p.Attr(`[data-part="receipt"]`, "href"))
	p.WaitText(`[data-part="shop"]`, strings.TrimPrefix(s.shop.URL, "http://"))
	p.Wait(`[data-live="wasm"]`)
	p.Click(`[data-part="signed"] > summary`)
	p.Eval(recordCopies, nil)
	p.Click(`[data-part="copy-reference"]`)
	p.WaitText(`[data-part="copy-reference"]`, "Copied")
	copied := browser.Eval[[]string](p, `window.copied`)
	if len(copied) != 1 {
		t.Fatalf("copied %q; want one text", copied)
	}
	if claims, err := s.verifyReceipt(copied[0], "1001", "25.00"); err != nil || claims.Session != id {
		t.Errorf("what was copied: %+v, %v", claims, err)
	}
}

// The secret key is changed while the shop is open: for a while both keys open
// the API and both sign for good, and then the old one does nothing any more.
func TestReceiptKeyChanges(t *testing.T) {
	const newKey = "e2e-newer-key-0123456789abcdef0123456789"
	s := newStack(t)
	t.Cleanup(func() {
		fortest.Lacks(t, "the log holds the new key", s.log.String(), newKey)
	})
	id := s.session(order{"amount_usd": "25.00", "order_ref": "1001"})
	event, _ := s.endsWith(t, id, "confirmed", "pay", browser.Options{})
	for _, step := range []struct {
		keys           string
		oldOpens, good bool
	}{{newKey + "," + secretKey, true, true}, {newKey, false, false}} {
		s.kill()
		s.env = append(s.env, "COINSLOT_SECRET_KEY="+step.keys)
		s.start()
		if got := s.canRead(secretKey, id); got != step.oldOpens || !s.canRead(newKey, id) {
			t.Errorf("%d keys: the old one opens the API: %t", strings.Count(step.keys, ",")+1, got)
		}
		if _, err := s.verifyReceipt(event.Receipt, "1001", "25.00"); (err == nil) != step.good {
			t.Errorf("%d keys: the old receipt: %v", strings.Count(step.keys, ",")+1, err)
		}
		var view outcome
		fortest.OK(t, json.Unmarshal([]byte(s.download("/checkout/"+id+"/view")), &view))
		if _, err := s.verifyReceipt(view.Receipt, "1001", "25.00"); err != nil {
			t.Errorf("%d keys: a receipt of now: %v", strings.Count(step.keys, ",")+1, err)
		}
	}
}

// canRead reports whether a key reads a session by the merchant's API.
func (s *stack) canRead(key, id string) bool {
	s.t.Helper()
	req := fortest.Must(http.NewRequest(http.MethodGet, s.base+"/v1/sessions/"+id, nil))(s.t)
	req.Header.Set("Authorization", "Bearer "+key)
	resp := fortest.Must(http.DefaultClient.Do(req))(s.t)
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
