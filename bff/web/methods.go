package web

import (
	"net/http"

	"coinslot/app/wire"
)

// methods answers a known path with a wrong method in the form of every other
// error; the mux alone would answer with plain text.
func methods(mux *http.ServeMux, s *server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "/" || pattern == "/v1/" {
			if allowed := allowed(mux, r); allowed != "" {
				w.Header().Set("Allow", allowed)
				s.problem(w, r, refuse(wire.CodeMethod, ""))
				return
			}
		}
		mux.ServeHTTP(w, r)
	})
}

// allowed returns the methods that have a route of their own at r's path.
func allowed(mux *http.ServeMux, r *http.Request) string {
	list := ""
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		probe := r.Clone(r.Context())
		probe.Method = method
		if _, pattern := mux.Handler(probe); pattern != "/" && pattern != "/v1/" && pattern != "" {
			if list != "" {
				list += ", "
			}
			list += method
		}
	}
	return list
}
