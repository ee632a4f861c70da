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

// outermost gives every request an id, a bounded body and the headers that all
// answers carry, and turns a panic into an answer.
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
	s.Log.ErrorContext(
		r.Context(), "a handler panicked", "route", routePath(r), "panic", fmt.Sprint(cause),
		"stack",
		string(debug.Stack()),
	)
	s.writeProblem(w, r, errPanic)
}

var errPanic = errors.New("handling a request: panic")

// SameOrigin refuses posts that a page of another origin has made. A request
// without the headers that browsers add is no browser's and is let through: what
// it needs is the session's id.
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
		return nil // a browser that hides where it comes from; the site is the browser's own word
	}
	if site != "" && site != "same-origin" ||
		origin != "" && !payment.SameName(origin, s.PublicURL) {
		return Refuse(wire.CodeForbidden, "")
	}
	return nil
}
