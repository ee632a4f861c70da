package e2e

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/e2e/browser"
	"coinslot/e2e/child"
	"coinslot/e2e/link"
	"coinslot/e2e/need"
)

// tlsLine is a slow phone's line as the internet has it: TCP starts slowly, and a proxy speaks TLS
// 1.3 and HTTP/2. Each origin has its own port, so no two of them share a connection.
type tlsLine struct {
	*link.Link
	proxy string // its address
}

func newTLSLine(t testing.TB) *tlsLine {
	t.Helper()
	l := &tlsLine{Link: newLine(t), proxy: "127.0.0.1:" + freePort(t)}
	l.SlowStart = true
	return l
}

// origin returns that of a host, "shop.test", which start may know.
func (l *tlsLine) origin(t testing.TB, host string) string {
	t.Helper()
	return "https://" + host + ":" + port(front(t, l.Link, func() string { return l.proxy }))
}

// start runs Caddy for servers by their hosts. It compresses nothing, as deploy/Caddyfile.
func (l *tlsLine) start(t testing.TB, servers map[string]string) {
	t.Helper()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	text := "{\n\tadmin off\n\tauto_https off\n\tservers {\n\t\tprotocols h1 h2\n\t}\n}\n"
	var hosts []string
	for host, server := range servers {
		hosts = append(hosts, host)
		text += fmt.Sprintf("https://%s:%s {\n\tbind 127.0.0.1\n\ttls %s %s {\n\t\tprotocols tls1.3\n\t}\n\treverse_proxy %s\n}\n",
			host, port(l.proxy), cert, key, strings.TrimPrefix(server, "http://"))
	}
	conf := filepath.Join(dir, "Caddyfile")
	if err := errors.Join(browser.WriteCertificate(cert, key, hosts...), os.WriteFile(conf, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	said := &syncBuffer{}
	cmd := exec.Command(need.Server(t, "caddy"), "run", "--adapter", "caddyfile", "--config", conf)
	cmd.Stdout, cmd.Stderr = said, said
	child.Tie(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.End(cmd) })
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("caddy said:\n%s", said)
		}
	})
	await(t, "Caddy to listen", func() bool {
		conn, err := net.Dial("tcp", l.proxy)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// newTLSPhone is a phone on a tlsLine: the shop is shop.test and the checkout has another host.
func newTLSPhone(t testing.TB, host string) *phone {
	t.Helper()
	l := newTLSLine(t)
	h := &phone{line: l.Link, shop: l.origin(t, "shop.test")}
	checkout := l.origin(t, host)
	shop, _ := newHost(t, &checkout)
	h.stack = newStack(t, "COINSLOT_PUBLIC_URL="+checkout, "COINSLOT_ORIGINS="+h.shop, "COINSLOT_TRUSTED_PROXIES=127.0.0.1/32")
	h.public = checkout
	l.start(t, map[string]string{"shop.test": shop, host: strings.Replace(h.base, "localhost", "127.0.0.1", 1)})
	return h
}

// tlsPage returns the address of the plain page on a tlsLine.
func tlsPage(t testing.TB) (*link.Link, string) {
	t.Helper()
	l := newTLSLine(t)
	l.start(t, map[string]string{"shop.test": plainServer(t)})
	return l.Link, l.origin(t, "shop.test") + "/"
}

// pageWithFrame is page with the frame in the page's HTML.
func (h *phone) pageWithFrame() string { return h.page(h.shop) + "&origin=" + url.QueryEscape(h.shop) }

// to returns the connections to an origin since.
func (h *phone) to(origin string, since time.Time) (list []link.Connection) {
	for _, c := range h.line.Connections(since) {
		if port(c.To) == port(origin) {
			list = append(list, c)
		}
	}
	return list
}

// What is measured is what shoppers have: HTTP/2, one connection to the shop and one for the frame,
// and a cache that believes the certificate.
func TestTLSLineIsRealistic(t *testing.T) {
	h := newTLSPhone(t, "pay.test")
	p := chromium.Open(t, "", browser.Options{Script: coinslotClocks})
	before := time.Now()
	for visit := range 2 {
		began := time.Now()
		p.Goto(h.page(h.shop))
		frameView(p).WaitJS(`window.live`, "WebAssembly to drive the checkout")
		for name, v := range map[string]*browser.View{"shop": p.View, "frame": frameView(p)} {
			if got := browser.Eval[string](v, `performance.getEntriesByType("navigation")[0].nextHopProtocol`); got != "h2" {
				t.Errorf("%s: the protocol is %q; want h2", name, got)
			}
		}
		if got := h.line.BytesReceived(began, time.Now()); visit == 1 && got > 100_000 {
			t.Errorf("%d bytes came again: the program is not cached", got)
		}
	}
	large := 0
	for _, c := range h.to(h.public, before) {
		if c.Bytes > 10_000 {
			large++
		}
	}
	if shops := len(h.to(h.shop, before)); shops != 1 || large != 1 {
		t.Errorf("%d connections to the shop, %d for the frame; want one each", shops, large)
	}
}

// A frame in the page's HTML connects to the checkout while the script does. One that the script
// makes has to wait for it. The connection to the frame is the one with most bytes.
func TestFrameInHTMLConnectsBesideScript(t *testing.T) {
	h := newTLSPhone(t, "pay.test")
	for _, inHTML := range []bool{true, false} {
		p := chromium.Open(t, "", browser.Options{Script: htmlClocks})
		to, began := h.page(h.shop), time.Now()
		if inHTML {
			to = h.pageWithFrame()
		}
		h.line.Set(link.Shape{RTT: time.Second})
		p.Goto(to)
		frameView(p).WaitJS(`window.usable`, "a coin to be there")
		list := h.to(h.public, began)
		h.line.Set(link.Shape{})
		script := list[0]
		largest := slices.MaxFunc(list, func(a, b link.Connection) int { return a.Bytes - b.Bytes })
		if beside := largest.Dialled.Before(script.First); beside != inHTML {
			t.Errorf("frame in the HTML %t: the script's server spoke at %v, the frame connected at %v", inHTML, script.First, largest.Dialled)
		}
		p.Close()
	}
}
