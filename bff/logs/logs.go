// Package logs makes the process's log and the notes that its lines get from
// their context: which request, session and trace they belong to. Nobody has to
// hand these down: [WithNotes] opens the notes of a request or of a look at a
// payment, [NoteSession] fills one in, and the handler of [New] writes them.
package logs

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"

	"go.opentelemetry.io/otel/trace"
)

// Config is what a log is made of.
type Config struct {
	JSON  bool       // one JSON object a line; false = text, name=value
	Level slog.Level // the least that is written; zero = info
}

// New returns a logger that writes to w. The server adds the notes; see [Handler].
func New(w io.Writer, c Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.JSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// Handler adds to what next writes the notes of the line's context: request_id,
// session and trace_id, each unless it is absent or the line has one of its own.
// written is called with the level of each line that next writes; nil = nobody
// counts.
func Handler(next slog.Handler, written func(slog.Level)) slog.Handler {
	if written == nil {
		written = func(slog.Level) {}
	}
	return handler{next, written}
}

// notes is what is known of what a context is about. Many goroutines may use it.
type notes struct {
	request string // "" = this is no request
	session atomic.Pointer[string]
}

type notesKey struct{}

// WithNotes returns a context with notes of its own, about that request; "" = about
// no request. Those of ctx are not seen any more.
func WithNotes(ctx context.Context, request string) context.Context {
	return context.WithValue(ctx, notesKey{}, &notes{request: request})
}

// Request returns the id of the request that ctx is about, "" if it is about none.
func Request(ctx context.Context) string {
	if n, ok := ctx.Value(notesKey{}).(*notes); ok {
		return n.request
	}
	return ""
}

// NoteSession notes which session ctx is about; a context without notes takes none.
func NoteSession(ctx context.Context, id string) {
	if n, ok := ctx.Value(notesKey{}).(*notes); ok {
		n.session.Store(&id)
	}
}

// SessionOf returns the session that ctx is about, "" if none was noted.
func SessionOf(ctx context.Context) string {
	if n, ok := ctx.Value(notesKey{}).(*notes); ok {
		if id := n.session.Load(); id != nil {
			return *id
		}
	}
	return ""
}

// handler is a slog.Handler that writes notes.
type handler struct {
	slog.Handler
	written func(slog.Level)
}

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	h.written(r.Level)
	has := map[string]bool{}
	r.Attrs(func(a slog.Attr) bool { has[a.Key] = true; return true })
	add := func(name, value string) {
		if value != "" && !has[name] {
			r.AddAttrs(slog.String(name, value))
		}
	}
	r = r.Clone()
	add("request_id", Request(ctx))
	add("session", SessionOf(ctx))
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
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
