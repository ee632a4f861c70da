package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coinslot/e2e/browser"
	"coinslot/e2e/built"
)

const catalog = `items:
  coffee: {title: Coffee, amount_usd: "14.50"}
  tip:
    title: Tip
    open: {minimum: "5", maximum: "100", suggested: "10"}
`

// newShop starts a stack that lists one page of the test's own and sells a
// catalogue.
func newShop(t *testing.T, body string) (*stack, *page) {
	t.Helper()
	host := newPage(t, body)
	path := filepath.Join(t.TempDir(), "catalog.yaml")
	if err := os.WriteFile(path, []byte(catalog), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStack(t, "COINSLOT_CATALOG="+path, "COINSLOT_ORIGINS="+host.server.URL)
	host.base = s.base
	return s, host
}

// token mints an order token as a merchant's server would.
func (s *stack) token(t *testing.T, amount, ref string) string {
	t.Helper()
	mint := exec.Command(built.Program(t), "order-token", "-amount", amount, "-ref", ref, "-title", "Signed")
	mint.Env = []string{"COINSLOT_ORDER_KEY=" + orderKey}
	out, err := mint.Output()
	if err != nil {
		t.Fatalf("order-token: %v", err)
	}
	return regexp.MustCompile(`eyJ\S+`).FindString(string(out))
}

// A static site sells an item of the catalogue: the page learns the session
// when there is one, after the first choice.
func TestPaysCatalogueItem(t *testing.T) {
	s, host := newShop(t, `<coinslot-checkout id="a" item="coffee"><a href="$BASE/checkout?item=coffee">Pay</a></coinslot-checkout>`)
	pays(t, s, host, "14.50")
}

// An open amount is read within its limits.
func TestPaysOpenAmount(t *testing.T) {
	s, host := newShop(t, `<coinslot-checkout id="a" item="tip" amount="7.25"><a href="$BASE/checkout?item=tip&amount=7.25">Tip</a></coinslot-checkout>`)
	pays(t, s, host, "7.25")
}

// A server in any language signs an order and calls nobody.
func TestPaysOrderToken(t *testing.T) {
	s, host := newShop(t, "")
	host.body = `<coinslot-checkout id="a" order="` + s.token(t, "31.00", "signed-1") + `"><a href="$BASE">Pay</a></coinslot-checkout>`
	pays(t, s, host, "31.00")
}

// pays goes through the page's one checkout from the first look to the end.
func pays(t *testing.T, s *stack, host *page, price string) {
	t.Helper()
	p := chromium.Open(t, host.server.URL, browser.Options{Height: 1400})
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	if got := f.Attr(`[data-part="amount-usd"]`, "data-value"); got != price {
		t.Errorf("price on screen = %q; want %s", got, price)
	}
	p.WaitText("#log", "a ready open")
	choose(f, "USDT", "trc20")
	f.Wait(pending)
	tx := s.matches(f)
	p.WaitText("#log", "a status pending cs_")
	session := f.Attr("#coinslot", "data-session")
	var shown string
	p.Eval(`document.getElementById("a").session`, &shown)
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

// Two products on a page have a frame each; a second element of the same order
// has none.
func TestTwoProductsOnOnePage(t *testing.T) {
	s, host := newShop(t, "")
	a, b := s.session(order{"amount_usd": "25.00", "title": "First"}), s.session(order{"amount_usd": "35.00", "title": "Second"})
	for _, e := range [][2]string{{"a", a}, {"b", b}, {"c", a}} {
		host.body += fmt.Sprintf(`<coinslot-checkout id="%s" session="%s" mode="modal"><a href="$BASE/checkout/%[2]s">Pay %[1]s</a></coinslot-checkout> `, e[0], e[1])
	}
	p := chromium.Open(t, host.server.URL, browser.Options{Height: 1400})
	p.WaitJS(`customElements.get('coinslot-checkout') !== undefined`, "the element to be defined")
	for _, id := range []string{"a", "b"} {
		p.Click("#" + id + " a")
		p.Wait("#" + id + " >>> dialog[open]")
		p.WaitJS(`document.getElementById("`+id+`").status === "open"`, "the checkout of "+id+" to be ready")
		p.Press("Escape")
		p.WaitGone("#" + id + " >>> dialog[open]")
	}
	p.Click("#c a")
	p.Wait("#a >>> dialog[open]")
	var frames int
	p.Eval(`[...document.querySelectorAll("coinslot-checkout")].reduce((n, e) => n + e.shadowRoot.querySelectorAll("iframe").length, 0)`, &frames)
	if frames != 2 {
		t.Errorf("%d frames for two orders; want 2", frames)
	}
	assertCleanConsole(t, p)
}

// A page that is not listed gets no checkout, but words, a link that pays, and
// an event for its developer.
func TestUnlistedOrigin(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	host := newPage(t, `<coinslot-checkout id="a" session="`+id+`"><a href="$BASE/checkout/`+id+`">Pay</a></coinslot-checkout>`)
	host.base = s.base
	p := chromium.Open(t, host.server.URL, browser.Options{Height: 1400})
	p.WaitText("#log", "a error origin_refused")
	p.WaitText(`#a >>> [role="alert"]`, "opens on a page of its own")
	if got := p.Attr(`#a >>> [role="alert"] a`, "href"); !strings.HasPrefix(got, s.base+"/checkout/"+id) {
		t.Errorf("the link leads to %q; want the checkout", got)
	}
	p.Click(`#a >>> [role="alert"] a`)
	p.Wait(`[data-status="open"]`)
	choose(p.View, "USDT", "trc20")
	p.Wait(pending)
	s.matches(p.View)
}

// Told a page that is not listed, the checkout says so in words and links to
// itself, whatever the browser made of frame-ancestors.
func TestUnlistedOriginError(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	p := chromium.Open(t, s.base+"/checkout/"+id+"?embed=inline&origin=https://elsewhere.example", browser.Options{})
	p.WaitText("h1", "not registered")
	if got := p.Attr(`[data-part="standalone"]`, "href"); !strings.HasPrefix(got, "/checkout/"+id) || strings.Contains(got, "embed") {
		t.Errorf("the link leads to %q; want the checkout on a page of its own", got)
	}
}
