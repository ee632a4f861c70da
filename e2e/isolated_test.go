package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"coinslot/e2e/browser"
)

// TestPaysInIsolatedPage: a host page that is cross-origin isolated shows only
// frames and loads only scripts that say so; also what leads to the page, which
// an order with a payment begun is sent to, has to say it.
func TestPaysInIsolatedPage(t *testing.T) {
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
	if n := len(s.issued()); n != 1 {
		t.Errorf("%d transactions were created for one order token; want 1", n)
	}
	assertCleanConsole(t, p)
}
