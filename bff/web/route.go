package web

import (
	"net/http"
	"slices"
	"strings"

	"coinslot/app/wire"
)

// Route is one endpoint. All that there is to say of it is said here: the routes that the server
// has, what the tests of headers ask, and what docs/openapi.yaml has to describe follow.
type Route struct {
	// Pattern is as net/http.ServeMux takes it, "POST /v1/sessions".
	Pattern string
	// Kind is what a good answer is to browsers; one that is refused is [KindData] or a page.
	Kind Kind
	// Limit is how often one client may ask.
	Limit Limit
	// Pages tells that a browser's error is a page; programs get a problem as everywhere.
	Pages bool
	// Undocumented routes are not in docs/openapi.yaml: what they answer is for our own pages.
	Undocumented bool
	Handle       Handler
}

// Handler answers a request or says why not.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Limit is how often one client may make a request; the figures are in [Limits].
type Limit int

// What counts together has the same limit.
const (
	Unlimited     Limit = iota
	LimitReads          // what is only looked at
	LimitPosts          // what is posted, and asks nothing of the gateway
	LimitCalls          // posts that may make requests to the gateway
	LimitFewCalls       // those that must leave room for payments to be opened
)

// Handler returns the handler of the routes, of assets, and of everything that is not there.
// Routes has them from then on.
func (s *Server) Handler(routes []Route) http.Handler {
	mux, within := http.NewServeMux(), s.limiters()
	s.Routes = slices.Concat(s.Assets.routes(), routes)
	for _, route := range s.Routes {
		answer := s.handleData(route.Handle)
		if route.Pages {
			answer = s.handlePage(route.Handle)
		}
		mux.Handle(route.Pattern, within[route.Limit](answer))
	}
	mux.Handle("/", within[LimitReads](s.unmatched()))
	return s.outermost(s.checkMethod(mux))
}

// handleData wraps a handler whose errors are read by programs.
func (s *Server) handleData(h Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noteSession(r)
		if err := h(w, r); err != nil {
			s.writeProblem(w, r, err)
		}
	})
}

// handlePage wraps a handler whose errors a shopper may read.
func (s *Server) handlePage(h Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noteSession(r)
		if err := h(w, r); err != nil {
			s.writeError(w, r, err)
		}
	})
}

// writeError answers in words if a browser asks, and a program as everywhere.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if s.ErrorPage == nil || WantsJSON(r) {
		s.writeProblem(w, r, err)
		return
	}
	e := s.logError(r, err)
	setRetryAfter(w.Header(), e.Status)
	s.ErrorPage(w, r, e)
}

// notFound answers what is not there.
func notFound(http.ResponseWriter, *http.Request) error {
	return Refuse(wire.CodeNotFound, "")
}

// unmatched answers addresses at which nothing is: browsers in words, programs
// like everywhere.
func (s *Server) unmatched() http.Handler {
	page, data := s.handlePage(notFound), s.handleData(notFound)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept"), "text/html") {
			page.ServeHTTP(w, r)
			return
		}
		data.ServeHTTP(w, r)
	})
}

// checkMethod answers a known path with a wrong method in the form of every other
// error; the mux alone would answer with plain text.
func (s *Server) checkMethod(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "/" || pattern == "/v1/" {
			if allowed := allowedMethods(mux, r); allowed != "" {
				w.Header().Set("Allow", allowed)
				s.writeProblem(w, r, Refuse(wire.CodeMethod, ""))
				return
			}
		}
		mux.ServeHTTP(w, r)
	})
}

// allowedMethods returns the methods that have a route of their own at r's path.
func allowedMethods(mux *http.ServeMux, r *http.Request) string {
	var list []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		probe := r.Clone(r.Context())
		probe.Method = method
		if _, pattern := mux.Handler(probe); pattern != "/" && pattern != "/v1/" && pattern != "" {
			list = append(list, method)
		}
	}
	return strings.Join(list, ", ")
}
