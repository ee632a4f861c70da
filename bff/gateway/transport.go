package gateway

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"
)

// clients are the two ways to the gateway. net/http repeats a GET by itself when
// a kept connection turns out to be dead, and recheck is a GET that does
// something; a request on a connection of its own is never repeated.
type clients struct {
	reads   *http.Client // may reuse connections
	effects *http.Client // one connection per request
}

// newClients makes both clients out of t; nil = our own transport, bound to what
// base's host may be.
func newClients(t http.RoundTripper, base *url.URL) clients {
	if t == nil {
		t = newTransport(base)
	}
	effects := t
	if kept, ok := t.(*http.Transport); ok {
		once := kept.Clone()
		once.DisableKeepAlives = true
		effects = once
	}
	return clients{reads: newClient(t), effects: newClient(effects)}
}

// newClient follows no redirect: net/http would hand x-api-key to the other
// host. It has no cookies and no timeout of its own; contexts have.
func newClient(t http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: t,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// newTransport asks no environment for a proxy, so that only the gateway ever
// sees the key, and speaks HTTP/1.1, whose repetitions are known.
func newTransport(base *url.URL) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:            newDialer(base).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    5 * time.Second,
		MaxIdleConns:           16,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        time.Minute,
		MaxResponseHeaderBytes: 64 << 10,
		Protocols:              &protocols,
	}
}

func newDialer(base *url.URL) *net.Dialer {
	return &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second, Control: guard(base)}
}

// guard returns a check of each address before it is dialed. A public name that resolves to
// this machine or to a link-local address (cloud metadata) is an attack or a mistake; plain
// http never leaves the machine. Private networks are allowed, since a gateway may be in
// one: its server still needs a certificate for the configured name to get the key.
func guard(base *url.URL) func(network, address string, _ syscall.RawConn) error {
	local, clear := loopbackHost(base.Hostname()), base.Scheme == "http"
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("reading gateway address: %w", err)
		}
		ip := at.Addr().Unmap()
		switch {
		case clear && !ip.IsLoopback():
			return errors.New("plain http is for loopback addresses only")
		case !local && (ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast()):
			return errors.New("the gateway's name resolves to a local address")
		}
		return nil
	}
}

// connTrace watches how far a request gets. Its methods are called from any goroutine.
type connTrace struct{ asked, got atomic.Bool }

func (t *connTrace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) { t.asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { t.got.Store(true) },
	}
}

// unsent reports whether it is proven that no byte of the request left: a connection (TLS included)
// was asked for and never had. A transport that does not trace proves nothing.
func (t *connTrace) unsent() bool { return t.asked.Load() && !t.got.Load() }
