package e2e

import (
	"strings"
	"testing"

	"coinslot/e2e/browser"
)

// focused tells what has the keyboard in the view: its handle and value.
const focused = `(e => e ? [e.dataset?.part ?? e.id ?? "", e.value ?? ""].join(" ").trim() : "")(document.activeElement)`

// tabTo presses Tab until the wanted control has the keyboard.
func tabTo(t *testing.T, v *browser.View, want string) {
	t.Helper()
	var seen []string
	for range 40 {
		v.Press("Tab")
		var now string
		v.Eval(focused, &now)
		if now == want {
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
	tabTo(t, f, "currency USDT")
	f.Press("Space")
	tabTo(t, f, "network USDT:trc20")
	f.Press("Space")
	f.Wait(`[data-part="network"][value="USDT:trc20"]:checked`)
	tabTo(t, f, "continue")
	f.Press("Enter")
	f.Wait(pending)
	tx := s.matches(f)
	f.WaitJS(`document.activeElement.id === "coinslot-heading"`, "the keyboard to be at the new heading")
	tabTo(t, f, "copy-address")
	tabTo(t, f, "cancel")
	s.pretend(tx, "pay")
	f.Wait(paid)
	tabTo(t, f, "close")
	f.Press("Escape")
	p.WaitText("#log", "close confirmed")
	p.WaitJS(`document.activeElement.matches("coinslot-checkout a")`, "the keyboard to be back at the link")
	p.WaitGone("coinslot-checkout >>> dialog[open]")
	quiet(t, p)
}

// Arrows go through coins and networks, as in any group of radios.
func TestArrowsChoose(t *testing.T) {
	s := newStack(t)
	p := s.alone(t, s.session(order{"amount_usd": "25.00"}), browser.Options{})
	p.Wait(`[data-live="wasm"]`)
	tabTo(t, p.View, "currency USDT")
	p.Press("Space")
	p.Press("ArrowDown")
	p.Wait(`[data-part="currency"][value="USDC"]:checked`)
	tabTo(t, p.View, "network USDC:bep20")
	p.Press("ArrowDown")
	p.Wait(`[data-part="network"][value="USDC:polygon"]:checked`)
	p.WaitText(`[data-part="continue"]`, "USDC on")
}

// Escape in the search field empties it and closes nothing.
func TestEscapeInSearch(t *testing.T) {
	s := newStack(t)
	p, f := s.open(t, s.session(order{"amount_usd": "25.00"}), "modal", browser.Options{})
	f.Wait(`[data-live="wasm"]`)
	f.Type(`[data-part="search"]`, "polygon")
	f.WaitGone(`[data-part="currency"][value="TON"]`)
	f.Press("Escape")
	f.Wait(`[data-part="currency"][value="TON"]`)
	p.Wait("coinslot-checkout >>> dialog[open]")
	f.Press("Escape")
	p.WaitGone("coinslot-checkout >>> dialog[open]")
}
