package e2e

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store/pgtest"
	"coinslot/e2e/child"
	"coinslot/e2e/need"
)

// TestFullMedusa sells with the payment provider of integrations/medusa: it installs Medusa, checks the provider's types, and
// runs integrations/medusa/test/medusa.test.mjs with Medusa, PostgreSQL and the checkout.
func TestFullMedusa(t *testing.T) {
	need.Long(t, "it installs Medusa from the npm registry")
	dir, port, hook := t.TempDir(), fortest.FreePort(t), "whsec_"+hookKey
	medusa := "http://127.0.0.1:" + port

	// medusa.test.mjs has charges that are worked out by hand from these
	rates := filepath.Join(t.TempDir(), "rates.yaml")
	fixed := "base: USD\ndate: 2026-11-26\nrates: {EUR: 0.9157, JPY: 157.25}\n"
	fortest.OK(t, os.WriteFile(rates, []byte(fixed), 0o600))

	s := newStack(t, "COINSLOT_SANDBOX=true", "COINSLOT_RATES="+rates,
		"COINSLOT_WEBHOOK_URL="+medusa+"/hooks/payment/coinslot_coinslot")
	fortest.OK(t, os.CopyFS(dir, os.DirFS("testdata/medusa")))
	fortest.OK(t, os.CopyFS(filepath.Join(dir, "src"), os.DirFS("../integrations/medusa/src")))
	env := npmSettings(t, "npm_config_prefer_offline=true", "MEDUSA_DISABLE_TELEMETRY=true", "NODE_ENV=development",
		"DATABASE_URL="+overTCP(t, pgtest.DSN(t)), "SHOP="+s.shop.URL, "MEDUSA="+medusa,
		"COINSLOT_URL="+s.base, "COINSLOT_SECRET_KEY="+secretKey, "COINSLOT_WEBHOOK_SECRET="+hook)
	step := func(name string, args ...string) {
		begin := time.Now()
		runIn(t, dir, env, name, args...)
		t.Logf("%s %v took %.0f s", name, args, time.Since(begin).Seconds())
	}
	step("npm", "install")
	step("node_modules/.bin/tsc", "-p", ".")
	step("node_modules/.bin/medusa", "db:migrate")
	step("node_modules/.bin/medusa", "user", "-e", "a@example.com", "-p", "secret123")
	said := &fortest.Log{}
	server := exec.Command(filepath.Join(dir, "node_modules/.bin/medusa"), "start", "-p", port,
		"-H", "127.0.0.1")
	server.Dir = dir
	server.Env = append(os.Environ(), env...)
	server.Stdout = said
	server.Stderr = said
	child.Tie(server)
	fortest.OK(t, server.Start())
	t.Cleanup(func() {
		child.End(server)
		if t.Failed() {
			t.Logf("Medusa said:\n%s", said.String())
		}
	})
	fortest.Within(t, 3*time.Minute, "Medusa to answer", func() bool {
		resp, err := http.Get(medusa + "/health")
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	test := fortest.Must(filepath.Abs("../integrations/medusa/test/medusa.test.mjs"))(t)
	t.Log(runIn(t, dir, env, "node", "--test", "--test-reporter=spec", test))
	t.Logf("Medusa %s", installedVersion(t, dir, "@medusajs/medusa"))
}

// overTCP returns the address of a database over TCP, for a client that knows no sockets of a file system.
func overTCP(t *testing.T, dsn string) string {
	t.Helper()
	address := fortest.Must(url.Parse(dsn))(t)
	socket := filepath.Join(address.Query().Get("host"), ".s.PGSQL.5432")
	l := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return // t has ended
			}
			to, err := net.Dial("unix", socket)
			if err != nil {
				from.Close()
				continue
			}
			go func() { defer to.Close(); _, _ = io.Copy(to, from) }()   // one side has closed
			go func() { defer from.Close(); _, _ = io.Copy(from, to) }() // one side has closed
		}
	}()
	address.Host, address.RawQuery = l.Addr().String(), ""
	return address.String()
}
