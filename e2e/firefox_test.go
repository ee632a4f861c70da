package e2e

import (
	"testing"

	"coinslot/e2e/firefox"
)

// The same flow in another browser, where frames of other sites have storage of
// their own and where they have none.
func TestPaysInFirefox(t *testing.T) {
	runParallel(t)
	cases := []struct {
		name, mode string
		cookies    firefox.Cookies
	}{
		{"inline, storage refused", "inline", firefox.Refused},
		{"modal, storage partitioned", "modal", firefox.Partitioned},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStack(t)
			b := firefox.Start(t, c.cookies)
			id := s.session(order{"amount_usd": "25.00", "order_ref": "firefox"})
			p := b.Open(s.shopURL(id, c.mode))
			f := p.Frame(frame)
			if c.mode == "modal" {
				p.WaitJS(`customElements.get('coinslot-checkout')`)
				p.Click(`coinslot-checkout a`)
			}
			f.Wait(`[data-live="wasm"]`)
			tx := s.choose(f, "USDT", "trc20")
			s.simulate(tx, "pay")
			f.Wait(paid)
			p.WaitText("#log", "complete confirmed")
			s.sink.await(t, id, "checkout.confirmed")
			assertCleanConsole(t, b)
			assertOnlyOwnRequests(t, b, s)
		})
	}
}
