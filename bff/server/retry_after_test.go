package server_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/web"
	"coinslot/e2e/browser"
	"coinslot/e2e/need"
	"coinslot/static"
)

// busyShop is a world whose shopper may share an address with a crowd, in a shop's page.
type busyShop struct {
	*policyRig
	shop string
	from atomic.Pointer[string] // the address that requests come from
}

// The addresses of the shopper: one that has used up its minute, and one that has not.
var full, quiet = "198.51.100.1", "198.51.100.2"

// newBusyShop starts a world that a browser reaches, and a shop that embeds a session.
func newBusyShop(t *testing.T) (c *busyShop, id string) {
	t.Helper()
	l := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	c = &busyShop{}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>shop</title><pre id=log></pre>
<script>for (const name of ['ready', 'status', 'complete', 'error'])
  addEventListener('coinslot-' + name, ({ detail }) => log.append([name, detail.session, detail.status, detail.code].join(' ') + '\n'));</script>
<script src="%s/checkout.js"></script>
<coinslot-checkout session="%s" return-url="/thanks"></coinslot-checkout>`, c.Public, id)
	}))
	t.Cleanup(host.Close)
	c.shop = strings.Replace(host.URL, "127.0.0.1", "shop.localhost", 1)
	c.policyRig = newPolicyRig(t, "http://pay.localhost:"+port, []string{c.shop},
		web.Limits{Reads: 100})
	c.from.Store(&quiet)
	front := httptest.NewUnstartedServer(http.HandlerFunc(c.pass))
	front.Listener.Close()
	front.Listener = l
	front.Start()
	t.Cleanup(front.Close)
	id = c.Open(`{"amount_usd":"25.00"}`)
	c.Choose(id)
	c.Await(id, "pending")
	for c.DoFrom(full, "GET", "/checkout/"+id, "").Code != http.StatusTooManyRequests {
	}
	return c, id
}

// pass gives a request its address.
func (c *busyShop) pass(w http.ResponseWriter, r *http.Request) {
	r.RemoteAddr = *c.from.Load() + ":1234"
	c.Handler.ServeHTTP(immediate{w}, r)
}

// immediate lets a page come back after a second, for who waits for the test.
type immediate struct{ http.ResponseWriter }

func (s immediate) WriteHeader(status int) {
	if h := s.Header(); h.Get("Refresh") != "" {
		h.Set("Refresh", "1")
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s immediate) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// A page that gets 429 during a payment retries and reaches the end.
func TestFullRetriesAfter429(t *testing.T) {
	t.Parallel()
	need.Assets(t, static.Files)
	chromium := browser.Start(t)
	const refused = `[data-part=error][data-code=rate_limited]`

	t.Run("without scripts", func(t *testing.T) {
		c, id := newBusyShop(t)
		p := chromium.Open(t, c.Public+"/checkout/"+id, browser.Options{NoJS: true})
		p.Wait(`[data-status=pending]`)
		c.from.Store(&full)
		p.Wait(refused) // by meta refresh
		c.from.Store(&quiet)
		p.Wait(`[data-status=pending]`)
		c.pay()
		p.Wait(`[data-status=confirmed]`)
	})
	for name, o := range map[string]browser.Options{
		"framed":                     {},
		"framed without WebAssembly": {BlockURLs: []string{"*.wasm"}},
	} {
		t.Run(name, func(t *testing.T) {
			c, id := newBusyShop(t)
			p := chromium.Open(t, c.shop, o)
			p.WaitText("#log", "ready "+id+" pending")
			c.from.Store(&full)
			f := p.Frame("coinslot-checkout")
			f.Eval(`void setTimeout(() => location.reload())`, nil)
			f.Wait(refused)
			f.Wait(`html[data-shown]`) // the host page has answered its hello
			c.from.Store(&quiet)
			f.Wait(`[data-status=pending]`)
			c.pay()
			p.WaitText("#log", "complete "+id+" confirmed")
			fortest.Lacks(t, "the host page was told of an order that is none", p.Text("#log"),
				" open", "  ")
			p.WaitJS(`location.pathname === '/thanks'`, "the page after a payment")
		})
	}
	t.Run("from the start", func(t *testing.T) {
		c, id := newBusyShop(t)
		c.from.Store(&full)
		p := chromium.Open(t, c.shop, browser.Options{})
		f := p.Frame("coinslot-checkout")
		f.Wait(refused)
		f.Wait(`html[data-shown]`)
		fortest.Equal(t, p.Text("#log"), "", "the host page was told")
		c.from.Store(&quiet)
		p.WaitText("#log", "ready "+id+" pending")
	})
}

// pay pays what is pending.
func (c *busyShop) pay() {
	c.T.Helper()
	fortest.OK(c.T, c.Gateway.Pay(c.Gateway.Transactions()[0].TrackingCode, sandbox.Kind("pay")))
}
