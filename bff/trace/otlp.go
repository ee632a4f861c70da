package trace

import (
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// What is sent: ExportTraceServiceRequest in JSON, whose ids are hexadecimal, whose
// enumerations are numbers and whose 64-bit integers are strings.
// Source: OpenTelemetry Protocol 1.x, "JSON Protobuf Encoding", and
// opentelemetry/proto/trace/v1/trace.proto.
type (
	request struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   origin       `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	origin struct {
		Attributes []keyValue `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	span struct {
		TraceID    string     `json:"traceId"`
		SpanID     string     `json:"spanId"`
		ParentID   string     `json:"parentSpanId,omitempty"`
		Name       string     `json:"name"`
		Kind       int        `json:"kind"`
		Start      string     `json:"startTimeUnixNano"`
		End        string     `json:"endTimeUnixNano"`
		Attributes []keyValue `json:"attributes,omitempty"`
		Links      []link     `json:"links,omitempty"`
		Status     status     `json:"status"`
	}
	link struct {
		TraceID string `json:"traceId"`
		SpanID  string `json:"spanId"`
	}
	status struct {
		Code int `json:"code,omitempty"`
	}
	keyValue struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
		Bool   *bool   `json:"boolValue,omitempty"`
	}
)

// encode is the request that sends a batch.
func encode(batch []sdk.ReadOnlySpan, version string) request {
	spans := make([]span, 0, len(batch))
	for _, s := range batch {
		spans = append(spans, encodeSpan(s))
	}
	about := []attribute.KeyValue{
		attribute.String("service.name", "coinslot"), attribute.String("service.version", version),
	}
	return request{
		[]resourceSpans{
			{origin{encodeAttributes(about)}, []scopeSpans{{scope{"coinslot", version}, spans}}},
		},
	}
}

func encodeSpan(s sdk.ReadOnlySpan) span {
	at := s.SpanContext()
	out := span{
		// numbered alike
		TraceID: at.TraceID().String(), SpanID: at.SpanID().String(), Name: s.Name(),
		Kind:  int(s.SpanKind()),
		Start: nanoseconds(s.StartTime()), End: nanoseconds(s.EndTime()),
		Attributes: encodeAttributes(s.Attributes()),
	}
	if parent := s.Parent(); parent.HasSpanID() {
		out.ParentID = parent.SpanID().String()
	}
	for _, l := range s.Links() {
		out.Links = append(out.Links, link{
			l.SpanContext.TraceID().String(), l.SpanContext.SpanID().String(),
		})
	}
	if s.Status().Code == codes.Error {
		out.Status.Code = 2 // STATUS_CODE_ERROR
	}
	return out
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// encodeAttributes takes what our code sets: text, integers and booleans. Anything
// else becomes text.
func encodeAttributes(list []attribute.KeyValue) []keyValue {
	out := make([]keyValue, 0, len(list))
	for _, a := range list {
		var v value
		switch a.Value.Type() {
		case attribute.INT64:
			n := strconv.FormatInt(a.Value.AsInt64(), 10)
			v.Int = &n
		case attribute.BOOL:
			b := a.Value.AsBool()
			v.Bool = &b
		default:
			text := a.Value.String()
			v.String = &text
		}
		out = append(out, keyValue{string(a.Key), v})
	}
	return out
}
