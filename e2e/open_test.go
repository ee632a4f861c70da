package e2e

import (
	"net/http"
	"testing"

	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// A shop that makes its session on the click opens one checkout for two
// clicks, and hears of the end by promise.
func TestOpensByScript(t *testing.T) {
	s, host := newShop(t, "")
	id := s.session(order{"amount_usd": "25.00"})
	host.body = `<button id="buy" onclick="window.widget = Coinslot.open({ createSession: async () => { window.asked = (window.asked || 0) + 1; return '` + id + `'; } })">Buy</button>`
	p := chromium.Open(t, host.server.URL, browser.Options{Height: 1400})
	p.WaitJS(`window.Coinslot`, "the script")
	p.Eval(`(b => { b.click(); b.click(); })(document.getElementById("buy"))`, nil)
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	s.simulate(s.choose(f, "ETH", "arbitrum"), "pay")
	f.Wait(paid)
	var outcome struct{ Session, Status string }
	p.Eval(`window.widget.result`, &outcome)
	if outcome.Session != id || outcome.Status != "confirmed" {
		t.Errorf("result = %+v; want %s confirmed", outcome, id)
	}
	var elements, asked int
	p.Eval(`document.querySelectorAll("coinslot-checkout").length`, &elements)
	p.Eval(`window.asked`, &asked)
	if elements != 1 || asked != 1 {
		t.Errorf("two clicks made %d elements and asked for %d sessions; want one of each", elements, asked)
	}
	p.Click(`coinslot-checkout >>> dialog button`)
	p.WaitGone(`coinslot-checkout >>> dialog[open]`)
	assertCleanConsole(t, p)
}

// A gateway that fails for a moment costs the shopper a second click, not the order.
func TestGatewayFailsOnce(t *testing.T) {
	runParallel(t)
	for name, noJS := range map[string]bool{"wasm": false, "no script": true} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			p := s.openPage(t, s.session(order{"amount_usd": "25.00"}), browser.Options{NoJS: noJS})
			if !noJS {
				p.Wait(`[data-live="wasm"]`)
			}
			s.gateway.Inject(sandbox.Fault{Path: "create", Times: 1, Status: http.StatusBadRequest})
			choose(p.View, "USDT", "trc20")
			p.Wait(`[data-part="error"]`)
			p.Wait(`[data-part="continue"]`)
			s.choose(p.View, "USDT", "bep20")
		})
	}
}
