package check

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/andybalholm/brotli"
)

// Request is one that a browser makes until the checkout is there. Times are in milliseconds,
// rounded up; 0 = the request did not need that.
type Request struct {
	Name     string `json:"name"`
	Method   string `json:"method"` // HEAD of files that load later
	URL      string `json:"url"`    // without the query
	Status   int    `json:"status"`
	Start    int    `json:"start_ms"` // since the first request
	DNS      int    `json:"dns_ms"`
	TCP      int    `json:"tcp_ms"` // one round trip
	TLS      int    `json:"tls_ms"`
	First    int    `json:"first_byte_ms"` // since the request was sent
	Whole    int    `json:"whole_ms"`      // since Start
	Bytes    int    `json:"bytes"`         // of the body, as sent
	Protocol string `json:"protocol"`      // HTTP/2.0
	Secure   string `json:"tls"`           // TLS 1.3; empty = not encrypted
	Coding   string `json:"content_encoding"`
	Cache    string `json:"cache_control"`
	Reused   bool   `json:"reused"` // whether the connection was open

	host, pool   string // pool: of connections that it may use
	began, ended int64  // nanoseconds of the test
}

// mostBytes is the limit of an answer, packed and unpacked.
const mostBytes = 2 << 20

// request loads a URL, without following a redirect, and records its times.
func (s *speedTest) request(
	ctx context.Context, client *http.Client, name string, at *url.URL,
) (response, error) {
	r := Request{Name: name, Method: http.MethodGet, URL: withoutQuery(at), host: at.Host,
		pool: fmt.Sprintf("%p %s", client, at.Host)}
	if hashedFile.MatchString(at.Path) {
		r.Method = http.MethodHead
	}
	ctx, end := s.trace(ctx, &r)
	req := &http.Request{Method: r.Method, URL: at, Header: http.Header{
		"Accept": {"text/html, */*"}, "Accept-Encoding": {"br, gzip"}, "Accept-Language": {"en"},
		"User-Agent": {"Mozilla/5.0 (coinslot check)"},
	}}
	answer, err := exchange(client, req.WithContext(ctx), mostBytes+1)
	if err == nil && len(answer.body) > mostBytes {
		err = errors.New("it has more than 2 MB")
	}
	if err != nil {
		return response{}, err
	}
	end()
	if answer.StatusCode/100 == 3 {
		r.Name = "redirect"
	}
	r.Status, r.Protocol = answer.StatusCode, answer.Proto
	r.Bytes = max(len(answer.body), int(answer.ContentLength))
	r.Coding, r.Cache = answer.Header.Get("Content-Encoding"), answer.Header.Get("Cache-Control")
	if answer.TLS != nil {
		r.Secure = tls.VersionName(answer.TLS.Version)
	}
	s.add(nil, r)
	if r.Method == http.MethodGet {
		answer.body, err = unpack(r.Coding, answer.body)
	}
	return answer, err
}

// span is from one moment of a test to another, in nanoseconds. It is atomic: a connection that
// a request does not need in the end still reports its moments.
type span struct{ from, to atomic.Int64 }

// ms rounds up; 0 = it did not begin or end.
func (x *span) ms() int {
	from, to := x.from.Load(), x.to.Load()
	if from == 0 || to == 0 {
		return 0
	}
	// a fast answer is reported before its request
	return max(1, int((to-from+999_999)/1_000_000))
}

// trace begins the times of r, and returns a function that sets them at its end.
func (s *speedTest) trace(ctx context.Context, r *Request) (context.Context, func()) {
	var dns, tcp, secure, wait, whole span
	mark := func(moment *atomic.Int64) { moment.Store(int64(time.Since(s.began))) }
	mark(&whole.from)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart:             func(httptrace.DNSStartInfo) { mark(&dns.from) },
		DNSDone:              func(httptrace.DNSDoneInfo) { mark(&dns.to) },
		ConnectStart:         func(_, _ string) { mark(&tcp.from) },
		ConnectDone:          func(_, _ string, _ error) { mark(&tcp.to) },
		TLSHandshakeStart:    func() { mark(&secure.from) },
		TLSHandshakeDone:     func(tls.ConnectionState, error) { mark(&secure.to) },
		GotConn:              func(info httptrace.GotConnInfo) { r.Reused = info.Reused },
		WroteRequest:         func(httptrace.WroteRequestInfo) { mark(&wait.from) },
		GotFirstResponseByte: func() { mark(&wait.to) },
	})
	return ctx, func() {
		mark(&whole.to)
		r.began, r.ended = whole.from.Load(), whole.to.Load()
		r.Start, r.First, r.Whole = int(r.began/1_000_000), wait.ms(), whole.ms()
		r.Reused = r.Reused || tcp.to.Load() == 0 // another request has opened it meanwhile
		if !r.Reused {
			r.DNS, r.TCP, r.TLS = dns.ms(), tcp.ms(), secure.ms()
		}
	}
}

func unpack(coding string, body []byte) (_ []byte, err error) {
	r := io.Reader(bytes.NewReader(body))
	switch coding {
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		if r, err = gzip.NewReader(r); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(r, mostBytes))
}
