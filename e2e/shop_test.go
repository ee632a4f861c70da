package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// page is a shop's page with a body of the test's own. It writes every event
// of the checkouts in it, with its session, into #log.
type page struct {
	server *httptest.Server
	base   string // of the checkout; known when the stack is
	body   string // $BASE stands for base
}

// newPage serves a page on an origin of its own, which a stack may list.
func newPage(t *testing.T, body string) *page {
	t.Helper()
	p := &page{body: body}
	p.server = httptest.NewServer(p)
	t.Cleanup(p.server.Close)
	return p
}

func (p *page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	html := `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<script async src="$BASE/checkout.js"></script>
<script>
for (const type of ['ready', 'open', 'status', 'complete', 'close', 'error'])
  addEventListener('coinslot-' + type, e => {
    document.getElementById('log').textContent += e.target.id + ' ' + type + ' ' + (e.detail.code || e.detail.status || '') + ' ' + e.detail.session + '\n';
  }, true);
</script>` + p.body + `<pre id="log"></pre></html>`
	fmt.Fprint(w, strings.ReplaceAll(html, "$BASE", p.base))
}

// heldStack is a checkout whose WebAssembly program arrives when the test says so.
type heldStack struct {
	*faultyProxy

	gateMu sync.Mutex
	gate   chan struct{} // closed while the program may pass; guarded by gateMu
}

// newHeldStack starts a stack behind a proxy that holds the program back. extra
// settings are added to the environment.
func newHeldStack(t *testing.T, extra ...string) *heldStack {
	t.Helper()
	h := &heldStack{faultyProxy: newFaultyProxy(t, extra...), gate: make(chan struct{})}
	t.Cleanup(h.releaseProgram) // first, or closing the proxy waits for what is held
	h.set(func(out *http.Request) {
		if strings.HasSuffix(out.URL.Path, ".wasm") {
			<-h.current()
		}
	}, only(".wasm",
		setHeader("Cache-Control", "no-store"))) // or a second page would not ask for it
	return h
}

// releaseProgram lets the program through from now on.
func (h *heldStack) releaseProgram() {
	h.gateMu.Lock()
	defer h.gateMu.Unlock()
	select {
	case <-h.gate:
	default:
		close(h.gate)
	}
}

// holdProgram holds the program back again.
func (h *heldStack) holdProgram() {
	h.gateMu.Lock()
	defer h.gateMu.Unlock()
	h.gate = make(chan struct{})
}

func (h *heldStack) current() chan struct{} {
	h.gateMu.Lock()
	defer h.gateMu.Unlock()
	return h.gate
}

// openPage opens the session's own page.
func (s *stack) openPage(t *testing.T, id string, o browser.Options) *browser.Page {
	t.Helper()
	if o.Height == 0 {
		o.Height = 2400
	}
	return chromium.Open(t, s.base+"/checkout/"+id, o)
}

// simulate makes a kind of payment happen to a transaction.
func (s *stack) simulate(tx sandbox.Transaction, kind sandbox.Kind) {
	s.t.Helper()
	fortest.OK(s.t, s.gateway.Pay(tx.TrackingCode, kind))
}
