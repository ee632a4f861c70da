package web

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"coinslot/bff/logs"
)

// watched is an answer whose status is remembered.
type watched struct {
	http.ResponseWriter
	status int // zero = nothing was answered
}

// WriteHeader implements http.ResponseWriter.
func (w *watched) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *watched) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Hijack implements http.Hijacker, which the handshake of sockets asks for.
func (w *watched) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, buffered, err
}

// Unwrap lets http.ResponseController find what else the answer can do.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// watch answers r by next, tells Config.Began of it, and writes its line.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, next http.Handler) {
	began, seen := time.Now(), &watched{ResponseWriter: w}
	ended := func(*http.Request, int) {}
	if s.Began != nil {
		var ctx context.Context
		ctx, ended = s.Began(r)
		r = r.WithContext(ctx)
	}
	defer func() {
		s.line(r, seen.status, time.Since(began))
		ended(r, seen.status)
	}()
	defer s.recovered(seen, r)
	next.ServeHTTP(seen, r)
}

// line writes the one line of a request: for people if it matters, else for those
// who look for something. The address as it was is in none: hook tokens and order
// tokens are part of some.
func (s *Server) line(r *http.Request, status int, took time.Duration) {
	level := slog.LevelDebug
	if matters(r, status) {
		level = slog.LevelInfo
	}
	noteSession(r)
	s.Log.LogAttrs(r.Context(), level, "request",
		slog.String("method", OneOf(r.Method, "GET", "HEAD", "POST", "OPTIONS")),
		slog.String("route", routed(r)),
		slog.Int("status", status), slog.Duration("took", took))
}

// matters reports whether a request does or decides something, or shows a
// checkout to somebody. Files, sockets and what pages load again are not, unless
// they fail.
func matters(r *http.Request, status int) bool {
	switch r.Pattern {
	case "GET /checkout", "GET /checkout/{session}", "GET /checkout/{session}/receipt",
		"GET /return":
		return status != http.StatusTooManyRequests
	}
	asks := r.Method == http.MethodPost && r.Pattern != "" || strings.HasPrefix(routed(r), "/v1/")
	return asks && status != http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// routed is the pattern of r's route without its method; "" = it has none.
func routed(r *http.Request) string {
	method, path, ok := strings.Cut(r.Pattern, " ")
	if !ok {
		return method
	}
	return path
}

// noteSession notes the session that the address of r names, if it can be one.
func noteSession(r *http.Request) {
	if id := r.PathValue("session"); sessionID.MatchString(id) {
		logs.Session(r.Context(), id)
	}
}

// sessionID is what a session's id looks like.
var sessionID = regexp.MustCompile(`^cs_[a-z2-7]{26}$`)

// IsSession reports whether id can be one of a session.
func IsSession(id string) bool { return sessionID.MatchString(id) }
