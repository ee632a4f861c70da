package e2e

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"coinslot/bff/fortest"
)

// proxy stands between browsers and a checkout, as a merchant's web server or a company's network
// does. It is invisible to the checkout: the proxy's origin becomes the checkout's own, so one
// stack can have many.
type proxy struct {
	base           string // on localhost
	server         *httptest.Server
	hung           atomic.Bool
	releaseProgram chan struct{} // closed when the test is over
}

// proxied puts a proxy that changes answers before the checkout at to, and returns
// the origin that browsers go to.
func proxied(t *testing.T, to string, change func(*http.Response)) (base string) {
	t.Helper()
	return newProxy(t, to, change).base
}

// newProxy is spoil for a proxy that shall also hang or die. A nil change leaves
// answers as they are.
func newProxy(t *testing.T, to string, change func(*http.Response)) *proxy {
	t.Helper()
	target := fortest.Must(url.Parse(to))(t)
	p := &proxy{releaseProgram: make(chan struct{})}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if r.In.Header.Get("Origin") == p.base {
				r.Out.Header.Set("Origin", to)
			}
			r.Out.Header.Set("Accept-Encoding", "identity") // what is changed must be readable
		},
		ModifyResponse: func(r *http.Response) error {
			if change != nil {
				change(r)
			}
			return nil
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler)
		},
	}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.hung.Load() {
			<-p.releaseProgram
			return
		}
		forward.ServeHTTP(w, r)
	}))
	p.base = strings.Replace(p.server.URL, "127.0.0.1", "localhost", 1)
	t.Cleanup(p.server.Close)
	t.Cleanup(func() { close(p.releaseProgram) }) // first, or closing waits for what hangs
	return p
}

// hang takes every request from now on and answers none.
func (p *proxy) hang() { p.hung.Store(true) }

// die refuses every connection from now on, and ends those there are.
func (p *proxy) die(t *testing.T) {
	t.Helper()
	fortest.OK(t, p.server.Listener.Close())
	p.server.CloseClientConnections()
}

// without returns a change that takes text out of a header.
func without(header, text string) func(*http.Response) {
	return func(r *http.Response) {
		if value := r.Header.Get(header); value != "" {
			r.Header.Set(header, strings.ReplaceAll(value, text, ""))
		}
	}
}

// rewritten changes the bodies of answers whose path has that ending; "" means all pages.
func rewritten(ending string, change func([]byte) []byte) func(*http.Response) {
	return func(r *http.Response) {
		page := strings.HasPrefix(r.Header.Get("Content-Type"), "text/html")
		if ending == "" && !page || !strings.HasSuffix(r.Request.URL.Path, ending) {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err = errors.Join(err, r.Body.Close()); err != nil {
			panic(http.ErrAbortHandler)
		}
		body = change(body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		r.Header.Del("ETag") // it was of another file
	}
}
