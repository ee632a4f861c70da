package demo

import (
	"net"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
)

// The bar offers only what the sandbox knows.
func TestKindsOfTheSandbox(t *testing.T) {
	known := map[sandbox.Kind]bool{}
	for _, k := range sandbox.Kinds() {
		known[k] = true
	}
	for _, k := range Kinds() {
		if !known[sandbox.Kind(k)] {
			t.Errorf("the sandbox knows no %q", k)
		}
	}
}

// A port that is taken is no reason not to start.
func TestListenElsewhere(t *testing.T) {
	taken := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	l := fortest.Must(listen(taken.Addr().String()))(t)
	defer l.Close()
	if port(l) == port(taken) || port(l) == "" {
		t.Errorf("listening on port %s; %s was taken", port(l), port(taken))
	}
	if _, err := listen("no address"); err == nil {
		t.Error("listening on no address succeeded")
	}
}

// What the reader writes about a shop of their own has to be an origin.
func TestOwnShop(t *testing.T) {
	for own, ok := range map[string]bool{
		"": true, "http://127.0.0.1:3000": true, "https://shop.example": true,
		"127.0.0.1:3000": false, "http://127.0.0.1:3000/": false, "http://127.0.0.1:3000/shop": false, "ftp://shop.example": false,
		"http://": false, "http://ann@shop.example": false, "http://shop.example?a=1": false,
	} {
		d := demo{Config: Config{Own: own, Catalog: "catalog.yaml"}}
		err := d.addOwnShop()
		if (err == nil) != ok {
			t.Errorf("admitting %q: %v", own, err)
		}
		if got := len(d.settings.Origins); err == nil && own != "" && got != 1 {
			t.Errorf("admitting %q: %d origins; want 1", own, got)
		}
	}
}
