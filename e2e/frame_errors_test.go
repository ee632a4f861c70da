package e2e

import (
	"bytes"
	"html"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// frameErrors are failures that the frame itself has words for.
var frameErrors = []struct {
	name, code, fix, sells string
	o                      browser.Options
}{
	{
		"session_unknown",
		"session_unknown",
		"session attribute",
		`session="cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"`,
		browser.Options{},
	},
	{
		"no session id at all",
		"session_unknown",
		"session attribute",
		`session="<b>x</b>"`,
		browser.Options{},
	},
	{
		"order_invalid, modal, phone, dark",
		"order_invalid",
		"COINSLOT_ORDER_KEY",
		`order="x" mode="modal"`,
		browser.Options{Width: 390, Height: 844, Dark: true},
	},
	{"item_unknown", "item_unknown", "COINSLOT_CATALOG", `item="tea"`, browser.Options{}},
}

// inside: what is sold does not exist: words in the frame, in German, and no box is
// blank. The event's URL leads to the same words on a page of their own.
func (l *fallbackShop) inside(t *testing.T) {
	for _, failure := range frameErrors {
		t.Run(failure.name, func(t *testing.T) {
			t.Parallel()
			l.assertErrorInFrame(t, l.base, failure.code, failure.fix, failure.sells, failure.o)
		})
	}
}

// assertErrorInFrame asserts that a page that sells this has the words of code in the
// frame, and all that belongs to it.
func (l *fallbackShop) assertErrorInFrame(
	t *testing.T, base, code, fix, sells string, o browser.Options,
) *browser.View {
	t.Helper()
	p := l.open(t, &shopPage{base: base, sells: sells}, o)
	if strings.Contains(sells, "modal") {
		p.WaitJS(`customElements.get('coinslot-checkout') !== undefined`, "checkout.js to run")
		p.Click("#pay")
	}
	f := p.Frame(frame)
	words := l.text(t, "problem."+code)
	f.WaitText(`[data-part="error"]`, words)
	assertSomethingVisible(t, p)
	f.Wait(`[data-live="wasm"]`)
	f.WaitText(`[data-part="error"]`, words) // the program has kept them
	p.Screenshot(filepath.Join(t.ArtifactDir(), "words.png"))
	fault := l.assertReported(t, p, base, code, fix)
	page := l.page(t, strings.TrimPrefix(fault.URL, base))
	fortest.Has(t, fault.URL+" does not say", page, `data-part="error"`, words)
	if strings.Contains(page, `data-part="amount-usd"`) && code != "gateway_unavailable" {
		t.Error("a price is shown for what does not exist")
	}
	return f
}

// With the gateway away there is nothing to choose from; the order is kept, and
// another try pays when it is back.
func TestGatewayUnavailable(t *testing.T) {
	l := newFallbackShop(t)
	id := l.session(order{"amount_usd": "25.00"})
	var away sync.Map
	away.Store("", true)
	l.api.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := away.Load(""); ok {
			panic(http.ErrAbortHandler)
		}
		l.gateway.ServeHTTP(w, r)
	})
	f := l.assertErrorInFrame(t, l.base, "gateway_unavailable", "coinslot check",
		`session="`+id+`"`, browser.Options{Height: 2400})
	away.Delete("")
	fortest.Until(t, "the checkout to come back", func() bool {
		f.Eval(`document.querySelector('[data-part="reload"]')?.click()`, nil)
		return f.Exists(`[data-part="continue"]`)
	})
}

// ended: an order that ended while the shopper was choosing, without the page knowing: the choice
// is refused with an explanation.
func (l *fallbackShop) ended(t *testing.T) {
	plain := rewritten("", func(page []byte) []byte { // as built without the program: nothing but forms
		before, after, _ := bytes.Cut(page, []byte(` data-wasm="`))
		_, after, _ = bytes.Cut(after, []byte(`"`))
		return append(append(before, ` data-wasm="`+`"`...), after...)
	})
	base := proxied(t, l.base, plain)
	for _, failure := range []struct {
		code, fix string
		end       func(t *testing.T, id string)
	}{
		{"session_expired", "is over", func(t *testing.T, id string) {
			var ended object
			status := l.call("POST", "/v1/sessions/"+id+"/cancel", nil, &ended)
			if status != http.StatusOK {
				t.Fatalf("cancelling = %d", status)
			}
		}},
		{"session_paid", "is paid", func(t *testing.T, id string) {
			l.begin(t, "/checkout/"+id)
			l.payLast("pay")
			l.awaitStatus(id, "confirmed")
		}},
	} {
		t.Run(failure.code, func(t *testing.T) {
			id := l.session(order{"amount_usd": "25.00"})
			p := l.open(t, &shopPage{base: base, sells: `session="` + id + `"`},
				browser.Options{Height: 2400})
			f := p.Frame(frame)
			f.Wait(`html[data-wasm="none"] [data-part="continue"]`)
			failure.end(t, id)
			choose(f, "USDT", "trc20")
			f.WaitText(`[data-part="error"]`, l.text(t, "problem."+failure.code))
			assertSomethingVisible(t, p)
			p.Screenshot(filepath.Join(t.ArtifactDir(), "words.png"))
			fault := l.assertReported(t, p, base, failure.code, failure.fix)
			fortest.Has(t, fault.URL, l.page(t, strings.TrimPrefix(fault.URL, base)), "<h1")
			fortest.Equal(t, len(l.live()), 0, "a payment was opened for an order that is over")
		})
	}
}

// page returns the HTML that a German browser gets, whatever its status.
func (l *fallbackShop) page(t *testing.T, path string) string {
	t.Helper()
	req := fortest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, l.base+path,
		nil))(t)
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Accept-Language", "de")
	resp := fortest.Must(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()
	return html.UnescapeString(string(fortest.Must(io.ReadAll(resp.Body))(t)))
}

// A gateway that fails for a moment costs the shopper a second click, not the order.
func TestFullGatewayFailsOnce(t *testing.T) {
	runParallel(t)
	for name, noJS := range map[string]bool{"wasm": false, "no script": true} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			p := s.openPage(t, s.session(order{"amount_usd": "25.00"}), browser.Options{NoJS: noJS})
			if !noJS {
				p.Wait(`[data-live="wasm"]`)
			}
			s.gateway.Inject(sandbox.Fault{Path: "create", Times: 1, Status: http.StatusBadRequest})
			choose(p.View, "USDT", "trc20")
			p.Wait(`[data-part="error"]`)
			p.Wait(`[data-part="continue"]`)
			s.choose(p.View, "USDT", "bep20")
		})
	}
}
