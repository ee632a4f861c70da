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

type statusRecorder struct {
	http.ResponseWriter
	status int // zero = no answer yet
}

// WriteHeader implements http.ResponseWriter.
func (s *statusRecorder) WriteHeader(status int) {
	if s.status == 0 && status >= 200 {
		s.status = status
	}
	s.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (s *statusRecorder) Write(p []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	return s.ResponseWriter.Write(p)
}

// Hijack implements http.Hijacker, for websockets.
func (s *statusRecorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(s.ResponseWriter).Hijack()
	if err == nil {
		s.status = http.StatusSwitchingProtocols
	}
	return conn, buffered, err
}

// Unwrap is for http.ResponseController.
func (s *statusRecorder) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// observe calls next, Config.Began and its end, and logs the request.
func (s *Server) observe(w http.ResponseWriter, r *http.Request, next http.Handler) {
	began := time.Now()
	seen := &statusRecorder{ResponseWriter: w}
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

// logRequest logs a request, at level info if it is notable, else debug. It never logs the URL,
// which may contain tokens.
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

// isNotable reports whether a request changes or decides something, shows a checkout, or fails.
// Files, sockets and reloads are not notable.
func isNotable(r *http.Request, status int) bool {
	switch r.Pattern {
	case "GET /checkout", "GET /checkout/{session}", "GET /checkout/{session}/receipt",
		"GET /return":
		return status != http.StatusTooManyRequests
	}
	acts := r.Method == http.MethodPost && r.Pattern != "" ||
		strings.HasPrefix(routePath(r), "/v1/")
	return acts && status != http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// routePath is the pattern of r's route without its method; "" = no route.
func routePath(r *http.Request) string {
	method, path, ok := strings.Cut(r.Pattern, " ")
	if !ok {
		return method
	}
	return path
}

// noteSession adds the session in the path of r to its log lines.
func noteSession(r *http.Request) {
	if id := r.PathValue("session"); sessionID.MatchString(id) {
		logs.NoteSession(r.Context(), id)
	}
}

var sessionID = regexp.MustCompile(`^cs_[a-z2-7]{26}$`)

// IsSession reports whether id has the form of a session id.
func IsSession(id string) bool { return sessionID.MatchString(id) }
