package web

import (
	"net"
	"net/http"
)

// FromProxy reports whether the other end of the connection is a trusted proxy.
func (s *Server) FromProxy(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && s.IsTrustedProxy(host)
}

// ConsoleRoutes are those of the operator's pages. Their answers are not compressed:
// they hold tokens of forms beside what others wrote (the attack is BREACH).
func (s *Server) ConsoleRoutes(pages http.Handler) []Route {
	handle := func(w http.ResponseWriter, r *http.Request) error {
		s.SetKind(w, KindConsole)
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
