package e2e

import (
	"slices"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// What is typed and chosen before the program arrives is kept by it, and the typing goes on.
func TestFullTypedBeforeTheTakeover(t *testing.T) {
	h := newHeldStack(t)
	p := h.openPage(t, h.session(order{"amount_usd": "25.00"}), browser.Options{})
	p.Wait(`[data-live="html"]`)
	p.Click(`label:has([data-part="currency"][value="USDC"])`)
	p.Click(`label:has([data-part="network"][value="USDC:polygon"])`)
	p.Click(`.rows > details > summary`)
	p.Type(`input[name="email"]`, "an@example.it")
	p.Eval(`document.activeElement.setSelectionRange(2, 2)`, nil)
	h.releaseProgram()
	p.Wait(`[data-live="wasm"]`)
	p.Press("n") // at the caret
	fortest.Equal(t, p.Value(`input[name="email"]`), "ann@example.it", "e-mail after the takeover")
	p.Click(`[data-part="continue"]`)
	p.Wait(pending)
	tx := h.matches(p.View)
	if tx.Email != "ann@example.it" || tx.NetworkCode != "polygon" {
		t.Errorf("the gateway got %q on %q; want ann@example.it on polygon", tx.Email,
			tx.NetworkCode)
	}
	assertCleanConsole(t, p)
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
			tx := s.choose(p.View, "USDT", "trc20")
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
			fortest.Equal(t, len(s.issued()), 1, "transactions were created")
		})
	}
}

// Without scripts a form may be sent half filled in.
func TestFullPartialChoiceWithoutJavaScript(t *testing.T) {
	s := newStack(t)
	for _, c := range []struct {
		name, currency, network, paid, says string
	}{
		{"a coin of one network", "BNB", "", "BNB:bep20", ""},
		{"a coin of several networks", "USDT", "", "USDT:ton", ""}, // its best one
		{
			"a network of another coin", "USDT", "USDC:polygon", "",
			"You can’t use this coin and network",
		},
		{"nothing", "", "", "", "Choose a coin and its network."},
	} {
		before := len(s.issued())
		p := plainly(t, s.base+"/checkout/"+s.session(order{"amount_usd": "25.00"}), lynx)
		p.submit("continue",
			map[string]string{"currency_symbol": c.currency, "network_code": c.network})
		if c.paid != "" {
			p.until("pending")
			p.shows(s, c.paid)
			continue
		}
		fortest.Has(t, c.name+": the page", p.text(), c.says)
		checked := slices.ContainsFunc(p.tags, func(t tag) bool {
			_, checked := t.attrs["checked"]
			return checked && t.attrs["data-part"] == "currency" && t.attrs["value"] == c.currency
		})
		if c.currency != "" && !checked {
			t.Errorf("%s: the coin is not checked any more", c.name)
		}
		fortest.Equal(t, len(s.issued())-before, 0, "%s transactions were created", c.name)
		p.pick("USDT:trc20")
	}
}

// A slip in the e-mail is shown beside its field and stops nothing; nor does a real mailbox that the
// gateway would refuse.
func TestFullEmailWithASlip(t *testing.T) {
	runParallel(t)
	s := newStack(t)
	for name, options := range map[string]browser.Options{"wasm": {}, "no script": {NoJS: true}} {
		for typed, isSlip := range map[string]bool{
			"an lind":                   true,
			"taro..yamada@docomo.ne.jp": false,
		} {
			p := chromium.Open(t, s.base+"/checkout/"+s.session(order{"amount_usd": "25.00"}),
				options)
			if name == "wasm" {
				p.Wait(`[data-live="wasm"]`)
			}
			p.Click(`.rows > details > summary`)
			p.Type(`input[name="email"]`, typed)
			p.Press("Tab")
			if isSlip {
				p.WaitText(`.field .error`, "You can pay without one.")
			} else {
				p.WaitGone(`.field .error`)
			}
			tx := s.choose(p.View, "USDT", "trc20")
			fortest.Equal(t, tx.Email, "", "%s: what the gateway gets of %q", name, typed)
			p.Close()
		}
	}
}
