package e2e

import (
	"fmt"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// A checkout in a page is a guest there: it does not take the keyboard from
// what the shopper is typing, nor scroll the page, when the payment moves on.
func TestFullDoesNotStealFocus(t *testing.T) {
	s, host := newShop(t, "")
	id := s.session(order{"amount_usd": "25.00"})
	host.body = `<form><input id="street"></form><div style="height:900px"></div>
<coinslot-checkout id="a" session="` + id + `" prewarm="load"><a href="$BASE/checkout/` + id + `">Pay</a></coinslot-checkout>`
	p := chromium.Open(t, host.server.URL, browser.Options{Height: 2400, ThirdPartyStorage: true})
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	tx := s.choose(f, "USDT", "trc20")
	p.Type("#street", "12 Main")
	s.simulate(tx, "pay")
	f.Wait(paid)
	f.Wait(`[data-part="receipt"]`)
	p.Press("x")
	fortest.Equal(t, p.Value("#street"), "12 Mainx",
		"the shop's field holds (has the checkout taken the keyboard?)")
	p.WaitJS(`document.activeElement.id === "street"`, "the keyboard to stay")
	p.WaitText("#log", "a complete confirmed")
	p.Eval(`new Promise(done => setTimeout(done, 2500))`,
		nil) // a return-url would be gone to after two seconds
	fortest.Equal(t, p.URL(), host.server.URL+"/",
		"with no return-url, the shop's page has gone to")
}

// A frame in the page's HTML needs no more than the session: the browser names the page. The element
// takes it over instead of loading one of its own.
func TestFullPlainFrameInHTML(t *testing.T) {
	s, host := newShop(t, "")
	id := s.session(order{"amount_usd": "25.00"})
	host.body = `<coinslot-checkout id="a" session="` + id + `"><iframe name="coinslot-checkout"
		src="$BASE/checkout/` + id + `?embed=inline" title="Checkout"></iframe></coinslot-checkout>`
	p := chromium.Open(t, host.server.URL, browser.Options{Height: 1400})
	s.choose(p.Frame(frame), "USDT", "trc20")
	p.WaitText("#log", "a status pending")
	p.WaitJS(`document.querySelector("iframe").offsetHeight > 500`,
		"the frame to have its own height")
	p.WaitGone(`coinslot-checkout >>> iframe`)
}

// An inline checkout is as tall as what is in it: one scrollbar, the page's.
func TestFullOneScrollbar(t *testing.T) {
	s := newStack(t)
	p, f := s.open(t, s.session(order{"amount_usd": "25.00"}), "inline",
		browser.Options{Height: 2800})
	f.Wait(`[data-live="wasm"]`)
	assertFits := func(screen string) {
		t.Helper()
		for _, width := range []int{320, 390, 720, 1280} {
			p.Resize(width, 2800)
			f.WaitJS(`document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth`,
				fmt.Sprintf("%s to fit its frame at %d px", screen, width))
			p.WaitJS(fmt.Sprintf(
				`innerWidth === %d && document.documentElement.scrollWidth <= innerWidth`,
				width,
			),
				"the shop not to scroll sideways")
		}
	}
	assertFits("choosing")
	choose(f, "USDT", "trc20")
	f.Wait(pending)
	assertFits("paying")
	f.Click("summary")
	assertFits("the help")
	s.simulate(s.matches(f), "pay")
	f.Wait(paid)
	assertFits("the end")
}

// On a phone the modal is a sheet that leaves 12 px of the shop, without a bar of its own: price and
// close button are in one line, at least 12 px apart. What is wrong is scrolled into view, also by
// the shop's page.
func TestFullErrorScrollsIntoView(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	p, f := s.open(t, id, "modal", browser.Options{Width: 390, Height: 500})
	f.Wait(`[data-live="wasm"]`)
	const box = `((name) => document.querySelector("coinslot-checkout").shadowRoot.querySelector(name).getBoundingClientRect())`
	p.WaitJS(`(r => r.x === 0 && r.y === 12 && r.width === innerWidth && r.bottom === innerHeight)(`+
		box+`("dialog"))`,
		"the dialog to fill the screen but for 12 px")
	price := browser.Eval[string](
		f,
		`JSON.stringify(document.querySelector('[data-part="amount-usd"]').getBoundingClientRect())`,
	)
	p.WaitJS(`((f, r, price) => r.left - f.x >= price.right + 12 && r.bottom > f.y + price.top && r.top < f.y + price.bottom)(`+
		box+`("iframe"), `+box+`("dialog > button"), `+price+`)`, "price and close button in one line, 12 px apart")
	f.Click(`[data-part="continue"]`)
	f.Wait(`[data-part="error"]`)
	f.WaitJS(`(r => r.top >= 0 && r.bottom <= innerHeight)(
		document.querySelector('[data-part="error"]').getBoundingClientRect())`, "the error to be in view")
	p.Click(`coinslot-checkout >>> dialog button`)
	p.WaitGone(`coinslot-checkout >>> dialog[open]`)
	p.WaitText("#log", "close open")

	p.Goto(s.shopURL(id, "inline"))
	f = p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	f.Eval(`document.querySelector('[data-part="continue"]').click()`, nil)
	f.Wait(`[data-part="error"]`)
	fortest.Until(t, "the shop's page to be scrolled to the error", func() bool {
		at := browser.Eval[string](f,
			`JSON.stringify(document.querySelector('[data-part="error"]').getBoundingClientRect())`)
		return browser.Eval[bool](
			p,
			`((f, error) => f.y + error.top >= 0 && f.y + error.bottom <= innerHeight + 1)(`+box+
				`("iframe"), `+at+`)`,
		)
	})
}

// The shop's accent reaches the button in both schemes, and a theme counts
// from the first look, however early the frame is loaded.
func TestFullShopTheme(t *testing.T) {
	s, host := newShop(t, "")
	for theme, want := range map[string]string{
		"light": "rgb(168, 72, 31)",
		"dark":  "rgb(240, 160, 110)",
	} {
		id := s.session(order{"amount_usd": "25.00"})
		host.body = `<style>coinslot-checkout { --coinslot-accent: light-dark(#a8481f, rgb(240, 160, 110)) }</style>
<coinslot-checkout id="a" session="` + id + `" theme="` + theme + `" prewarm="load"><a href="$BASE/checkout/` + id + `">Pay</a></coinslot-checkout>`
		p := chromium.Open(t, host.server.URL, browser.Options{Height: 1400})
		f := p.Frame(frame)
		f.WaitJS(
			`getComputedStyle(document.querySelector('[data-part="continue"]')).backgroundColor === "`+
				want+`"`,
			"the accent of the "+theme+" theme",
		)
	}
}
