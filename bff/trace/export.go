package trace

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// Config says where traces go.
type Config struct {
	URL      string        // of the collector's traces, "http://127.0.0.1:4318/v1/traces"
	Version  string        // of this program
	Queue    int           // spans that may wait to be sent; zero = 4,096
	Interval time.Duration // the longest that one waits; zero = 1 s
	Log      *slog.Logger  // nil = silent
}

func (c Config) withDefaults() Config {
	if c.Queue == 0 {
		c.Queue = 4096
	}
	if c.Interval == 0 {
		c.Interval = time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

const (
	batchSize   = 512 // spans in one request
	sendTimeout = 10 * time.Second
)

// queue is the SDK's batch processor with its exporter. It adds what they do not have:
// the counts of [Stats]. Ending a span never blocks.
type queue struct {
	sdk.SpanProcessor
	client  *http.Client
	log     *slog.Logger
	size    int64
	origin  *resource.Resource
	failing bool // of export alone, whose calls do not overlap: the last request failed

	waiting                   atomic.Int64 // spans that are queued or being sent
	exported, failed, dropped atomic.Uint64
}

// newQueue returns a queue whose goroutine runs until Shutdown. Everything is set here, so
// that no OTEL_ variable of the environment decides what is sent, or where.
func newQueue(c Config) *queue {
	c = c.withDefaults()
	q := &queue{
		log: c.Log, size: int64(c.Queue),
		origin: resource.NewSchemaless(attribute.String("service.name", "coinslot"),
			attribute.String("service.version", c.Version)),
		client: &http.Client{
			Timeout:   sendTimeout,
			Transport: &http.Transport{MaxIdleConns: 1, IdleConnTimeout: time.Minute}, // no proxy
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		},
	}
	exporter := otlptrace.NewUnstarted(otlptracehttp.NewClient(
		otlptracehttp.WithEndpointURL(c.URL),
		otlptracehttp.WithEncoding(otlptracehttp.EncodingJSON),
		otlptracehttp.WithCompression(otlptracehttp.NoCompression),
		otlptracehttp.WithHeaders(map[string]string{"User-Agent": "coinslot"}),
		otlptracehttp.WithHTTPClient(q.client),
		otlptracehttp.WithMaxResponseSize(64<<10),
		// A trace is not worth the memory of an outage.
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false}),
	))
	q.SpanProcessor = sdk.NewBatchSpanProcessor(countingExporter{exporter, q},
		sdk.WithMaxQueueSize(c.Queue), sdk.WithMaxExportBatchSize(min(batchSize, c.Queue)),
		sdk.WithBatchTimeout(c.Interval), sdk.WithExportTimeout(sendTimeout))
	return q
}

// OnEnd implements sdk.SpanProcessor. If the queue is full, the span is dropped.
func (q *queue) OnEnd(s sdk.ReadOnlySpan) {
	switch {
	case !s.SpanContext().IsSampled():
	case q.waiting.Add(1) > q.size:
		q.waiting.Add(-1)
		q.dropped.Add(1)
	default:
		q.SpanProcessor.OnEnd(ownSpan{s, q.origin})
	}
}

// ownSpan is a span of this program. The SDK would add OTEL_RESOURCE_ATTRIBUTES.
type ownSpan struct {
	sdk.ReadOnlySpan
	origin *resource.Resource
}

// Resource implements sdk.ReadOnlySpan.
func (s ownSpan) Resource() *resource.Resource { return s.origin }

// countingExporter is the exporter whose outcomes q counts, and logs when they change.
type countingExporter struct {
	sdk.SpanExporter
	q *queue
}

// ExportSpans implements sdk.SpanExporter. It returns no error: what the collector does
// not accept is lost, and counted.
func (c countingExporter) ExportSpans(ctx context.Context, batch []sdk.ReadOnlySpan) error {
	err := c.SpanExporter.ExportSpans(ctx, batch)
	q := c.q
	if err == nil {
		q.exported.Add(uint64(len(batch)))
	} else {
		q.failed.Add(uint64(len(batch)))
	}
	q.waiting.Add(-int64(len(batch)))
	if failing := err != nil; failing != q.failing {
		q.failing = failing
		if failing {
			q.log.Warn("traces are not taken", "error", fmt.Sprintf("%.300v", err))
		} else {
			q.log.Info("traces are taken again")
		}
	}
	return nil
}
