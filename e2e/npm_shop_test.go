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
)

// npmShop is a shop system from the npm registry, in a folder of its own with a PostgreSQL
// database.
type npmShop struct {
	t      *testing.T
	dir    string
	port   string
	url    string
	env    []string
	health string   // the path that answers 200 once it is up
	serve  []string // the program in dir, and its arguments
	server *exec.Cmd
	log    *fortest.Log
}

// newNPMShop copies the project of testdata/name. What start begins ends with t.
func newNPMShop(t *testing.T, name string) *npmShop {
	t.Helper()
	port := fortest.FreePort(t)
	n := &npmShop{
		t: t, dir: t.TempDir(), port: port, url: "http://127.0.0.1:" + port, log: &fortest.Log{},
	}
	t.Cleanup(func() {
		n.kill()
		if t.Failed() {
			t.Logf("the shop said:\n%s", n.log.String())
		}
	})

	fortest.OK(t, os.CopyFS(n.dir, os.DirFS("testdata/"+name)))
	n.env = npmSettings(t, "npm_config_prefer_offline=true", "NODE_ENV=development",
		"PORT="+port, "DATABASE_URL="+overTCP(t, pgtest.DSN(t)))
	return n
}

// copyIntegration copies the files of a folder in integrations into a folder of the shop.
func (n *npmShop) copyIntegration(from, to string) {
	n.t.Helper()
	runIn(n.t, ".", nil, "cp", "-RL", "../integrations/"+from+"/.", filepath.Join(n.dir, to))
}

// step runs a program of the shop to its end, and logs how long it took.
func (n *npmShop) step(name string, args ...string) {
	n.t.Helper()
	begin := time.Now()
	runIn(n.t, n.dir, n.env, name, args...)
	n.t.Logf("%s %v took %.0f s", name, args, time.Since(begin).Seconds())
}

// start serves the shop until kill, and waits until it answers.
func (n *npmShop) start() {
	n.t.Helper()
	n.server = exec.Command(n.serve[0], n.serve[1:]...)
	n.server.Dir = n.dir
	n.server.Env = append(os.Environ(), n.env...)
	n.server.Stdout = n.log
	n.server.Stderr = n.log
	child.Tie(n.server)
	fortest.OK(n.t, n.server.Start())
	fortest.Within(n.t, 3*time.Minute, "the shop to answer", func() bool {
		resp, err := http.Get(n.url + n.health)
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
}

// kill is kill -9.
func (n *npmShop) kill() {
	if n.server != nil {
		child.End(n.server)
	}
	n.server = nil
}

// sell starts the shop, and runs the tests of a file in integrations with it.
func (n *npmShop) sell(file, library string) {
	n.t.Helper()
	n.start()
	test := fortest.Must(filepath.Abs("../integrations/" + file))(n.t)
	n.t.Log(runIn(n.t, n.dir, n.env, "node", "--test", "--test-reporter=spec", test))
	n.t.Logf("%s %s", library, installedVersion(n.t, n.dir, library))
}

// fixedRates writes a file of rates. The tests of shops have charges that are worked out by hand from
// them.
func fixedRates(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rates.yaml")
	rates := "base: USD\ndate: 2026-11-26\nrates: {EUR: 0.9157, JPY: 157.25}\n"
	fortest.OK(t, os.WriteFile(path, []byte(rates), 0o600))
	return path
}

// overTCP returns the address of a database over TCP, for a client that knows no sockets of a file
// system.
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
