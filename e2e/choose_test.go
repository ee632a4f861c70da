package e2e

import (
	"strings"
	"testing"

	"coinslot/e2e/browser"
)

// chooserModes are the two extremes in which the chooser works: driven by the program,
// and by the browser's own forms and links.
var chooserModes = map[string]browser.Options{"wasm": {Height: 1600}, "no JavaScript": {Height: 1600, NoJS: true}}

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
	v.Click(`label:has([data-part="currency"][value="` + symbol + `"])`)
	v.Click(`label:has([data-part="network"][value="` + symbol + `:` + network + `"])`)
	checked(v, symbol, network)
}

// checked waits until a coin and network are.
func checked(v *browser.View, symbol, network string) {
	v.Wait(`[data-part="currency"][value="` + symbol + `"]:checked`)
	v.WaitJS(`document.querySelector('[data-part="network"]:checked')?.value === "`+symbol+`:`+network+`"`, network+" to be checked")
}

// urlHas waits until the page's address holds a text, or does not.
func urlHas(v *browser.View, text string, want bool) {
	have := "!"
	if want {
		have = ""
	}
	v.WaitJS(have+`location.href.includes("`+text+`")`, "the address to have or not to have "+text)
}

// A shopper who pays from an exchange says so once. Every later page knows it, and nothing that was
// picked is lost on the way.
func TestChoosesFromExchange(t *testing.T) {
	runParallel(t)
	for name, o := range chooserModes {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			p := s.choosing(t, o, order{"amount_usd": "25.00"})
			pick(p.View, "USDT", "ton")
			p.Type(`input[name="email"]`, "ann@example.it")
			p.WaitText(`[data-part="exchange"]`, "I pay from an exchange")
			p.Click(`[data-part="exchange"]`)
			p.WaitText(".exchange", "withdrawal fee")
			urlHas(p.View, "from=exchange", true)
			if !o.NoJS {
				checked(p.View, "USDT", "ton")
				if got := p.Value(`input[name="email"]`); got != "ann@example.it" {
					t.Errorf("the e-mail is %q now", got)
				}
				p.Reload()
				p.WaitText(".exchange", "withdrawal fee")
				awaitWasm(p, o)
			}
			assertExchangesFirst(t, p.View)
			s.choose(p.View, "USDT", "trc20")
			awaitWasm(p, o)
			urlHas(p.View, "from=exchange", true)
			if n, forms := p.Count(`form input[name="from"][value="exchange"]`), p.Count("form"); n != forms {
				t.Errorf("%d of %d forms carry it", n, forms)
			}
			p.Click(`[data-part="change"]`)
			p.WaitText(`[data-part="exchange"]`, "I pay from my own wallet")
			p.Click(`[data-part="exchange"]`)
			p.WaitText(".exchange", "costs you least")
			urlHas(p.View, "from=exchange", false)
			checked(p.View, "USDT", "trc20") // and it is still a change of coin
			assertCleanConsole(t, p)
		})
	}
}

// assertExchangesFirst asserts that every network that can be chosen says whether
// exchanges send to it, and that those that do come first within their coin.
func assertExchangesFirst(t *testing.T, v *browser.View) {
	t.Helper()
	coins := browser.Eval[[]string](v, `[...document.querySelectorAll(".networks")].map(f => [...f.querySelectorAll(".network:not(:has(:disabled))")].map(
		n => [...n.querySelectorAll("[data-badge]")].map(b => b.dataset.badge).filter(b => b !== "lowest").join() || "none").join(" "))`)
	for _, coin := range coins {
		for _, bad := range []string{"check most", "none", "check,most", "most,check"} {
			if strings.Contains(coin, bad) {
				t.Errorf("the networks of a coin say %q", coin)
			}
		}
	}
}

// What is asked for is said before anything is begun at the gateway.
func TestEstimateBeforePayment(t *testing.T) {
	s := newStack(t)
	p := s.choosing(t, chooserModes["wasm"], order{"amount_usd": "25.00"})
	for symbol, network := range map[string]string{"USDT": "trc20", "BNB": "bep20", "ETH": "arbitrum"} {
		pick(p.View, symbol, network)
		p.WaitText(`[data-part="estimate"]`, "You will send about")
		p.WaitText(`[data-part="estimate"]`, symbol)
		p.WaitText(`[data-part="estimate"]`, "stays the same until the time is up")
		p.WaitText(`[data-part="continue"]`, "Continue with "+symbol)
	}
	p.Click(`label:has([data-part="currency"][value="USDC"])`)
	p.WaitGone(`[data-part="estimate"]`) // its network is still to be picked
	if n := len(s.issued()); n != 0 {
		t.Errorf("%d transactions were created by looking; want none", n)
	}
}

// The search finds coins by their networks and networks by their coins, announces the result, and
// Enter in it pays nothing.
func TestSearch(t *testing.T) {
	s := newStack(t)
	p := s.choosing(t, chooserModes["wasm"], order{"amount_usd": "25.00"})
	pick(p.View, "BNB", "bep20")
	p.Type(`[data-part="search"]`, "usdt tron")
	p.WaitText(`[role="status"].offscreen`, "1 network: USDT")
	p.WaitGone(`label:has([data-part="currency"][value="TON"])`)
	p.Press("Enter")
	checked(p.View, "USDT", "trc20")
	p.WaitGone(`label:has([data-part="network"][value="USDT:bep20"])`)
	p.Click(`[data-part="exchange"]`) // nothing typed is lost by that
	p.WaitText(".exchange", "withdrawal fee")
	if got := p.Value(`[data-part="search"]`); got != "usdt tron" {
		t.Errorf("the search field holds %q", got)
	}
	p.Type(`[data-part="search"]`, " doge")
	p.WaitText(`.note[role="status"]`, "Nothing is called")
	p.Press("Escape")
	p.Wait(`label:has([data-part="currency"][value="TON"])`)
	if !p.Exists(`[data-status="open"]`) || len(s.issued()) != 0 {
		t.Error("Enter in the search field has sent the form")
	}
	assertCleanConsole(t, p)
}

// What is typed into the search field before the program arrives is searched
// for by it, and the next list is whole again.
func TestSearchBeforeTheTakeover(t *testing.T) {
	h := newHeldStack(t)
	p := h.openPage(t, h.session(order{"amount_usd": "25.00"}), browser.Options{Height: 1600})
	p.Wait(`[data-live="html"]`)
	p.Type(`[data-part="search"]`, "arbitrum")
	h.releaseProgram()
	p.Wait(`[data-live="wasm"]`)
	p.WaitText(`[role="status"].offscreen`, "1 network: ETH")
	p.WaitGone(`label:has([data-part="currency"][value="USDT"])`)
	p.Press("Enter")
	checked(p.View, "ETH", "arbitrum")
	p.Click(`[data-part="continue"]`)
	p.Wait(pending)
	p.Click(`[data-part="change"]`)
	p.Wait(`label:has([data-part="currency"][value="USDT"])`)
	checked(p.View, "ETH", "arbitrum")
}

// After a payment has come to nothing, and when it is changed, the last coin and
// network are picked already. Only the session remembers them.
func TestLastChoiceIsPreselected(t *testing.T) {
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
				p.WaitText(`[data-part="estimate"]`, symbol)
			}
			choose(p.View, "USDC", "polygon")
			p.Wait(pending)
			again("pending", "USDC", "polygon")
			choose(p.View, "USDT", "bep20")
			p.Wait(pending)
			await(t, "the second transaction", func() bool { return len(s.issued()) == 2 })
			p.WaitText("h1", "USDT")
			p.Click(`[data-part="cancel"]`)
			again("cancelled", "USDT", "bep20")
			s.simulate(s.choose(p.View, "TON", "ton"), "expire")
			again("expired", "TON", "ton")
			p.Goto(s.base + "/checkout/" + id)
			again("expired", "TON", "ton")
			assertNoStorage(t, p.View)
		})
	}
}

// An order that is stored nowhere yet remembers it as well, in both ways of sending the choice.
func TestOrderTokenFromExchange(t *testing.T) {
	s := newStack(t)
	for name, o := range chooserModes {
		t.Run(name, func(t *testing.T) {
			p := chromium.Open(t, s.base+"/checkout?order="+s.token(t, "31.00", name), o)
			awaitWasm(p, o)
			p.Click(`[data-part="exchange"]`)
			p.WaitText(".exchange", "withdrawal fee")
			awaitWasm(p, o)
			s.choose(p.View, "TON", "ton")
			urlHas(p.View, "from=exchange", true)
			urlHas(p.View, "order=", false)
		})
	}
}

// TestUnavailableChoicesShowReason: what is not possible for an order stays, with its reason, in words
// that are read aloud too. A shop that takes one coin asks for the network only; one that takes one
// coin on one network asks nothing.
func TestUnavailableChoicesShowReason(t *testing.T) {
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
				t.Errorf("%s: the gateway was asked for %s on %s", name, tx.CurrencySymbol, tx.NetworkCode)
			}
		}
		open(order{"amount_usd": "1.50"})
		p.Click(`label:has([data-part="currency"][value="USDT"])`)
		p.Wait(`[data-part="network"][value="USDT:erc20"]:disabled`)
		p.Wait(`[data-part="currency"][value="BNB"]:disabled`)
		for choice, want := range map[string]string{
			`[data-part="network"][value="USDT:erc20"]`: "at least $100 needed",
			`[data-part="currency"][value="BNB"]`:       "at least $2 needed",
		} {
			if got := p.Text(`#` + p.Attr(choice, "aria-describedby")); got != want {
				t.Errorf("%s: %s is described as %q; want %q", name, choice, got, want)
			}
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
		if seen != 0 {
			t.Errorf("%s: %d radios can be seen or reached by the keyboard; want none", name, seen)
		}
		p.WaitText(`.coins`, "Tether")
		p.WaitText(`[data-part="estimate"]`, "25")
		p.WaitText(`[data-part="continue"]`, "Continue with USDT on TRON")
		p.Click(`[data-part="continue"]`)
		pays("USDT:trc20")
		assertCleanConsole(t, p)
	}
}
