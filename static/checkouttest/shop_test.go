package checkouttest_test

import (
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/client"
	"coinslot/e2e/browser"
)

// item is what the demo's server gives the shop for each product.
type item struct{ ID, Title, Description, Price, Session, URL, Frame string }

// openShop opens the demo shop with a pretended BFF, under the policy that it promises to run with.
func openShop(t *testing.T, o browser.Options) *testPage {
	t.Helper()
	runParallel(t)
	s := &testPage{}
	bff, shop := http.NewServeMux(), http.NewServeMux()
	s.bff, s.host = serve(t, "localhost", bff), serve(t, "127.0.0.1", shop)
	bff.HandleFunc("GET /checkout.js", script(string(minified(t))))
	bff.HandleFunc("GET /frame.js", script(frameScript))
	bff.HandleFunc("GET /checkout/{session}", s.serveFrame)
	page := template.Must(template.ParseFiles("../shop/index.html"))
	shop.Handle("GET /", http.FileServer(http.Dir("../shop")))
	shop.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src 'self' %[1]s; frame-src %[1]s; "+
			"style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'", s.bff))
		items := []item{
			{
				ID:          "coffee",
				Title:       "House blend, 1 kg",
				Description: "Brazil and Ethiopia, roasted on Tuesday. Chocolate, orange, no nonsense.",
				Price:       "18.00",
			},
			{
				ID:          "tickets",
				Title:       "Cupping evening, two seats",
				Description: "Six origins, two hours, one very long table. Friday at seven.",
				Price:       "25.00",
			},
			{
				ID:          "moka",
				Title:       "Moka pot, three cups",
				Description: "Aluminum, made in Italy.",
				Price:       "32.00",
			},
		}
		for i := range items {
			items[i].Session = "cs_" + items[i].ID
			items[i].URL = s.bff + "/checkout/" + items[i].Session
			items[i].Frame = client.CheckoutFrame(s.bff, client.Frame{
				Session: items[i].Session,
				Lang:    "en",
			})
		}
		if err := page.Execute(w, map[string]any{"Base": s.bff, "Items": items}); err != nil {
			t.Errorf("rendering the shop: %v", err)
		}
	})
	s.Page = chromium.Open(t, s.host, o)
	return s
}

func TestShop(t *testing.T) {
	s := openShop(t, browser.Options{})
	s.WaitText("[data-product=tickets] [data-outcome]", "Payment open") // inline, by itself
	s.post(`{ type: 'status', session: 'cs_tickets', status: 'confirmed' }`)
	s.WaitText("[data-product=tickets] [data-outcome]", "Payment confirmed")
	s.Click("[data-product=coffee] a")
	s.Wait("[data-product=coffee] coinslot-checkout >>> dialog[open]")
	s.WaitText("[data-product=coffee] [data-outcome]", "Payment open")
	s.WaitText("#log", "coinslot-open:")
	fortest.Lacks(t, "console", strings.Join(s.Console(), "\n"), "Content Security Policy")
}
