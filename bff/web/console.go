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

// Within is what this server tells its console.
func (s *Server) Within() Within {
	return Within{
		Asset:      s.Assets.URL,
		Address:    s.Client,
		Client:     func(r *http.Request) string { return bucket(s.Client(r)) },
		Proxied:    s.proxied,
		SameOrigin: s.SameOrigin,
	}
}

// proxied reports whether the other end of the connection is a trusted proxy.
func (s *Server) proxied(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && s.Trusted(host)
}

// ConsoleRoutes are those of the operator's pages. Their answers are not compressed:
// they hold tokens of forms beside what others wrote (the attack is BREACH).
func (s *Server) ConsoleRoutes(pages http.Handler) []Route {
	handle := func(w http.ResponseWriter, r *http.Request) error {
		s.As(w, KindConsole)
		w.Header().Set("X-Robots-Tag", "noindex, nofollow")
		pages.ServeHTTP(w, r)
		return nil
	}
	return []Route{
		{Pattern: "GET /admin", Kind: KindConsole, Limit: LimitReads, Undocumented: true,
			Handle: handle},
		{Pattern: "GET /admin/", Kind: KindConsole, Limit: LimitReads, Undocumented: true,
			Handle: handle},
		{Pattern: "POST /admin/", Kind: KindConsole, Limit: LimitPosts, Undocumented: true,
			Handle: handle},
	}
}
