package e2e

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
		text += fmt.Sprintf("https://%s:%s {\n\tbind 127.0.0.1\n\ttls %s %s\n\treverse_proxy %s\n}\n",
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
