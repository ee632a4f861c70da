package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// embedOfReadme is the HTML of README.md that shows the checkout in a page.
func embedOfReadme(t *testing.T) string {
	t.Helper()
	text := fortest.Must(os.ReadFile("../README.md"))(t)
	found := regexp.MustCompile("(?s)## Embed it.*?```html\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatal("README.md shows no HTML under Embed it")
	}
	return string(found[1])
}

// TestFullReadmeEmbed: the README's HTML, with its three placeholders filled in, sells in a static
// page. With the script blocked, or without any script, it is the plain checkout in place.
func TestFullReadmeEmbed(t *testing.T) {
	var page string
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	t.Cleanup(shop.Close)
	s := newStack(t, "COINSLOT_ORIGINS="+shop.URL)
	for name, o := range map[string]browser.Options{
		"with the script": {},
		"script blocked":  {BlockURLs: []string{"*/checkout.js"}},
		"no JavaScript":   {NoJS: true},
	} {
		t.Run(name, func(t *testing.T) {
			id := s.session(order{"amount_usd": "25.00"})
			filled := strings.NewReplacer("https://pay.shop.example", s.base,
				"https://shop.example", shop.URL, "cs_…", id)
			page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>` +
				`<link rel="icon" href="data:,"><h1>Tickets</h1>` + filled.Replace(embedOfReadme(t))
			o.Height = 1400
			p := chromium.Open(t, shop.URL, o)

			f := p.Frame(frame)
			tx := s.choose(f, "USDT", "trc20")
			s.simulate(tx, "pay")
			s.sink.await(t, id, "checkout.confirmed")
			f.Wait(paid)
			fortest.Equal(t, p.URL(), shop.URL+"/", "the shopper is at")
			isDefined := browser.Eval[bool](p.View, `!!customElements?.get("coinslot-checkout")`)
			fortest.Equal(t, isDefined, name == "with the script", "checkout.js has run")
			if name == "with the script" {
				p.WaitJS(`document.querySelector("coinslot-checkout").status === "confirmed"`,
					"the element to know")
				p.WaitGone(`coinslot-checkout >>> iframe`)
				assertCleanConsole(t, p)
			}
		})
	}
}
