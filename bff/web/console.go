package web

import (
	"net"
	"net/http"
)

// FromProxy reports whether the peer is a trusted proxy.
func (s *Server) FromProxy(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && s.IsTrustedProxy(host)
}

// ConsoleRoutes are those of the operator's pages. Their answers are not compressed: they hold
// form tokens next to untrusted text (BREACH).
func (s *Server) ConsoleRoutes(pages http.Handler) []Route {
	handle := func(w http.ResponseWriter, r *http.Request) error {
		s.SetKind(w, KindConsole)
		w.Header().Set("X-Robots-Tag", "noindex, nofollow")
		pages.ServeHTTP(w, r)
		return nil
	}
	route := func(pattern string, limit Limit) Route {
		return Route{
			Pattern: pattern, Kind: KindConsole, Limit: limit, Undocumented: true, Handle: handle,
		}
	}
	return []Route{route("GET /admin", LimitReads), route("GET /admin/", LimitReads),
		route("POST /admin/", LimitPosts)}
}
