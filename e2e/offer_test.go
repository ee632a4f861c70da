package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

const offers = `items:
  coffee: {title: {en: Coffee, de: Kaffee}, amount_usd: "4.50", quantity: {maximum: 10}}
  tip: {title: Tip, open: {minimum: "1", maximum: "500", suggested: ["5", "10", "20"]}}
`

// offersFile is the setting of a catalog of offers.
func offersFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "catalog.yaml")
	fortest.OK(t, os.WriteFile(path, []byte(offers), 0o600))
	return "COINSLOT_CATALOG=" + path
}

// bought pays for what is on screen and returns the merchant's view of it.
func (s *stack) bought(v *browser.View) string {
	s.t.Helper()
	s.choose(v, "USDT", "trc20")
	var o struct {
		AmountUSD string `json:"amount_usd"`
		Title     string
		Metadata  map[string]string
	}
	status := s.call(http.MethodGet, "/v1/sessions/"+v.Attr("#coinslot", "data-session"), nil, &o)
	if status != http.StatusOK {
		s.t.Fatalf("reading the session = %d", status)
	}
	return strings.TrimSpace(o.AmountUSD + " " + o.Title + " " + o.Metadata["item"] + " " +
		o.Metadata["quantity"])
}

const (
	amountField = `[data-part="offer-amount"]`
	applyButton = `[data-part="offer-apply"]`
	quantityBox = `[data-part="offer-quantity"]`
)

func costs(price string) string { return `[data-part="amount-usd"][data-value="` + price + `"]` }

// The shopper sets the amount: by a tap, by typing, in the way of their country;
// and what is typed last is what is paid, applied or not.
func TestOfferAmount(t *testing.T) {
	s := newStack(t, offersFile(t))
	for name, o := range map[string]browser.Options{
		"wasm":      {Height: 1800},
		"no wasm":   {Height: 1800, BlockURLs: []string{"*.wasm"}},
		"no script": {Height: 1800, NoJS: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := chromium.Open(t, s.base+"/checkout?item=tip&lang=en&theme=dark", o)
			if name == "wasm" {
				p.Wait(`[data-live="wasm"]`)
			}
			p.Wait(costs("5.00"))
			p.Click(`[data-part="offer-suggested"][data-value="20.00"]`)
			p.Wait(costs("20.00"))
			p.Type(amountField, "12,50")
			p.Click(applyButton)
			p.Wait(costs("12.50"))
			p.Type(amountField, "1,000")
			p.Click(applyButton)
			p.WaitText(`[data-part="error"]`, "Enter an amount from $1.00 to $500.00.")
			fortest.Equal(t, p.Value(amountField), "1,000", "the field has become")
			p.Type(amountField, "7")
			if name == "wasm" { // leaving the field asks for the price, and its answer moves what is below
				p.Press("Tab")
				p.Wait(costs("7.00"))
			}
			fortest.Equal(t, s.bought(p.View), "7.00 Tip tip", "bought")
			if !p.Exists(`.theme-dark`) {
				t.Error("the theme was lost on the way")
			}
		})
	}
}

// An answer that comes while something is pressed waits for its release, a second at
// most: an open amount is priced when its field is left, the error above it goes, and
// with it would what was pressed to leave it.
func TestFullNoLayoutShiftWhilePressed(t *testing.T) {
	s := newStack(t, offersFile(t))
	p := chromium.Open(t, s.base+
		"/checkout?item=tip&lang=en", browser.Options{Height: 1800, Script: `
		window.answers = 0;
		const real = fetch;
		window.fetch = async (...given) => { const answer = await real(...given); answers++; return answer; };
	`})
	p.Wait(`[data-live="wasm"]`)
	p.Type(amountField, "1,000")
	p.Press("Tab")
	p.WaitText(`[data-part="error"]`, "Enter an amount")
	p.Type(amountField, "7")
	p.Eval(`window.answers = 0`, nil)
	usdt := `label:has([data-part="currency"][value="USDT"])`
	release := p.Hold(usdt)
	p.WaitJS(`window.answers > 0`, "the price")
	p.Eval(`new Promise(done => setTimeout(done, 200))`, nil) // as long as a press may last
	release()
	p.WaitJS(`document.querySelector('[data-part="currency"][value="USDT"]').checked`,
		"what was pressed to be chosen")
	p.Wait(costs("7.00"))
	p.Type(amountField, "9")
	release = p.Hold(usdt)
	p.Wait(costs("9.00")) // without a release
	release()
}

func TestFullOfferQuantity(t *testing.T) {
	s := newStack(t, offersFile(t))
	set := func(p *browser.Page, n string) {
		p.Eval(
			`(box => { box.value = "`+n+
				`"; box.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector('`+quantityBox+`'))`,
			nil,
		)
	}
	t.Run("wasm", func(t *testing.T) {
		p := chromium.Open(t, s.base+"/checkout?item=coffee&lang=de", browser.Options{Height: 1800})
		p.Wait(`[data-live="wasm"]`)
		set(p, "3")
		p.Wait(costs("13.50"))
		p.WaitText(".order-title", "3 × Kaffee")
		p.Reload()
		p.Wait(costs("13.50"))
		fortest.Equal(t, s.bought(p.View), "13.50 3 × Kaffee coffee 3", "bought")
	})
	t.Run("no script", func(t *testing.T) {
		p := chromium.Open(t, s.base+"/checkout?item=coffee",
			browser.Options{Height: 1800, NoJS: true})
		set(p, "2")
		p.Click(applyButton)
		p.Wait(costs("9.00"))
		set(p, "4") // and not applied
		fortest.Equal(t, s.bought(p.View), "18.00 4 × Coffee coffee 4", "bought")
	})
}

// What was typed while the program was on its way is what it continues with.
func TestFullOfferTypedBeforeTheTakeover(t *testing.T) {
	s := newHeldStack(t, offersFile(t))
	p := chromium.Open(t, s.base+"/checkout?item=tip", browser.Options{Height: 1800})
	p.Wait(`[data-live="html"]`)
	p.Type(amountField, "33")
	s.releaseProgram()
	p.Wait(`[data-live="wasm"]`)
	fortest.Equal(t, p.Value(amountField), "33", "after the takeover the field holds")
	fortest.Equal(t, s.bought(p.View), "33.00 Tip tip", "bought")
	assertCleanConsole(t, p)
}

// Enter submits in every field but that of the amount, where it shows the price.
func TestFullOfferEnter(t *testing.T) {
	s := newStack(t, offersFile(t))
	p := chromium.Open(t, s.base+"/checkout?item=tip", browser.Options{Height: 1800})
	p.Wait(`[data-live="wasm"]`)
	p.Type(amountField, "8")
	p.Press("Enter")
	p.Wait(costs("8.00"))
	p.Click(`label:has([data-part="currency"][value="USDT"])`)
	p.Click(`label:has([data-part="network"][value="USDT:trc20"])`)
	p.Click(`.rows > details > summary`)
	p.Type(`[name="email"]`, "ann@shop.example")
	p.Press("Enter")
	p.Wait(pending)
	p.Wait(costs("8.00"))
}
