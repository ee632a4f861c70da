package gateway

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// TestEndlessBodies: a gibibyte, plain or out of a mebibyte of gzip, costs a
// few mebibytes, and the connection is given up instead of read to its end.
func TestEndlessBodies(t *testing.T) {
	const gibibyte = 1 << 30
	block := make([]byte, 1<<20)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(block)
	z.Close()
	for name, tt := range map[string]struct {
		encoding string
		piece    []byte // of a mebibyte, unpacked
		length   string // declared
	}{
		"chunked":  {"", block, ""},
		"declared": {"", block, "1073741824"},
		"gzip":     {"gzip", packed.Bytes(), ""},
	} {
		var written atomic.Int64
		left := make(chan struct{}, 1)
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			defer func() { left <- struct{}{} }()
			if tt.encoding != "" {
				w.Header().Set("Content-Encoding", tt.encoding)
			}
			if tt.length != "" {
				w.Header().Set("Content-Length", tt.length)
			}
			for range gibibyte >> 20 {
				n, err := w.Write(tt.piece)
				if written.Add(int64(n)); err != nil {
					return
				}
			}
		})
		for call, f := range everyCall() {
			written.Store(0)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := outcome(t, f(t.Context(), c))
			runtime.ReadMemStats(&after)
			<-left
			if used := after.TotalAlloc - before.TotalAlloc; got != "unknown" || used > 16<<20 {
				t.Errorf("%s, %s: %s, %d bytes allocated; want unknown, 16 MiB at most", name, call,
					got, used)
			}
			if n := written.Load(); tt.encoding == "" && n > 64<<20 {
				t.Errorf("%s, %s: the gateway could write %d bytes", name, call, n)
			}
		}
	}
}

// TestEndlessHints: interim answers do not continue forever.
func TestEndlessHints(t *testing.T) {
	c := serve(t, raw(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 100_000)))
	wantEach(t, c, "unknown", "")
}

// TestSilentHandshake: a TLS handshake that never answers is bounded by the
// same deadline, and proves that nothing was sent.
func TestSilentHandshake(t *testing.T) {
	l := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(io.Discard, conn); conn.Close() }()
		}
	}()
	c := newClientFor(t, "https://"+l.Addr().String(), within(200*time.Millisecond))
	for name, f := range everyCall() {
		start := time.Now()
		got := outcome(t, f(t.Context(), c))
		if got != "unsent" || time.Since(start) > 5*time.Second {
			t.Errorf("%s: %s after %v; want unsent at the deadline", name, got, time.Since(start))
		}
	}
}

// TestReset: a connection that is reset in the middle of the body.
func TestReset(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"+done(recordJSON))
		_ = conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	})
	wantEach(t, c, "unknown", "")
}

// TestNothingIsLeftBehind: after calls that end at their deadline there are as
// many goroutines as before.
func TestNothingIsLeftBehind(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	before := runtime.NumGoroutine()
	c := newClientFor(t, server.URL, within(100*time.Millisecond))
	wantEach(t, c, "unknown", "")
	close(release)
	c.Close()
	server.Close()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines; want %d as before", runtime.NumGoroutine(), before)
		}
	}
}

// TestHTMLIsNotQuoted: a page of some proxy shows neither in errors nor in the log.
func TestHTMLIsNotQuoted(t *testing.T) {
	page := "<html><script>alert(1)</script><title>Bad Gateway</title></html>"
	for _, status := range []int{200, 404, 500, 502} {
		book := new(fortest.Log)
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			io.WriteString(w, page)
		}, logTo(book))
		for name, f := range everyCall() {
			err := f(t.Context(), c)
			text := err.Error() + book.String()
			if outcome(t, err) != "unknown" || strings.ContainsAny(text, "<>") ||
				strings.Contains(text, "alert") {
				t.Errorf("%s with HTTP %d: %s", name, status, text)
			}
		}
	}
}

// TestExpiredCertificate: one that was good once is no better than none, and the key is not sent.
func TestExpiredCertificate(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		requests.Add(1)
	}))
	server.Config.ErrorLog = quiet()
	cert, roots := certificate(t, time.Now().Add(-time.Hour))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	server.StartTLS()
	defer server.Close()
	c := newClientFor(t, server.URL, func(c *Config) {
		base, _ := url.Parse(server.URL)
		transport := newTransport(base)
		transport.TLSClientConfig.RootCAs = roots
		c.Transport = transport
	})
	wantEach(t, c, "unsent", "expired")
	fortest.Equal(t, requests.Load(), 0, "server saw requests")
}

// certificate makes one for 127.0.0.1 that is trusted by the pool, until then.
func certificate(t *testing.T, until time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key := fortest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: until.AddDate(-1, 0, 0), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der := fortest.Must(x509.CreateCertificate(rand.Reader, template, template, key.Public(),
		key))(t)
	leaf := fortest.Must(x509.ParseCertificate(der))(t)
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// TestNameThatLeadsHere: a public name that resolves to this machine is not
// connected to, nor is the address that stands for every interface.
func TestNameThatLeadsHere(t *testing.T) {
	l := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	var connections atomic.Int32
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	var names fortest.Names
	for _, host := range []string{
		"gateway.example", "localhost.gateway.example", "0.0.0.0", "[::]",
	} {
		names.Set(host, "", []netip.Addr{netip.MustParseAddr("127.0.0.1")})
		base, _ := url.Parse("https://" + host + ":" + port)
		c := newClientFor(t, base.String(),
			func(c *Config) { c.Transport = resolving(base, &names) })
		wantEach(t, c, "unsent", "resolves to a local address")
	}
	l.Close()
	<-accepted
	fortest.Equal(t, connections.Load(), 0, "connections")
}

// TestNameThatIsNotThere: no name server, no request.
func TestNameThatIsNotThere(t *testing.T) {
	base, _ := url.Parse("https://gateway.example")
	c := newClientFor(t, base.String(),
		func(c *Config) { c.Transport = resolving(base, &fortest.Names{}) })
	wantEach(t, c, "unsent", "")
}

// resolving returns our own transport for base that asks names.
func resolving(base *url.URL, names *fortest.Names) *http.Transport {
	dialer := newDialer(base)
	dialer.Resolver = names.Resolver()
	transport := newTransport(base)
	transport.DialContext = dialer.DialContext
	return transport
}
