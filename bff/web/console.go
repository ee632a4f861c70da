package web

import (
	"net"
	"net/http"
)

// Within is what the operator's console needs of the server around it.
type Within struct {
	Asset func(name string) string // the immutable address of a file, "console.css"
	// Address is where a request comes from; Client is that as limits count it.
	Address, Client func(*http.Request) string
	// Proxied reports whether a request comes straight from one of TrustedProxies.
	Proxied func(*http.Request) bool
	// SameOrigin refuses posts that a page of another origin has made, by a *wire.Error.
	SameOrigin func(*http.Request) error
}

// within is what this server tells its console.
func (s *server) within() Within {
	return Within{
		Asset:      s.assets.URL,
		Address:    s.client,
		Client:     func(r *http.Request) string { return bucket(s.client(r)) },
		Proxied:    s.proxied,
		SameOrigin: s.sameOrigin,
	}
}

// proxied reports whether the other end of the connection is a trusted proxy.
func (s *server) proxied(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && s.trusted(host)
}

// operators gives the operator's pages their headers. They are not compressed:
// they hold tokens of forms beside what others wrote (the attack is BREACH).
func (s *server) operators(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.as(w, kindConsole)
		w.Header().Set("X-Robots-Tag", "noindex, nofollow")
		next.ServeHTTP(w, r)
	})
}
