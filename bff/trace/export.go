package trace

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// Config is where spans go and what they say of this process.
type Config struct {
	URL      string        // of the collector, "http://127.0.0.1:4318/v1/traces"
	Version  string        // of this program
	Queue    int           // maximum queued spans; zero = 4,096
	Interval time.Duration // maximum wait of a span; zero = 1 s
	Log      *slog.Logger  // nil = silent
}

func (c Config) withDefaults() Config {
	c.Queue, c.Interval = cmp.Or(c.Queue, 4096), cmp.Or(c.Interval, time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

const (
	batchSize   = 512 // spans in one request
	sendTimeout = 10 * time.Second
)

// queue is the SDK's batch processor and exporter, with the counts of [Stats]. Ending a span never
// blocks.
type queue struct {
	sdk.SpanProcessor
	client  *http.Client
	url     string // of the collector
	log     *slog.Logger
	size    int64
	origin  *resource.Resource
	failing bool // used by export only, whose calls do not overlap

	waiting                   atomic.Int64 // spans that are queued or being sent
	exported, failed, dropped atomic.Uint64
}

// newQueue returns a queue whose goroutine runs until Shutdown. It sets all options, so that OTEL_
// variables of the environment have no effect.
func newQueue(c Config) *queue {
	c = c.withDefaults()
	q := &queue{
		url:  c.URL,
		log:  c.Log,
		size: int64(c.Queue),
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
		// Spans are not worth the memory during an outage.
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false}),
	))
	q.SpanProcessor = sdk.NewBatchSpanProcessor(countingExporter{exporter, q},
		sdk.WithMaxQueueSize(c.Queue), sdk.WithMaxExportBatchSize(min(batchSize, c.Queue)),
		sdk.WithBatchTimeout(c.Interval), sdk.WithExportTimeout(sendTimeout))
	return q
}

// describe returns the text of err without the collector's URL, whose path may contain a key.
func (q *queue) describe(err error) string {
	text := err.Error()
	u, invalid := url.Parse(q.url)
	if invalid != nil || len(u.RequestURI()) < 2 {
		return text
	}
	shown := u.Scheme + "://" + u.Host
	return strings.NewReplacer(u.String(), shown, u.RequestURI(), "/…").Replace(text)
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

// ownSpan has no OTEL_RESOURCE_ATTRIBUTES, which the SDK would add.
type ownSpan struct {
	sdk.ReadOnlySpan
	origin *resource.Resource
}

// Resource implements sdk.ReadOnlySpan.
func (s ownSpan) Resource() *resource.Resource { return s.origin }

// countingExporter counts outcomes and logs when they change.
type countingExporter struct {
	sdk.SpanExporter
	q *queue
}

// ExportSpans implements sdk.SpanExporter. It returns no error: rejected spans are lost, and
// counted.
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
			q.log.Warn("trace export failed", "error", fmt.Sprintf("%.300s", q.describe(err)))
		} else {
			q.log.Info("trace export recovered")
		}
	}
	return nil
}
