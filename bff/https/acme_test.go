package https

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"

	"github.com/gorilla/websocket"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"golang.org/x/crypto/acme"
	"golang.org/x/sync/errgroup"
)

// rig is a server whose certificate is from Pebble.
type rig struct {
	*Server
	t      *testing.T
	pebble *pebble
	folder string
	log    *fortest.Log
	stop   func() // ends the server and waits for it
}

// start runs a server with short pauses after failures, and with some challenges; none = all.
func start(t *testing.T, p *pebble, folder string, challenges ...string) *rig {
	t.Helper()
	r := &rig{t: t, pebble: p, folder: folder, log: &fortest.Log{}}
	r.Server = fortest.Must(New(Config{
		Listen:    p.https,
		Redirect:  p.http,
		PublicURL: "https://" + host,
		ACME:      p.URL + "/dir",
		Folder:    folder,
		Log:       slog.New(slog.NewTextHandler(r.log, nil)),
	}))(t)
	a := r.source.(*authority)
	a.http = p.Client()
	a.pauses = []time.Duration{100 * time.Millisecond}
	if challenges != nil {
		a.challenges = challenges
	}

	ctx, cancel := context.WithCancel(t.Context())
	group, ctx := errgroup.WithContext(ctx)
	l := fortest.Must(r.Listen())(t)
	l.Serve(ctx, group, limits(http.HandlerFunc(greet)))
	r.stop = func() {
		cancel()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(r.stop)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server said:\n%s", r.log.String())
		}
	})
	return r
}

func limits(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      5 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
}

// greet says how it was asked, and echoes over websockets.
func greet(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/live" {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %s%v", r.Proto, r.Method, r.Host, body, err)
		return
	}
	conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer conn.Close()
	kind, message, err := conn.ReadMessage()
	if err == nil {
		_ = conn.WriteMessage(kind, message)
	}
}

// tls trusts Pebble.
func (r *rig) tls() *tls.Config { return &tls.Config{RootCAs: r.pebble.roots, ServerName: host} }

// handshake returns the end of the served certificate; an error = browsers refuse it.
func (r *rig) handshake() (expires time.Time, err error) {
	conn, err := tls.Dial("tcp", r.pebble.https, r.tls())
	if err != nil {
		return time.Time{}, err
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].NotAfter, nil
}

// awaitCertificate waits until the server has one.
func (r *rig) awaitCertificate() {
	r.t.Helper()
	fortest.Until(r.t, "a certificate", func() bool {
		_, err := r.handshake()
		return err == nil && strings.Contains(r.log.String(), "certificate obtained")
	})
}

// get requests a path with one protocol and returns the answer.
func (r *rig) get(protocol, path string) (*http.Response, string) {
	r.t.Helper()
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, r.pebble.https)
	}
	var transport http.RoundTripper
	switch protocol {
	case "HTTP/1.1":
		transport = &http.Transport{DialContext: dial, TLSClientConfig: r.tls()}
	case "HTTP/2.0":
		transport = &http.Transport{DialContext: dial, TLSClientConfig: r.tls(),
			ForceAttemptHTTP2: true}
	default:
		over := &http3.Transport{
			TLSClientConfig: r.tls(),
			Dial: func(
				ctx context.Context, _ string, t *tls.Config, q *quic.Config,
			) (*quic.Conn, error) {
				return quic.DialAddr(ctx, r.pebble.https, t, q)
			},
		}
		defer over.Close()
		transport = over
	}
	client := &http.Client{Transport: transport, Timeout: 10 * time.Second}
	answer := fortest.Must(client.Get("https://" + host + path))(r.t)
	defer answer.Body.Close()
	body := fortest.Must(io.ReadAll(answer.Body))(r.t)
	return answer, string(body)
}

// A first certificate comes by itself; then all protocols are served, and a restart needs no ACME
// server.
func TestFullIssue(t *testing.T) {
	t.Parallel()
	p := newPebble(t, 3600)
	folder := filepath.Join(t.TempDir(), "certificates")
	r := start(t, p, folder)
	r.awaitCertificate()
	fortest.Has(t, "the log", r.log.String(), host, "tls-alpn-01")

	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0", "HTTP/3.0"} {
		answer, body := r.get(protocol, "/")
		fortest.Equal(t, body, protocol+" GET "+host+" <nil>", "the answer")
		want := `h3=":443"; ma=2592000`
		if protocol == "HTTP/3.0" {
			want = ""
		}
		fortest.Equal(t, answer.Header.Get("Alt-Svc"), want, "Alt-Svc by %s", protocol)
	}

	health := r.Health()
	if !health.FailingSince.IsZero() || time.Until(health.Expires) < time.Minute ||
		health.Warning() != "" {
		t.Errorf("Health = %+v, %q", health, health.Warning())
	}
	fortest.OK(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		info, _ := d.Info()
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is open to others: %v", path, info.Mode())
		}
		return err
	}))

	before := fortest.Must(r.handshake())(t)
	r.stop()
	p.away.Store(true)
	again := start(t, p, folder)
	if after := fortest.Must(again.handshake())(t); !after.Equal(before) {
		t.Errorf("after a restart, another certificate is served: %v, before %v", after, before)
	}
}

// HTTP/3 and HTTP/2 carry pages only: a page's socket is a connection of its own over TCP.
func TestFullSockets(t *testing.T) {
	t.Parallel()
	r := start(t, newPebble(t, 3600), t.TempDir())
	r.awaitCertificate()
	dialer := websocket.Dialer{
		TLSClientConfig: r.tls(),
		NetDialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, r.pebble.https)
		},
	}
	conn, _, err := dialer.Dial("wss://"+host+"/live", nil)
	fortest.OK(t, err)
	defer conn.Close()
	fortest.OK(t, conn.WriteMessage(websocket.TextMessage, []byte("a")))
	_, echo, err := conn.ReadMessage()
	if err != nil || string(echo) != "a" {
		t.Errorf("echo = %q, %v", echo, err)
	}

	over, err := quic.DialAddr(t.Context(), r.pebble.https,
		http3.ConfigureTLSConfig(r.tls()), nil)
	fortest.OK(t, err)
	defer over.CloseWithError(0, "")
	client := (&http3.Transport{}).NewClientConn(over)
	select {
	case <-client.ReceivedSettings():
	case <-time.After(5 * time.Second):
		t.Fatal("no settings")
	}
	answer, _ := r.get("HTTP/3.0", "/live")
	if answer.StatusCode < 400 {
		t.Errorf("an upgrade over HTTP/3 = %s", answer.Status)
	}
}

// A certificate is renewed early. Through a failure the old one is served, which Health reports.
func TestFullRenew(t *testing.T) {
	t.Parallel()
	p := newPebble(t, 15)
	r := start(t, p, t.TempDir())
	r.awaitCertificate()
	first := fortest.Must(r.handshake())(t)
	renewed := func(since time.Time) func() bool {
		return func() bool {
			expires, err := r.handshake()
			if err != nil {
				t.Fatalf("no certificate during a renewal: %v\n%s", err, r.log)
			}
			return expires.After(since)
		}
	}
	fortest.Until(t, "a renewal", renewed(first))

	p.away.Store(true)
	second := fortest.Must(r.handshake())(t)
	fortest.Until(t, "a failure", func() bool {
		renewed(second)()
		return !r.Health().FailingSince.IsZero()
	})
	fortest.Has(t, "the warning", r.Health().Warning(), "could not be renewed since")
	fortest.Has(t, "the log", r.log.String(), "level=WARN", "could not be renewed yet")

	p.away.Store(false)
	fortest.Until(t, "a renewal after the failure", renewed(second))
	fortest.Equal(t, r.Health().Warning(), "", "the warning after it")
}

// A failure is an error of the log once the end is near.
func TestReport(t *testing.T) {
	for left, want := range map[time.Duration]string{
		time.Hour:    `level=WARN msg="the certificate could not be renewed yet"`,
		time.Minute:  `level=ERROR msg="the certificate expires soon: it could not be renewed"`,
		-time.Minute: `level=ERROR msg="the certificate expires soon: it could not be renewed"`,
	} {
		log := &fortest.Log{}
		p := newPair(t, host, left)
		a := &authority{state: &state{}, log: slog.New(slog.NewTextHandler(log, nil))}
		a.state.set(fortest.Must(Load(p.certificate, p.key))(t))
		a.report(t.Context(), errors.New("a reason"), time.Hour)
		fortest.Has(t, "the log", log.String(), want, "a reason", "retry_in=1h")
	}
}

// Pauses grow to an hour, and further if a rate limit asks for it, within bounds.
func TestPauses(t *testing.T) {
	a := &authority{pauses: pauses}
	limited := func(after string) error {
		return fmt.Errorf("ordering: %w", &acme.Error{
			ProblemType: "urn:ietf:params:acme:error:rateLimited",
			Header:      http.Header{"Retry-After": {after}},
		})
	}
	for _, c := range []struct {
		err      error
		failures int
		want     time.Duration
	}{
		{errors.New("away"), 0, time.Minute},
		{errors.New("away"), 1, 5 * time.Minute},
		{errors.New("away"), 99, time.Hour},
		{limited("10"), 0, time.Minute},
		{limited("7200"), 0, 2 * time.Hour},
		{limited("604800"), 0, maxPause},
		{limited("soon"), 4, time.Hour},
	} {
		fortest.Equal(t, a.pauseAfter(c.err, c.failures), c.want, "after %v, the %dth", c.err,
			c.failures)
	}
}

// A server whose ACME server is away starts, logs an error, and answers once it has a certificate.
func TestFullAwayAtStart(t *testing.T) {
	t.Parallel()
	p := newPebble(t, 3600)
	p.away.Store(true)
	r := start(t, p, t.TempDir())
	fortest.Until(t, "a line of the log", func() bool {
		return strings.Contains(r.log.String(),
			`level=ERROR msg="https does not answer: no certificate could be obtained"`)
	})
	if _, err := r.handshake(); err == nil {
		t.Error("a certificate from nowhere")
	}
	fortest.Has(t, "the warning", r.Health().Warning(), "no certificate could be obtained since")

	p.away.Store(false)
	r.awaitCertificate()
}

// A rate limit is waited for, and not tried against.
func TestFullRateLimit(t *testing.T) {
	t.Parallel()
	p := newPebble(t, 3600)
	p.limited.Store(true)
	began := time.Now()
	r := start(t, p, t.TempDir())
	fortest.Until(t, "a second order", func() bool { return p.orders.Load() >= 2 })
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("two orders within %v; want 2s between them, as Retry-After says", took)
	}
	fortest.Has(t, "the log", r.log.String(), "too many certificates already issued", "retry_in=2s")

	p.limited.Store(false)
	r.awaitCertificate()
}

// A name that leads elsewhere, or nowhere, gets no certificate; both ways to prove it are tried,
// and the log has the answer.
func TestFullWrongName(t *testing.T) {
	t.Parallel()
	p := newPebble(t, 3600)
	p.dns.DeleteDNSARecord(host)
	r := start(t, p, t.TempDir())
	fortest.Until(t, "both challenges", func() bool {
		text := r.log.String()
		return strings.Contains(text, "does not find this server at "+host+" by tls-alpn-01") &&
			strings.Contains(text, "does not find this server at "+host+" by http-01")
	})
	if _, err := r.handshake(); err == nil {
		t.Error("a certificate for a wrong name")
	}

	p.dns.AddDNSARecord(host, []string{"127.0.0.1"})
	r.awaitCertificate()
}

// Each challenge alone is enough.
func TestFullHTTPChallenge(t *testing.T) {
	t.Parallel()
	p := newPebble(t, 3600)
	r := start(t, p, t.TempDir(), "http-01")
	r.awaitCertificate()
	fortest.Has(t, "the log", r.log.String(), "challenge=http-01")
}

// What is stored for another host, or is broken, is not served.
func TestStorage(t *testing.T) {
	folder := t.TempDir()
	s := newStorage(folder, "https://acme.test:14000/dir", host)
	fortest.Equal(t, filepath.Base(s.folder), "acme.test-14000-dir", "the folder")
	key := fortest.Must(s.accountKey())(t)
	again := fortest.Must(s.accountKey())(t)
	if !key.Public().(*ecdsa.PublicKey).Equal(again.Public()) {
		t.Error("the key of the account was not kept")
	}
	for _, content := range []string{"", "broken", newPair(t, "other.test", time.Hour).all} {
		fortest.OK(t, os.WriteFile(s.certificatePath(), []byte(content), 0o600))
		found, err := s.certificate()
		if found != nil || err != nil {
			t.Errorf("certificate() of %.20q = %v, %v; want none", content, found, err)
		}
	}
	fortest.OK(t, os.WriteFile(s.certificatePath(), []byte(newPair(t, host, time.Hour).all), 0o600))
	if found, err := s.certificate(); found == nil || err != nil {
		t.Errorf("certificate() = %v, %v", found, err)
	}
	fortest.OK(t, os.WriteFile(s.accountPath(), []byte("broken"), 0o600))
	_, err := s.accountKey()
	fortest.Fails(t, err, "a broken account key")
}

// The plain port redirects what reads to the public URL, whatever host was asked for.
func TestRedirect(t *testing.T) {
	pair := newPair(t, host, time.Hour)
	s := fortest.Must(New(Config{
		PublicURL:   "https://" + host + ":8443",
		Certificate: pair.certificate,
		Key:         pair.key,
	}))(t)
	fortest.Equal(t, s.publicPort(), 8443, "the public port")
	redirect := s.redirectServer(limits(nil))
	for _, c := range []struct {
		request string
		status  int
		to      string
	}{
		{"GET /checkout/cs_a?b=c HTTP/1.1", 308, "/checkout/cs_a?b=c"},
		{"HEAD / HTTP/1.1", 308, "/"},
		{"GET //evil.test/ HTTP/1.1", 308, "//evil.test/"},
		{"GET http://evil.test/a HTTP/1.1", 308, "/a"},
		{"POST /v1/sessions HTTP/1.1", 403, ""},
		{"GET /.well-known/acme-challenge/x HTTP/1.1", 308, "/.well-known/acme-challenge/x"},
	} {
		request := fortest.Must(http.ReadRequest(bufio.NewReader(strings.NewReader(c.request +
			"\r\nHost: evil.test\r\n\r\n"))))(t)
		answer := &recorder{header: http.Header{}}
		redirect.Handler.ServeHTTP(answer, request)
		want := c.to
		if want != "" {
			want = "https://" + host + ":8443" + want
		}
		if answer.status != c.status || answer.header.Get("Location") != want {
			t.Errorf("%s = %d, %s; want %d, %s", c.request, answer.status,
				answer.header.Get("Location"), c.status, want)
		}
	}
}

// recorder keeps status and headers.
type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return len(p), nil }
