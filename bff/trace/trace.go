// Package trace follows a payment through the program, for OpenTelemetry: spans
// from the shopper's request over the gateway call to the webhook, sent to a
// collector as OTLP/HTTP in JSON.
//
// It is off unless it is asked for: a nil *Tracer makes no spans and costs
// nothing. What it sends names sessions, and holds no secret, no address and no
// e-mail: a span has the attributes that our own code gives it and no others.
// Nothing of it is sent to shoppers, to the gateway or to the merchant.
//
// OpenTelemetry's SDK makes, queues and sends the spans. Start from [New] and
// [Tracer.Start].
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

// Tracer makes spans. A nil one makes none.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	queue    *queue
}

// New returns a Tracer that sends to a collector until [Tracer.Close]. It connects to
// nothing yet.
func New(c Config) *Tracer {
	q := newQueue(c)
	// Attributes are few and ours; the limit is for what is forgotten.
	limits := sdk.NewSpanLimits()
	limits.AttributeValueLengthLimit, limits.AttributeCountLimit = 200, 20
	limits.EventCountLimit = 0
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(q), sdk.WithRawSpanLimits(limits),
		sdk.WithSampler(sdk.ParentBased(sdk.AlwaysSample())))
	version := trace.WithInstrumentationVersion(c.Version)
	return &Tracer{provider, provider.Tracer("coinslot", version), q}
}

// Span is something that takes time; a nil one is none.
type Span struct{ span trace.Span }

// Start begins a span, as a part of the one of ctx or as the first one of a trace.
// It returns the context of its parts. of is the traceparent of something that it
// belongs to without being a part of it; "" = nothing.
func (t *Tracer) Start(
	ctx context.Context, kind trace.SpanKind, name, of string, attributes ...attribute.KeyValue,
) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	options := []trace.SpanStartOption{
		trace.WithSpanKind(kind), trace.WithAttributes(attributes...),
	}
	if to := trace.SpanContextFromContext(withParent(context.Background(), of)); to.IsValid() {
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

// Name replaces the name that Start has given.
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

// WithParent returns ctx as a part of the trace that a traceparent names; ctx as it is
// if it names none.
func (t *Tracer) WithParent(ctx context.Context, traceparent string) context.Context {
	if t == nil {
		return ctx
	}
	return withParent(ctx, traceparent)
}

func withParent(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(
		ctx, propagation.MapCarrier{"traceparent": traceparent},
	)
}

// Incoming returns the context of a request as a part of the trace that it says it
// is of, if it does: its sender decides what the trace is, and whether it is
// recorded. Source: W3C Trace Context. Of tracestate nothing is taken.
func (t *Tracer) Incoming(r *http.Request) context.Context {
	return t.WithParent(r.Context(), Traceparent(r))
}

// Traceparent returns the traceparent of a request, to begin a trace with a link to it
// where the sender is to decide nothing; "" = there is none, or more than one.
func Traceparent(r *http.Request) string {
	if list := r.Header.Values("Traceparent"); len(list) == 1 {
		return list[0]
	}
	return ""
}

// Parent returns the traceparent of what ctx is a part of; "" = of no trace, or of
// one that is not recorded.
func (t *Tracer) Parent(ctx context.Context) string {
	if t == nil || !trace.SpanContextFromContext(ctx).IsSampled() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// IsRecording reports whether ctx is a part of a span that is recorded here.
func (t *Tracer) IsRecording(ctx context.Context) bool {
	return t != nil && trace.SpanFromContext(ctx).IsRecording()
}

// Stats is what a [Tracer] has to tell to its operator. All of it only grows.
type Stats struct {
	Exported uint64 // spans that the collector has taken
	Failed   uint64 // spans that it has not
	Dropped  uint64 // spans that found the queue full
}

// Stats returns the present state; that of a nil Tracer is zero.
func (t *Tracer) Stats() Stats {
	if t == nil {
		return Stats{}
	}
	return Stats{t.queue.exported.Load(), t.queue.failed.Load(), t.queue.dropped.Load()}
}

// Close sends what is left, for as long as two seconds.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // what it did not take is counted
	t.queue.client.CloseIdleConnections()
}
