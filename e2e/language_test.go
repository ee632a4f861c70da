package e2e

import (
	"coinslot/app/widget"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// sentences are those of all languages, by tag and key.
func sentences(t *testing.T) map[string]map[string]string {
	t.Helper()
	files, err := filepath.Glob("../static/text/*.json")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d languages, %v; want at least 40", len(files), err)
	}
	texts := map[string]map[string]string{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		fortest.OK(t, err)
		if texts[strings.TrimSuffix(filepath.Base(file),
			".json")], err = widget.ReadText(raw); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// The language is the one that was asked for, else the order's, else the
// browser's, else English; a dialect finds its language.
func TestFullLanguagePreference(t *testing.T) {
	s := newStack(t)
	texts := sentences(t)
	for _, c := range []struct{ asked, order, browser, want string }{
		{"", "", "pl,en", "pl"},
		{"", "", "de-CH", "de"},
		{"", "", "mh,fr", "fr"},
		{"", "", "mh", "en"},
		{"", "es", "pl", "es"},
		{"", "pt-BR", "pl", "pt-BR"},
		{"ja", "es", "pl", "ja"},
		{"mh", "es", "pl", "es"},
	} {
		o := order{"amount_usd": "25.00"}
		if c.order != "" {
			o["lang"] = c.order
		}
		address := s.base + "/checkout/" + s.session(o)
		if c.asked != "" {
			address += "?lang=" + c.asked
		}
		header := lynx.Clone()
		header.Set("Accept-Language", c.browser)
		page, title := plainly(t, address, header), texts[c.want]["choose.title"]
		if !strings.Contains(page.body, `<html lang="`+c.want+`"`) ||
			!strings.Contains(page.text(), title) {
			t.Errorf("%+v: the page says %s", c, page.text())
		}
		if c.browser == "mh,fr" || c.asked == "ja" { // the program keeps the page's language
			p := chromium.Open(t, address, browser.Options{AcceptLanguage: c.browser, Height: 1400})
			p.Wait(`html[lang="` + c.want + `"]`)
			p.Wait(`[data-live="wasm"]`)
			p.WaitText("h1", title)
		}
	}
}

// A checkout in a shop's page speaks the language of its element, else of what is
// around it, else of the browser.
func TestFullHostPageLanguage(t *testing.T) {
	s, host := newShop(t, "")
	p := chromium.Open(t, "",
		browser.Options{AcceptLanguage: "pl", Height: 1400, BlockURLs: []string{"*.wasm"}})
	for name, c := range map[string]struct{ body, want string }{
		"its own": {
			`<div lang="fr"><coinslot-checkout lang="de" SOLD></coinslot-checkout></div>`,
			"de",
		},
		"around it": {`<div lang="fr"><coinslot-checkout SOLD></coinslot-checkout></div>`, "fr"},
		"the page's": {
			`<coinslot-checkout SOLD></coinslot-checkout><script>document.documentElement.lang = "it"</script>`,
			"it",
		},
		"none": {
			`<coinslot-checkout SOLD></coinslot-checkout><script>document.documentElement.removeAttribute("lang")</script>`,
			"pl",
		},
	} {
		t.Run(name, func(t *testing.T) {
			id := s.session(order{"amount_usd": "25.00"})
			host.body = strings.ReplaceAll(c.body, "SOLD", `prewarm="load" session="`+id+`"`)
			p.SetTest(t)
			p.Goto(host.server.URL)
			p.Frame(frame).Wait(`html[lang="` + c.want + `"]`)
		})
	}
}

// setLanguage picks a language in the page's menu.
func setLanguage(v *browser.View, tag string) {
	v.WaitJS(`document.querySelector('option[value="`+tag+`"]')`, "the menu to have "+tag)
	v.Eval(`document.querySelector('[data-part="language"]').value = "`+tag+`"`, nil)
	v.Click(`[data-part="language-set"]`)
	v.Wait(`html[lang="` + tag + `"]`)
}

// What the shopper picks in the menu stays: while choosing and paying, in errors,
// when news come by the socket, at the end and on the receipt; on a page of its
// ownTexts, in a modal, and without JavaScript.
func TestFullLanguageMenu(t *testing.T) {
	runParallel(t)
	german := sentences(t)["de"]
	for _, how := range []string{
		"alone", "modal",
	} { // TestFullPlainLanguage is the same without scripts
		t.Run(how, func(t *testing.T) {
			s := newStack(t)
			id := s.session(order{"amount_usd": "25.00", "lang": "fr"})
			var v *browser.View
			switch how {
			case "alone":
				v = s.openPage(t, id, browser.Options{}).View
			case "modal":
				_, v = s.open(t, id, "modal", browser.Options{})
			}
			v.Wait(`[data-live="wasm"]`)
			v.WaitGone(`[data-part="language-set"]`) // until another one is picked
			setLanguage(v, "de")
			v.Wait(`[data-live="wasm"]`)
			v.WaitText("h1", german["choose.title"])
			v.Click(`[data-part="continue"]`) // a mistake
			v.WaitText(`[data-part="error"]`, german["choose.missing.coin"])
			tx := s.choose(v, "USDT", "trc20")
			v.WaitText(`[data-part="cancel"]`, german["pay.cancel"])
			s.simulate(tx, "parts")
			v.Wait(`[data-part="missing"]`)
			v.Wait(`html[lang="de"]`)
			s.simulate(tx, "parts")
			v.Wait(paid)
			v.WaitText("h1", german["done.title"])
			fortest.Has(t, "the receipt is at", v.Attr(`[data-part="receipt"]`, "href"), "lang=de")
		})
	}
}

// The menu has all languages before the program has loaded.
func TestFullLanguageMenuBeforeProgram(t *testing.T) {
	h := newHeldStack(t)
	p := chromium.Open(t, h.base+"/checkout/"+h.session(order{"amount_usd": "25.00"}),
		browser.Options{})
	setLanguage(p.View, "de")
	p.Wait(`[data-live="html"]`)
}

// What the server says in a view it says in the page's language, by the socket too.
func TestFullSocketUsesPageLanguage(t *testing.T) {
	s := newStack(t)
	p := chromium.Open(t, s.base+"/checkout/"+s.session(order{"amount_usd": "2.00"})+"?lang=de",
		browser.Options{Height: 1400})
	reasons := func() (all string) {
		p.Eval(
			`[...document.querySelectorAll('.network:has(:disabled), .coin-head:has(:disabled)')].map(e => e.textContent).join('|')`,
			&all,
		)
		return all
	}
	before := reasons()
	if !strings.Contains(before, "$") {
		t.Fatalf("no network has a reason: %q", before)
	}
	p.Wait(`[data-live="wasm"]`)
	var asked string
	fortest.Until(t, "the socket to be asked for", func() bool {
		for _, url := range p.Requests() {
			if strings.Contains(url, "/live") {
				asked = url
			}
		}
		return asked != ""
	})
	fortest.Has(t, "the socket is asked for at", asked, "lang=de")
}

// TestFullNumbersOfALanguage: people read all amounts of a screen as their language writes numbers, and
// what they copy keeps the point.
func TestFullNumbersOfALanguage(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "2316.00"})
	p := chromium.Open(t, s.base+"/checkout/"+id+"?lang=de", browser.Options{Height: 1400})
	p.Wait(`[data-live="wasm"]`)
	p.WaitText(`[data-part="amount-usd"]`, "2.316,00\u00a0$")
	s.choose(p.View, "USDT", "trc20")

	const amount = `[data-part="pay-amount"]`
	value := p.Attr(amount, "data-value")
	p.WaitText(amount, "231")
	shown := strings.Replace(p.Text(amount), ",", ".", 1)
	fortest.Equal(t, shown, widget.Padded(value), "the amount that is read")
	fortest.Equal(t, p.Attr(`[data-part="copy-amount"]`, "data-copy"), value,
		"what the button copies")
	selected := browser.Eval[string](p, `(e => {
		getSelection().selectAllChildren(e);
		const copying = new ClipboardEvent("copy", {bubbles: true, clipboardData: new DataTransfer()});
		e.dispatchEvent(copying);
		return copying.clipboardData.getData("text/plain");
	})(document.querySelector('`+amount+`'))`)
	fortest.Equal(t, selected, value, "what a selection copies")
}

// Right to left is the page, left to right what goes into a wallet, which is
// selected and copied whole.
func TestFullRightToLeft(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	for _, lang := range []string{"fa", "he", "ur"} {
		page := s.download("/checkout/" + id + "?lang=" + lang)
		if !strings.Contains(page, `<html lang="`+lang+`" dir="rtl"`) {
			t.Errorf("the page in %s does not run from right to left", lang)
		}
	}
	p := chromium.Open(t, s.base+"/checkout/"+id+"?lang=ar", browser.Options{Height: 1400})
	p.Wait(`html[dir="rtl"][lang="ar"]`)
	p.Wait(`[data-live="wasm"]`)
	tx := s.choose(p.View, "USDT", "trc20")
	for part, want := range map[string]string{
		"address":    tx.WalletAddress,
		"pay-amount": widget.Padded(p.Attr(`[data-part="pay-amount"]`, "data-value")),
	} {
		var got struct{ Direction, Selected string }
		p.Eval(`(e => {
			getSelection().selectAllChildren(e);
			return {direction: getComputedStyle(e).direction, selected: getSelection().toString().replace(/\s+$/, "")};
		})(document.querySelector('[data-part="`+part+`"]'))`, &got)
		if got.Direction != "ltr" || got.Selected != want {
			t.Errorf("%s runs %s and is copied as %q; want ltr and %q", part, got.Direction,
				got.Selected, want)
		}
	}
	price := browser.Eval[string](
		p,
		`(e => { const r = document.createRange(); r.selectNodeContents(e); return r.toString() })(document.querySelector('[data-part="amount-usd"]'))`,
	)
	fortest.Has(t, "the price reads", price, "25")
}

// Only one language travels: a page holds no sentence of another.
func TestFullPageHoldsOneLanguage(t *testing.T) {
	s := newStack(t)
	texts := sentences(t)
	address := s.base + "/checkout/" + s.session(order{"amount_usd": "25.00"})
	for _, lang := range []string{"en", "de", "ar", "ja"} {
		resp := fortest.Must(http.Get(address + "?lang=" + lang))(t)
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		fortest.OK(t, err)
		ownTexts := fortest.Must(json.Marshal(texts[lang]))(t)
		fortest.Has(t, "the page in "+lang, string(body), texts[lang]["choose.title"])
		for other, text := range texts {
			for key, sentence := range text {
				if other == lang || key == "lang.name" || len(sentence) < 16 ||
					strings.Contains(string(ownTexts), sentence) {
					continue
				}
				fortest.Lacks(t, "the page in "+lang+" holds "+key+" of "+other, string(body),
					sentence)
			}
		}
	}
}
