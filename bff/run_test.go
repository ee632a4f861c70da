package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
)

const secretCanary = "canary-0123456789-0123456789-0123456789"

// invoke runs coinslot without a process.
func invoke(env []string, args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(args, env, &o, &e)
	return code, o.String(), e.String()
}

func TestCommands(t *testing.T) {
	gateway := httptest.NewServer(sandbox.New(sandbox.Config{Key: secretCanary}))
	t.Cleanup(gateway.Close)
	good := []string{
		"COINSLOT_GATEWAY_URL=" + gateway.URL, "COINSLOT_GATEWAY_KEY=" + secretCanary,
		"COINSLOT_SECRET_KEY=" + secretCanary, "COINSLOT_ORDER_KEY=" + secretCanary,
	}
	bad := filepath.Join(t.TempDir(), "catalog.yaml")
	fortest.OK(
		t,
		os.WriteFile(bad, []byte("items: {tip: {open: {minimum: 5, maximum: 1, suggested: 5}}}"),
			0o600),
	)
	wrongKey := []string{
		"COINSLOT_GATEWAY_URL=" + gateway.URL, "COINSLOT_GATEWAY_KEY=another",
		"COINSLOT_SECRET_KEY=" + secretCanary,
	}
	for _, c := range []struct {
		name string
		env  []string
		args []string
		code int
		has  string // in either stream
	}{
		{"version", nil, []string{"version"}, 0, "platform " + runtime.GOOS + "/" + runtime.GOARCH},
		{"licenses", nil, []string{"licenses"}, 0, "modernc.org/sqlite"},
		{
			"licenses with an argument",
			nil,
			[]string{"licenses", "mit"},
			1,
			`unexpected argument "mit"`,
		},
		{"help", nil, []string{"-h"}, 0, "COINSLOT_GATEWAY_URL"},
		{"help by its name", nil, []string{"help"}, 0, "COINSLOT_GATEWAY_URL"},
		{"help of a command", nil, []string{"reconcile", "-h"}, 0, "last day"},
		{"help of the other flags", nil, []string{"check", "-h"}, 0, "-json"},
		{"help instead of a password", nil, []string{"admin-password", "-h"}, 0, "print the hash"},
		{"no such command", nil, []string{"sevre"}, 2, `unknown command "sevre"`},
		{"no such flag", good, []string{"serve", "-prot", "1"}, 1, "prot"},
		{
			"an argument of a command without",
			nil,
			[]string{"demo", "now"},
			1,
			`unexpected argument "now"; see coinslot demo -h`,
		},
		{
			"no origin of one's own shop",
			nil,
			[]string{"demo", "-own-shop", "localhost:5173"},
			1,
			"-own-shop: must be origins like https://",
		},
		{
			"no address for webhooks",
			nil,
			[]string{
				"demo", "-listen", "127.0.0.1:0", "-shop-listen", "127.0.0.1:0", "-gateway-listen",
				"127.0.0.1:0", "-webhook-url", "127.0.0.1:3000",
			},
			1,
			"reading -webhook-url: it is not a URL such as https://shop.example",
		},
		{
			"a setting that the demo ignores",
			[]string{"COINSLOT_ORIGINS=http://localhost:5173"},
			[]string{"demo", "-listen", "nowhere"},
			1,
			"the demo ignores COINSLOT_ORIGINS: use -own-shop",
		},
		{"where to begin", nil, nil, 1, "coinslot demo"},
		{"extra argument", good, []string{"check", "now"}, 1, `"now"`},
		{"nothing set", nil, nil, 1, "COINSLOT_GATEWAY_KEY"},
		{
			"misspelt setting", append(good, "COINSLOT_PUBLIC_ULR=x"), nil, 1,
			"COINSLOT_PUBLIC_ULR is not a setting",
		},
		{
			"short secret", append(good[:2:2], "COINSLOT_SECRET_KEY=short"), nil, 1,
			"COINSLOT_SECRET_KEY: is too short",
		},
		{
			"taken address",
			append(good, "COINSLOT_DATABASE="+t.TempDir()+"/a.db",
				"COINSLOT_LISTEN="+strings.TrimPrefix(gateway.URL, "http://")),
			nil, 1, "COINSLOT_LISTEN",
		},
		{
			"no folder for the database", append(good, "COINSLOT_DATABASE=/nonexistent/a.db"), nil,
			1, "COINSLOT_DATABASE",
		},
		{
			"no catalogue", append(good, "COINSLOT_CATALOG=/nonexistent.yaml"), nil, 1,
			"COINSLOT_CATALOG",
		},
		{
			"bad catalogue",
			append(good, "COINSLOT_CATALOG="+bad, "COINSLOT_DATABASE="+t.TempDir()+"/b.db"), nil,
			1, `item "tip": open.maximum: `,
		},
		{
			"check of a bad catalogue",
			append(good, "COINSLOT_CATALOG="+bad),
			[]string{"check"},
			1,
			`COINSLOT_CATALOG: reading the catalog: item "tip": open.maximum: `,
		},
		{
			"sandbox for everybody",
			nil,
			[]string{"sandbox", "-listen", "0.0.0.0:0"},
			1,
			"loopback addresses only",
		},
		{"sandbox nowhere", nil, []string{"sandbox", "-listen", "here"}, 1, "must be host:port"},
		{
			"play money at a real gateway",
			[]string{
				"COINSLOT_SANDBOX=true",
				"COINSLOT_GATEWAY_URL=https://gateway.example",
				good[1],
				good[2],
			},
			nil,
			1,
			"COINSLOT_SANDBOX: COINSLOT_GATEWAY_URL must be a sandbox gateway",
		},
		{"check", good, []string{"check", "-v"}, 0, "USDT on TRON"},
		{"check in short", good, []string{"check"}, 0, "(-v lists them)\n"},
		{"check with a wrong key", wrongKey, []string{"check"}, 1, "it rejects the key"},
		{"check for programs", good, []string{"check", "-json"}, 0, `"failed": 0`},
		{
			"check tells every problem",
			[]string{"COINSLOT_POLL_INTERVAL=3"},
			[]string{"check"},
			1,
			"COINSLOT_POLL_INTERVAL: must be a duration",
		},
		{
			"health of nobody",
			[]string{"COINSLOT_OPS_LISTEN=127.0.0.1:1"},
			[]string{"health"},
			1,
			"127.0.0.1:1",
		},
		{
			"health that is off",
			[]string{"COINSLOT_OPS_LISTEN=-"},
			[]string{"health"},
			1,
			"/readyz is turned off",
		},
		{"token", good, []string{"order-token", "-amount", "25.00", "-ref", "1001"}, 0, "eyJ"},
		{
			"token in euros",
			good,
			[]string{"order-token", "-amount", "25.00", "-currency", "EUR", "-ref", "1001"},
			0,
			"eyJ",
		},
		{
			"token with too many digits",
			good,
			[]string{"order-token", "-amount", "25.00", "-currency", "JPY", "-ref", "1001"},
			1,
			"an amount in JPY is a whole number",
		},
		{
			"token without a key",
			good[:3],
			[]string{"order-token", "-amount", "25.00", "-ref", "1001"},
			1,
			"COINSLOT_ORDER_KEY",
		},
		{"token without an amount", good, []string{"order-token"}, 1, "-amount"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := invoke(c.env, c.args...)
			if code != c.code || !strings.Contains(out+errs, c.has) {
				t.Errorf("exit %d; want %d and %q in:\n%s%s", code, c.code, c.has, out, errs)
			}
			fortest.Lacks(t, "a secret was printed", out+errs, secretCanary)
		})
	}
}

// Metrics and traces have the version that the command prints, also in a release.
func TestVersionIsPassedOn(t *testing.T) {
	before := stamp
	t.Cleanup(func() { stamp = before })
	stamp = "v1.2.3 0123456789abcdef 2026-11-22T00:00:00Z"
	fortest.Equal(t, serverOptions(config.Config{}, nil).Version, "v1.2.3", "Version")
}
