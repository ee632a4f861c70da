package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/built"
)

const catalog = `items:
  coffee: {title: Coffee, amount_usd: "14.50"}
  tip:
    title: Tip
    open: {minimum: "5", maximum: "100", suggested: "10"}
`

// newShop starts a stack that lists one page of the test's own and sells a catalog.
func newShop(t *testing.T, body string) (*stack, *page) {
	t.Helper()
	host := newPage(t, body)
	path := filepath.Join(t.TempDir(), "catalog.yaml")
	fortest.OK(t, os.WriteFile(path, []byte(catalog), 0o600))
	s := newStack(t, "COINSLOT_CATALOG="+path, "COINSLOT_ORIGINS="+host.server.URL)
	host.base = s.base
	return s, host
}

// token mints an order token as a merchant's server would.
func (s *stack) token(t *testing.T, amount, ref string) string {
	t.Helper()
	mint := exec.Command(built.Program(t), "order-token", "-amount", amount, "-ref", ref, "-title",
		"Signed")
	mint.Env = []string{"COINSLOT_ORDER_KEY=" + orderKey}
	out, err := mint.Output()
	if err != nil {
		t.Fatalf("order-token: %v", err)
	}
	return regexp.MustCompile(`eyJ\S+`).FindString(string(out))
}

// TestPaysWithoutSession: a static site sells an item of the catalog, and one whose amount is open
// within its limits; a server in any language signs an order and makes no call. The page learns the
// session when there is one, after the first choice.
func TestPaysWithoutSession(t *testing.T) {
	s, host := newShop(t, "")
	for sold, price := range map[string]string{
		`item="coffee"`:                               "14.50",
		`item="tip" amount="7.25"`:                    "7.25",
		`order="` + s.token(t, "31.00", "1001") + `"`: "31.00",
	} {
		host.body = `<coinslot-checkout id="a" ` + sold +
			`><a href="$BASE/checkout">Pay</a></coinslot-checkout>`
		pays(t, s, host, price)
	}
}

// pays goes through the page's one checkout from the first look to the end.
func pays(t *testing.T, s *stack, host *page, price string) {
	t.Helper()
	p := chromium.Open(t, host.server.URL, browser.Options{Height: 1400})
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	fortest.Equal(t, f.Attr(`[data-part="amount-usd"]`, "data-value"), price, "price on screen")
	p.WaitText("#log", "a ready open")
	tx := s.choose(f, "USDT", "trc20")
	p.WaitText("#log", "a status pending cs_")
	session := f.Attr("#coinslot", "data-session")
	shown := browser.Eval[string](p, `document.getElementById("a").session`)
	if shown != session || session == "" {
		t.Errorf("the element's session = %q; the frame's is %q", shown, session)
	}
	p.Reload() // what is stored nowhere in the page is found again or begun anew, never lost
	s.simulate(tx, "pay")
	s.sink.await(t, session, "checkout.confirmed")
	assertCleanConsole(t, p)
	assertOnlyRequests(t, p, s.base, host.server.URL)
}

// assertOnlyRequests asserts that nothing but these origins was asked.
func assertOnlyRequests(t *testing.T, p *browser.Page, origins ...string) {
	t.Helper()
	for _, url := range p.Requests() {
		if strings.HasPrefix(url, "data:") || strings.HasSuffix(url, "/favicon.ico") {
			continue
		}
		known := false
		for _, origin := range origins {
			known = known || strings.HasPrefix(strings.Replace(url, "ws:", "http:", 1), origin)
		}
		if !known {
			t.Errorf("a third party was asked: %s", url)
		}
	}
}

// Two products on a page have a frame each; a second element of the same order has none.
func TestFullTwoProductsOnOnePage(t *testing.T) {
	s, host := newShop(t, "")
	a := s.session(order{"amount_usd": "25.00", "title": "First"})
	b := s.session(order{"amount_usd": "35.00", "title": "Second"})
	for _, e := range [][2]string{{"a", a}, {"b", b}, {"c", a}} {
		host.body += fmt.Sprintf(
			`<coinslot-checkout id="%s" session="%s" mode="modal"><a href="$BASE/checkout/%[2]s">Pay %[1]s</a></coinslot-checkout> `,
			e[0],
			e[1],
		)
	}
	p := chromium.Open(t, host.server.URL, browser.Options{Height: 1400})
	p.WaitJS(`customElements.get('coinslot-checkout') !== undefined`, "the element to be defined")
	for _, id := range []string{"a", "b"} {
		p.Click("#" + id + " a")
		p.Wait("#" + id + " >>> dialog[open]")
		p.WaitJS(`document.getElementById("`+id+`").status === "open"`,
			"the checkout of "+id+" to be ready")
		p.Press("Escape")
		p.WaitGone("#" + id + " >>> dialog[open]")
	}
	p.Click("#c a")
	p.Wait("#a >>> dialog[open]")
	frames := browser.Eval[int](
		p,
		`[...document.querySelectorAll("coinslot-checkout")].reduce((n, e) => n + e.shadowRoot.querySelectorAll("iframe").length, 0)`,
	)
	fortest.Equal(t, frames, 2, "frames for two orders")
	assertCleanConsole(t, p)
}

// TestFullUnlistedOriginError: framed by a page that is not listed, the checkout says so in words and links
// to itself, whatever the browser made of frame-ancestors. TestFullFailureFallbacks has such a page.
func TestFullUnlistedOriginError(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	p := plainly(t, s.base+"/checkout/"+id+"?embed=inline&origin=https://elsewhere.example", lynx)
	link := p.part("standalone").attrs["href"]
	if !strings.Contains(p.text(), "hasn’t listed this page") ||
		!strings.HasPrefix(link, "/checkout/"+id) || strings.Contains(link, "embed") {
		t.Errorf("the page says %s and links to %q; want the checkout on a page of its own",
			p.text(), link)
	}
}
