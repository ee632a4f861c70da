package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
)

// testShop is what an operator says about a shop.
func testShop(name, tls string) *newShop {
	return &newShop{
		name:       name,
		publicURL:  "https://pay." + name + ".example",
		origins:    "https://" + name + ".example",
		gatewayURL: "https://gateway.example",
		gatewayKey: "key-of-the-gateway",
		webhookURL: "https://" + name + ".example/hooks",
		tls:        tls,
	}
}

// What init writes is read back as it is, and starts a server. No two shops share keys, ports or
// a database.
func TestNewShops(t *testing.T) {
	var used []string
	seen := map[string]string{}
	for i, shop := range []*newShop{
		testShop("one", "auto"), testShop("two", "proxy"), testShop("three", "proxy"),
	} {
		entries := fortest.Must(shop.entries(used, "a password, long enough"))(t)
		path := filepath.Join(t.TempDir(), "shop.env")
		fortest.OK(t, create(path, shop.file(entries), 0o600))
		fortest.Fails(t, create(path, "", 0o600), "writing it again")
		again := fortest.Must(config.ReadFile(path))(t)
		fortest.Diff(t, again, entries, "the entries that are read")

		c := fortest.Must(config.Load(again, nil))(t)
		fortest.Equal(t, c.TLS.Auto, i == 0, "TLS.Auto of %s", shop.name)
		fortest.Equal(t, len(c.WebhookSecrets), 1, "webhook secrets")
		for _, value := range []string{
			c.Listen, c.OpsListen, c.Database, c.SecretKeys[0].Reveal(),
			c.WebhookSecrets[0].Reveal(),
		} {
			if seen[value] != "" {
				t.Errorf("%s and %s share %s", seen[value], shop.name, value)
			}
			seen[value] = shop.name
		}
		used = append(used, entries...)
	}
	_, err := testShop("four", "auto").entries(used, "a password, long enough")
	if err == nil || !strings.Contains(err.Error(), "-tls proxy") {
		t.Errorf("a second shop with https of its own: %v", err)
	}
}

func TestInit(t *testing.T) {
	key := filepath.Join(t.TempDir(), "gateway-key")
	fortest.OK(t, os.WriteFile(key, []byte(secretCanary+"\n"), 0o600))
	flags := []string{
		"-public-url", "https://pay.shop.example", "-origins", "https://shop.example",
		"-gateway-url", "https://gateway.example", "-gateway-key-file", key, "-dry-run",
	}
	code, out, errs := invoke(nil, append([]string{"init"}, flags...)...)
	if code != 0 {
		t.Fatalf("init = %d %s", code, errs)
	}
	fortest.Has(t, "it", out, "/etc/coinslot/shop.env:", "COINSLOT_TLS=auto\n",
		"COINSLOT_SECRET_KEY=…", "COINSLOT_GATEWAY_KEY=…", "/etc/systemd/system/coinslot@.service:",
		"LoadCredential=settings:/etc/coinslot/%i.env")
	fortest.Lacks(t, "it", out+errs, secretCanary)
	if _, err := os.Stat("/etc/coinslot/shop.env"); err == nil {
		t.Error("a dry run has written something")
	}

	for _, c := range []struct {
		args []string
		has  string
	}{
		{[]string{"init", "../shop"}, "small letters, digits and -"},
		{[]string{"init", "a", "b"}, `unexpected argument "b"`},
		{append([]string{"init"}, flags[2:]...), "-public-url"},
		{append([]string{"init"}, append(flags, "-public-url", "pay.shop.example")...),
			"COINSLOT_PUBLIC_URL: must be an origin"},
	} {
		code, out, errs := invoke(nil, c.args...)
		if code != 1 || !strings.Contains(errs, c.has) {
			t.Errorf("%v = %d, %s%s; want %q", c.args, code, out, errs, c.has)
		}
	}
}

// Every command takes -settings; the environment goes before it.
func TestSettingsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.env")
	text := "# a shop\nCOINSLOT_ORDER_KEY='" + secretCanary + "'\nCOINSLOT_OPS_LISTEN=-\n"
	fortest.OK(t, os.WriteFile(path, []byte(text), 0o600))
	for _, c := range []struct {
		env, args []string
		code      int
		has       string
	}{
		{nil, []string{"order-token", "-settings", path, "-amount", "25.00", "-ref", "1"}, 0, "eyJ"},
		{nil, []string{"-settings=" + path, "health"}, 1, "is turned off"},
		{[]string{"COINSLOT_OPS_LISTEN=127.0.0.1:1"}, []string{"health", "--settings", path}, 1,
			"127.0.0.1:1"},
		{nil, []string{"health", "-settings", path + "none"}, 1, "the file cannot be read"},
		{nil, []string{"health", "-settings"}, 1, "the file cannot be read"},
	} {
		code, out, errs := invoke(c.env, c.args...)
		if code != c.code || !strings.Contains(out+errs, c.has) {
			t.Errorf("%v = %d %s%s; want %d %s", c.args, code, out, errs, c.code, c.has)
		}
	}
}
