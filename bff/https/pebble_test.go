package https

import (
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"coinslot/bff/fortest"

	"github.com/letsencrypt/challtestsrv"
	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
)

// TestMain has Pebble, Let's Encrypt's server for tests, check at once and every time.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"PEBBLE_VA_NOSLEEP":      "1",
		"PEBBLE_WFE_NONCEREJECT": "5",
		"PEBBLE_AUTHZREUSE":      "0",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

const host = "pay.shop.test"

// pebble is an ACME server with the DNS that it asks.
type pebble struct {
	*httptest.Server
	dns           *challtestsrv.ChallSrv
	roots         *x509.CertPool // by which browsers trust its certificates
	https, http   string         // addresses at which it checks names
	away, limited atomic.Bool    // it does not answer; it answers orders with 429
	orders        atomic.Int64   // that were limited
}

// newPebble starts one whose certificates are valid for some seconds.
func newPebble(t *testing.T, seconds uint64) *pebble {
	t.Helper()
	p := &pebble{roots: x509.NewCertPool()}
	httpPort, tlsPort := fortest.FreePort(t), fortest.FreePort(t)
	p.http, p.https = "127.0.0.1:"+httpPort, "127.0.0.1:"+tlsPort

	silent := log.New(io.Discard, "", 0)
	address := "127.0.0.1:" + fortest.FreePort(t)
	p.dns = fortest.Must(challtestsrv.New(challtestsrv.Config{
		Log:      silent,
		DNSAddrs: []string{address},
	}))(t)
	p.dns.SetDefaultDNSIPv4("")
	p.dns.SetDefaultDNSIPv6("")
	p.dns.AddDNSARecord(host, []string{"127.0.0.1"})
	p.dns.Run()
	t.Cleanup(p.dns.Shutdown)

	store := db.NewMemoryStore()
	profiles := map[string]ca.Profile{"default": {Description: "x", ValidityPeriod: seconds}}
	authority := ca.New(silent, store, "", "ecdsa", 0, 1, profiles)
	root := fortest.Must(x509.ParseCertificate(authority.GetRootCert(0).DER))(t)
	p.roots.AddCert(root)
	checks := va.New(silent, port(t, httpPort), port(t, tlsPort), false, address, store)
	front := wfe.New(silent, store, checks, authority, []string{"pebble.test"}, false, false, 1, 1)
	handler := front.Handler()
	p.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case p.away.Load():
			panic(http.ErrAbortHandler)
		case strings.HasPrefix(r.URL.Path, "/order-plz") && p.limited.Load():
			p.orders.Add(1)
			w.Header().Set("Content-Type", "application/problem+json")
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"type":"urn:ietf:params:acme:error:rateLimited",`+
				`"detail":"too many certificates already issued","status":429}`)
		default:
			handler.ServeHTTP(w, r)
		}
	}))
	p.Config.ErrorLog = silent
	t.Cleanup(p.Close)
	return p
}

func port(t *testing.T, text string) (n int) {
	t.Helper()
	_, err := fmt.Sscan(text, &n)
	fortest.OK(t, err)
	return n
}
