package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/logs"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/e2e/need"
	"coinslot/static"
)

// certificateFiles writes a certificate for a host that signs itself, and its key.
func certificateFiles(t *testing.T, host string) (certificate, key string, roots *x509.CertPool) {
	t.Helper()
	private := fortest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{host},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
	}
	der := fortest.Must(x509.CreateCertificate(rand.Reader, template, template, private.Public(),
		private))(t)
	encoded := fortest.Must(x509.MarshalPKCS8PrivateKey(private))(t)
	folder := t.TempDir()
	certificate = filepath.Join(folder, "a.pem")
	key = filepath.Join(folder, "a.key")
	for path, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: der},
		key:         {Type: "PRIVATE KEY", Bytes: encoded},
	} {
		fortest.OK(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	roots = x509.NewCertPool()
	roots.AddCert(fortest.Must(x509.ParseCertificate(der))(t))
	return certificate, key, roots
}

// With COINSLOT_TLS, the server itself serves https, redirects http, and watches its certificate.
func TestServesHTTPS(t *testing.T) {
	need.Assets(t, static.Files)
	gateway := httptest.NewServer(sandbox.New(sandbox.Config{Key: secretCanary}))
	t.Cleanup(gateway.Close)
	certificate, key, roots := certificateFiles(t, "pay.shop.example")
	c := fortest.Must(config.Load([]string{
		"COINSLOT_GATEWAY_URL=" + gateway.URL, "COINSLOT_GATEWAY_KEY=" + secretCanary,
		"COINSLOT_SECRET_KEY=" + secretCanary,
		"COINSLOT_DATABASE=" + filepath.Join(t.TempDir(), "https.db"),
		"COINSLOT_PUBLIC_URL=https://pay.shop.example", "COINSLOT_TLS=" + certificate + "," + key,
		"COINSLOT_LISTEN=127.0.0.1:0", "COINSLOT_HTTP_LISTEN=127.0.0.1:" + fortest.FreePort(t),
		"COINSLOT_OPS_LISTEN=127.0.0.1:" + fortest.FreePort(t),
	}, nil))(t)
	secure := fortest.Must(newHTTPS(c, logs.New(t.Output(), logs.Config{})))(t)
	options := server.Options{Certificate: secure.Health}
	srv := fortest.Must(server.New(t.Context(), c, options))(t)
	defer srv.Close()

	ctx, stop := context.WithCancel(t.Context())
	public, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() { ended <- listen(ctx, c, srv, secure, func(a net.Addr) { public <- a }) }()
	address := (<-public).String()
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}}
	answer := fortest.Must(client.Get("https://pay.shop.example/checkout.js"))(t)
	answer.Body.Close()
	if answer.StatusCode != 200 || answer.ProtoMajor != 2 || answer.Header.Get("Alt-Svc") == "" ||
		answer.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("GET /checkout.js = %s %s %v", answer.Proto, answer.Status, answer.Header)
	}

	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	address = c.HTTPListen
	answer = fortest.Must(client.Get("http://pay.shop.example/checkout.js"))(t)
	answer.Body.Close()
	if answer.StatusCode != 308 ||
		answer.Header.Get("Location") != "https://pay.shop.example/checkout.js" {
		t.Errorf("GET http: = %s %v", answer.Status, answer.Header)
	}

	_, metrics := get("http://" + c.OpsListen + "/metrics")
	fortest.Has(t, "/metrics", metrics, "coinslot_certificate_expires_seconds 3",
		"coinslot_certificate_failing_seconds 0\n")
	client.CloseIdleConnections()
	stop()
	fortest.OK(t, <-ended)
}

// Certificates are beside the database.
func TestCertificateFolder(t *testing.T) {
	for database, want := range map[string]string{
		"coinslot.db":                        "certificates",
		"/var/lib/coinslot/shop/coinslot.db": "/var/lib/coinslot/shop/certificates",
		"postgres://a@b/c":                   "certificates",
	} {
		fortest.Equal(t, certificateFolder(database), want, "for %s", database)
	}
}
