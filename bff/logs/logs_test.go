package logs

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"
)

func withNotes(log *slog.Logger) *slog.Logger { return slog.New(Handler(log.Handler(), nil)) }

// TestNotes: what a line gets from its context, in both formats.
func TestNotes(t *testing.T) {
	request := WithNotes(t.Context(), "req_1")
	NoteSession(request, "cs_a")
	look := WithNotes(request, "")
	NoteSession(look, "cs_b")
	traced := trace.ContextWithSpanContext(request, trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}}))
	NoteSession(t.Context(), "cs_lost") // takes none, and does not panic
	for _, c := range []struct {
		name string
		ctx  context.Context
		args []any
		want map[string]string
	}{
		{"none", t.Context(), nil, map[string]string{}},
		{"a request and its session", request, nil, map[string]string{"request_id": "req_1", "session": "cs_a"}},
		{"a line's own", request, []any{"session", "cs_own"}, map[string]string{"request_id": "req_1", "session": "cs_own"}},
		{"a look that a request has begun", look, nil, map[string]string{"session": "cs_b"}},
		{"a trace", traced, nil, map[string]string{"request_id": "req_1", "session": "cs_a", "trace_id": "01000000000000000000000000000000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			withNotes(New(&out, Config{JSON: true})).With("host", "x").InfoContext(c.ctx, "said", c.args...)
			line := map[string]any{}
			if err := json.Unmarshal(out.Bytes(), &line); err != nil || strings.Count(out.String(), `"session"`) > 1 {
				t.Fatalf("%s: %v", out.String(), err)
			}
			for _, name := range []string{"request_id", "session", "trace_id"} {
				if got, _ := line[name].(string); got != c.want[name] {
					t.Errorf("%s = %q; want %q", name, got, c.want[name])
				}
			}
			out.Reset()
			withNotes(New(&out, Config{Level: slog.LevelWarn})).InfoContext(c.ctx, "said")
			withNotes(New(&out, Config{})).InfoContext(c.ctx, "said", c.args...)
			if text := out.String(); strings.Count(text, "msg=said") != 1 || c.want["session"] != "" && !strings.Contains(text, "session="+c.want["session"]) {
				t.Errorf("as text: %s", text)
			}
		})
	}
}
