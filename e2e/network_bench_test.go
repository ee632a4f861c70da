package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/https"
	"coinslot/e2e/browser"
	"coinslot/e2e/link"
	"coinslot/e2e/need"
	"coinslot/e2e/wire"

	"golang.org/x/sync/errgroup"
)

// BenchmarkNetwork is BenchmarkCold and BenchmarkAgain for a frame in the HTML of the shop's page,
// on a network that loses packets, with the kernel's TCP (CUBIC) and with QUIC, both served by
// bff/https. A browser talks HTTP/3 at once, in the rows named so, as one does that has read the host's HTTPS
// record; without that record, a first visit is one by HTTP/2.
func BenchmarkNetwork(b *testing.B) {
	if os.Getenv(wireLoss) == "" {
		for _, loss := range []string{"0", "1"} {
			shape := slowNetwork
			shape.Loss = map[string]float64{"0": 0, "1": 0.01}[loss]
			behindWire(b, shape, loss, "-test.run=^$", "-test.bench=^BenchmarkNetwork$",
				"-test.benchtime=5x", "-test.timeout=25m")
		}
		return
	}

	plain := map[string]float64{}
	for _, protocol := range []string{"h2", "h3"} {
		for _, visit := range []string{"cold", "again"} {
			for _, page := range []string{"static", "html"} {
				at := fmt.Sprintf("loss%s/%s/%s", os.Getenv(wireLoss), protocol, visit)
				b.Run(at+"/"+page, func(b *testing.B) {
					r := newRemote(b, protocol)
					usable := median(r.loads(b, visit == "again", page == "static"))
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(usable, "usable-ms")
					if page == "static" {
						plain[at] = usable
					} else if plain[at] > 0 {
						b.ReportMetric(usable/plain[at], "times-plain")
					}
				})
			}
		}
	}
}

// slowNetwork is that of [link.SlowPhone].
var slowNetwork = wire.Shape{
	RTT:  link.SlowPhone.RTT,
	Down: link.SlowPhone.Down * 8,
	Up:   link.SlowPhone.Up * 8,
}

// A process behind a wire has these in its environment: the client's namespace, and the loss in
// percent.
const (
	wireClient = "COINSLOT_E2E_CLIENT"
	wireLoss   = "COINSLOT_E2E_LOSS"
)

// behindWire runs this program again where its servers are behind a slow network.
func behindWire(t testing.TB, shape wire.Shape, loss string, args ...string) {
	t.Helper()
	need.Tool(t, wire.Available())
	w := fortest.Must(wire.New(shape))(t)
	defer func() { fortest.OK(t, w.Close()) }()
	again := w.Server(os.Args[0], args...)
	again.Env = append(os.Environ(), wireClient+"="+w.ClientName(), wireLoss+"="+loss)
	again.Stdout = os.Stdout
	again.Stderr = os.Stderr
	if err := again.Run(); err != nil {
		t.Fatalf("running %q behind a network: %v", args, err)
	}
}

// remote is a shop, a checkout and a browser, with a network between.
type remote struct {
	*stack
	*browser.Browser
	protocol string // h2 or h3
}

const (
	remoteShop     = "https://shop.example"
	remoteCheckout = "https://pay.example"
)

// newRemote serves shop and checkout by TLS, and starts a browser that talks protocol with them.
func newRemote(t testing.TB, protocol string) *remote {
	t.Helper()
	r := &remote{protocol: protocol, stack: newStack(t, "COINSLOT_PUBLIC_URL="+remoteCheckout,
		"COINSLOT_ORIGINS="+remoteShop, "COINSLOT_TRUSTED_PROXIES=127.0.0.1/32")}
	r.public = remoteCheckout
	inner := fortest.Must(url.Parse(r.base))(t)
	checkout := remoteCheckout
	serveTLS(t, wire.ShopAddress, remoteShop, hostPages(&checkout))
	serveTLS(t, wire.ServerAddress, remoteCheckout, &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(inner)
			p.SetXForwarded()
			p.Out.Host = p.In.Host
		},
	})
	at := browser.Place{
		Namespace: os.Getenv(wireClient),
		Names:     "MAP shop.example " + wire.ShopAddress + ", MAP pay.example " + wire.ServerAddress,
	}
	if protocol == "h3" {
		at.QUIC = []string{"shop.example:443", "pay.example:443"}
	}
	r.Browser = browser.StartAt(t, at)
	return r
}

// serveTLS serves an origin at an address, as a checkout with COINSLOT_TLS does.
func serveTLS(t testing.TB, address, origin string, handler http.Handler) {
	t.Helper()
	pair := writePair(t)
	server := fortest.Must(https.New(https.Config{
		Listen: address + ":443", PublicURL: origin, Certificate: pair, Key: pair,
	}))(t)
	listener := fortest.Must(server.Listen())(t)
	ctx, cancel := context.WithCancel(t.Context())
	group, ctx := errgroup.WithContext(ctx)
	listener.Serve(ctx, group, &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: time.Minute,
		ReadTimeout:       time.Minute,
		WriteTimeout:      time.Minute,
	})
	t.Cleanup(func() {
		cancel()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// page is the shop's page with the frame of a new session in its HTML, or the plain one.
func (r *remote) page(plain bool) string {
	if plain {
		return remoteShop + "/?plain=1"
	}
	return remoteShop + "/?mode=inline&origin=" + url.QueryEscape(remoteShop) +
		"&session=" + r.session(order{"amount_usd": "25.00"})
}

// loads returns how long each of some visits took until the page was usable, in ms.
func (r *remote) loads(b *testing.B, again, plain bool) (all []float64) {
	options := browser.Options{
		Script: htmlClocks, Width: 400, Height: 800, Patience: 3 * time.Minute, ThirdPartyStorage: true,
	}
	in := frameView
	if plain {
		options.Script = plainClocks
		in = pageView
	}

	var p *browser.Page
	if again {
		p = r.Open(b, "", options)
		for range warmVisits {
			p.Goto(r.page(plain))
			in(p).WaitJS(`window.live`, "the page to be live")
		}
		p.Slow(4)
	}
	for b.Loop() {
		to := r.page(plain)
		if !again {
			p = r.Open(b, "", options)
			p.Slow(4)
		}
		p.Goto(to)
		in(p).WaitJS(`window.usable`, "the page to be usable")
		began := browser.Eval[float64](p.View, `performance.timeOrigin`)
		all = append(all, browser.Eval[float64](in(p), `window.usable`)-began)
		r.checkProtocol(b, p, in)
		if !again {
			p.Close()
		}
	}
	b.Logf("usable after %.0f ms", all)
	return all
}

// checkProtocol fails unless both documents came as they were meant to.
func (r *remote) checkProtocol(t testing.TB, p *browser.Page, in viewOf) {
	t.Helper()
	for _, v := range []*browser.View{p.View, in(p)} {
		const protocol = `performance.getEntriesByType("navigation")[0].nextHopProtocol`
		fortest.Equal(t, browser.Eval[string](v, protocol), r.protocol, "the protocol")
	}
}

// A shopper's browser that knows of HTTP/3 pays with it, although packets are lost.
func TestFullHTTP3(t *testing.T) {
	if os.Getenv(wireLoss) == "" {
		shape := wire.Shape{RTT: 50 * time.Millisecond, Loss: 0.02}
		behindWire(t, shape, "2", "-test.run=^TestFullHTTP3$")
		return
	}

	r := newRemote(t, "h3")
	id := r.session(order{"amount_usd": "25.00"})
	p := r.Open(t, remoteCheckout+"/checkout/"+id, browser.Options{})
	p.WaitJS(`document.querySelector("#coinslot[data-live=wasm]")`, "WebAssembly to drive the page")
	r.checkProtocol(t, p, pageView)
	r.paysIn(t, p.View)
}
