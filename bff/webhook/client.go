package webhook

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// maxAnswerBytes is how much of an answer's body is read.
const maxAnswerBytes = 1 << 10

// newClient returns the client that all tries are made with. It follows no redirect, knows no proxy
// and keeps no cookies; the deadline of a try is its context's.
func newClient(allowPrivate bool) *http.Client {
	dialer := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
	if !allowPrivate {
		dialer.Control = newGuard().control
	}
	// HTTP/1.1 only: a connection carries one try, so that a connection that hangs
	// takes no other try with it.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
		Transport: &http.Transport{
			// not even from the environment: it would connect in our place, unguarded
			Proxy:                  nil,
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    10 * time.Second,
			Protocols:              &protocols,
			DisableCompression:     true, // 1 KiB stays 1 KiB
			MaxResponseHeaderBytes: 16 << 10,
			MaxIdleConnsPerHost:    inFlight,
			IdleConnTimeout:        30 * time.Second,
		},
	}
}
