package check_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/check"
	"coinslot/bff/config"
	"coinslot/bff/fortest"
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

// rig is a correct set-up: a gateway, a checkout behind https and a merchant's endpoint, on its
// own network.
type rig struct {
	t          *testing.T
	ca         *authority
	hosts      map[string]string // address by name
	at         map[string]string // listener by "address:port"
	env        map[string]string
	now        func() time.Time
	built      time.Time
	serve      http.Handler // the checkout
	tests      bool         // webhooks
	testAlerts bool
}

// checkoutServer starts a shared checkout and returns its handler and its database.
func checkoutServer(t *testing.T, more ...string) (http.Handler, string) {
	t.Helper()
	database := filepath.Join(t.TempDir(), "coinslot.db")
	c, err := config.Load(append(more,
		"COINSLOT_GATEWAY_URL=http://127.0.0.1:1",
		"COINSLOT_GATEWAY_KEY="+key,
		"COINSLOT_SECRET_KEY="+bearer,
		"COINSLOT_PUBLIC_URL=https://"+self,
		"COINSLOT_ORIGINS=https://shop.example",
		"COINSLOT_DATABASE="+database,
	), nil)
	fortest.OK(t, err)
	srv := fortest.Must(server.New(t.Context(), c, server.Options{}))(t)
	t.Cleanup(func() { srv.Close() })
	return srv.Handler, database
}

func newRig(t *testing.T, checkout http.Handler, database string) *rig {
	t.Helper()
	w := &rig{
		t: t, ca: newAuthority(t), now: time.Now, serve: checkout, at: map[string]string{},
		hosts: map[string]string{self: "93.184.216.34", hook: "93.184.216.35"},
	}
	api := httptest.NewServer(sandbox.New(sandbox.Config{Key: key}))
	t.Cleanup(api.Close)
	w.env = map[string]string{
		"COINSLOT_GATEWAY_URL":     api.URL,
		"COINSLOT_GATEWAY_KEY":     key,
		"COINSLOT_SECRET_KEY":      bearer,
		"COINSLOT_LISTEN":          "127.0.0.1:1",
		"COINSLOT_PUBLIC_URL":      "https://" + self,
		"COINSLOT_ORIGINS":         "https://shop.example",
		"COINSLOT_RETENTION":       "90",
		"COINSLOT_TRUSTED_PROXIES": "127.0.0.1/32",
		"COINSLOT_WEBHOOK_URL":     "https://" + hook + "/in",
		"COINSLOT_WEBHOOK_SECRET":  whsec,
		"COINSLOT_DATABASE":        database,
	}
	w.site(self, year, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.serve.ServeHTTP(rw, r) // as it is by then
	}))
	w.site(hook, year, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a webhook was sent")
	}))
	return w
}

const year = 365 * 24 * time.Hour

// site serves a name by https with a certificate that is good for so long.
func (w *rig) site(name string, good time.Duration, h http.Handler, names ...string) {
	w.t.Helper()
	s := httptest.NewUnstartedServer(h)
	certificate := w.ca.issue(w.t, good, append(names, name)[0])
	s.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
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

func (w *rig) run() []check.Finding { return w.setup().Findings(w.t.Context()) }

func (w *rig) setup() check.Setup {
	env := w.environ()
	c, problem := config.Load(env, nil)
	return check.Setup{
		Env: env, Settings: c, Problem: problem, Inspect: store.Inspect, Webhook: w.tests, Alerts: w.testAlerts,
		Now: w.now, Built: w.built, Roots: w.ca.pool,
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
	}
}

// authority issues certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	k := fortest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-10 * year), NotAfter: time.Now().Add(10 * year),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := fortest.Must(x509.CreateCertificate(rand.Reader, template, template, k.Public(), k))(t)
	a := &authority{key: k, pool: x509.NewCertPool()}
	a.cert = fortest.Must(x509.ParseCertificate(der))(t)
	a.pool.AddCert(a.cert)
	return a
}

func (a *authority) issue(t *testing.T, good time.Duration, name string) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: []string{name},
		NotBefore: time.Now().Add(-year), NotAfter: time.Now().Add(good),
	}
	public := a.key.Public()
	der := fortest.Must(x509.CreateCertificate(rand.Reader, template, a.cert, public, a.key))(t)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
}

// text is what is printed.
func text(found []check.Finding) string {
	var b strings.Builder
	check.Print(&b, found, check.Style{})
	return b.String()
}

// A correct set-up has no findings but good ones, of every part.
func TestHealthySetup(t *testing.T) {
	checkout, database := checkoutServer(t)
	w := newRig(t, checkout, database)
	found := w.run()
	printed := text(found)
	if check.Count(found, check.OK) != len(found) {
		t.Errorf("a healthy setup:\n%s", printed)
	}
	for _, id := range []string{
		"settings", "secrets", "database", "disk", "gateway", "clock", "public", "headers",
		"websocket", "proxy", "origins", "webhooks", "ops", "files",
	} {
		if !strings.Contains(printed, "  ok    "+id+" ") {
			t.Errorf("nothing is said about %s:\n%s", id, printed)
		}
	}
}

// Each fault is found, and no secret is shown. One fault does not stop the other checks.
func TestFaults(t *testing.T) {
	checkout, database := checkoutServer(t)
	for area, faults := range map[string][]fault{
		"settings": settingFaults(), "database": databaseFaults(), "gateway": gatewayFaults(),
		"public": publicFaults(), "webhooks": webhookFaults(), "rates": ratesFaults(),
		"alerts": alertFaults(),
	} {
		for _, f := range faults {
			t.Run(area+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				w := newRig(t, checkout, database)
				f.cause(t, w)
				list := w.run()
				printed := text(list)
				found := false
				for _, got := range list {
					if got.ID == f.id && got.Status == f.level {
						found = found || strings.Contains(got.Text+" "+got.Fix, f.says)
					}
					if got.Status != check.OK && got.ID != "settings" && got.Fix == "" {
						t.Errorf("no way on from %q", got.Text)
					}
				}
				if !found {
					t.Errorf("no %s of %s says %q:\n%s", f.level, f.id, f.says, printed)
				}
				secrets := []string{bearer, another, whsec, "pass-word", url.QueryEscape(key)}
				for _, secret := range secrets {
					fortest.Lacks(t, "what was printed", printed, secret)
				}
			})
		}
	}
}

// A test webhook is sent on request, and its result is reported without the endpoint's query.
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
		level          check.Status
		says           string
		detail         string
		sent           int
	}{
		{"taken", shop.URL + "?key=right", check.OK, "accepted a test: status 200 after ", "", 1},
		{
			"refused", shop.URL + "?key=s3cr3t",
			check.Fail, "COINSLOT_WEBHOOK_SECRET", "status 401 not signed", 1,
		},
		{"not reached", "http://127.0.0.1:1?key=s3cr3t", check.Fail, "connection refused", "", 0},
	} {
		w := newRig(t, checkout, database)
		w.tests, kinds = true, nil
		w.env["COINSLOT_WEBHOOK_URL"] = tc.endpoint
		w.env["COINSLOT_ALLOW_PRIVATE_WEBHOOKS"] = "true"
		list := w.run()
		printed := text(list)
		found := slices.ContainsFunc(list, func(f check.Finding) bool {
			return f.ID == "webhooks" && f.Status == tc.level &&
				strings.Contains(f.Text+" "+f.Fix, tc.says) &&
				strings.Contains(strings.Join(f.Details, " "), tc.detail)
		})
		if !found {
			t.Errorf("%s: no %s says %q and %q:\n%s", tc.name, tc.level, tc.says, tc.detail,
				printed)
		}
		want := slices.Repeat([]string{"checkout.test"}, tc.sent)
		if !slices.Equal(kinds, want) {
			t.Errorf("%s: %v were sent; want %v", tc.name, kinds, want)
		}
		for _, secret := range []string{"s3cr3t", whsec} {
			fortest.Lacks(t, tc.name+": what was printed", printed, secret)
		}
	}
}
