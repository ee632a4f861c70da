package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// raw answers every request, once read, with those bytes and hangs up.
func raw(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		io.WriteString(conn, answer)
		conn.Close()
	}
}

func TestBrokenAnswers(t *testing.T) {
	body := done(recordJSON)
	for name, answer := range map[string]string{
		"nothing":            "",
		"half a status line": "HTTP/1.1 2",
		"garbage":            "220 mail.example ESMTP\r\n",
		"half a header":      "HTTP/1.1 200 OK\r\nContent-Ty",
		"no body":            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
		"length too big":     "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + body,
		"length too small": "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 50\r\n\r\n" +
			body,
		"two lengths": "HTTP/1.1 200 OK\r\nContent-Length: 50\r\nContent-Length: 60\r\n\r\n" +
			body,
		"cut chunk":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"sta",
		"no last chunk":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
		"echo of the key":  "HTTP/1.1 " + testKey + " x\r\n\r\n",
		"key for a header": "HTTP/1.1 200 OK\r\n" + testKey + "\r\n\r\n",
		"key for a length": "HTTP/1.1 200 OK\r\nContent-Length: " + testKey + "\r\n\r\n",
		"key for a place": "HTTP/1.1 307 X\r\nLocation: :" + testKey +
			"\r\nContent-Length: 0\r\n\r\n",
		"endless header": "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 128<<10) + "\r\n\r\n" +
			body,
		"switching": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" +
			body,
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, raw(answer))
			wantEach(t, c, "unknown", "")
		})
	}
}

// TestBusyBrokenBody: a 429 says no even if its body breaks off.
func TestBusyBrokenBody(t *testing.T) {
	c := serve(t, raw("HTTP/1.1 429 Slow Down\r\nRetry-After: 3\r\nContent-Length: 99\r\n\r\n{"))
	_, err := c.Create(t.Context(), goodCreate())
	refused, _ := errors.AsType[*payment.RefusedError](err)
	if refused == nil || refused.Reason != payment.ReasonBusy ||
		refused.RetryAfter != 3*time.Second {
		t.Errorf("Create = %#v; want busy, 3s", err)
	}
}

// TestNoRedirect: net/http would give x-api-key to the other host.
func TestNoRedirect(t *testing.T) {
	var redirected atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		redirected.Add(1)
		io.WriteString(w, done(recordJSON))
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/x", status)
		})
		wantEach(t, c, "unknown", "")
	}
	fortest.Equal(t, redirected.Load(), 0, "the other host saw requests")
}

// hangup counts requests per path. It answers the first one, so that its
// connection is kept, and hangs up on all later ones after reading them.
type hangup struct {
	mu    sync.Mutex // guards the field below
	count map[string]int
}

func (h *hangup) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	h.mu.Lock()
	first := len(h.count) == 0
	h.count[r.URL.Path]++
	h.mu.Unlock()
	if first {
		io.WriteString(w, done("[]"))
		return
	}
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	conn.Close()
}

func (h *hangup) seen(path string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count[path]
}

// TestNoReplay: net/http repeats a GET, and a POST with GetBody or an
// Idempotency-Key, when a kept connection dies. The status call shows that
// the server does provoke it; the others must arrive once.
func TestNoReplay(t *testing.T) {
	for name, transport := range map[string]http.RoundTripper{
		"own": nil, "configured": http.DefaultTransport.(*http.Transport).Clone(),
	} {
		for call, want := range map[string]int{
			"status":  2,
			"recheck": 1,
			"cancel":  1,
			"create":  1,
		} {
			h := &hangup{count: map[string]int{}}
			c := serve(t, h.ServeHTTP, func(c *Config) { c.Transport = transport })
			fortest.Must(c.Currencies(t.Context()))(t)
			fortest.Equal(t, outcome(t, everyCall()[call](t.Context(), c)), "unknown",
				"%s, %s", name, call)
			fortest.Equal(t, h.seen("/api/v1/merchant/transaction/"+call), want,
				"%s, %s: arrived times", name, call)
			c.Close()
		}
	}
}

func TestUnsent(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	url := server.URL
	server.Close()
	dial := func(err error) func(*Config) {
		return func(c *Config) {
			c.Transport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				return nil, err
			}}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		change func(*Config)
		cause  error // nil = any
	}{
		{"no server", t.Context(), func(*Config) {}, nil},
		{"no such name", t.Context(), dial(&net.DNSError{Err: "no such host", Name: "x"}), nil},
		{"odd dialler", t.Context(), dial(io.ErrUnexpectedEOF), io.ErrUnexpectedEOF},
		{"context ended", ended, func(*Config) {}, context.Canceled},
		{"no permit", t.Context(), func(c *Config) {
			c.Limiter = waiting(func(context.Context) error { return io.ErrClosedPipe })
		}, io.ErrClosedPipe},
		{"permit too late", t.Context(), func(c *Config) {
			c.Timeout = 20 * time.Millisecond
			c.Limiter = waiting(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		}, context.DeadlineExceeded},
	} {
		c := newClientFor(t, url, tt.change)
		for name, f := range everyCall() {
			err := f(tt.ctx, c)
			if got := outcome(t, err); got != "unsent" {
				t.Errorf("%s, %s: %s (%v); want unsent", tt.name, name, got, err)
			}
			if tt.cause != nil && !errors.Is(err, tt.cause) {
				t.Errorf("%s, %s: %v; want it to wrap %v", tt.name, name, errors.Unwrap(err),
					tt.cause)
			}
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestTLS: a certificate of an unknown authority, or for another name, ends
// the handshake before a header is sent.
func TestTLS(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		io.WriteString(w, done(recordJSON))
	}))
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	defer server.Close()
	old := httptest.NewUnstartedServer(server.Config.Handler)
	old.Config.ErrorLog = quiet()
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.StartTLS()
	defer old.Close()

	trusting := func(name string) func(*Config) {
		return func(c *Config) {
			transport := server.Client().Transport.(*http.Transport).Clone()
			transport.TLSClientConfig.ServerName = name
			c.Transport = transport
		}
	}
	for name, c := range map[string]*Client{
		"self-signed": newClientFor(t, server.URL),
		"old TLS":     newClientFor(t, old.URL),
		"wrong name":  newClientFor(t, server.URL, trusting("other.invalid")),
	} {
		for call, f := range everyCall() {
			err := f(t.Context(), c)
			if got := outcome(t, err); got != "unsent" {
				t.Errorf("%s, %s: %s (%v); want unsent", name, call, got, err)
			}
		}
	}
	fortest.Equal(t, requests.Load(), 0, "server saw requests")
	good := newClientFor(t, server.URL, trusting("example.com"))
	fortest.OK(t, good.Recheck(t.Context(), "TRK1"))
	fortest.Must(good.Status(t.Context(), "TRK1"))(t)
}

func TestGuard(t *testing.T) {
	for _, tt := range []struct {
		base, address string
		ok            bool
	}{
		{"https://gateway.example", "203.0.113.7:443", true},
		{"https://gateway.example", "10.0.0.7:443", true}, // a gateway in the same private network
		{"https://gateway.example", "[2001:db8::1]:443", true},
		{"https://gateway.example", "127.0.0.1:443", false},
		{"https://gateway.example", "[::1]:443", false},
		{"https://gateway.example", "[::ffff:127.0.0.1]:443", false},
		{"https://gateway.example", "0.0.0.0:443", false},
		{"https://gateway.example", "[::]:443", false},
		{"https://gateway.example", "169.254.169.254:443", false},
		{"https://gateway.example", "[fe80::1%eth0]:443", false},
		{"https://gateway.example", "nonsense", false},
		{"https://localhost", "127.0.0.1:443", true},
		{"http://localhost", "127.0.0.1:80", true},
		{"http://localhost", "[::1]:80", true},
		{"http://localhost", "203.0.113.7:80", false},
		{"http://localhost", "10.0.0.7:80", false},
	} {
		base, _ := url.Parse(tt.base)
		fortest.Equal(t, guard(base)("tcp", tt.address, nil) == nil, tt.ok,
			"guard(%s)(%s)", tt.base, tt.address)
	}
}

func TestNoProxyFromEnvironment(t *testing.T) {
	base, _ := url.Parse("https://gateway.example")
	if transport := newTransport(base); transport.Proxy != nil {
		t.Error("own transport has a proxy function")
	}
}

// TestDeadline: the total deadline covers headers and bodies that never end.
// Handlers see the connection close, so nothing is left behind.
func TestDeadline(t *testing.T) {
	for name, dribble := range map[string]func(*bufio.ReadWriter) error{
		"silence": func(*bufio.ReadWriter) error { return nil },
		"headers": func(rw *bufio.ReadWriter) error { return write(rw, "X-A: b\r\n") },
		"body":    func(rw *bufio.ReadWriter) error { return write(rw, "1\r\n \r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			left := make(chan struct{}, 8)
			c := serve(t, endless(dribble, name == "body", left), within(150*time.Millisecond))
			for call, f := range everyCall() {
				start := time.Now()
				err := f(t.Context(), c)
				got := outcome(t, err)
				if got != "unknown" || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %s (%v); want unknown by deadline", call, got, err)
				}
				if took := time.Since(start); took > 5*time.Second {
					t.Errorf("%s took %v", call, took)
				}
				<-left
			}
		})
	}
}

// endless starts an answer and continues slowly until the client hangs up, then closes left.
func endless(
	dribble func(*bufio.ReadWriter) error, body bool, left chan<- struct{},
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		gone := make(chan struct{})
		go func() { io.Copy(io.Discard, conn); close(gone) }()
		write(rw, "HTTP/1.1 200 OK\r\n")
		if body {
			write(rw, "Transfer-Encoding: chunked\r\n\r\n")
		}
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for waiting := true; waiting; {
			select {
			case <-gone:
				waiting = false
			case <-tick.C:
				_ = dribble(rw)
			}
		}
		conn.Close()
		left <- struct{}{}
	}
}

func write(rw *bufio.ReadWriter, s string) error {
	if _, err := rw.WriteString(s); err != nil {
		return err
	}
	return rw.Flush()
}

// waiting is a RateLimiter that only waits.
type waiting func(context.Context) error

func (wait waiting) Acquire(ctx context.Context, _ bool) (func(error), error) {
	return func(error) {}, wait(ctx)
}
