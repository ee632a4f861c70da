package check

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/diagnose"
	"coinslot/bff/payment"
	"coinslot/bff/reconcile"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/store"
)

const (
	key     = "gateway-key-0123456789abcdef"
	bearer  = "bearer-key-0123456789abcdef0123456789"
	another = "another-key-0123456789abcdef0123456789"
	whsec   = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA=="
	self    = "pay.shop.example"
	hook    = "hooks.shop.example"
)

// rig is a set-up without a fault: a gateway, a checkout behind https and a
// merchant's endpoint, on a net of its own.
type rig struct {
	t     *testing.T
	ca    *authority
	hosts map[string]string // address by name
	at    map[string]string // listener by "address:port"
	env   map[string]string
	now   func() time.Time
	built time.Time
	serve http.Handler // the checkout
	tests bool         // webhooks
}

// checkoutServer starts a checkout that worlds share, and returns its handler and its
// database.
func checkoutServer(t *testing.T, more ...string) (http.Handler, string) {
	t.Helper()
	database := filepath.Join(t.TempDir(), "coinslot.db")
	c, err := config.Load(append(more, "COINSLOT_GATEWAY_URL=http://127.0.0.1:1", "COINSLOT_GATEWAY_KEY="+key, "COINSLOT_SECRET_KEY="+bearer,
		"COINSLOT_PUBLIC_URL=https://"+self, "COINSLOT_ORIGINS=https://shop.example", "COINSLOT_DATABASE="+database), nil)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(t.Context(), c, server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	return srv.Handler, database
}

func newRig(t *testing.T, checkout http.Handler, database string) *rig {
	t.Helper()
	w := &rig{t: t, ca: newAuthority(t), now: time.Now, at: map[string]string{},
		hosts: map[string]string{self: "93.184.216.34", hook: "93.184.216.35"}}
	api := httptest.NewServer(sandbox.New(sandbox.Config{Key: key}))
	t.Cleanup(api.Close)
	w.env = map[string]string{
		"COINSLOT_GATEWAY_URL": api.URL, "COINSLOT_GATEWAY_KEY": key, "COINSLOT_SECRET_KEY": bearer, "COINSLOT_LISTEN": "127.0.0.1:1",
		"COINSLOT_PUBLIC_URL": "https://" + self, "COINSLOT_ORIGINS": "https://shop.example", "COINSLOT_RETENTION": "90", "COINSLOT_TRUSTED_PROXIES": "127.0.0.1/32",
		"COINSLOT_WEBHOOK_URL": "https://" + hook + "/in", "COINSLOT_WEBHOOK_SECRET": whsec, "COINSLOT_DATABASE": database,
	}
	w.serve = checkout
	w.site(self, year, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.serve.ServeHTTP(rw, r) }))
	w.site(hook, year, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a webhook was sent") }))
	return w
}

const year = 365 * 24 * time.Hour

// site serves a name by https with a certificate that is good for so long.
func (w *rig) site(name string, good time.Duration, h http.Handler, names ...string) {
	w.t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{w.ca.issue(w.t, good, append(names, name)[0])}}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	w.t.Cleanup(s.Close)
	w.at[w.hosts[name]+":443"] = s.Listener.Addr().String()
}

func (w *rig) environ() []string {
	var list []string
	for name, value := range w.env {
		list = append(list, name+"="+value)
	}
	return list
}

func (w *rig) run() Report {
	env := w.environ()
	c, problem := config.Load(env, nil)
	return Run(w.t.Context(), Config{
		Version: "v0", Env: env, Settings: c, Problem: problem, Webhook: w.tests, Now: w.now, Built: w.built, Roots: w.ca.pool,
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			if a, err := netip.ParseAddr(host); err == nil {
				return []netip.Addr{a}, nil
			}
			if a, is := w.hosts[host]; is {
				return []netip.Addr{netip.MustParseAddr(a)}, nil
			}
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, _, _ := strings.Cut(address, ":")
			if to, is := w.at[address]; is {
				address = to
			} else if host != "127.0.0.1" {
				return nil, errors.New("connection refused")
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	})
}

// authority issues certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-10 * year), NotAfter: time.Now().Add(10 * year),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: k, pool: x509.NewCertPool()}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.pool.AddCert(a.cert)
	return a
}

func (a *authority) issue(t *testing.T, good time.Duration, name string) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-year), NotAfter: time.Now().Add(good), DNSNames: []string{name}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
}

// Nothing is found where nothing is wrong, nothing is made, and both forms of the
// report say so.
func TestHealthySetup(t *testing.T) {
	checkout, database := checkoutServer(t)
	w := newRig(t, checkout, database)
	r := w.run()
	var text, data bytes.Buffer
	r.Text(&text, diagnose.Style{})
	if r.Failed()+r.warned() > 0 || !strings.Contains(text.String(), fmt.Sprintf("Ready: all %d checks passed.", len(r.Findings))) {
		t.Errorf("a healthy setup:\n%s", &text)
	}
	var read struct {
		Version  string
		Findings []struct{ ID, Level, Text string }
	}
	if err := errors.Join(r.JSON(&data), json.Unmarshal(data.Bytes(), &read)); err != nil || len(read.Findings) != len(r.Findings) || read.Version != "v0" || read.Findings[0].ID != "settings" || read.Findings[0].Level != "ok" || read.Findings[0].Text == "" {
		t.Errorf("as JSON: %v %s", err, &data)
	}
	for _, id := range []string{"settings", "secrets", "database", "disk", "gateway", "clock", "public", "headers", "websocket", "proxy", "origins", "webhooks", "ops", "files"} {
		if !strings.Contains(text.String(), "  ok    "+id+" ") {
			t.Errorf("nothing is said about %s:\n%s", id, &text)
		}
	}
}

// fault is something that is wrong, and the line that has to say so.
type fault struct {
	name  string
	cause func(t *testing.T, w *rig)
	level diagnose.Severity
	id    string
	says  string
}

func set(name, value string) func(*testing.T, *rig) {
	return func(_ *testing.T, w *rig) { w.env[name] = value }
}

// writeTemp is a file in a folder of the test.
func writeTemp(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

// before changes answers of the checkout, as a proxy does.
func before(w *rig, change func(http.ResponseWriter, *http.Request) (pass bool)) {
	inner := w.serve
	w.serve = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if change(rw, r) {
			inner.ServeHTTP(rw, r)
		}
	})
}

func settingFaults() []fault {
	return []fault{
		{"a setting that is not one", set("COINSLOT_LISTN", ":1"), diagnose.Fail, "settings", "COINSLOT_LISTN is not a setting"},
		{"one that is missing", set("COINSLOT_GATEWAY_URL", ""), diagnose.Fail, "settings", "COINSLOT_GATEWAY_URL is not set"},
		{"one that is malformed", set("COINSLOT_POLL_INTERVAL", "3"), diagnose.Fail, "settings", "COINSLOT_POLL_INTERVAL: must be a duration"},
		{"a short secret", set("COINSLOT_ORDER_KEY", "short"), diagnose.Fail, "settings", "COINSLOT_ORDER_KEY: is too short"},
		{"a secret's file open to all", func(t *testing.T, w *rig) {
			delete(w.env, "COINSLOT_SECRET_KEY")
			w.env["COINSLOT_SECRET_KEY_FILE"] = writeTemp(t, bearer, 0o644)
		}, diagnose.Fail, "settings", "COINSLOT_SECRET_KEY_FILE: the file is open to every user"},
		{"play money in public", set("COINSLOT_SANDBOX", "true"), diagnose.Fail, "settings", "COINSLOT_SANDBOX: COINSLOT_PUBLIC_URL must be on this machine"},
		{"play money", func(_ *testing.T, w *rig) {
			w.env["COINSLOT_SANDBOX"], w.env["COINSLOT_PUBLIC_URL"] = "true", "http://127.0.0.1:1"
		}, diagnose.Warn, "sandbox", "no payment is real"},
		{"a secret twice", set("COINSLOT_ORDER_KEY", bearer), diagnose.Warn, "secrets", "COINSLOT_ORDER_KEY is the same secret as COINSLOT_SECRET_KEY"},
		{"a secret made by hand", set("COINSLOT_ORDER_KEY", strings.Repeat("abc", 12)), diagnose.Warn, "secrets", "COINSLOT_ORDER_KEY does not look random"},
		{"secrets in the environment", func(*testing.T, *rig) {}, diagnose.OK, "secrets", "safer than the environment for COINSLOT_GATEWAY_KEY, COINSLOT_SECRET_KEY, COINSLOT_WEBHOOK_SECRET"},
		{"a bad catalogue", func(t *testing.T, w *rig) { w.env["COINSLOT_CATALOG"] = writeTemp(t, "items: {a: {}}", 0o600) }, diagnose.Fail, "catalogue", `item "a"`},
		{"an empty catalogue", func(t *testing.T, w *rig) { w.env["COINSLOT_CATALOG"] = writeTemp(t, "items: {}", 0o600) }, diagnose.Warn, "catalogue", "no items"},
		{"a bad list of coins", func(t *testing.T, w *rig) { w.env["COINSLOT_TOKENS"] = writeTemp(t, "coins: 3", 0o600) }, diagnose.Fail, "coins", "COINSLOT_TOKENS"},
		{"everything is kept", set("COINSLOT_RETENTION", ""), diagnose.Warn, "retention", "COINSLOT_RETENTION is not set"},
		{"no proxy named", set("COINSLOT_TRUSTED_PROXIES", ""), diagnose.Warn, "proxy", "all shoppers count as one client"},
		{"no proxy named before the console", func(_ *testing.T, w *rig) {
			w.env["COINSLOT_TRUSTED_PROXIES"], w.env["COINSLOT_ADMIN_PASSWORD"] = "", "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
		}, diagnose.Warn, "proxy", "lock everyone out of /admin"},
		{"everybody believed", set("COINSLOT_TRUSTED_PROXIES", "10.0.0.0/8,0.0.0.0/0"), diagnose.Fail, "proxy", "trusts everyone (0.0.0.0/0)"},
		{"half the internet believed", set("COINSLOT_TRUSTED_PROXIES", "93.0.0.0/8"), diagnose.Warn, "proxy", "wide public network"},
		{"no origin", set("COINSLOT_ORIGINS", ""), diagnose.Warn, "origins", "no page may embed the checkout"},
		{"an origin without https", set("COINSLOT_ORIGINS", "http://shop.example"), diagnose.Warn, "origins", "http://shop.example has no https"},
		{"its own origin", set("COINSLOT_ORIGINS", "https://shop.example,https://"+self), diagnose.Warn, "origins", "lists the checkout itself"},
		{"ops for all", set("COINSLOT_OPS_LISTEN", ":9090"), diagnose.Warn, "ops", "open to other machines"},
		{"ops for the world", set("COINSLOT_OPS_LISTEN", "93.184.216.34:9090"), diagnose.Fail, "ops", "a public address"},
		{"ops for the cluster", func(_ *testing.T, w *rig) {
			w.env["COINSLOT_OPS_LISTEN"], w.env["KUBERNETES_SERVICE_HOST"] = ":9090", "10.0.0.1"
		}, diagnose.OK, "ops", "open to the cluster"},
		{"ops off", set("COINSLOT_OPS_LISTEN", "-"), diagnose.OK, "ops", "off"},
	}
}

func databaseFaults() []fault {
	list := []fault{
		{"no folder", set("COINSLOT_DATABASE", "/nonexistent/a.db"), diagnose.Fail, "database", "mkdir -p /nonexistent"},
		{"not there yet", func(t *testing.T, w *rig) { w.env["COINSLOT_DATABASE"] = filepath.Join(t.TempDir(), "new.db") }, diagnose.OK, "database", "the first start creates it"},
		{"no database", func(t *testing.T, w *rig) {
			w.env["COINSLOT_DATABASE"] = writeTemp(t, strings.Repeat("text ", 1000), 0o600)
		}, diagnose.Fail, "database", "not an SQLite database"},
		{"open to all", func(t *testing.T, w *rig) {
			_, w.env["COINSLOT_DATABASE"] = checkoutServer(t)
			if err := os.Chmod(w.env["COINSLOT_DATABASE"], 0o644); err != nil {
				t.Fatal(err)
			}
		}, diagnose.Warn, "database", "chmod 600"},
		{"no server", set("COINSLOT_DATABASE", "postgres://u:pass-word@127.0.0.1:1/x"), diagnose.Fail, "database", "127.0.0.1:1"},
		{"no address", set("COINSLOT_DATABASE", "mysql://u:pass-word@h/x"), diagnose.Fail, "database", "not supported"},
	}
	// A file system without room, on Linux. Others than root may not write there anyway.
	if _, err := os.Stat("/proc/self"); err == nil && os.Geteuid() == 0 {
		list = append(list, fault{"no room", set("COINSLOT_DATABASE", "/proc/new.db"), diagnose.Fail, "disk", "0 MB free for /proc"})
	}
	return list
}

func gatewayFaults() []fault {
	shifted := func(d time.Duration) func(*testing.T, *rig) {
		return func(_ *testing.T, w *rig) { w.now = func() time.Time { return time.Now().Add(d) } }
	}
	answers := func(networks string) func(*testing.T, *rig) {
		return func(t *testing.T, w *rig) {
			s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(rw, `{"status":200,"message":"","data":[%s]}`, networks)
			}))
			t.Cleanup(s.Close)
			w.env["COINSLOT_GATEWAY_URL"] = s.URL
		}
	}
	return []fault{
		{"a wrong key", set("COINSLOT_GATEWAY_KEY", "wrong"), diagnose.Fail, "gateway", "it rejects the key (status 401)"},
		{"nobody there", set("COINSLOT_GATEWAY_URL", "http://127.0.0.1:1"), diagnose.Fail, "gateway", "it cannot be reached: "},
		{"a coin that cannot be read", answers(`{"currency_symbol":"USDT","supported_networks":[` +
			`{"network_code":"trc20","max_ttl":"long"},{"network_code":"bep20","max_ttl":60}]}`),
			diagnose.Warn, "gateway", "1 invalid entry of its currency list skipped: USDT trc20: reading max_ttl: not a whole number"},
		{"no coins", answers(""), diagnose.Fail, "gateway", "no coin is enabled"},
		{"a coin without a link", answers(`{"currency_symbol":"NEW","currency_name":"New","price_in_usdt":"1","supported_networks":[{"network_name":"N","network_code":"n","network_fee":"0","minimum_pay_usd":"1","maximum_pay_usd":"9","max_ttl":30}]}`),
			diagnose.Warn, "coins", "1 of 1 have no payment link"},
		{"a clock that is off", shifted(30 * time.Second), diagnose.Warn, "clock", "differ by 30s"},
		{"a clock that is wrong", shifted(-10 * time.Minute), diagnose.Fail, "clock", "differ by 10m0s"},
		{"a clock of before", func(_ *testing.T, w *rig) { w.built = time.Now().Add(time.Hour) }, diagnose.Fail, "clock", "before this program was built"},
		{"a zone that is not known", set("TZ", "Nowhere/City"), diagnose.Warn, "clock", "time zone"},
	}
}

func publicFaults() []fault {
	again := func(good time.Duration, names ...string) func(*testing.T, *rig) {
		return func(_ *testing.T, w *rig) { w.site(self, good, w.serve, names...) }
	}
	behindSignIn := func(pass bool) func(*testing.T, *rig) {
		return func(t *testing.T, w *rig) {
			w.env["COINSLOT_ADMIN_PROXY_HEADER"] = "X-Forwarded-User"
			w.serve, w.env["COINSLOT_DATABASE"] = checkoutServer(t, "COINSLOT_ADMIN_PROXY_HEADER=X-Forwarded-User", "COINSLOT_TRUSTED_PROXIES=127.0.0.1/32")
			before(w, func(_ http.ResponseWriter, r *http.Request) bool {
				if !pass {
					r.Header.Del("X-Forwarded-User")
				}
				return true
			})
		}
	}
	return []fault{
		{"names of strangers passed on", behindSignIn(true), diagnose.Fail, "console", "anyone who sends X-Forwarded-User is signed in"},
		{"names of strangers taken away", behindSignIn(false), diagnose.OK, "console", "does not pass on a client's X-Forwarded-User"},
		{"no https", set("COINSLOT_PUBLIC_URL", "http://"+self), diagnose.Fail, "public", "has no https"},
		{"no name", set("COINSLOT_PUBLIC_URL", "https://none.example"), diagnose.Fail, "public", "the DNS has no name none.example"},
		{"trying out", set("COINSLOT_PUBLIC_URL", "http://127.0.0.1:1"), diagnose.Warn, "public", "is for trying out"},
		{"not running", func(_ *testing.T, w *rig) { delete(w.at, w.hosts[self]+":443") }, diagnose.Warn, "public", "is not running yet"},
		{"no proxy", func(t *testing.T, w *rig) {
			w.env["COINSLOT_LISTEN"] = w.at[w.hosts[self]+":443"]
			delete(w.at, w.hosts[self]+":443")
		}, diagnose.Fail, "public", "though the server runs: connection refused"},
		{"another key", set("COINSLOT_SECRET_KEY", another), diagnose.Fail, "public", "another COINSLOT_SECRET_KEY"},
		{"another program", func(_ *testing.T, w *rig) { w.serve = http.NotFoundHandler() }, diagnose.Fail, "public", "status 404"},
		{"an expired certificate", again(-time.Hour), diagnose.Fail, "public", "has expired"},
		{"a certificate that ends", again(3 * 24 * time.Hour), diagnose.Warn, "public", "expires in 2 days"},
		{"a certificate of another name", again(year, "other.example"), diagnose.Fail, "public", "for another name"},
		{"an unknown authority", func(t *testing.T, w *rig) { w.ca.pool = x509.NewCertPool() }, diagnose.Fail, "public", "from an unknown authority"},
		{"X-Frame-Options", func(_ *testing.T, w *rig) {
			before(w, func(rw http.ResponseWriter, _ *http.Request) bool {
				rw.Header().Set("X-Frame-Options", "DENY")
				return true
			})
		}, diagnose.Fail, "headers", "X-Frame-Options"},
		{"a policy too many", func(_ *testing.T, w *rig) {
			inner := w.serve
			w.serve = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				inner.ServeHTTP(withHeader{rw}, r)
			})
		}, diagnose.Fail, "headers", "2 headers Content-Security-Policy"},
		{"other origins", set("COINSLOT_ORIGINS", "https://shop.example,https://new.example"), diagnose.Fail, "headers", "frame-ancestors 'self' https://shop.example https://new.example"},
		{"no upgrade", func(_ *testing.T, w *rig) {
			before(w, func(_ http.ResponseWriter, r *http.Request) bool {
				r.Header.Del("Upgrade")
				return true
			})
		}, diagnose.Fail, "websocket", "does not open (status "},
		{"a socket that says nothing", func(_ *testing.T, w *rig) {
			before(w, func(rw http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/live") {
					return true
				}
				rw.WriteHeader(http.StatusGatewayTimeout)
				return false
			})
		}, diagnose.Fail, "websocket", "status 504"},
	}
}

// withHeader is a proxy that adds a policy to what comes.
type withHeader struct{ http.ResponseWriter }

func (a withHeader) WriteHeader(status int) {
	a.Header().Add("Content-Security-Policy", "frame-ancestors 'none'")
	a.ResponseWriter.WriteHeader(status)
}

func webhookFaults() []fault {
	leads := func(to string) func(*testing.T, *rig) {
		return func(_ *testing.T, w *rig) { w.hosts[hook] = to }
	}
	again := func(good time.Duration, names ...string) func(*testing.T, *rig) {
		return func(_ *testing.T, w *rig) { w.site(hook, good, http.NotFoundHandler(), names...) }
	}
	return []fault{
		{"no endpoint", set("COINSLOT_WEBHOOK_URL", ""), diagnose.Warn, "webhooks", "your server gets no webhooks"},
		{"no name", func(_ *testing.T, w *rig) { delete(w.hosts, hook) }, diagnose.Fail, "webhooks", "the DNS has no name " + hook},
		{"a private address", leads("10.1.2.3"), diagnose.Fail, "webhooks", "leads to 10.1.2.3, which is not a public address"},
		{"a mapped address", leads("::ffff:169.254.169.254"), diagnose.Fail, "webhooks", "not a public address"},
		{"nobody there", leads("93.184.216.99"), diagnose.Fail, "webhooks", "connection refused"},
		{"an expired certificate", again(-time.Hour), diagnose.Fail, "webhooks", "has expired"},
		{"a certificate that ends", again(13 * 24 * time.Hour), diagnose.Warn, "webhooks", "expires in 12 days"},
		{"a certificate of another name", again(year, "other.example"), diagnose.Fail, "webhooks", "for another name"},
		{"a replaced URL", listenOn, diagnose.Warn, "webhooks", "1 open webhook to a URL at old.example that is not in COINSLOT_WEBHOOK_URL"},
		{"a URL that was taken away", func(t *testing.T, w *rig) {
			listenOn(t, w)
			w.env["COINSLOT_WEBHOOK_URL"] = ""
		}, diagnose.Warn, "webhooks", "set COINSLOT_WEBHOOK_URL: the next start moves"},
		{"no comparison for days", overdueDatabase, diagnose.Warn, "reconciliation", "last completed 3 days ago"},
		{"private addresses allowed", set("COINSLOT_ALLOW_PRIVATE_WEBHOOKS", "true"), diagnose.Warn, "webhooks", "inside your network"},
	}
}

// overdueDatabase makes a database whose last daily comparison is three days old.
func overdueDatabase(t *testing.T, w *rig) {
	w.env["COINSLOT_DATABASE"] = filepath.Join(t.TempDir(), "old.db")
	db, err := store.Open(t.Context(), store.Config{DSN: w.env["COINSLOT_DATABASE"]})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	run := reconcile.Run{Kind: reconcile.Daily, Ended: now.Add(-73 * time.Hour)}
	epoch, err := db.BeginRun(t.Context(), run, now, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	report := &reconcile.Report{Run: run}
	err = errors.Join(db.EndRun(t.Context(), epoch, run, report, time.Time{}), db.Close())
	if err != nil {
		t.Fatal(err)
	}
}

// listenOn makes a database in which a webhook is open to a URL that is not configured.
func listenOn(t *testing.T, w *rig) {
	w.env["COINSLOT_DATABASE"] = filepath.Join(t.TempDir(), "bound.db")
	db, err := store.Open(t.Context(), store.Config{
		DSN: w.env["COINSLOT_DATABASE"], Endpoints: []string{"https://old.example/in?key=" + bearer},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.Insert(t.Context(), payment.Session{ID: payment.NewSessionID(), CreatedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Update(t.Context(), s.ID, func(*payment.Session) ([]payment.Event, error) {
		e := payment.Event{ID: "evt_1", Session: s.ID, At: time.Now(), Body: []byte("{}")}
		return []payment.Event{e}, nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// Each fault is really there, is found, and shows no secret. One part that is
// wrong does not keep the others from being looked at.
func TestFaults(t *testing.T) {
	checkout, database := checkoutServer(t)
	for area, faults := range map[string][]fault{"settings": settingFaults(), "database": databaseFaults(), "gateway": gatewayFaults(), "public": publicFaults(), "webhooks": webhookFaults()} {
		for _, f := range faults {
			t.Run(area+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				w := newRig(t, checkout, database)
				f.cause(t, w)
				r := w.run()
				var text bytes.Buffer
				r.Text(&text, diagnose.Style{})
				found := false
				for _, got := range r.Findings {
					found = found || got.Severity == f.level && got.ID == f.id && strings.Contains(got.Text+" "+got.Fix, f.says)
					if got.Severity != diagnose.OK && got.ID != "settings" && got.Fix == "" {
						t.Errorf("no way on from %q", got.Text)
					}
				}
				if !found {
					t.Errorf("no %s of %s says %q:\n%s", f.level, f.id, f.says, &text)
				}
				for _, secret := range []string{bearer, another, whsec, "pass-word", url.QueryEscape(key)} {
					if strings.Contains(text.String(), secret) {
						t.Errorf("a secret was printed:\n%s", &text)
					}
				}
			})
		}
	}
}

// A test is sent where it is asked for and can arrive, and what comes back is told
// without the endpoint's query.
func TestWebhookDelivery(t *testing.T) {
	checkout, database := checkoutServer(t)
	var kinds []string
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var event struct{ Type string }
		json.NewDecoder(r.Body).Decode(&event)
		kinds = append(kinds, event.Type)
		if r.URL.Query().Get("key") != "right" {
			http.Error(w, "not signed", http.StatusUnauthorized)
		}
	}))
	t.Cleanup(shop.Close)
	for _, tc := range []struct {
		name, endpoint string
		level          diagnose.Severity
		says           string
		detail         string
		sent           int
	}{
		{"taken", shop.URL + "?key=right", diagnose.OK, "accepted a test: status 200 after ", "", 1},
		{"refused", shop.URL + "?key=s3cr3t", diagnose.Fail, "COINSLOT_WEBHOOK_SECRET", "status 401 not signed", 1},
		{"not reached", "http://127.0.0.1:1?key=s3cr3t", diagnose.Fail, "connection refused", "", 0},
	} {
		w := newRig(t, checkout, database)
		w.tests, kinds = true, nil
		w.env["COINSLOT_WEBHOOK_URL"], w.env["COINSLOT_ALLOW_PRIVATE_WEBHOOKS"] = tc.endpoint, "true"
		r := w.run()
		var text bytes.Buffer
		r.Text(&text, diagnose.Style{})
		found := false
		for _, f := range r.Findings {
			found = found || f.ID == "webhooks" && f.Severity == tc.level && strings.Contains(f.Text+" "+f.Fix, tc.says) && strings.Contains(strings.Join(f.Details, " "), tc.detail)
		}
		if !found || len(kinds) != tc.sent || tc.sent > 0 && kinds[0] != "checkout.test" || strings.Contains(text.String(), "s3cr3t") || strings.Contains(text.String(), whsec) {
			t.Errorf("%s: %v were sent, and this is said:\n%s", tc.name, kinds, &text)
		}
	}
}

// A terminal gets colours and lines that fit.
func TestPrintedWidth(t *testing.T) {
	r := Report{"v0", append(fail("database", "the folder is not there and this is a long line of words", "mkdir"), ok("ops", "off")...)}
	var b bytes.Buffer
	r.Text(&b, diagnose.Style{Color: true, Width: 60})
	want := "Coinslot v0\n\n  \x1b[1;31mFAIL\x1b[0m  database   the folder is not there and this is a\n" +
		"                   long line of words\n                   → mkdir\n  \x1b[32mok\x1b[0m    ops        off\n\nNot ready: 1 of 2 checks failed, 0 warnings.\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}
