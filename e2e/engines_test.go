package e2e

import (
	"testing"

	"coinslot/bff/sandbox"
	"coinslot/e2e/firefox"
	"coinslot/e2e/view"
	"coinslot/e2e/webkit"
)

// TestFullPaysInFirefox: the flow of TestPaysInline and in a modal in another browser, where frames of
// other sites have storage of their own and where they have none.
func TestFullPaysInFirefox(t *testing.T) {
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
			s.paysOn(t, b, c.mode, "", "wasm", func(*view.View, *view.View, sandbox.Transaction) {})
			assertCleanConsole(t, b)
			assertOnlyOwnRequests(t, b, s)
		})
	}
}

// TestFullPaysInWebKit: the same in the engine of Safari; what is copied can be pasted, and the payment
// is there after a reload and, as it was left, out of the back-forward cache.
func TestFullPaysInWebKit(t *testing.T) {
	s := newStack(t)
	plain, restricted := webkit.Start(t, webkit.Options{}), webkit.Start(t, webkit.Restricted)
	t.Run("inline", func(t *testing.T) {
		s.paysOn(t, plain, "inline", "", "wasm", func(p, f *view.View, tx sandbox.Transaction) {
			s.copiesAndReloads(plain, p, f, tx)
			p.WaitJS(`!addEventListener("pageshow", e => { window.restored = e.persisted; })`)
			plain.Open(s.shop.URL + "/away")
			plain.Back()
			p.WaitJS(`window.restored`)
			s.matches(f)
		})
	})
	t.Run("modal, right to left", func(t *testing.T) {
		s.paysOn(t, plain, "modal", "&lang=ar", "wasm", func(p, f *view.View, _ sandbox.Transaction) {
			f.WaitJS(`document.dir === "rtl" && getComputedStyle(document.querySelector('[data-part="address"]')).direction === "ltr"`)
			f.WaitJS(`document.querySelector('[data-part="copy-amount"]').getBoundingClientRect().right < innerWidth / 2`)
		})
	})
	t.Run("without WebAssembly and storage", func(t *testing.T) {
		s.paysOn(t, restricted, "inline", "", "html", func(p, f *view.View, tx sandbox.Transaction) {
			// The loader puts a storage in memory in the place of the one that is missing.
			f.WaitJS(`typeof WebAssembly === "undefined" && !(window.localStorage instanceof Storage)`)
			p.WaitJS(`(document.cookie = "a=b", document.cookie === "")`)
			s.copiesAndReloads(restricted, p, f, tx)
		})
	})
}

// paysOn pays in the shop's page on a browser. live is what runs the checkout, and then is called
// once the address is shown.
func (s *stack) paysOn(t *testing.T, b interface{ Open(url string) *view.View }, mode, query, live string,
	then func(page, frame *view.View, tx sandbox.Transaction)) {
	t.Helper()
	id := s.session(order{"amount_usd": "25.00"})
	p := b.Open(s.shopURL(id, mode) + query)
	f := p.Frame(frame)
	if mode == "modal" {
		p.WaitJS(`customElements.get('coinslot-checkout')`)
		p.Click(`coinslot-checkout a`)
	}
	f.Wait(`[data-live="` + live + `"]`)
	tx := s.choose(f, "USDT", "trc20")
	then(p, f, tx)
	s.simulate(tx, "pay")
	f.Wait(paid)
	p.WaitText("#log", "complete confirmed")
	s.sink.await(t, id, "checkout.confirmed")
}

// copiesAndReloads copies the address into the shop's page, and reloads that.
func (s *stack) copiesAndReloads(b *webkit.Browser, p, f *view.View, tx sandbox.Transaction) {
	f.WaitJS(`getComputedStyle(document.querySelector('[data-part="cancel"]')).textDecorationLine === "underline"`)
	f.Click(`[data-part="copy-address"]`)
	b.Type("#pasted", webkit.Paste)
	p.WaitJS(`document.querySelector("#pasted").value === "` + tx.WalletAddress + `"`)
	b.Reload()
	s.matches(f)
}
