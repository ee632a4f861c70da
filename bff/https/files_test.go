package https

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// pair is a certificate that signs itself, in files.
type pair struct {
	certificate, key string // paths
	all              string // both, as PEM
}

// newPair makes one for a host that began an hour ago.
func newPair(t *testing.T, host string, left time.Duration) pair {
	t.Helper()
	key := fortest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		DNSNames:     []string{host},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(left),
	}
	der := fortest.Must(x509.CreateCertificate(rand.Reader, template, template, key.Public(),
		key))(t)
	certificate := pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: der})
	private := fortest.Must(encodeKey(key))(t)

	folder := t.TempDir()
	p := pair{filepath.Join(folder, "a.pem"), filepath.Join(folder, "a.key"),
		string(private) + string(certificate)}
	fortest.OK(t, os.WriteFile(p.certificate, certificate, 0o600))
	fortest.OK(t, os.WriteFile(p.key, private, 0o600))
	return p
}

// replace writes the files of another pair in place of p's.
func (p pair) replace(t *testing.T, other pair) {
	t.Helper()
	for to, from := range map[string]string{p.certificate: other.certificate, p.key: other.key} {
		fortest.OK(t, os.WriteFile(to, fortest.Must(os.ReadFile(from))(t), 0o600))
	}
}

// New files are served without a restart; broken ones are reported, and the old ones served on.
func TestReload(t *testing.T) {
	log := &fortest.Log{}
	p := newPair(t, host, time.Hour)
	s := fortest.Must(New(Config{
		PublicURL:   "https://" + host,
		Certificate: p.certificate,
		Key:         p.key,
		Log:         slog.New(slog.NewTextHandler(log, nil)),
	}))(t)
	s.source.(*files).every = 5 * time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.source.run(ctx)
	}()
	defer func() {
		stop()
		<-ended
	}()

	first := s.Health().Expires
	p.replace(t, newPair(t, host, 2*time.Hour))
	fortest.Until(t, "the new certificate", func() bool {
		return s.Health().Expires.After(first.Add(30 * time.Minute))
	})
	fortest.Equal(t, s.Health().Warning(), "", "the warning")

	second := s.Health().Expires
	fortest.OK(t, os.WriteFile(p.key, []byte("broken"), 0o600))
	fortest.Until(t, "a warning", func() bool { return s.Health().Warning() != "" })
	fortest.Equal(t, s.Health().Expires, second, "the certificate that is served")
	fortest.Has(t, "the log", log.String(), "level=ERROR", "the old one is served")
	fortest.Lacks(t, "the log", log.String(), "broken")

	p.replace(t, newPair(t, host, time.Minute))
	fortest.Until(t, "a line about its end", func() bool {
		return strings.Contains(log.String(), "the certificate expires soon")
	})
	fortest.Has(t, "the health", s.Health().Failure, "nothing has renewed")

	p.replace(t, newPair(t, host, 3*time.Hour))
	fortest.Until(t, "a good certificate", func() bool { return s.Health().Warning() == "" })
}

// A server does not start without a certificate that it can use.
func TestUnusableFiles(t *testing.T) {
	p := newPair(t, host, time.Hour)
	other := newPair(t, host, time.Hour)
	for _, c := range []Config{
		{PublicURL: "https://" + host, Certificate: p.certificate, Key: other.key},
		{PublicURL: "https://" + host, Certificate: p.certificate, Key: p.key + "none"},
		{PublicURL: "http://" + host, Certificate: p.certificate, Key: p.key},
	} {
		_, err := New(c)
		fortest.Fails(t, err, "New(%+v)", c)
	}
}
