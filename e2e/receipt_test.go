package e2e

import (
	"encoding/json"
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
func (s *stack) endsWith(
	t *testing.T, id, status string, kind sandbox.Kind, o browser.Options,
) (event, result outcome) {
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
	return receipt.Receipt(text, keys, s.base, receipt.Order{Ref: ref, Amount: amount})
}

// The receipt that the shop's page gets proves the payment to the shop's server, for this order
// only.
func TestReceiptProves(t *testing.T) {
	runParallel(t)
	for name, o := range map[string]browser.Options{
		"wasm": {},
		"html": {BlockURLs: []string{"*.wasm"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			id := s.session(order{"amount_usd": "25.00", "order_ref": "1001"})
			event, result := s.endsWith(t, id, "confirmed", "pay", o)
			if event.Receipt == "" || event != result || event.Session != id {
				t.Fatalf("the event says %+v, the promise %+v; want the same receipt", event,
					result)
			}
			claims, err := s.verifyReceipt(event.Receipt, "1001", "25.00")
			if err != nil || claims.Session != id ||
				claims.TrackingCode != s.issued()[0].TrackingCode {
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
				t.Errorf("an order that was not paid: the event says %+v, the promise %+v", event,
					result)
			}
		})
	}
}

// The printed page has the same text, to be copied and sent.
func TestFullReceiptIsCopied(t *testing.T) {
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
	claims, err := s.verifyReceipt(copied[0], "1001", "25.00")
	if err != nil || claims.Session != id {
		t.Errorf("what was copied: %+v, %v", claims, err)
	}
}
