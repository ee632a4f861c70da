package webhook

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

func TestGuardAccepts(t *testing.T) {
	g := newGuard()
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
		"126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.0", "172.15.255.255",
		"172.32.0.0", "191.255.255.255", "192.0.1.0", "192.167.255.255", "192.169.0.0",
		"198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "2001:200::1",
		"2001:4860:4860::8888", "2003::1", "2606:4700:4700::1111", "2a00:1450:4001::1",
		"3fff:1000::1",
	} {
		if !g.public(netip.MustParseAddr(text)) {
			t.Errorf("public(%s) = false; want true", text)
		}
	}
}

func TestGuardControl(t *testing.T) {
	g := newGuard()
	for address, want := range map[string]error{
		"8.8.8.8:443": nil, "[2606:4700:4700::1111]:443": nil,
		"127.0.0.1:443": errPrivate, "[::1]:443": errPrivate, "[fe80::1%eth0]:443": errPrivate,
		"localhost:443": errPrivate, "": errPrivate, "8.8.8.8": errPrivate,
	} {
		fortest.Is(t, g.control("tcp", address, nil), want, "control(%q)", address)
	}
}

// TestClientIgnoresProxy: a proxy would connect in our place, unguarded.
func TestClientIgnoresProxy(t *testing.T) {
	for _, private := range []bool{false, true} {
		transport := NewClient(private).Transport.(*http.Transport)
		if transport.Proxy != nil {
			t.Errorf("NewClient(%v) asks %T for a proxy", private, transport.Proxy)
		}
	}
}

func TestCheckEndpointGood(t *testing.T) {
	for _, raw := range []string{
		"https://shop.example",
		"https://shop.example/hooks/coinslot?token=abc%20d",
		"https://shop.example:443/",
		"https://shop.example:8443/hook",
		"https://SHOP.Example/",
		"https://xn--bcher-kva.example/",
		"https://a_b.example/",
		"https://8.8.8.8/",
		"https://[2606:4700:4700::1111]/",
		"https://1e100.net/",
		"https://0xfood.example/",
		"HTTPS://shop.example/",
		"https://shop.example/@user",
		"https://shop.example/" + strings.Repeat("a", 1979),
	} {
		for _, private := range []bool{false, true} {
			fortest.OK(t, CheckEndpoint(raw, private))
		}
	}
}

// TestCheckEndpointPrivate lists what only the setting for private networks lets pass.
func TestCheckEndpointPrivate(t *testing.T) {
	for _, raw := range []string{
		"http://shop.example/", "http://127.0.0.1:9999/hook", "http://localhost:3000/hook",
		"https://localhost/", "https://[::1]:5000/", "http://backend/hook",
		"http://shop.internal/", "https://metadata.google.internal/", "https://printer.local/",
		"https://nas.home.arpa/", "https://10.1.2.3/", "https://169.254.169.254/latest",
		"https://[fd00:ec2::254]/", "https://0.0.0.0/", "https://[::]/",
		"https://[::ffff:127.0.0.1]/", "https://[::127.0.0.1]/", "https://[64:ff9b::7f00:1]/",
		"https://[2002:7f00:1::]/", "https://shop.example:22/", "https://shop.example:25/",
		"https://shop.example:80/", "https://shop.example:6379/", "https://shop.example:65535/",
	} {
		fortest.OK(t, CheckEndpoint(raw, true))
		fortest.Fails(t, CheckEndpoint(raw, false), "CheckEndpoint(%q, false)", raw)
	}
}
