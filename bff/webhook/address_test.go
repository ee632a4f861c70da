package webhook

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

func TestGuardRefuses(t *testing.T) {
	g := newGuard()
	for _, text := range []string{
		// IPv4, the first and last of each range and well-known ones inside.
		"0.0.0.0", "0.0.0.1", "0.255.255.255", "10.0.0.0", "10.1.2.3", "10.255.255.255", "100.64.0.0", "100.100.100.200", "100.127.255.255",
		"127.0.0.0", "127.0.0.1", "127.0.0.53", "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.255.255",
		"172.16.0.0", "172.17.0.1", "172.31.255.255", "192.0.0.0", "192.0.0.170", "192.0.0.192", "192.0.0.255", "192.0.2.0", "192.0.2.255",
		"192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.0", "192.168.1.1", "192.168.255.255", "192.175.48.1",
		"198.18.0.0", "198.19.255.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255",
		"224.0.0.0", "224.0.0.1", "239.255.255.255", "240.0.0.0", "255.255.255.254", "255.255.255.255",
		// IPv4 inside of IPv6, in all of its spellings.
		"::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:10.0.0.1", "::FFFF:A00:1", "::ffff:169.254.169.254", "::ffff:0.0.0.0", "::ffff:192.168.0.1", "::ffff:100.64.0.1",
		"::127.0.0.1", "::7f00:1", "::8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2002:808:808::1",
		"2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
		// IPv6.
		"::", "::1", "0000:0000:0000:0000:0000:0000:0000:0001", "100::1", "100:0:0:1::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::", "2001:db8::1", "2001:db8:ffff::1",
		"2620:4f:8000::1", "3ffe::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "8000::1", "fc00::", "fd00:ec2::254", "fdff:ffff::1", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "ff00::", "ff02::1", "ff0e::1",
		"2606:4700:4700::1111%eth0",
	} {
		if g.public(netip.MustParseAddr(text)) {
			t.Errorf("public(%s) = true; want false", text)
		}
	}
	if g.public(netip.Addr{}) {
		t.Error("public(zero address) = true; want false")
	}
}

func TestGuardAccepts(t *testing.T) {
	g := newGuard()
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.0",
		"172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
		"::ffff:8.8.8.8", "2001:200::1", "2001:4860:4860::8888", "2003::1", "2606:4700:4700::1111", "2a00:1450:4001::1", "3fff:1000::1",
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

// TestClientConnectsToPublicOnly asks for a real listener of this machine under what leads to it;
// no connection may reach it, whatever the spelling. Spellings that are not addresses (127.1) are
// left to CheckEndpoint here, since asking for them would ask a name server.
func TestClientConnectsToPublicOnly(t *testing.T) {
	listener := fortest.Must(net.Listen("tcp", ":0"))(t)
	accepted := make(chan string, 100)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c.LocalAddr().String()
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	client := newClient(false)
	client.Timeout = 10 * time.Second
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST", "[::1]", "0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "127.0.0.53",
		"[0:0:0:0:0:0:0:1]", "[::ffff:0.0.0.0]",
	} {
		res, err := client.Get("http://" + host + ":" + port + "/")
		if err == nil {
			res.Body.Close()
			t.Errorf("GET http://%s: status %d; want a refusal", host, res.StatusCode)
		}
	}
	listener.Close()
	for address := range accepted {
		t.Errorf("connected to %s", address)
	}
}

// TestClientIgnoresProxy: a proxy would connect in our place, unguarded.
func TestClientIgnoresProxy(t *testing.T) {
	for _, private := range []bool{false, true} {
		transport := newClient(private).Transport.(*http.Transport)
		if transport.Proxy != nil {
			t.Errorf("newClient(%v) asks %T for a proxy", private, transport.Proxy)
		}
	}
}

func TestFailureHidesURL(t *testing.T) {
	q := newQueue()
	at := time.Now()
	endpoint := "http://127.0.0.1:1/hook?token=sekrit" // nothing listens on port 1
	q.add(event(1, endpoint, at))
	fortest.Must(sender(t, q, nil, endpoint).Pass(t.Context()))(t)
	got := q.last(t, "evt_00001", endpoint)
	if got.Status != 0 || got.Note == "" || strings.Contains(got.Note, "sekrit") {
		t.Errorf("result = %+v; want a note without the URL", got)
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
		"http://shop.example/", "http://127.0.0.1:9999/hook", "http://localhost:3000/hook", "https://localhost/", "https://[::1]:5000/",
		"http://backend/hook", "http://shop.internal/", "https://metadata.google.internal/", "https://printer.local/", "https://nas.home.arpa/",
		"https://10.1.2.3/", "https://169.254.169.254/latest", "https://[fd00:ec2::254]/", "https://0.0.0.0/", "https://[::]/",
		"https://[::ffff:127.0.0.1]/", "https://[::127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
		"https://shop.example:22/", "https://shop.example:25/", "https://shop.example:80/", "https://shop.example:6379/", "https://shop.example:65535/",
	} {
		fortest.OK(t, CheckEndpoint(raw, true))
		fortest.Fails(t, CheckEndpoint(raw, false), "CheckEndpoint(%q, false)", raw)
	}
}

func TestCheckEndpointBad(t *testing.T) {
	for _, raw := range []string{
		"", " ", "shop.example/hook", "//shop.example/", "/hook", "https:", "https://", "https:///hook", "https:shop.example", "https://:443/",
		"ftp://shop.example/", "file:///etc/passwd", "gopher://shop.example/", "javascript:alert(1)", "data:text/plain,x", "unix:///run/x.sock", "ws://shop.example/",
		"https://user@shop.example/", "https://user:pass@shop.example/", "https://:@shop.example/", "https://@shop.example/",
		"https://good.example#@evil.example/", `https://good.example\@evil.example/`, `https:\\evil.example`, "https://shop.example/#part", "https://shop.example/#",
		"https://shop\t.example/", "https://shop.example/\n", "https://shop.example/a b", "\nhttps://shop.example/", "https://shop.example/\x00", "https://shop.example/\x7f",
		"https://shop.example./", "https://shop..example/", "https://.example/", "https://-shop.example/", "https://shop-.example/", "https://bücher.example/",
		"https://shop.ex\u2024ample/", "https://①②⑦.0.0.1/", "https://%31%32%37.0.0.1/", "https://shop%2eexample/", "https://shop*.example/",
		"https://" + strings.Repeat("a", 64) + ".example/", "https://" + strings.Repeat("a.", 127) + "example/",
		"https://127.1/", "https://2130706433/", "https://0x7f.1/", "https://0x7f000001/", "https://0177.0.0.1/", "https://127.0.0.01/", "https://127.0.0.1./", "https://1.2.3/", "https://256.1.1.1/", "https://shop.example.1/", "https://shop.0x/",
		"https://[fe80::1%25eth0]/", "https://[::1/", "https://::1/", "https://[127.0.0.1.]/", "https://[shop.example]/", "https://[v1.x]/",
		"https://shop.example:0/", "https://shop.example:65536/", "https://shop.example:99999999999/", "https://shop.example:/", "https://shop.example:0443/", "https://shop.example:-1/", "https://shop.example:https/", "https://shop.example:443:443/",
		"https://shop.example/" + strings.Repeat("a", 1980), "https://shop.example/" + strings.Repeat("a", 5000),
		"https://a.example/,https://b.example/\x0b",
	} {
		for _, private := range []bool{false, true} {
			err := CheckEndpoint(raw, private)
			if err == nil {
				t.Errorf("CheckEndpoint(%q, %v) = nil; want an error", raw, private)
				continue
			}
			if len(raw) > 12 && strings.Contains(err.Error(), raw[8:]) {
				t.Errorf("CheckEndpoint(%q)'s error holds the value: %v", raw, err)
			}
		}
	}
}
