package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"

	"go.opentelemetry.io/otel/attribute"

	"github.com/google/go-cmp/cmp"
)

// TestOff: a nil tracer does nothing, and nothing is its to send.
func TestOff(t *testing.T) {
	var off *Tracer
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	ctx, span := off.Start(off.Incoming(r), Server, "request", "")
	span.Name("x")
	span.Set(attribute.Int("a", 1))
	span.End(true)
	if off.Parent(ctx) != "" || off.IsRecording(ctx) || off.Stats() != (Stats{}) || ctx != r.Context() {
		t.Error("a nil tracer traces")
	}
	off.Close()
}

// TestIncoming: whose trace a request is part of.
func TestIncoming(t *testing.T) {
	tracer := New(Config{URL: "http://127.0.0.1:1/"})
	defer tracer.Close()
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	for _, c := range []struct {
		name     string
		headers  []string
		same     bool // the trace is the request's
		recorded bool
	}{
		{"none", nil, false, true}, {"one", []string{"00-" + id + "-00f067aa0ba902b7-01"}, true, true}, {"not recorded", []string{"00-" + id + "-00f067aa0ba902b7-00"}, true, false},
		{"two", []string{"00-" + id + "-00f067aa0ba902b7-01", "00-" + id + "-00f067aa0ba902b7-01"}, false, true}, {"zeroes", []string{"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01"}, false, true},
		{"nonsense", []string{"canary"}, false, true}, {"long", []string{strings.Repeat("0", 60_000)}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.Header["Traceparent"] = c.headers
			ctx, span := tracer.Start(r.Context(), Server, "request", Traceparent(r))
			defer span.End(false)
			if parent := tracer.Parent(ctx); !tracer.IsRecording(ctx) || strings.Contains(parent, id) {
				t.Errorf("a link: traced %t as %q; want a trace of its own", tracer.IsRecording(ctx), parent)
			}
			ctx, span = tracer.Start(tracer.Incoming(r), Server, "request", "")
			defer span.End(false)
			parent := tracer.Parent(ctx)
			if tracer.IsRecording(ctx) != c.recorded || (parent != "") != c.recorded || c.recorded && strings.Contains(parent, id) != c.same {
				t.Errorf("traced %t as %q; want %t, the same trace %t", tracer.IsRecording(ctx), parent, c.recorded, c.same)
			}
		})
	}
}

// TestEncoding checks what a collector gets, field by field, independent of the environment.
func TestEncoding(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "canary=1")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "canary=1")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1/")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1/")
	bodies := make(chan []byte, 1)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Canary") != "" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("User-Agent") != "coinslot" {
			t.Errorf("headers %v", r.Header)
		}
		body, _ := io.ReadAll(r.Body)
		bodies <- body
	}))
	defer collector.Close()
	tracer := New(Config{URL: collector.URL, Version: "v1", Interval: time.Hour})
	parent := "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	_, made := tracer.Start(tracer.WithParent(t.Context(), parent), Client, "gateway create", parent, attribute.String("a", strings.Repeat("x", 300)), attribute.Int("b", 1<<40), attribute.Bool("c", true), attribute.Float64("d", 0.5))
	made.End(true)
	tracer.Close()
	body := <-bodies
	for name, digits := range map[string]string{"spanId": "[0-9A-F]{16}", "startTimeUnixNano": "[0-9]{19}", "endTimeUnixNano": "[0-9]{19}"} {
		found := regexp.MustCompile(`"` + name + `":\s*"` + digits + `",`)
		if !found.Match(body) {
			t.Errorf("no %s in %s", name, body)
		}
		if name != "spanId" { // of which links have one, too
			body = found.ReplaceAll(body, nil)
		}
	}
	own := regexp.MustCompile(`"spanId":\s*"([0-9A-F]{16})"`).FindSubmatch(body)
	body = bytes.ReplaceAll(body, own[1], []byte("own"))
	var got, want any
	fortest.OK(t, json.Unmarshal(body, &got))
	fortest.OK(t, json.Unmarshal([]byte(`{"resourceSpans": [{
		"resource": {"attributes": [
			{"key": "service.name", "value": {"stringValue": "coinslot"}},
			{"key": "service.version", "value": {"stringValue": "v1"}}]},
		"scopeSpans": [{"scope": {"name": "coinslot", "version": "v1"}, "spans": [{
			"traceId": "4BF92F3577B34DA6A3CE929D0E0E4736", "spanId": "own",
			"parentSpanId": "00F067AA0BA902B7", "flags": 769, "name": "gateway create",
			"kind": 3, "attributes": [
				{"key": "a", "value": {"stringValue": "`+strings.Repeat("x", 200)+`"}},
				{"key": "b", "value": {"intValue": "1099511627776"}},
				{"key": "c", "value": {"boolValue": true}},
				{"key": "d", "value": {"doubleValue": 0.5}}],
			"links": [{"traceId": "4BF92F3577B34DA6A3CE929D0E0E4736",
				"spanId": "00F067AA0BA902B7", "flags": 769}],
			"status": {"code": 2}}]}]}]}`), &want))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if stats := tracer.Stats(); stats != (Stats{Exported: 1}) {
		t.Errorf("Stats = %+v", stats)
	}
}

// Ending a span never blocks, whatever the collector does, and lost spans are counted.
func TestFailingCollector(t *testing.T) {
	hang := make(chan struct{})
	for name, h := range map[string]http.HandlerFunc{
		"refuses": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"leads away": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		},
		"cuts":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"hangs": func(_ http.ResponseWriter, r *http.Request) { <-hang },
	} {
		t.Run(name, func(t *testing.T) {
			collector := httptest.NewServer(h)
			tracer := New(Config{URL: collector.URL, Queue: 10, Interval: time.Millisecond})
			const n = 2_000
			began := time.Now()
			for range n {
				_, span := tracer.Start(context.Background(), Internal, "look", "")
				span.End(false)
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("%d spans took %v", n, took)
			}
			defer collector.Close()
			if name == "hangs" {
				time.AfterFunc(10*time.Millisecond, func() { close(hang) })
			}
			tracer.Close()
			stats := tracer.Stats()
			if stats.Exported+stats.Failed+stats.Dropped != n || name != "hangs" && stats.Failed == 0 || stats.Dropped == 0 {
				t.Errorf("Stats = %+v; want %d in all, some dropped", stats, n)
			}
		})
	}
}

// TestFailureWithoutKey: the log of a failed export does not hold the path of the collector's URL.
func TestFailureWithoutKey(t *testing.T) {
	refusing := httptest.NewServer(http.NotFoundHandler())
	defer refusing.Close()
	for name, origin := range map[string]string{"refusing": refusing.URL, "away": "http://127.0.0.1:1"} {
		var log fortest.Log
		tracer := New(Config{
			URL: origin + "/CANARY4711/v1/traces", Interval: time.Millisecond,
			Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		_, span := tracer.Start(t.Context(), Server, "request", "")
		span.End(false)
		fortest.Until(t, name+": the failure is logged", func() bool {
			return strings.Contains(log.String(), "trace export failed")
		})
		tracer.Close()
		fortest.Has(t, name, log.String(), "127.0.0.1:")
		fortest.Lacks(t, name, log.String(), "CANARY4711")
	}
}
