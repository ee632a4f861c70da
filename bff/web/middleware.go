package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/logs"
	"coinslot/bff/payment"
)

// outermost gives every request an id, a bounded body and the common headers, and recovers from
// panics.
func (s *Server) outermost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := "req_" + strings.ToLower(rand.Text()[:16])
		r = r.WithContext(logs.WithNotes(r.Context(), id))
		s.setCommonHeaders(w.Header(), id)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		s.observe(w, r, next)
	})
}

func (s *Server) recoverPanic(w http.ResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	s.Log.ErrorContext(r.Context(), "handler panicked", "route", routePath(r),
		"panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
	s.writeProblem(w, r, errors.New("handling a request: panic"))
}

// SameOrigin refuses posts from pages of other origins. A request without the headers that
// browsers add is not from a browser and passes: it needs the session's id.
func (s *Server) SameOrigin(r *http.Request) error {
	site, err := SingleHeader(r, "Sec-Fetch-Site", wire.CodeForbidden)
	if err != nil {
		return err
	}
	origin, err := SingleHeader(r, "Origin", wire.CodeForbidden)
	if err != nil {
		return err
	}
	if site == "same-origin" && origin == "null" {
		return nil // privacy settings hide the origin; Sec-Fetch-Site cannot be forged by a page
	}
	if site != "" && site != "same-origin" ||
		origin != "" && !payment.SameName(origin, s.PublicURL) {
		return Refuse(wire.CodeForbidden, "")
	}
	return nil
}
