package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/logs"
	"coinslot/bff/payment"
)

// outermost gives every request an id, a bounded body and the headers that all
// answers carry, and turns a panic into an answer.
func (s *server) outermost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := "req_" + strings.ToLower(rand.Text()[:16])
		r = r.WithContext(logs.Noted(r.Context(), id))
		s.common(w.Header(), id)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		s.watch(w, r, next)
	})
}

func (s *server) recovered(w http.ResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	s.Log.ErrorContext(
		r.Context(), "a handler panicked", "route", routed(r), "panic", fmt.Sprint(cause), "stack",
		string(debug.Stack()),
	)
	s.problem(w, r, errPanic)
}

var errPanic = errors.New("handling a request: panic")

// once returns the value of a header that decides something, "" if it is absent.
// One that is given twice is refused with code: somebody on the way may have read
// the other one.
func once(r *http.Request, name string, code wire.Code) (string, error) {
	if len(r.Header.Values(name)) > 1 {
		return "", refuse(code, name)
	}
	return r.Header.Get(name), nil
}

// sameOrigin refuses posts that a page of another origin has made. A request
// without the headers that browsers add is no browser's and is let through: what
// it needs is the session's id.
func (s *server) sameOrigin(r *http.Request) error {
	site, err := once(r, "Sec-Fetch-Site", wire.CodeForbidden)
	if err != nil {
		return err
	}
	origin, err := once(r, "Origin", wire.CodeForbidden)
	if err != nil {
		return err
	}
	if site == "same-origin" && origin == "null" {
		return nil // a browser that hides where it comes from; the site is the browser's own word
	}
	if site != "" && site != "same-origin" ||
		origin != "" && !payment.SameName(origin, s.PublicURL) {
		return refuse(wire.CodeForbidden, "")
	}
	return nil
}

// authorized wraps the merchant's handlers: a bearer key.
func (s *server) authorized(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		value, err := once(r, "Authorization", wire.CodeUnauthorized)
		if err != nil {
			return err
		}
		scheme, key, _ := strings.Cut(value, " ")
		if !s.opens(strings.TrimSpace(key)) || !payment.SameName(scheme, "Bearer") {
			return s.wrong(w, r, refuse(wire.CodeUnauthorized, "Authorization"))
		}
		return h(w, r)
	}
}

// opens reports whether key is one of the secret keys, in a time that tells
// neither which one nor how much of it was right. No key at all opens nothing.
func (s *server) opens(key string) bool {
	got, same := sha256.Sum256([]byte(key)), 0
	for _, secret := range s.SecretKeys {
		want := sha256.Sum256([]byte(secret))
		same |= subtle.ConstantTimeCompare(got[:], want[:])
	}
	return key != "" && same == 1
}

// silent is the logger of a server that was given none.
func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }
