// Package logs creates the log, and adds request, session and trace ids of the context to its
// lines: [WithNotes] starts the notes of a request or of a check, [NoteSession] adds the session,
// and [Handler] writes them.
package logs

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"

	"go.opentelemetry.io/otel/trace"
)

// Config is the format and the destination of a log.
type Config struct {
	JSON  bool       // one JSON object a line; false = text, name=value
	Level slog.Level // minimum level; zero = info
}

// New returns a logger that writes to w, without notes; see [Handler].
func New(w io.Writer, c Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.JSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// Handler adds the notes of the context to lines: request_id, session and trace_id, unless absent
// or already in the line. written is called with the level of each line; nil = not called.
func Handler(next slog.Handler, written func(slog.Level)) slog.Handler {
	if written == nil {
		written = func(slog.Level) {}
	}
	return handler{next, written}
}

// notes are safe for concurrent use.
type notes struct {
	request string // "" = not of a request
	session atomic.Pointer[string]
}

type notesKey struct{}

// WithNotes returns a context with new notes, about that request; "" = none.
func WithNotes(ctx context.Context, request string) context.Context {
	return context.WithValue(ctx, notesKey{}, &notes{request: request})
}

// Request returns the request id of ctx, "" = none.
func Request(ctx context.Context) string {
	if n, ok := ctx.Value(notesKey{}).(*notes); ok {
		return n.request
	}
	return ""
}

// NoteSession sets the session of ctx, if it has notes.
func NoteSession(ctx context.Context, id string) {
	if n, ok := ctx.Value(notesKey{}).(*notes); ok {
		n.session.Store(&id)
	}
}

// SessionOf returns the session of ctx, "" = none.
func SessionOf(ctx context.Context) string {
	if n, ok := ctx.Value(notesKey{}).(*notes); ok {
		if id := n.session.Load(); id != nil {
			return *id
		}
	}
	return ""
}

type handler struct {
	slog.Handler
	written func(slog.Level)
}

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	h.written(r.Level)
	has := map[string]bool{}
	r.Attrs(func(a slog.Attr) bool {
		has[a.Key] = true
		return true
	})
	add := func(name, value string) {
		if value != "" && !has[name] {
			r.AddAttrs(slog.String(name, value))
		}
	}
	r = r.Clone()
	add("request_id", Request(ctx))
	add("session", SessionOf(ctx))
	span := trace.SpanContextFromContext(ctx)
	if span.HasTraceID() {
		add("trace_id", span.TraceID().String())
	}

	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs), h.written}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.written}
}
