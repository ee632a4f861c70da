package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"

	"github.com/shopspring/decimal"
)

const (
	frame   = "coinslot-checkout"
	pending = `[data-status="pending"]`
	paid    = `[data-status="confirmed"]`
)

// roundsUp reports whether an amount on screen is what the gateway asks for, or
// that rounded up by less than a millionth.
func roundsUp(shown, asked string) bool {
	a, err := decimal.NewFromString(shown)
	b, err2 := decimal.NewFromString(asked)
	return err == nil && err2 == nil && !a.LessThan(b) && a.Sub(b).LessThan(decimal.New(1, -6))
}

// choose picks a coin and network by their stable handles.
func choose(v screen, symbol, network string) {
	tick(v, symbol, network)
	v.Click(`[data-part="continue"]`)
}

// tick checks a coin, which may be folded, and a network.
func tick(v screen, symbol, network string) {
	v.Wait(`[data-part="continue"]`)
	folded := `.more:not([open]):has([value="` + symbol + `"])`
	if w, ok := v.(interface{ Exists(css string) bool }); ok && w.Exists(folded) {
		v.Click(folded + ` > summary`)
	}
	v.Click(`label:has([data-part="currency"][value="` + symbol + `"])`)
	v.Click(`label:has([data-part="network"][value="` + symbol + `:` + network + `"])`)
}

// open shows the session in the shop and returns the frame.
func (s *stack) open(
	t *testing.T, id, mode string, o browser.Options,
) (*browser.Page, *browser.View) {
	t.Helper()
	if o.Height == 0 {
		o.Height = 2400 // the driver does not scroll the page around a frame
	}
	p := chromium.Open(t, s.shopURL(id, mode), o)
	if mode == "modal" {
		p.WaitJS(`customElements.get('coinslot-checkout') !== undefined`,
			"the element to be defined")
		p.Click(`coinslot-checkout a`)
	}
	return p, p.Frame(frame)
}

func TestPaysInline(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00", "order_ref": "inline"})
	p, f := s.open(t, id, "inline", browser.Options{})
	f.Wait(`[data-live="wasm"]`)
	tx := s.choose(f, "USDT", "trc20")
	s.simulate(tx, "pay")
	f.Wait(paid)
	p.WaitText("#log", "complete confirmed")
	s.sink.await(t, id, "checkout.confirmed")
	fortest.Diff(t, s.sink.types(id), []string{"checkout.pending", "checkout.confirmed"}, "events")
	assertOnlyOwnRequests(t, p, s)
}

// assertOnlyOwnRequests asserts that nothing but shop and checkout was asked.
func assertOnlyOwnRequests(t *testing.T, p interface{ Requests() []string }, s *stack) {
	t.Helper()
	ours := []string{s.base, s.shop.URL, "ws" + s.base[len("http"):], "data:"}
	for _, url := range p.Requests() {
		if !slices.ContainsFunc(
			ours,
			func(prefix string) bool {
				return len(url) >= len(prefix) && url[:len(prefix)] == prefix
			},
		) {
			t.Errorf("a third party was asked: %s", url)
		}
	}
}

func TestTwoTabsOneTransaction(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	_, f := s.open(t, id, "inline", browser.Options{})
	_, g := s.open(t, id, "inline", browser.Options{})
	tx := s.choose(f, "USDT", "trc20")
	g.Wait(pending) // by websocket
	s.matches(g)
	fortest.Equal(t, len(s.issued()), 1, "transactions were created")
	s.simulate(tx, "pay")
	f.Wait(paid)
	g.Wait(paid)
}

// assertCleanConsole asserts that the console holds no error and no policy violation.
func assertCleanConsole(t *testing.T, p interface{ Console() []string }) {
	t.Helper()
	for _, line := range p.Console() {
		for _, prefix := range []string{"[error]", "[exception]", "[security]"} {
			if len(line) >= len(prefix) && line[:len(prefix)] == prefix {
				t.Errorf("console: %s", line)
			}
		}
	}
}

// TestFullPaysInIsolatedPage: a host page that is cross-origin isolated shows only
// frames and loads only scripts that say so; also what leads to the page, which
// an order with a payment begun is sent to, has to say it.
func TestFullPaysInIsolatedPage(t *testing.T) {
	host := httptest.NewUnstartedServer(nil)
	s := newStack(t, "COINSLOT_ORIGINS=http://"+host.Listener.Addr().String())
	order := s.token(t, "25.00", "isolated")
	host.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>Shop</title><link rel="icon" href="data:,"><script async src="%[1]s/checkout.js"></script>
<coinslot-checkout order="%[2]s"><a href="%[1]s/checkout?order=%[2]s">Pay with crypto</a></coinslot-checkout>`, s.base, order)
	})
	host.Start()
	t.Cleanup(host.Close)
	p := chromium.Open(t, host.URL, browser.Options{Height: 1400})
	p.WaitJS(`crossOriginIsolated`, "the host page to be isolated")
	choose(p.Frame(frame), "USDT", "trc20")
	p.Frame(frame).Wait(pending)
	p = chromium.Open(t, host.URL, browser.Options{Height: 1400}) // led to its session
	f := p.Frame(frame)
	f.Wait(pending)
	f.Wait(`[data-live="wasm"]`)
	s.simulate(s.matches(f), "pay")
	f.Wait(paid)
	fortest.Equal(t, len(s.issued()), 1, "transactions were created for one order token")
	assertCleanConsole(t, p)
}
