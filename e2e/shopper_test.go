package e2e

import (
	"strings"
	"testing"

	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// What is typed and chosen before the program arrives is kept by it, and the
// typing goes on.
func TestTypedBeforeTheTakeover(t *testing.T) {
	h := newHeldStack(t)
	p := h.openPage(t, h.session(order{"amount_usd": "25.00"}), browser.Options{})
	p.Wait(`[data-live="html"]`)
	p.Click(`label:has([data-part="currency"][value="USDC"])`)
	p.Click(`label:has([data-part="network"][value="USDC:polygon"])`)
	p.Type(`input[name="email"]`, "ann@example.")
	h.releaseProgram()
	p.Wait(`[data-live="wasm"]`)
	p.Press("i")
	p.Press("t")
	if got := p.Value(`input[name="email"]`); got != "ann@example.it" {
		t.Errorf("e-mail after the takeover = %q; want ann@example.it", got)
	}
	p.Click(`[data-part="continue"]`)
	p.Wait(pending)
	tx := h.matches(p.View)
	if tx.Email != "ann@example.it" || tx.NetworkCode != "polygon" {
		t.Errorf("the gateway was told %q on %q; want ann@example.it on polygon", tx.Email, tx.NetworkCode)
	}
	assertCleanConsole(t, p)
}

// A payment that is made while the phone has no signal shows when it has one.
func TestOfflineThenOnline(t *testing.T) {
	s := newStack(t)
	p, f := s.open(t, s.session(order{"amount_usd": "25.00"}), "inline", browser.Options{})
	f.Wait(`[data-live="wasm"]`)
	choose(f, "USDT", "trc20")
	tx := s.matches(f)
	p.Offline(true)
	f.Click(`[data-part="cancel"]`)
	f.WaitText(`[data-part="error"]`, "no connection")
	s.simulate(tx, "pay")
	p.Offline(false)
	f.Wait(paid)
	f.WaitGone(`[data-part="error"]`)
}

// An impatient shopper gets one address, with and without the program.
func TestDoubleClickOnContinue(t *testing.T) {
	runParallel(t)
	for name, blocked := range map[string][]string{"wasm": nil, "html": {"*.wasm"}} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			s.gateway.Inject(slowCreate)
			_, f := s.open(t, s.session(order{"amount_usd": "25.00"}), "inline", browser.Options{BlockURLs: blocked})
			f.Wait(`[data-live="` + name + `"]`)
			f.Click(`label:has([data-part="currency"][value="TON"])`)
			f.Click(`label:has([data-part="network"][value="TON:ton"])`)
			f.Eval(`(b => { b.click(); b.click(); })(document.querySelector('[data-part="continue"]'))`, nil)
			f.Wait(pending)
			s.matches(f)
			if n := len(s.issued()); n != 1 {
				t.Errorf("%d transactions were created; want 1", n)
			}
		})
	}
}

var slowCreate = sandbox.Fault{Path: "create", Times: -1, Latency: 300e6}

// Back, forward and reload show the payment as it is and begin nothing.
func TestBackForwardAndReload(t *testing.T) {
	runParallel(t)
	for name, blocked := range map[string][]string{"wasm": nil, "html": {"*.wasm"}} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			id := s.session(order{"amount_usd": "25.00"})
			p := s.openPage(t, id, browser.Options{BlockURLs: blocked})
			p.Wait(`[data-live="` + name + `"]`)
			choose(p.View, "USDT", "trc20")
			tx := s.matches(p.View)
			p.Goto(s.shop.URL + "/away")
			p.Eval(`setTimeout(() => history.back(), 50), 0`, nil)
			s.matches(p.View)
			p.Reload()
			s.matches(p.View)
			s.simulate(tx, "pay")
			p.Wait(paid)
			p.Eval(`setTimeout(() => history.forward(), 50), 0`, nil)
			p.WaitText("h1", "Shop")
			p.Eval(`setTimeout(() => history.back(), 50), 0`, nil)
			p.Wait(paid)
			if n := len(s.issued()); n != 1 {
				t.Errorf("%d transactions were created; want 1", n)
			}
		})
	}
}

// Money that comes after the time was up is found by looking again.
func TestLatePaymentIsFound(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	_, f := s.open(t, id, "inline", browser.Options{})
	choose(f, "USDT", "trc20")
	tx := s.matches(f)
	s.simulate(tx, "late")
	f.Wait(`[data-status="expired"], ` + paid)
	if f.Exists(`[data-part="recheck"]`) {
		f.Click(`[data-part="recheck"]`)
	}
	f.Wait(paid)
	f.WaitText(`.note`, "after the time was up")
	s.sink.await(t, id, "checkout.confirmed")
}

// In a shop's frame the shopper starts again after expiry and gets a fresh address. The page says
// to the digit that too much money has come there.
func TestOverpaid(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	_, f := s.open(t, id, "inline", browser.Options{})
	choose(f, "USDT", "trc20")
	first := s.matches(f)
	s.simulate(first, "expire")
	f.Wait(`[data-status="expired"]`)
	f.Click(`[data-part="retry"]`)
	f.Wait(pending)
	second := s.matches(f)
	if second.WalletAddress == first.WalletAddress || second.TrackingCode == first.TrackingCode {
		t.Error("the new payment has the old address")
	}
	s.simulate(second, "over")
	f.Wait(paid)
	over := f.Attr(`[data-part="overpaid"]`, "data-value")
	f.WaitText(`[data-part="overpaid"]`, over+" USDT more")
	f.Wait(`[data-part="paid"]`)
	s.sink.await(t, id, "checkout.confirmed")
}

// A payment of which a part has come is not called off under the shopper's
// hands: words say so.
func TestCancelAfterPartOfIt(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	p := s.openPage(t, id, browser.Options{NoJS: true})
	choose(p.View, "USDT", "trc20")
	tx := s.matches(p.View)
	s.simulate(tx, "half")
	p.Click(`[data-part="cancel"]`)
	p.Wait(`[data-part="missing"]`)
	p.WaitText(`[data-part="error"], [role="alert"]`, "begun")
	if got := s.read(id); got.Status != "pending" {
		t.Errorf("status = %q; want pending", got.Status)
	}
}

// The old address leaves the page with its payment, without scripts too.
func TestChangesCoinWithoutJavaScript(t *testing.T) {
	s := newStack(t)
	p := s.openPage(t, s.session(order{"amount_usd": "25.00"}), browser.Options{NoJS: true})
	choose(p.View, "USDT", "trc20")
	first := s.matches(p.View)
	p.Click(`[data-part="change"]`)
	p.WaitText(".note", "called off")
	choose(p.View, "TON", "ton")
	p.Wait(`[data-part="address"]:not([data-value="` + first.WalletAddress + `"])`)
	second := s.matches(p.View)
	if live := s.live(); len(live) != 1 || live[0].TrackingCode != second.TrackingCode {
		t.Errorf("%d transactions can be paid; want only the second", len(live))
	}
}

// Without scripts a form may be sent half filled in.
func TestPartialChoiceWithoutJavaScript(t *testing.T) {
	runParallel(t)
	cases := []struct {
		name, currency, network string
		want                    string // words; empty = it goes on
	}{
		{"a coin of one network", "BNB", "", ""},
		{"a coin of several networks", "USDT", "", "Choose a coin and one of its networks"},
		{"a network of another coin", "USDT", "USDC:polygon", "Choose a coin and one of its networks"},
		{"nothing", "", "", "Choose a coin and one of its networks"},
	}
	p := chromium.Open(t, "", browser.Options{NoJS: true, Height: 2400})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStack(t)
			p.SetTest(t)
			p.Goto(s.base + "/checkout/" + s.session(order{"amount_usd": "25.00"}))
			if c.network != "" { // picked first, before the shopper changed to the other coin
				p.Click(`label:has([data-part="currency"][value="` + strings.Split(c.network, ":")[0] + `"])`)
				p.Click(`label:has([data-part="network"][value="` + c.network + `"])`)
			}
			if c.currency != "" {
				p.Click(`label:has([data-part="currency"][value="` + c.currency + `"])`)
			}
			p.Click(`[data-part="continue"]`)
			if c.want == "" {
				p.Wait(pending)
				s.matches(p.View)
				return
			}
			p.WaitText(`[data-part="error"]`, c.want)
			if c.currency != "" {
				p.Wait(`[data-part="currency"][value="` + c.currency + `"]:checked`)
			}
			if n := len(s.issued()); n != 0 {
				t.Errorf("%d transactions were created; want none", n)
			}
			choose(p.View, "USDT", "trc20")
			p.Wait(pending)
		})
	}
	p.SetTest(t)
}
