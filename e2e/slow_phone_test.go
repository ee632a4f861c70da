package e2e

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/child"
	"coinslot/e2e/link"
	"coinslot/e2e/need"
)

// phone is a shopper with a slow phone: a shop's page and a checkout, both behind one line, which
// is unlimited until it is slowed down.
type phone struct {
	*stack
	line *link.Link
	shop string // the shop's origin
}

// newPhone is a phone as shoppers have it: TCP starts slowly, and Caddy speaks TLS 1.3 and HTTP/2 for
// shop.test and the checkout's host. Each origin has a port of its own, so they share no connection.
// An empty host means plain HTTP/1.1, with shop and checkout on one site.
func newPhone(t testing.TB, host string) *phone {
	t.Helper()
	h := &phone{line: newLine(t)}
	h.line.SlowStart = host != ""
	var shopServer, checkoutServer atomic.Value // strings, known once they run
	origin := func(host string, server *atomic.Value) string {
		at := port(front(t, h.line, func() string { return server.Load().(string) }))
		if h.line.SlowStart {
			return "https://" + host + ":" + at
		}
		return "http://localhost:" + at
	}
	h.shop = origin("shop.test", &shopServer)
	checkout := origin(host, &checkoutServer)
	shop, _ := newHost(t, &checkout)
	shop = strings.TrimPrefix(shop, "http://")
	h.stack = newStack(t, "COINSLOT_PUBLIC_URL="+checkout, "COINSLOT_ORIGINS="+h.shop,
		"COINSLOT_TRUSTED_PROXIES=127.0.0.1/32")
	h.public = checkout
	inner := strings.Replace(h.base, "http://localhost", "127.0.0.1", 1)
	if h.line.SlowStart {
		caddy := startCaddy(t, map[string]string{"shop.test": shop, host: inner})
		shop, inner = caddy, caddy
	}
	shopServer.Store(shop)
	checkoutServer.Store(inner)
	return h
}

// startCaddy runs Caddy for servers by their hosts, and returns its address. Like deploy/Caddyfile,
// it compresses nothing.
func startCaddy(t testing.TB, servers map[string]string) (address string) {
	t.Helper()
	address = "127.0.0.1:" + fortest.FreePort(t)
	conf := filepath.Join(t.TempDir(), "Caddyfile")
	pair := writePair(t)
	text := "{\n\tadmin off\n\tauto_https off\n\tservers {\n\t\tprotocols h1 h2\n\t}\n}\n"
	for host, server := range servers {
		text += fmt.Sprintf("https://%s:%s {\n\tbind 127.0.0.1\n\ttls %s %s {\n\t\tprotocols tls1.3\n\t}\n\treverse_proxy %s\n}\n",
			host, port(address), pair, pair, server)
	}
	fortest.OK(t, os.WriteFile(conf, []byte(text), 0o600))
	cmd := exec.Command(need.Server(t, "caddy"), "run", "--adapter", "caddyfile", "--config", conf)
	child.Tie(cmd)
	fortest.OK(t, cmd.Start())
	t.Cleanup(func() { child.End(cmd) })
	fortest.Until(t, "Caddy to listen", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return address
}

// writePair writes the certificate that browsers of tests believe, with its key, and returns the path.
func writePair(t testing.TB) string {
	t.Helper()
	certificate := browser.Certificate()
	key := fortest.Must(x509.MarshalPKCS8PrivateKey(certificate.PrivateKey))(t)
	pair := append(
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...,
	)
	path := filepath.Join(t.TempDir(), "pair.pem")
	fortest.OK(t, os.WriteFile(path, pair, 0o600))
	return path
}

// newLine returns a line that ends with the test.
func newLine(t testing.TB) *link.Link {
	t.Helper()
	l := link.New(link.Shape{})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func front(t testing.TB, l *link.Link, target func() string) string {
	t.Helper()
	address := fortest.Must(l.Front(target))(t)
	return address
}

// port is that of an address.
func port(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }

// onSlowLine does it with a slow phone's line.
func onSlowLine(l *link.Link, do func()) {
	l.Set(link.SlowPhone)
	defer l.Set(link.Shape{})
	do()
}

// page is where a shop shows the checkout of a new session in its page.
func (h *phone) page() string {
	return h.shop + "/?session=" + h.session(order{"amount_usd": "25.00"}) + "&mode=inline"
}

// pageWithFrame is page with the frame in the page's HTML.
func (h *phone) pageWithFrame() string { return h.page() + "&origin=" + url.QueryEscape(h.shop) }

// plainPage is a page of the shop without a checkout.
func (h *phone) plainPage() string { return h.shop + "/?plain=1" }

// pageLoad is a page that was loaded: when, and what it cost.
type pageLoad struct {
	usable, live float64 // ms since it began; 0 = not waited for
	blocking     float64 // ms of tasks beyond their first 50, until it was usable
	takeover     float64 // ms from usable to live but those of the line
	bytes        int     // that came until it was usable
	log          string  // what happened when
}

// newTab is a window of a phone that is four times as slow. A frame may keep files, as in Chrome.
func newTab(t testing.TB, script string) *browser.Page {
	t.Helper()
	p := chromium.Open(t, "", browser.Options{
		Script: script, Width: 400, Height: 800, Patience: 3 * time.Minute, ThirdPartyStorage: true,
	})
	p.Slow(4)
	return p
}

// loadUntilLive takes a page somewhere and reads the clocks of a document in it once that is live.
// With -v it keeps a detailed trace.
func loadUntilLive(
	t testing.TB, l *link.Link, p *browser.Page, to string, in viewOf,
) (s pageLoad) {
	before := len(p.Console())
	end := p.Trace(testing.Verbose())
	p.Goto(to)
	p.WaitConsole(before, liveMessage)
	var m struct{ Began, Usable, Live float64 }
	p.Eval(`({began: performance.timeOrigin})`, &m)
	in(p).Eval(`({usable: window.usable, live: window.live})`, &m)
	s.usable, s.live = m.Usable-m.Began, m.Live-m.Began
	at := func(ms float64) time.Time { return time.UnixMicro(int64(ms * 1000)) }
	s.bytes = l.BytesReceived(at(m.Began), at(m.Usable))
	between := l.BytesReceived(at(m.Usable), at(m.Live))
	s.takeover = s.live - s.usable - 1000*float64(between)/float64(link.SlowPhone.Down)
	trace := end()
	s.blocking = milliseconds(trace.Blocking("usable"))
	s.log = fmt.Sprintf("%.0f ms usable, %.0f ms blocked, %d bytes, %.0f ms live",
		s.usable, s.blocking, s.bytes, s.live)
	if testing.Verbose() {
		path := filepath.Join(t.ArtifactDir(), fmt.Sprintf("%.0f.json", m.Began))
		fortest.OK(t, trace.Write(path))
		s.log += ": " + path
	}
	return s
}

// to returns the connections to an origin since.
func (h *phone) to(origin string, since time.Time) []link.Connection {
	elsewhere := func(c link.Connection) bool { return port(c.To) != port(origin) }
	return slices.DeleteFunc(h.line.Connections(since), elsewhere)
}

// What is measured is what shoppers have: HTTP/2, one connection to the shop and one for the frame,
// and a cache that believes the certificate.
func TestFullSlowPhoneIsRealistic(t *testing.T) {
	h := newPhone(t, "pay.test")
	p := chromium.Open(t, "", browser.Options{Script: coinslotClocks})
	before := time.Now()
	for visit := range 2 {
		began := time.Now()
		p.Goto(h.page())
		frameView(p).WaitJS(`window.live`, "WebAssembly to drive the checkout")
		for name, v := range map[string]*browser.View{"shop": p.View, "frame": frameView(p)} {
			const protocol = `performance.getEntriesByType("navigation")[0].nextHopProtocol`
			fortest.Equal(t, browser.Eval[string](v, protocol), "h2", "%s: the protocol", name)
		}
		if got := h.line.BytesReceived(began, time.Now()); visit == 1 && got > 100_000 {
			t.Errorf("%d bytes came again: the program is not cached", got)
		}
	}
	// Chromium reads the script, and keeps the dictionary, over connections of their own.
	small := func(c link.Connection) bool { return c.Bytes < 20_000 }
	frames := slices.DeleteFunc(h.to(h.public, before), small)
	if shops := len(h.to(h.shop, before)); shops != 1 || len(frames) != 1 {
		t.Errorf("%d connections to the shop, %d for the frame; want one each", shops, len(frames))
	}
}

// A frame in the page's HTML connects to the checkout while the script does. One that the script
// makes has to wait for it. The connection to the frame is the one with most bytes.
func TestFullFrameInHTMLConnectsBesideScript(t *testing.T) {
	h := newPhone(t, "pay.test")
	for inHTML, page := range map[bool]func() string{true: h.pageWithFrame, false: h.page} {
		p := chromium.Open(t, "", browser.Options{Script: htmlClocks})
		to, began := page(), time.Now()
		h.line.Set(link.Shape{RTT: time.Second})
		p.Goto(to)
		frameView(p).WaitJS(`window.usable`, "a coin to be there")
		list := h.to(h.public, began)
		h.line.Set(link.Shape{})
		largest := slices.MaxFunc(list, func(a, b link.Connection) int { return a.Bytes - b.Bytes })
		if beside := largest.Dialled.Before(list[0].First); beside != inHTML {
			t.Errorf("frame in the HTML %t: the script's server spoke at %v, the frame connected at %v",
				inHTML, list[0].First, largest.Dialled)
		}
		p.Close()
	}
}
