package web

import (
	"net/http"
	"slices"
	"strings"

	"coinslot/app/wire"
)

// Route is one endpoint. The server's routes, the tests of headers, and the contents of
// docs/openapi.yaml follow from it.
type Route struct {
	// Pattern is as net/http.ServeMux takes it, "POST /v1/sessions".
	Pattern string
	// Kind is that of a successful answer; an error is [KindData] or a page.
	Kind  Kind
	Limit Limit
	// Pages makes errors pages for browsers; programs always get problem+json.
	Pages bool
	// Undocumented routes are for our own pages and not in docs/openapi.yaml.
	Undocumented bool
	Handle       Handler
}

// Handler answers a request or returns an error, which is then answered.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Limit is how often one client may make a request; see [Limits].
type Limit int

// Requests with the same limit count together.
const (
	Unlimited     Limit = iota
	LimitReads          // reads
	LimitPosts          // posts without gateway requests
	LimitCalls          // posts that may make gateway requests
	LimitFewCalls       // such posts that must leave room for opening payments
)

// Handler returns the handler of the routes, of assets, and of unknown paths. It sets s.Routes.
func (s *Server) Handler(routes []Route) http.Handler {
	mux := http.NewServeMux()
	limits := s.limiters()
	s.Routes = slices.Concat(s.Assets.routes(), routes)
	for _, route := range s.Routes {
		fail := s.writeProblem
		if route.Pages {
			fail = s.writeError
		}
		mux.Handle(route.Pattern, limits[route.Limit](handle(route.Handle, fail)))
	}

	mux.Handle("/", limits[LimitReads](s.unmatched()))
	return s.outermost(s.checkMethod(mux))
}

// handle wraps a handler whose errors fail writes.
func handle(h Handler, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noteSession(r)
		if err := h(w, r); err != nil {
			fail(w, r, err)
		}
	})
}

// writeError answers with a page for browsers and a problem for programs.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if s.ErrorPage == nil || WantsJSON(r) {
		s.writeProblem(w, r, err)
		return
	}
	e := s.logError(r, err)
	setRetryAfter(w.Header(), e.Status, err)
	s.ErrorPage(w, r, e)
}

// unmatched answers unknown paths.
func (s *Server) unmatched() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fail := s.writeProblem
		if strings.Contains(r.Header.Get("Accept"), "text/html") {
			fail = s.writeError
		}
		fail(w, r, Refuse(wire.CodeNotFound, ""))
	})
}

// checkMethod answers a wrong method like any other error; the mux would use plain text.
func (s *Server) checkMethod(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := mux.Handler(r)
		if pattern == "/" || pattern == "/v1/" {
			if allowed := allowedMethods(mux, r); allowed != "" {
				w.Header().Set("Allow", allowed)
				s.writeProblem(w, r, Refuse(wire.CodeMethod, ""))
				return
			}
		}
		mux.ServeHTTP(w, r)
	})
}

// allowedMethods returns the methods with a route at r's path.
func allowedMethods(mux *http.ServeMux, r *http.Request) string {
	var list []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		probe := r.Clone(r.Context())
		probe.Method = method
		_, pattern := mux.Handler(probe)
		if pattern != "/" && pattern != "/v1/" && pattern != "" {
			list = append(list, method)
		}
	}
	return strings.Join(list, ", ")
}
