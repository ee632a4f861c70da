package e2e

import (
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// focused returns what has the keyboard in the view: its handle and value.
const focused = `(e => e ? [e.dataset?.part ?? e.id ?? "", e.value ?? ""].join(" ").trim() : "")(document.activeElement)`

// focusNotVisible returns what has the keyboard and does not show it; empty if it does. A
// radio's ring is around all of its row.
const focusNotVisible = `(e => {
	const ring = getComputedStyle(e.matches('[type=radio]') ? e.closest('label') : e);
	return parseFloat(ring.outlineWidth) > 0 && ring.outlineStyle !== 'none' ? '' : e.outerHTML.slice(0, 200);
})(document.activeElement)`

// tabTo presses Tab until the wanted control has the keyboard. Every stop on the way shows that it
// has it. A group of radios is one stop: without its value it is reached wherever in it that is.
func tabTo(t *testing.T, v *browser.View, want string) {
	t.Helper()
	group := want == "currency" || want == "network"
	var seen []string
	for range 40 {
		v.Press("Tab")
		now := browser.Eval[string](v, focused)
		if hidden := browser.Eval[string](v, focusNotVisible); hidden != "" && now != "" {
			t.Errorf("nothing shows that the keyboard is at %s", hidden)
		}
		if now == want || group && strings.HasPrefix(now, want+" ") {
			return
		}
		seen = append(seen, now)
	}
	t.Fatalf("Tab does not reach %q; it went by %s", want, strings.Join(seen, ", "))
}

// A shopper without a mouse pays in a modal: everything is reached by Tab and
// the arrows, Escape closes, and the keyboard is back where it was.
func TestPaysByKeyboard(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	p := chromium.Open(t, s.shopURL(id, "modal"), browser.Options{Height: 1400})
	p.WaitJS(`customElements.get('coinslot-checkout') !== undefined`, "the element to be defined")
	p.Press("Tab")
	p.Press("Enter")
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	f.Click(`.more > summary`)
	f.Type(`[data-part="search"]`, "dogecoin")
	f.WaitGone(`[data-part="currency"][value="GRAM"]`)
	f.Press("Escape") // empties the field and closes nothing
	f.Wait(`[data-part="currency"][value="GRAM"]`)
	p.Wait("coinslot-checkout >>> dialog[open]")
	pickByKeyboard(t, f, "currency", "USDT")
	pickByKeyboard(t, f, "network", "USDT:trc20")
	f.Wait(`[data-part="network"][value="USDT:trc20"]:checked`)
	tabTo(t, f, "continue")
	f.Press("Enter")
	f.Wait(pending)
	tx := s.matches(f)
	f.WaitJS(`document.activeElement.id === "coinslot-heading"`,
		"the keyboard to be at the new heading")
	tabTo(t, f, "copy-address")
	tabTo(t, f, "cancel")
	s.simulate(tx, "pay")
	f.Wait(paid)
	tabTo(t, f, "close")
	f.Press("Escape")
	p.WaitText("#log", "close confirmed")
	p.WaitJS(`document.activeElement.matches("coinslot-checkout a")`,
		"the keyboard to be back at the link")
	p.WaitGone("coinslot-checkout >>> dialog[open]")
	assertCleanConsole(t, p)
}

// pickByKeyboard goes to a group of radios and with the arrows to one of them.
func pickByKeyboard(t *testing.T, v *browser.View, part, value string) {
	t.Helper()
	tabTo(t, v, part)
	v.Press("Space")
	var seen []string
	for range 12 {
		now := browser.Eval[string](v, `document.activeElement.value ?? ""`)
		if now == value {
			return
		}
		seen = append(seen, now)
		v.Press("ArrowDown")
	}
	t.Fatalf("the arrows do not reach %q; they went by %s", value, strings.Join(seen, ", "))
}

// atHeading waits until the keyboard is at the heading of a new screen, from where
// a screen reader reads on.
func atHeading(v *browser.View, css string) {
	v.Wait(css)
	v.WaitJS(`document.activeElement.id === "coinslot-heading"`,
		"the keyboard to be at the heading of "+css)
}

// The whole way and its turns without a mouse: choose, copy, another coin, cancel, again, paid,
// receipt. With every new screen the keyboard is at its heading, never lost, and no page is loaded.
func TestFullKeyboardThroughEveryScreen(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	p := s.openPage(t, id, browser.Options{})
	p.Wait(`[data-live="wasm"]`)
	p.Eval(`void (window.same = true)`, nil)
	pick := func(symbol, network string) {
		t.Helper()
		pickByKeyboard(t, p.View, "currency", symbol)
		pickByKeyboard(t, p.View, "network", symbol+":"+network)
		tabTo(t, p.View, "continue")
		p.Press("Enter")
		atHeading(p.View, pending)
	}
	for network, name := range map[string]string{"bep20": "USDC on", "polygon": "Polygon"} {
		pickByKeyboard(t, p.View, "currency", "USDC")
		pickByKeyboard(t, p.View, "network", "USDC:"+network)
		p.WaitText(`[data-part="continue"]`, name)
	}
	pick("USDT", "trc20")
	s.matches(p.View)
	for _, part := range []string{"copy-amount", "copy-address"} {
		tabTo(t, p.View, part)
		p.Press("Enter")
		p.WaitText(`[data-part="`+part+`"]`, "opied")
		p.WaitJS(`document.activeElement.dataset.part === "`+part+`"`,
			"the keyboard to stay at the button")
	}
	tabTo(t, p.View, "change")
	p.Press("Enter")
	atHeading(p.View, "form.choose")
	fortest.Until(t, "the first coin to be left as it is",
		func() bool { return len(s.live()) == 1 })
	pickByKeyboard(t, p.View, "currency", "SOL")
	tabTo(t, p.View, "continue")
	p.Press("Enter")
	fortest.Until(t, "a second transaction", func() bool { return len(s.issued()) == 2 })
	atHeading(p.View, `[data-part="address"]:not([data-value="`+s.issued()[0].WalletAddress+`"])`)
	second := s.matches(p.View)
	if live := s.live(); len(live) != 1 || live[0].TrackingCode != second.TrackingCode {
		t.Errorf("%d transactions can be paid; want only the second", len(live))
	}
	fortest.Equal(t, count(s.sink.types(id), "checkout.cancelled"), 0,
		"events (a change of coin is no cancellation)")
	tabTo(t, p.View, "cancel")
	p.Press("Enter")
	atHeading(p.View, `[data-status="cancelled"]`)
	s.sink.await(t, id, "checkout.cancelled")
	fortest.Equal(t, len(s.live()), 0, "transactions can still be paid")
	tabTo(t, p.View, "retry")
	p.Press("Enter")
	atHeading(p.View, pending)
	s.simulate(s.matches(p.View), "pay")
	atHeading(p.View, paid)
	p.WaitJS(`window.same`, "the page to be the first one")
	tabTo(t, p.View, "receipt")
	p.Goto(s.base + p.Attr(`[data-part="receipt"]`, "href"))
	p.WaitText("main", "$25.00")
	assertCleanConsole(t, p)
}
