package e2e

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// builder is a site builder: it puts a merchant's HTML into a frame of its page.
type builder struct {
	site *httptest.Server // of the page
	code *httptest.Server // of the merchant's HTML, if that has an address
	s    *stack
}

// merchantHTML is what a merchant pastes. $BASE stands for the checkout.
const merchantHTML = `<script async src="$BASE/checkout.js" data-debug></script>
<coinslot-checkout item="notebook">
  <iframe src="$BASE/checkout?item=notebook&amp;embed=inline&amp;lang=en" referrerpolicy="strict-origin"
    name="coinslot-checkout" title="Checkout" allow="clipboard-write"
    sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
    width="100%" height="420"></iframe>
</coinslot-checkout>
<p><a id="plain" href="$BASE/checkout?item=notebook" target="_blank">Pay with crypto</a></p>`

// newBuilder starts a builder whose page has a frame with these attributes; $CODE stands for the
// address of the merchant's HTML, and $HTML for the HTML itself.
func newBuilder(t *testing.T, attributes string) *builder {
	t.Helper()
	b := &builder{}
	pasted := func() string { return strings.ReplaceAll(merchantHTML, "$BASE", b.s.base) }
	b.code = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><html lang=en><title>Code</title>", pasted())
	}))
	t.Cleanup(b.code.Close)
	b.site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		frame := strings.NewReplacer("$CODE", b.code.URL, "$HTML",
			html.EscapeString(pasted())).Replace(attributes)
		fmt.Fprintf(w, `<!doctype html><html lang=en><title>Site</title>
			<iframe name="builder" title="Code" width="100%%" height="1800" %s></iframe>`, frame)
	}))
	t.Cleanup(b.site.Close)
	b.s = newStack(t, "COINSLOT_ORIGINS="+b.site.URL+","+b.code.URL,
		"COINSLOT_CATALOG="+examples+"/static/catalog.yaml")
	return b
}

// The frame pays where its page has an origin that can be listed: its own, or, with srcdoc, that of
// the page around it.
func TestFullPaysInABuildersFrame(t *testing.T) {
	runParallel(t)
	for name, attributes := range map[string]string{
		"srcdoc": `srcdoc="$HTML"`,
		"another origin": `src="$CODE"
			sandbox="allow-scripts allow-same-origin allow-forms allow-popups"`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBuilder(t, attributes)
			p := chromium.Open(t, b.site.URL, browser.Options{Height: 2400})
			f := p.Frame("builder").Frame(frame)
			f.Wait(`[data-live="wasm"]`)
			b.s.simulate(b.s.choose(f, "USDT", "trc20"), "pay")
			f.Wait(paid)
			fortest.Equal(t, b.s.newest(), sale{"Notebook", "14.00"}, "the checkout sold")
			assertCleanConsole(t, p)
		})
	}
}

// A frame without an origin can't show the checkout. The page says why, and links that open a tab
// lead to the checkout's own page. That tab pays only if it escapes the sandbox.
func TestFullSandboxWithoutOrigin(t *testing.T) {
	runParallel(t)
	for _, sandbox := range []string{
		"allow-scripts allow-popups",
		"allow-scripts allow-popups allow-popups-to-escape-sandbox",
	} {
		t.Run(sandbox, func(t *testing.T) {
			b := newBuilder(t, `src="$CODE" sandbox="`+sandbox+`"`)
			p := chromium.Open(t, b.site.URL, browser.Options{Height: 2400})
			page := p.Frame("builder")
			page.WaitText("coinslot-checkout >>> [role=alert]", "open it on its own")
			p.WaitConsole(0, "coinslot origin_refused this page has no origin")
			p.WaitConsole(0, "coinslot explains origin_refused")
			p.WaitConsole(0, b.s.base+"/checkout/doctor?origin=null&code=origin_refused")

			own := b.s.base + "/checkout?item=notebook"
			page.Click("#plain")
			awaitTabs(t, p, own)
			page.Click("coinslot-checkout >>> [role=alert] a")
			awaitTabs(t, p, own, own)
		})
	}
}

// awaitTabs waits until the page has opened these addresses.
func awaitTabs(t *testing.T, p *browser.Page, want ...string) {
	t.Helper()
	fortest.Until(t, fmt.Sprintf("%d tabs", len(want)), func() bool {
		return slices.Equal(p.Opened(), want)
	})
}
