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
	err, ok := cause.(error)
	if ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	s.Log.ErrorContext(r.Context(), "handler panicked", "route", routePath(r),
		"panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
	s.writeProblem(w, r, errors.New("handling a request: panic"))
}

// SameOrigin refuses a request, of whatever method, that a page of another origin has made. A
// request without the headers that browsers add is not from a browser and passes: it needs the
// session's id, a key or a login.
func (s *Server) SameOrigin(r *http.Request) error {
	if _, err := SingleHeader(r, "Sec-Fetch-Site", wire.CodeForbidden); err != nil {
		return err
	}
	origin, err := SingleHeader(r, "Origin", wire.CodeForbidden)
	if err != nil {
		return err
	}

	// Check lets all requests pass that only read. For old browsers, which send only Origin, it
	// compares Host, which a proxy may change.
	post := r.WithContext(r.Context())
	post.Method = http.MethodPost
	_, post.Host, _ = strings.Cut(s.PublicURL, "://")
	var protection http.CrossOriginProtection
	if protection.Check(post) != nil {
		return Refuse(wire.CodeForbidden, "")
	}

	// Check compares no origin with Sec-Fetch-Site: same-origin, and no scheme. A name that leads
	// to this server by DNS rebinding is the same origin to a browser, but not the public one.
	if origin != "" && origin != "null" && !payment.SameName(origin, s.PublicURL) {
		return Refuse(wire.CodeForbidden, "")
	}
	return nil
}
