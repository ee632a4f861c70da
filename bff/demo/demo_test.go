package demo

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"coinslot/bff/config"
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

// Pages of one's own shop may show the checkout under both names of this machine, and an unlisted
// page gets the demo's flag, not a setting that the demo ignores.
func TestOwnShop(t *testing.T) {
	c := freeAddresses(t)
	c.Own = fortest.Must(config.Origins("http://localhost:5173/, https://shop.example"))(t)
	d := start(t, c)
	for origin, listed := range map[string]bool{
		"http://localhost:5173": true, "http://127.0.0.1:5173": true, "https://shop.example": true,
		strings.Replace(d.shop, "127.0.0.1", "localhost", 1): true, "http://localhost:5174": false, "http://shop.example": false,
	} {
		for place, report := range map[string]string{
			"doctor": fetch(t, http.MethodGet, d.checkout+"/checkout/doctor?code=origin_refused&format=text&origin="+origin, ""),
			"loader": fetch(t, http.MethodGet, d.checkout+"/checkout/embed.js?origin="+origin, ""),
		} {
			if (strings.Contains(report, "NOT listed") || strings.Contains(report, `"listed":false`)) == listed {
				t.Errorf("the %s about %s: listed is not %v: %s", place, origin, listed, report)
			}
			if line := "coinslot demo -own-shop http://localhost:5173,https://shop.example," + origin; !strings.Contains(report, line) || strings.Contains(report, "COINSLOT_ORIGINS") {
				t.Errorf("the %s about %s does not say %q: %s", place, origin, line, report)
			}
		}
	}
}

// Webhooks also go to a server beside the pages' one, by default to the first origin.
func TestOwnWebhook(t *testing.T) {
	for _, c := range []struct {
		own        []string
		flag, want string
	}{
		{[]string{"http://localhost:5173", "http://localhost:5174"}, "", "http://localhost:5173/hooks/coinslot"},
		{[]string{"http://localhost:5173"}, "http://127.0.0.1:3000/hook", "http://127.0.0.1:3000/hook"},
		{nil, "http://127.0.0.1:3000/hook", "http://127.0.0.1:3000/hook"}, {nil, "", ""},
	} {
		d := demo{Config: Config{Own: c.own, Webhook: c.flag}}
		if err := d.addOwnShop(); err != nil || strings.Join(d.settings.WebhookURLs, " ") != c.want {
			t.Errorf("own shop %v, webhook URL %q: %v, %v; want %q", c.own, c.flag, d.settings.WebhookURLs, err, c.want)
		}
	}
}
