package server

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/attention"
	"coinslot/bff/config"
	"coinslot/bff/gateway"
	"coinslot/bff/logs"
	"coinslot/bff/metrics"
	"coinslot/bff/payment"
	"coinslot/bff/token"
	"coinslot/bff/trace"
	"coinslot/bff/webhook"

	"go.opentelemetry.io/otel/attribute"
)

// observer turns callbacks of the parts into metrics and spans.
type observer struct {
	version string
	metrics *metrics.Set
	tracer  *trace.Tracer // nil = off
}

// observe creates the observer of s before its other parts.
func (s *Server) observe(c config.Config, opts Options, tokens *token.Registry) observer {
	o := observer{
		version: opts.Version,
		metrics: metrics.New(metrics.Config{
			Measure: s.measure,
			Now:     func() time.Time { return s.store.Now() },
			Token: func(symbol, network string) (string, string, bool) {
				t, ok := tokens.Token(symbol, network)
				return t.Symbol, t.Network.ID, ok
			},
		}),
	}
	if c.Traces != "" {
		o.tracer = trace.New(trace.Config{URL: c.Traces, Version: opts.Version, Log: opts.Log})
	}

	return o
}

// countLines returns log, which then counts warnings and errors and adds the notes of contexts.
func (o *observer) countLines(log *slog.Logger) *slog.Logger {
	return slog.New(logs.Handler(log.Handler(), func(level slog.Level) {
		if level >= slog.LevelError {
			o.metrics.CountLogLine("error")
		} else if level >= slog.LevelWarn {
			o.metrics.CountLogLine("warn")
		}
	}))
}

// request observes requests of shoppers and merchants. Files are not traced.
func (o *observer) request(r *http.Request) (context.Context, func(*http.Request, int)) {
	began := time.Now()
	ctx := r.Context()
	var span *trace.Span
	if !strings.HasPrefix(r.URL.Path, "/assets/") && !strings.HasPrefix(r.URL.Path, "/icons/") {
		ctx, span = o.startSpan(r)
	}

	return ctx, func(r *http.Request, status int) {
		o.metrics.CountRequest(r.Pattern, status, time.Since(began))
		if r.Pattern != "" {
			span.Name(r.Pattern)
		}
		method, path, _ := strings.Cut(r.Pattern, " ")
		span.Set(attribute.String("http.request.method", method),
			attribute.String("http.route", path),
			attribute.Int("http.response.status_code", status),
			attribute.String("coinslot.request", logs.Request(ctx)),
			attribute.String("coinslot.session", logs.SessionOf(ctx)))
		span.End(status >= http.StatusInternalServerError)
	}
}

// startSpan starts the span of a request. A merchant's request continues its trace; others only
// link to theirs, because shoppers may not choose a trace's id or sampling.
func (o *observer) startSpan(r *http.Request) (context.Context, *trace.Span) {
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		return o.tracer.Start(o.tracer.Incoming(r), trace.Server, "request", "")
	}
	return o.tracer.Start(r.Context(), trace.Server, "request", trace.Traceparent(r))
}

// call observes gateway requests.
func (o *observer) call(ctx context.Context, endpoint string) (context.Context, func(string, int)) {
	began := time.Now()
	ctx, span := o.tracer.Start(ctx, trace.Client, "gateway "+endpoint, "",
		attribute.String("coinslot.session", logs.SessionOf(ctx)))
	return ctx, func(outcome string, status int) {
		o.metrics.CountGatewayCall(endpoint, outcome, time.Since(began))
		span.Set(attribute.String("coinslot.outcome", outcome),
			attribute.Int("http.response.status_code", status))
		span.End(outcome != "done")
	}
}

// operation observes the database. It traces only within a span: main loops query often.
func (o *observer) operation(ctx context.Context, operation string) (context.Context, func(error)) {
	began := time.Now()
	var span *trace.Span
	if o.tracer.IsRecording(ctx) {
		ctx, span = o.tracer.Start(ctx, trace.Client, "database "+operation, "")
	}
	return ctx, func(err error) {
		o.metrics.CountOperation(operation, err, time.Since(began))
		span.End(err != nil)
	}
}

// delivery observes webhook deliveries, in the trace of the request that opened the payment.
func (s *Server) delivery(
	ctx context.Context, d webhook.Delivery,
) (context.Context, func(webhook.DeliveryResult)) {
	began := time.Now()
	ctx = logs.WithNotes(ctx, "")
	logs.NoteSession(ctx, d.Session)
	ctx, span := s.tracer.Start(s.tracer.WithParent(ctx, s.traceOf(ctx, d.Session)), trace.Client,
		"webhook "+string(d.Type), "",
		attribute.String("coinslot.session", d.Session),
		attribute.String("coinslot.event", d.EventID), attribute.Int("coinslot.try", d.Tries+1))
	return ctx, func(r webhook.DeliveryResult) {
		result := "failed"
		switch {
		case r.Delivered:
			result = "delivered"
		case r.Abandoned:
			result = "abandoned"
		}
		s.metrics.CountDelivery(result, time.Since(began))
		span.Set(attribute.String("coinslot.outcome", result),
			attribute.Int("http.response.status_code", r.Status))
		span.End(!r.Delivered)
	}
}

// traceOf returns the traceparent of a session's payment; "" = none, or tracing is off.
func (s *Server) traceOf(ctx context.Context, session string) string {
	if s.tracer == nil {
		return ""
	}
	stored, err := s.store.Session(ctx, session)
	a := stored.Current()
	if err == nil && a != nil {
		return a.Trace
	}
	return ""
}

// check observes a check of a session, in a trace of its own with a link to that of the payment's
// request: there are hundreds of checks.
func (o *observer) check(ctx context.Context, s payment.Session) (context.Context, func(error)) {
	ctx = logs.WithNotes(ctx, "")
	logs.NoteSession(ctx, s.ID)
	of := ""
	if a := s.Current(); a != nil {
		of = a.Trace
	}
	ctx, span := o.tracer.Start(ctx, trace.Internal, "look", of,
		attribute.String("coinslot.session", s.ID),
		attribute.String("coinslot.status", string(s.Status)))
	return ctx, func(err error) { span.End(err != nil) }
}

// measure writes the gauges.
func (s *Server) measure(ctx context.Context, put metrics.Put) {
	put("coinslot_build_info", 1, s.version, runtime.Version())
	s.measureStore(ctx, put)
	s.measureRates(ctx, put)
	s.measureLimiter(ctx, put)
	s.measureCertificate(put)
	unfinished := time.Duration(0)
	if since := s.checkout.SearchingSince(); !since.IsZero() {
		unfinished = max(0, s.store.Now().Sub(since))
	}

	put("coinslot_search_unfinished_seconds", unfinished.Seconds())
	sockets := s.hub.Stats()
	put("coinslot_sockets", float64(sockets.Subscribers))
	put("coinslot_sockets_sessions", float64(sockets.Sessions))
	hooks := s.sender.Stats()
	put("coinslot_webhook_endpoints", float64(hooks.Endpoints-hooks.Gone), "enabled")
	put("coinslot_webhook_endpoints", float64(hooks.Gone), "disabled")
	for name, beat := range s.loops() {
		put("coinslot_loop_age_seconds", max(0, time.Since(beat).Seconds()), name)
	}

	spans := s.tracer.Stats()
	put("coinslot_traces_spans_total", float64(spans.Exported), "exported")
	put("coinslot_traces_spans_total", float64(spans.Failed), "failed")
	put("coinslot_traces_spans_total", float64(spans.Dropped), "dropped")
}

func (s *Server) measureStore(ctx context.Context, put metrics.Put) {
	stats, err := s.store.Stats(ctx)
	if err != nil {
		put("coinslot_database_up", 0)
		return
	}

	put("coinslot_database_up", 1)
	for _, status := range wire.StatusesWhere(wire.Status.Waiting) {
		put("coinslot_checkouts", float64(stats.Waiting[status]), string(status))
	}

	age := func(t time.Time) float64 {
		if t.IsZero() {
			return 0
		}
		return max(0, s.store.Now().Sub(t).Seconds())
	}
	last, err := s.records.LastDaily(ctx)
	if err == nil && !last.IsZero() {
		put("coinslot_reconciliation_age_seconds", age(last))
	}

	if s.alerts != nil {
		waiting, err := s.alerts.Waiting(ctx)
		if err == nil {
			put("coinslot_alerts_waiting", float64(waiting))
		}
	}

	put("coinslot_payment_unchecked_seconds", age(stats.Unchecked))
	put("coinslot_payment_overdue_seconds", age(stats.Due))
	put("coinslot_late_check_overdue_seconds", age(stats.DueLate))
	put("coinslot_webhook_backlog", float64(stats.Undelivered))
	put("coinslot_webhook_oldest_seconds", age(stats.OldestUndelivered))
	put("coinslot_webhook_unrouted", float64(stats.Unrouted))
	put("coinslot_unreadable_rows", float64(stats.UnreadableSessions), attention.UnreadableSession)
	put("coinslot_unreadable_rows", float64(stats.UnreadableEvents), attention.UnreadableEvent)
	put("coinslot_events_held_seconds", age(stats.HeldBack))
	if stats.Size > 0 {
		put("coinslot_database_size_bytes", float64(stats.Size))
	}
	if stats.Free >= 0 {
		put("coinslot_database_disk_free_bytes", float64(stats.Free))
	}
}

// measureRates writes nothing without exchange rates, or while the database does not answer.
func (s *Server) measureRates(ctx context.Context, put metrics.Put) {
	if s.refresher == nil {
		return
	}
	health, err := s.refresher.Health(ctx)
	if err != nil {
		return
	}

	now := s.store.Now()
	if !health.AsOf.IsZero() {
		age := max(0, now.Sub(health.AsOf))
		put("coinslot_rate_age_seconds", age.Seconds(), s.refresher.Source.Name())
	}
	put("coinslot_rates_usable", float64(health.Usable))
	put("coinslot_rates_held", float64(health.Held))
	failing := time.Duration(0)
	if !health.FailingSince.IsZero() {
		failing = max(0, now.Sub(health.FailingSince))
	}
	put("coinslot_rate_failing_seconds", failing.Seconds())
}

// measureCertificate writes nothing if a proxy has the certificate.
func (s *Server) measureCertificate(put metrics.Put) {
	if s.certificate == nil {
		return
	}

	health := s.certificate()
	left := time.Duration(0)
	if !health.Expires.IsZero() {
		left = time.Until(health.Expires)
	}
	put("coinslot_certificate_expires_seconds", left.Seconds())
	failing := time.Duration(0)
	if !health.FailingSince.IsZero() {
		failing = time.Since(health.FailingSince)
	}
	put("coinslot_certificate_failing_seconds", failing.Seconds())
}

func (s *Server) measureLimiter(ctx context.Context, put metrics.Put) {
	state := s.limiter.State()
	put("coinslot_gateway_breaker_open", map[bool]float64{true: 1}[state.Open])
	put("coinslot_gateway_breaker_opened_total", float64(state.Opened))
	put("coinslot_gateway_held_total", float64(state.Refused), "breaker")
	put("coinslot_gateway_held_total", float64(state.Full), "budget")
	put("coinslot_gateway_pauses_total", float64(state.Pauses))
	put("coinslot_gateway_pause_seconds", max(0, time.Until(state.PausedUntil).Seconds()))
	put("coinslot_gateway_rate", float64(s.limiter.Rate))
	if free, ok := s.limiter.Free(ctx); ok {
		put("coinslot_gateway_free_slots", float64(free))
	}

	put("coinslot_gateway_queue", float64(state.Waiting[gateway.Shopper]), "shopper")
	put("coinslot_gateway_queue", float64(state.Waiting[gateway.Poll]), "poll")
	put("coinslot_gateway_queue", float64(state.Waiting[gateway.Late]), "late")
}

// buildVersion is what the Go command recorded.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
