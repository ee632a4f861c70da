package deploy

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/built"
	"coinslot/e2e/child"
	"coinslot/e2e/need"

	"github.com/letsencrypt/challtestsrv"
	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
)

// inside is set in the process that has a machine of its own: see TestFullOneMachine.
const inside = "COINSLOT_TEST_MACHINE"

// systemctl stands for systemd's: it starts an instance as the unit says, with a copy of its
// settings that it alone can read, and checks that the unit is there.
const systemctl = `#!/bin/sh
set -e
case "$1 $2" in
"daemon-reload "*) test -f /etc/systemd/system/coinslot@.service ;;
"enable --now")
	name=${3#coinslot@}
	mkdir -p -m 0700 /var/lib/coinslot/$name /run/credentials/$name
	install -m 0400 /etc/coinslot/$name.env /run/credentials/$name/settings
	command=$(sed -n 's/^ExecStart=//p' /etc/systemd/system/coinslot@.service | sed "s|%d|/run/credentials/$name|")
	cd /var/lib/coinslot/$name
	env -u SSL_CERT_DIR $command >>/var/log/$name 2>&1 &
	for i in $(seq 100); do
		grep -q ' serves ' /var/log/$name && exit 0
		sleep 0.1
	done
	cat /var/log/$name; exit 1 ;;
*) exit 1 ;;
esac
`

// Two shops are set up by the commands of docs/deploy.md and nothing else, on a machine of their
// own: a folder as its root, and a network in which ports 80 and 443 are free. An order is then
// paid over HTTPS with a certificate by ACME.
func TestFullOneMachine(t *testing.T) {
	need.Long(t, "it sets up a machine")
	if os.Getenv(inside) == "" {
		enterMachine(t)
		return
	}

	root := newRoot(t)
	acme, authorities := startACME(t)
	gateway := sandbox.New(sandbox.Config{Key: "gateway-key-of-the-test"})
	front := httptest.NewServer(gateway)
	t.Cleanup(front.Close)
	fortest.OK(t, os.WriteFile(filepath.Join(root, "etc/ssl/test.pem"), authorities, 0o644))
	fortest.OK(t, os.WriteFile(filepath.Join(root, "root/gateway-key"),
		[]byte("gateway-key-of-the-test\n"), 0o600))

	paste := func(name string) string {
		text := strings.NewReplacer("https://gateway.example", front.URL).
			Replace(commands(t, "deploy.md", name))
		cmd := exec.CommandContext(t.Context(), "chroot", root, "sh", "-exc", "cd /root; "+text)
		cmd.Env = []string{"PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
			"COINSLOT_ACME=" + acme + "/dir", "SSL_CERT_FILE=/etc/ssl/test.pem"}
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, said)
		}
		return string(said)
	}

	began := time.Now()
	said := paste("one machine")
	t.Logf("the commands took %v:\n%s", time.Since(began), said)
	fortest.Has(t, "the commands", said, "Password of the console",
		"https://pay.shop.example leads to this server", "websocket")
	settings := filepath.Join(root, "etc/coinslot/shop.env")
	info := fortest.Must(os.Stat(settings))(t)
	fortest.Equal(t, info.Mode().Perm(), 0o600, "the mode of the settings")

	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authorities)
	opened := paste("first order")
	pay(t, settings, opened, gateway, &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+port)
		},
	}})

	paste("several shops")
	second := string(fortest.Must(os.ReadFile(filepath.Join(root, "etc/coinslot/shop2.env")))(t))
	fortest.Has(t, "the second shop", second, "COINSLOT_LISTEN=127.0.0.1:8080\n",
		"COINSLOT_OPS_LISTEN=127.0.0.1:9091\n", "/var/lib/coinslot/shop2/coinslot.db\n")
	fortest.Lacks(t, "the second shop", second, "COINSLOT_TLS")
	again := exec.Command("chroot", root, "coinslot", "init", "shop2", "-dry-run")
	again.Env = []string{"PATH=/usr/local/bin"}
	refused, err := again.CombinedOutput()
	if err == nil || !strings.Contains(string(refused), "overwrites nothing") {
		t.Errorf("coinslot init of a shop that is there: %v\n%s", err, refused)
	}
	for _, port := range []string{"9090", "9091"} {
		answer := fortest.Must(http.Get("http://127.0.0.1:" + port + "/readyz"))(t)
		body := fortest.Must(io.ReadAll(answer.Body))(t)
		fortest.Equal(t, string(body), "ok\n", "/readyz at %s", port)
		answer.Body.Close()
	}
	measure(t, root)
}

// enterMachine runs the test in a process with mounts, processes and a network of its own.
func enterMachine(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		need.Tool(t, need.Missing("the right to make namespaces, which root has,", "install-all"))
	}
	program := built.Program(t)
	unshare := need.Command(t, "unshare")
	self := fortest.Must(os.Executable())(t)
	cmd := exec.CommandContext(t.Context(), unshare, "--mount", "--net", "--pid", "--fork",
		"--kill-child", self, "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	cmd.Env = append(os.Environ(), inside+"="+program, "PEBBLE_VA_NOSLEEP=1",
		"PEBBLE_WFE_NONCEREJECT=0")
	child.Tie(cmd)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("on the machine: %v\n%s", err, said)
	}
	t.Logf("%s", said)
}

// newRoot makes the folder that the machine has as its root, with the programs of this one.
func newRoot(t *testing.T) string {
	t.Helper()
	fortest.OK(t, exec.Command("ip", "link", "set", "lo", "up").Run())
	fortest.OK(t, syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""))
	root := t.TempDir()
	t.Cleanup(func() { // programs of the machine still run, and end with it
		mounts := fortest.Must(os.ReadFile("/proc/self/mounts"))(t)
		lines := strings.Split(string(mounts), "\n")
		for i := range lines {
			fields := strings.Fields(lines[len(lines)-1-i])
			if len(fields) > 1 && strings.HasPrefix(fields[1], root+"/") {
				_ = syscall.Unmount(fields[1], syscall.MNT_DETACH)
			}
		}
	})
	for _, folder := range []string{"bin", "sbin", "lib", "lib64", "usr"} {
		bind(t, "/"+folder, filepath.Join(root, folder))
	}
	for _, folder := range []string{
		"etc/ssl", "etc/systemd/system", "proc", "dev", "root", "run", "tmp", "var/lib", "var/log",
	} {
		fortest.OK(t, os.MkdirAll(filepath.Join(root, folder), 0o755))
	}
	fortest.OK(t, syscall.Mount("proc", filepath.Join(root, "proc"), "proc", 0, ""))
	bind(t, "/dev", filepath.Join(root, "dev"))

	local := filepath.Join(root, "usr/local")
	fortest.OK(t, syscall.Mount("tmpfs", local, "tmpfs", 0, ""))
	fortest.OK(t, os.Mkdir(filepath.Join(local, "bin"), 0o755))
	fortest.OK(t, os.WriteFile(filepath.Join(local, "bin/systemctl"), []byte(systemctl), 0o755))
	fortest.OK(t, os.WriteFile(filepath.Join(root, "etc/hosts"),
		[]byte("127.0.0.1 localhost pay.shop.example\n"), 0o644))
	program := fortest.Must(os.ReadFile(os.Getenv(inside)))(t)
	fortest.OK(t, os.WriteFile(filepath.Join(root, "root/coinslot"), program, 0o755))
	return root
}

// bind shows a folder at another place, which it makes.
func bind(t *testing.T, from, to string) {
	t.Helper()
	if _, err := os.Stat(from); err != nil {
		return
	}
	fortest.OK(t, os.MkdirAll(to, 0o755))
	fortest.OK(t, syscall.Mount(from, to, "", syscall.MS_BIND|syscall.MS_REC, ""))
}

// startACME starts Pebble, which checks names at ports 80 and 443. It returns its address, and the
// certificates by which it and what it issues are trusted.
func startACME(t *testing.T) (address string, authorities []byte) {
	t.Helper()
	silent := log.New(io.Discard, "", 0)
	const resolver = "127.0.0.1:5353"
	names := fortest.Must(challtestsrv.New(challtestsrv.Config{
		Log:      silent,
		DNSAddrs: []string{resolver},
	}))(t)
	names.SetDefaultDNSIPv6("")
	names.Run()
	t.Cleanup(names.Shutdown)

	store := db.NewMemoryStore()
	authority := ca.New(silent, store, "", "ecdsa", 0, 1,
		map[string]ca.Profile{"default": {Description: "x"}})
	checks := va.New(silent, 80, 443, false, resolver, store)
	front := wfe.New(silent, store, checks, authority, []string{"pebble.test"}, false, false, 1, 1)
	server := httptest.NewTLSServer(front.Handler())
	t.Cleanup(server.Close)

	for _, der := range [][]byte{server.Certificate().Raw, authority.GetRootCert(0).DER} {
		authorities = append(authorities,
			pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return server.URL, authorities
}

// pay pays the order that the API answered with, and waits until it is confirmed.
func pay(t *testing.T, settings, opened string, gateway *sandbox.Server, over *http.Client) {
	t.Helper()
	text := fortest.Must(os.ReadFile(settings))(t)
	key := regexp.MustCompile(`(?m)^COINSLOT_SECRET_KEY=(.*)$`).FindSubmatch(text)
	if key == nil {
		t.Fatalf("no key in %s", settings)
	}
	request := func(method, path, kind, body string) []byte {
		r := fortest.Must(http.NewRequestWithContext(t.Context(), method,
			"https://pay.shop.example"+path, strings.NewReader(body)))(t)
		r.Header.Set("Authorization", "Bearer "+string(key[1]))
		r.Header.Set("Content-Type", kind)
		answer := fortest.Must(over.Do(r))(t)
		defer answer.Body.Close()
		said := fortest.Must(io.ReadAll(answer.Body))(t)
		if answer.StatusCode >= 300 {
			t.Fatalf("%s %s = %s %s", method, path, answer.Status, said)
		}
		return said
	}

	id := regexp.MustCompile(`cs_[a-z2-7]+`).FindString(opened)
	if id == "" {
		t.Fatalf("no session: %s", opened)
	}
	request("POST", "/checkout/"+id+"/attempts", "application/json",
		`{"currency_symbol":"USDT","network_code":"trc20"}`)
	fortest.Until(t, "a transaction", func() bool { return len(gateway.Transactions()) > 0 })
	fortest.OK(t, gateway.Pay(gateway.Transactions()[0].TrackingCode, sandbox.KindPay))
	fortest.Until(t, "the payment", func() bool {
		return bytes.Contains(request("GET", "/v1/sessions/"+id, "", ""),
			[]byte(`"status":"confirmed"`))
	})
}

// measure logs what a shop takes at rest.
func measure(t *testing.T, root string) {
	t.Helper()
	said, err := exec.Command("chroot", root, "sh", "-c",
		"grep -H -E 'VmRSS|VmHWM' $(grep -l -a coinslot /proc/[0-9]*/comm | sed s/comm/status/); "+
			"du -sh /var/lib/coinslot/*; for p in $(grep -l -a coinslot /proc/[0-9]*/comm | xargs -n1 dirname); do "+
			"ls $p/fd | wc -l; done").CombinedOutput()
	t.Logf("what the shops take: %v\n%s", err, said)
}
