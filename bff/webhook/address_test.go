package webhook

import (
	"errors"
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
		if got := g.control("tcp", address, nil); !errors.Is(got, want) {
			t.Errorf("control(%q) = %v; want %v", address, got, want)
		}
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
