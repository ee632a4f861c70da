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

// statusRecorder is an answer whose status is remembered.
type statusRecorder struct {
	http.ResponseWriter
	status int // zero = nothing was answered
}

// WriteHeader implements http.ResponseWriter.
func (w *statusRecorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *statusRecorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Hijack implements http.Hijacker, which the handshake of sockets asks for.
func (w *statusRecorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, buffered, err
}

// Unwrap lets http.ResponseController find what else the answer can do.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// observe answers r by next, tells Config.Began of it, and writes its line.
func (s *Server) observe(w http.ResponseWriter, r *http.Request, next http.Handler) {
	began, seen := time.Now(), &statusRecorder{ResponseWriter: w}
	ended := func(*http.Request, int) {}
	if s.Began != nil {
		var ctx context.Context
		ctx, ended = s.Began(r)
		r = r.WithContext(ctx)
	}
	defer func() {
		s.logRequest(r, seen.status, time.Since(began))
		ended(r, seen.status)
	}()
	defer s.recoverPanic(seen, r)
	next.ServeHTTP(seen, r)
}

// logRequest writes the one line of a request: for people if it matters, else for those
// who look for something. The address as it was is in none: hook tokens and order
// tokens are part of some.
func (s *Server) logRequest(r *http.Request, status int, took time.Duration) {
	level := slog.LevelDebug
	if isNotable(r, status) {
		level = slog.LevelInfo
	}
	noteSession(r)
	s.Log.LogAttrs(r.Context(), level, "request",
		slog.String("method", OneOf(r.Method, "GET", "HEAD", "POST", "OPTIONS")),
		slog.String("route", routePath(r)),
		slog.Int("status", status), slog.Duration("took", took))
}

// isNotable reports whether a request does or decides something, or shows a
// checkout to somebody. Files, sockets and what pages load again are not, unless
// they fail.
func isNotable(r *http.Request, status int) bool {
	switch r.Pattern {
	case "GET /checkout", "GET /checkout/{session}", "GET /checkout/{session}/receipt",
		"GET /return":
		return status != http.StatusTooManyRequests
	}
	asks := r.Method == http.MethodPost && r.Pattern != "" ||
		strings.HasPrefix(routePath(r), "/v1/")
	return asks && status != http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// routePath is the pattern of r's route without its method; "" = it has none.
func routePath(r *http.Request) string {
	method, path, ok := strings.Cut(r.Pattern, " ")
	if !ok {
		return method
	}
	return path
}

// noteSession notes the session that the address of r names, if it can be one.
func noteSession(r *http.Request) {
	if id := r.PathValue("session"); sessionID.MatchString(id) {
		logs.NoteSession(r.Context(), id)
	}
}

// sessionID is what a session's id looks like.
var sessionID = regexp.MustCompile(`^cs_[a-z2-7]{26}$`)

// IsSession reports whether id can be one of a session.
func IsSession(id string) bool { return sessionID.MatchString(id) }
