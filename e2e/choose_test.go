package e2e

import (
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// chooserModes are the two extremes in which the chooser works: driven by the program,
// and by the browser's own forms and links.
var chooserModes = map[string]browser.Options{
	"wasm":          {Height: 1600},
	"no JavaScript": {Height: 1600, NoJS: true},
}

// choosing opens the page of an order and waits until it is driven as it will be.
func (s *stack) choosing(t *testing.T, o browser.Options, fields order) *browser.Page {
	t.Helper()
	p := s.openPage(t, s.session(fields), o)
	awaitWasm(p, o)
	return p
}

func awaitWasm(p *browser.Page, o browser.Options) {
	if !o.NoJS {
		p.Wait(`[data-live="wasm"]`)
	}
}

// pick checks a coin and network, and no more.
func pick(v *browser.View, symbol, network string) {
	tick(v, symbol, network)
	checked(v, symbol, network)
}

// checked waits until a coin and network are.
func checked(v *browser.View, symbol, network string) {
	v.Wait(`[data-part="currency"][value="` + symbol + `"]:checked`)
	v.Wait(`[data-part="network"][value="` + symbol + `:` + network + `"]:checked`)
}

// A popular coin on its best network takes two taps without scrolling on a phone, with and without
// scripts; another network takes a third. Nothing above the chosen row moves, the button stays where
// it is, and a press on it without a coin says at once what is missing, above it.
func TestTwoTaps(t *testing.T) {
	s := newStack(t)
	for name, o := range chooserModes {
		o.Width, o.Height = 390, 844
		p := s.choosing(t, o, order{"amount_usd": "25.00"})
		box := func(css, side string) float64 {
			return browser.Eval[float64](p,
				`document.querySelector('`+css+`').getBoundingClientRect().`+side)
		}
		top := func(css string) float64 { return box(css, "top") }
		radio := func(part, value string) string {
			return `label:has([data-part="` + part + `"][value="` + value + `"])`
		}
		shows := func(part string) string {
			return `document.querySelector('[data-part="` + part + `"]').checkVisibility()`
		}
		button := top(`[data-part="continue"]`)
		if !o.NoJS {
			p.Click(`[data-part="continue"]`)
			p.WaitText(`.bar [data-part="error"]`, "Choose a coin")
			if got := top(`[data-part="continue"]`); got != button {
				t.Errorf("%s: the error moves the button by %v px", name, got-button)
			}
		} else {
			searches := browser.Eval[bool](p, shows("search"))
			fortest.Equal(t, searches, false, "%s: the search shows", name)
		}
		above, width := top(radio("currency", "USDT")), box(radio("currency", "ETH"), "width")
		p.Click(radio("currency", "USDC"))
		checked(p.View, "USDC", "polygon")
		if got, wide := top(radio("currency",
			"USDT")), box(radio("currency", "ETH"), "width"); got != above || wide != width {
			t.Errorf("%s: choosing moves what is above by %v px, and widens by %v px", name,
				got-above, wide-width)
		}
		p.Click(radio("network", "USDC:bep20"))
		p.Click(radio("currency", "USDT"))
		checked(p.View, "USDT", "ton")
		if !o.NoJS {
			p.WaitText(`[data-part="continue"]`, "Continue with USDT on TON (The Open Network)")
		}
		fortest.Equal(t, browser.Eval[float64](p, "scrollY"), 0,
			"%s: the page was scrolled by px", name)
		p.Click(`[data-part="continue"]`)
		p.Wait(pending)
		if tx := s.matches(p.View); tx.CurrencySymbol+":"+tx.NetworkCode != "USDT:ton" {
			t.Errorf("%s: the gateway was asked for %s on %s", name, tx.CurrencySymbol,
				tx.NetworkCode)
		}
		copies := browser.Eval[bool](p, shows("copy-address"))
		fortest.Equal(t, copies, !o.NoJS, "%s: the copy button shows", name)
		assertCleanConsole(t, p)
	}
}

// The search finds coins by their networks and networks by their coins, announces the result, and
// Enter in it pays nothing.
func TestFullSearch(t *testing.T) {
	s := newStack(t)
	p := s.choosing(t, chooserModes["wasm"], order{"amount_usd": "25.00"})
	pick(p.View, "BNB", "bep20")
	p.Type(`[data-part="search"]`, "ltc lite")
	p.WaitText(`[role="status"].offscreen`, "Litecoin")
	p.WaitGone(`label:has([data-part="currency"][value="GRAM"])`)
	p.Press("Enter")
	checked(p.View, "LTC", "litecoin")
	p.Type(`[data-part="search"]`, " monero")
	p.WaitText(`.note[role="status"]`, "Nothing found")
	p.Press("Escape")
	p.Wait(`label:has([data-part="currency"][value="GRAM"])`)
	if !p.Exists(`[data-status="open"]`) || len(s.issued()) != 0 {
		t.Error("Enter in the search field has sent the form")
	}
	assertCleanConsole(t, p)
}

// What is typed into the search field before the program arrives is searched
// for by it, and the next list is whole again.
func TestFullSearchBeforeTheTakeover(t *testing.T) {
	h := newHeldStack(t)
	p := h.openPage(t, h.session(order{"amount_usd": "25.00"}), browser.Options{Height: 1600})
	p.Wait(`[data-live="html"]`)
	p.Click(`.more > summary`)
	p.Type(`[data-part="search"]`, "dogecoin")
	h.releaseProgram()
	p.Wait(`[data-live="wasm"]`)
	p.WaitText(`[role="status"].offscreen`, "Dogecoin")
	p.WaitGone(`label:has([data-part="currency"][value="LTC"])`)
	p.Press("Enter")
	checked(p.View, "DOGE", "dogecoin")
	p.Click(`[data-part="continue"]`)
	p.Wait(pending)
	p.Click(`[data-part="change"]`)
	p.Wait(`label:has([data-part="currency"][value="LTC"])`)
	checked(p.View, "DOGE", "dogecoin")
}

// After a payment has come to nothing, and when it is changed, the last coin and
// network are picked already. Only the session remembers them.
func TestFullLastChoiceIsPreselected(t *testing.T) {
	runParallel(t)
	for name, o := range chooserModes {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			id := s.session(order{"amount_usd": "25.00"})
			p := s.openPage(t, id, o)
			awaitWasm(p, o)
			again := func(status, symbol, network string) {
				t.Helper()
				p.Wait(`[data-status="` + status + `"]`)
				p.Click(`[data-part="change"]`)
				p.Wait(`[data-part="continue"]`)
				checked(p.View, symbol, network)
			}
			choose(p.View, "USDC", "polygon")
			p.Wait(pending)
			again("pending", "USDC", "polygon")
			choose(p.View, "USDT", "bep20")
			p.Wait(pending)
			fortest.Until(t, "the second transaction", func() bool { return len(s.issued()) == 2 })
			p.WaitText("h1", "USDT")
			p.Click(`[data-part="cancel"]`)
			again("cancelled", "USDT", "bep20")
			s.simulate(s.choose(p.View, "GRAM", "ton"), "expire")
			again("expired", "GRAM", "ton")
			p.Goto(s.base + "/checkout/" + id)
			again("expired", "GRAM", "ton")
			assertNoStorage(t, p.View)
		})
	}
}

// TestFullUnavailableChoicesShowReason: what is not possible for an order stays, with its reason, in words
// that are read aloud too. A shop that takes one coin asks for the network only; one that takes one
// coin on one network asks nothing.
func TestFullUnavailableChoicesShowReason(t *testing.T) {
	s := newStack(t)
	for name, o := range chooserModes {
		p := chromium.Open(t, "", o)
		open := func(fields order) {
			p.Goto(s.base + "/checkout/" + s.session(fields))
			awaitWasm(p, o)
		}
		pays := func(choice string) {
			t.Helper()
			p.Wait(pending)
			if tx := s.matches(p.View); tx.CurrencySymbol+":"+tx.NetworkCode != choice {
				t.Errorf("%s: the gateway was asked for %s on %s", name, tx.CurrencySymbol,
					tx.NetworkCode)
			}
		}
		open(order{"amount_usd": "1.50"})
		p.Click(`label:has([data-part="currency"][value="USDT"])`)
		p.Wait(`[data-part="network"][value="USDT:erc20"]:disabled`)
		p.Click(`.more > summary`)
		p.Wait(`[data-part="currency"][value="BNB"]:disabled`)
		for choice, want := range map[string]string{
			`[data-part="network"][value="USDT:erc20"]`: "from $100",
			`[data-part="currency"][value="BNB"]`:       "from $2",
		} {
			p.WaitText(`label:has(`+choice+`)`, want)
		}
		choose(p.View, "USDT", "trc20")
		pays("USDT:trc20")

		open(order{"amount_usd": "25.00", "currencies": []string{"USDC"}})
		p.Click(`label:has([data-part="network"][value="USDC:polygon"])`)
		p.Click(`[data-part="continue"]`)
		pays("USDC:polygon")

		open(order{"amount_usd": "25.00", "currencies": []string{"USDT_trc20"}})
		seen := browser.Eval[int](p, `[...document.querySelectorAll("input[type=radio]")].filter(
			e => e.tabIndex >= 0 || getComputedStyle(e).clipPath === "none").length`)
		fortest.Equal(t, seen, 0, "%s radios can be seen or reached by the keyboard", name)
		p.WaitText(`.coins`, "Tether")
		p.WaitText(`[data-part="continue"]`, "Continue with USDT on TRON")
		p.Click(`[data-part="continue"]`)
		pays("USDT:trc20")
		assertCleanConsole(t, p)
	}
}
