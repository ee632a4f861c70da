// Package trace exports OpenTelemetry spans of payments, from the shopper's request and the gateway
// request to the webhook, as OTLP/HTTP in JSON.
//
// A nil *Tracer is off and costs nothing. Spans have only the attributes that our code sets:
// session ids, but no secret, address or e-mail. No trace header is sent to shoppers, gateway or
// merchant.
//
// Start from [New] and [Tracer.Start].
package trace

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Kinds of a span.
const (
	Server   = trace.SpanKindServer   // answers a request
	Client   = trace.SpanKindClient   // makes one
	Internal = trace.SpanKindInternal // neither
)

// Tracer creates spans; nil = none.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	queue    *queue
}

// New returns a Tracer that exports until [Tracer.Close]. It does not connect yet.
func New(c Config) *Tracer {
	q := newQueue(c)
	// Attributes are few; the limit is against mistakes.
	limits := sdk.NewSpanLimits()
	limits.AttributeValueLengthLimit = 200
	limits.AttributeCountLimit = 20
	limits.EventCountLimit = 0
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(q), sdk.WithRawSpanLimits(limits),
		sdk.WithSampler(sdk.ParentBased(sdk.AlwaysSample())))
	version := trace.WithInstrumentationVersion(c.Version)
	return &Tracer{provider, provider.Tracer("coinslot", version), q}
}

// Span may be nil, and then does nothing.
type Span struct{ span trace.Span }

// Start starts a span, as a child of the one of ctx or as a root. It returns the context for its
// children. linked is the traceparent of a span to link to; "" = none.
func (t *Tracer) Start(
	ctx context.Context, kind trace.SpanKind, name, linked string, attributes ...attribute.KeyValue,
) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}

	options := []trace.SpanStartOption{
		trace.WithSpanKind(kind), trace.WithAttributes(attributes...),
	}
	other := t.WithParent(context.Background(), linked)
	if to := trace.SpanContextFromContext(other); to.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: to}))
	}

	ctx, span := t.tracer.Start(ctx, name, options...)
	return ctx, &Span{span}
}

// Set adds attributes.
func (s *Span) Set(attributes ...attribute.KeyValue) {
	if s != nil {
		s.span.SetAttributes(attributes...)
	}
}

// Name replaces the name.
func (s *Span) Name(name string) {
	if s != nil {
		s.span.SetName(name)
	}
}

// End ends the span; failed marks it as an error.
func (s *Span) End(failed bool) {
	if s == nil {
		return
	}
	if failed {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

// WithParent returns ctx with the span of a traceparent as its parent; "" = ctx unchanged.
func (t *Tracer) WithParent(ctx context.Context, traceparent string) context.Context {
	if t == nil || traceparent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(
		ctx, propagation.MapCarrier{"traceparent": traceparent},
	)
}

// Incoming returns the context of a request with the parent of its traceparent header, which
// decides the trace and its sampling. It ignores tracestate. Source: W3C Trace Context.
func (t *Tracer) Incoming(r *http.Request) context.Context {
	return t.WithParent(r.Context(), Traceparent(r))
}

// Traceparent returns the traceparent header of a request; "" = none, or several.
func Traceparent(r *http.Request) string {
	if list := r.Header.Values("Traceparent"); len(list) == 1 {
		return list[0]
	}
	return ""
}

// Parent returns the traceparent of the span of ctx; "" = none, or not sampled.
func (t *Tracer) Parent(ctx context.Context) string {
	if t == nil || !trace.SpanContextFromContext(ctx).IsSampled() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// IsRecording reports whether ctx has a span that is recorded.
func (t *Tracer) IsRecording(ctx context.Context) bool {
	return t != nil && trace.SpanFromContext(ctx).IsRecording()
}

// Stats are counters of a [Tracer].
type Stats struct {
	Exported uint64 // spans that the collector accepted
	Failed   uint64 // spans that it rejected
	Dropped  uint64 // spans that did not fit into the queue
}

// Stats returns the counters; those of a nil Tracer are zero.
func (t *Tracer) Stats() Stats {
	if t == nil {
		return Stats{}
	}
	return Stats{t.queue.exported.Load(), t.queue.failed.Load(), t.queue.dropped.Load()}
}

// Close exports queued spans, for at most two seconds.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // failures are counted
	t.queue.client.CloseIdleConnections()
}
