package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/alert"
	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/https"
	"coinslot/bff/logs"
	"coinslot/bff/metrics"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/e2e/need"
)

// What may be in no metric, span or log line.
const (
	canaryEmail   = "canary-of-the-shopper@mail.example"
	canaryQuery   = "canary-of-a-query"
	canaryComment = "canary of a comment"
	canaryTitle   = "canary of a title"
	hookSecret    = "whsec_b3BzLXRlc3Qtd2ViaG9vay1zZWNyZXQtMDEyMzQ1Njc="
)

// collector is an OpenTelemetry collector that keeps what it gets.
type collector struct {
	mu   sync.Mutex // guards the fields below
	raw  bytes.Buffer
	list []collected
}

// collected is a span, as OTLP/JSON has it.
type collected struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	StartTimeUnixNano, EndTimeUnixNano  string
	Links                               []struct{ TraceID, SpanID string }
	Attributes                          []struct {
		Key   string
		Value map[string]any
	}
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var got struct {
		ResourceSpans []struct{ ScopeSpans []struct{ Spans []collected } }
	}
	err := json.Unmarshal(body, &got)
	if err != nil || r.URL.Path != "/v1/traces" ||
		r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(body)
	for _, resource := range got.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans { // ids are hexadecimal in either case
				for _, id := range []*string{&s.TraceID, &s.SpanID, &s.ParentSpanID} {
					*id = strings.ToLower(*id)
				}
				for i := range s.Links {
					s.Links[i].TraceID = strings.ToLower(s.Links[i].TraceID)
					s.Links[i].SpanID = strings.ToLower(s.Links[i].SpanID)
				}
				c.list = append(c.list, s)
			}
		}
	}
	fmt.Fprint(w, "{}")
}

// spans returns the spans of a trace, by name.
func (c *collector) spans(trace string) map[string]collected {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[string]collected{}
	for _, s := range c.list {
		if s.TraceID == trace {
			found[s.Name] = s
		}
	}
	return found
}

// observedRig is a server with a merchant and a trace collector, and all their output.
type observedRig struct {
	*servertest.Rig
	collector *collector
}

func newObservedRig(t *testing.T) *observedRig {
	t.Helper()
	gateway := sandboxtest.New(sandbox.Config{Key: gatewayKey})
	w := &observedRig{collector: &collector{}}
	merchant := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fortest.Equal(t, r.Header.Get("Traceparent"), "", "the merchant got a traceparent")
	})
	var at []string
	for _, h := range []http.Handler{gateway, w.collector, merchant} {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		at = append(at, s.URL)
	}
	c := servertest.Settings(t, at[0])
	c.Traces = at[1] + "/v1/traces"
	c.WebhookURLs = []string{at[2] + "/hook?key=" + canaryQuery}
	c.AllowPrivateWebhooks = true
	c.WebhookSecrets = []config.Secret{config.NewSecret(hookSecret)}
	c.Rates = ratesFile(t)
	c.Alerts = fortest.Must(alert.ParseTargets(at[2] + "/alerts?key=" + canaryQuery))(t)
	log := &fortest.Log{}
	w.Rig, _ = servertest.Start(t, gateway, c, server.Options{
		Version: "v1.2.3",
		Certificate: func() https.Health {
			return https.Health{Expires: time.Now().Add(time.Hour)}
		},
		Log: logs.New(log, logs.Config{JSON: true, Level: slog.LevelDebug}),
	})
	w.Log = log
	return w
}

func (w *observedRig) scrape() string {
	w.T.Helper()
	answer := httptest.NewRecorder()
	w.Server.Ops.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	if answer.Code != 200 ||
		answer.Header().Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" {
		w.T.Fatalf("GET /metrics = %d %s", answer.Code, answer.Header())
	}
	return answer.Body.String()
}

const (
	incomingTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	incomingSpan  = "00f067aa0ba902b7"
)

// runFlows makes a payment from the choice to the webhook, with failing requests on the side. It
// returns the session.
func (w *observedRig) runFlows() string {
	t := w.T
	id := w.Open(`{"amount_usd":"25.00","order_ref":"canary-ref","title":"` + canaryTitle +
		`","metadata":{"canary":"` + canaryQuery + `"}}`)
	w.Do("GET", "/checkout/"+id+"?check="+canaryQuery, "")
	answer := w.Do("POST", "/checkout/"+id+
		"/attempts", `{"currency_symbol":"USDT","network_code":"trc20","email":"`+canaryEmail+
		`","comment":"`+canaryComment+`"}`,
		isJSON, "Traceparent: 00-"+incomingTrace+"-"+incomingSpan+
			"-00", "Tracestate: a="+canaryQuery, "Baggage: a="+canaryQuery)
	if answer.Code != 200 || answer.Header().Get("Traceparent") != "" ||
		strings.Contains(answer.Body.String(), incomingTrace) {
		t.Fatalf("POST attempts = %d %s %.200s", answer.Code, answer.Header(), answer.Body)
	}
	w.Await(id, "pending")
	list := w.Gateway.Transactions()
	fortest.OK(t, w.Gateway.Pay(list[len(list)-1].TrackingCode, sandbox.KindPay))
	w.Await(id, "confirmed")
	w.Do("GET", "/v1/sessions/"+id, "", "Authorization: Bearer "+secretKey,
		"Traceparent: 00-"+incomingTrace+"-"+incomingSpan+"-01")
	w.Do("POST", "/hooks/gateway/"+hookToken, `{"tracking_code":"x"}`)
	w.Do("POST", "/hooks/gateway/"+canaryQuery, "")
	w.Do("GET", "/v1/"+secretKey, "", "Authorization: Bearer "+canaryQuery)
	w.Do("GET", "/"+orderKey+"/"+canaryQuery, "")
	w.Do("GET", "/checkout?order="+canaryQuery, "")
	w.Do(canaryQuery, "/checkout", "")
	w.Do("GET", "/checkout/cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", "")
	return id
}

// TestFullObserved follows one payment through metrics, traces and the log.
func TestFullObserved(t *testing.T) {
	w := newObservedRig(t)
	id := w.runFlows()
	fortest.Until(t, "the webhooks", func() bool {
		return strings.Contains(w.scrape(),
			`coinslot_webhook_deliveries_total{result="delivered"} 2`)
	})
	fortest.Until(t, "the spans", func() bool {
		return w.collector.spans(w.collector.linked())["webhook checkout.confirmed"].SpanID != "" &&
			len(w.collector.spans(incomingTrace)) > 0
	})
	page := w.scrape()
	t.Run("metrics", func(t *testing.T) { checkMetrics(t, page) })
	t.Run("traces", func(t *testing.T) { checkTraces(t, w.collector, id) })
	t.Run("log", func(t *testing.T) { checkLog(t, w.Log.String(), id) })
	w.collector.mu.Lock()
	defer w.collector.mu.Unlock()
	for where, text := range map[string]string{
		"metrics":    page,
		"the traces": w.collector.raw.String(),
		"the log":    w.Log.String(),
	} {
		w.NoSecrets(text, where)
		fortest.Lacks(t, where+" holds", text, "canary", hookSecret, "T9yD14", "trackingCode")
		for _, made := range w.Gateway.Transactions() {
			if strings.Contains(text, made.WalletAddress) ||
				where != "the log" && strings.Contains(text, made.TrackingCode) {
				t.Errorf("%s holds an address or a tracking code", where)
			}
		}
		if where == "metrics" && (strings.Contains(text, "cs_") || strings.Contains(text, "req_")) {
			t.Errorf("metrics hold an id")
		}
	}
}

// checkMetrics reads a scrape as the documentation and Prometheus' own linter do.
func checkMetrics(t *testing.T, page string) {
	fortest.Has(t, "the page", page,
		`coinslot_build_info{version="v1.2.3",`,
		`coinslot_payments_total{status="confirmed",coin="USDT",network="tron"} 1`, `coinslot_payments_total{status="open",coin="none",network="none"} 1`,
		`coinslot_payment_detection_seconds_count{status="confirmed"} 1`, "coinslot_checkout_paid_seconds_count 1", `coinslot_gateway_requests_total{endpoint="create",outcome="done"} 1`,
		`coinslot_webhook_endpoints{state="enabled"} 1`, "coinslot_webhook_backlog 0", "coinslot_database_up 1", "coinslot_gateway_breaker_open 0",
		`coinslot_http_requests_total{route="POST /checkout/{session}/attempts",status="2xx"} 1`, `coinslot_http_requests_total{route="none",status="4xx"} 1`, `coinslot_findings_total{finding="review"} 0`,
		"coinslot_gateway_free_slots 1000", `coinslot_checkouts{status="review"} 0`, "coinslot_database_disk_free_bytes ", "process_resident_memory_bytes ", "go_goroutines ", `coinslot_loop_age_seconds{loop="sender"}`, `coinslot_loop_age_seconds{loop="sweeper"} 0`,
	)
	if t.Failed() {
		t.Log(page)
	}
	known := map[string]bool{}
	for _, f := range metrics.Families() {
		known[f.Name] = true
		if !strings.Contains(page, "# HELP "+f.Name+" ") &&
			!slices.Contains([]string{"coinslot_http_rate_limited_total"}, f.Name) {
			t.Errorf("%s is in the table and not in /metrics", f.Name)
		}
	}
	for _, found := range regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllStringSubmatch(page, -1) {
		if !known[found[1]] {
			t.Errorf("%s is not in the table", found[1])
		}
	}
	out, err := promtool(t, page, "check", "metrics")
	if err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}

// promtool runs Prometheus' own tool, which make install-all fetches.
func promtool(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	path := fortest.Must(filepath.Abs(need.File(t, "../../.cache/prometheus/promtool")))(t)
	cmd := exec.Command(path, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// linked returns the trace of the shopper's choice, by its link to the shopper's own; "" = none
// yet.
func (c *collector) linked() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.list {
		if s.Name == "POST /checkout/{session}/attempts" && len(s.Links) == 1 &&
			s.Links[0].TraceID == incomingTrace && s.Links[0].SpanID == incomingSpan {
			return s.TraceID
		}
	}
	return ""
}

// checkTraces checks for one whole trace from the shopper's request to the webhook, and for the
// continued one of the merchant.
func checkTraces(t *testing.T, c *collector, id string) {
	own := c.linked()
	merchant := c.spans(incomingTrace)
	if len(merchant) == 0 || merchant["GET /v1/sessions/{session}"].ParentSpanID != incomingSpan ||
		own == incomingTrace {
		t.Errorf(
			"the trace that was named has %+v, the shopper's is %s; want the merchant's request in it alone",
			merchant,
			own,
		)
	}
	spans := c.spans(own)
	asked := spans["POST /checkout/{session}/attempts"]
	called := spans["gateway create"]
	delivered := spans["webhook checkout.confirmed"]
	for _, c := range []struct {
		name         string
		span         collected
		kind         int
		parent, attr string
	}{
		{"request", asked, 2, "", `"http.response.status_code" map[intValue:200]`},
		{"gateway call", called, 3, asked.SpanID, `"coinslot.outcome" map[stringValue:done]`},
		{"webhook", delivered, 3, asked.SpanID, `"coinslot.outcome" map[stringValue:delivered]`},
		{"webhook of pending", spans["webhook checkout.pending"], 3, asked.SpanID, ""},
		{"database", spans["database write"], 3, spans["database write"].ParentSpanID, ""},
	} {
		var attributes string
		for _, a := range c.span.Attributes {
			attributes += fmt.Sprintf("%q %v\n", a.Key, a.Value)
		}
		if c.span.SpanID == "" || c.span.Kind != c.kind || c.span.ParentSpanID != c.parent ||
			!strings.Contains(attributes, c.attr) ||
			c.span.EndTimeUnixNano < c.span.StartTimeUnixNano {
			t.Errorf("%s = %+v; want kind %d, parent %s and %s", c.name, c.span, c.kind, c.parent,
				c.attr)
		}
		if c.name != "database" &&
			!strings.Contains(attributes, `"coinslot.session" map[stringValue:`+id+`]`) {
			t.Errorf("%s names no session: %s", c.name, attributes)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	linked := slices.ContainsFunc(c.list, func(s collected) bool {
		return s.Name == "look" && s.TraceID != own && len(s.Links) == 1 &&
			s.Links[0].TraceID == own && s.Links[0].SpanID == asked.SpanID
	})
	if !linked {
		t.Error("no look after the payment has a link to it")
	}
	if slices.ContainsFunc(
		c.list,
		func(s collected) bool {
			return strings.HasPrefix(s.Name, "database ") && s.ParentSpanID == ""
		},
	) {
		t.Error("the database is traced for its own sake")
	}
}

// checkLog reads every line.
func checkLog(t *testing.T, text, id string) {
	requests, sessions := 0, map[string]int{}
	for line := range strings.Lines(text) {
		var l map[string]any
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		message := l["msg"].(string)
		if l["session"] == id {
			sessions[message]++
		}
		if message != "request" {
			continue
		}
		requests++
		if !requestID.MatchString(fmt.Sprint(l["request_id"])) || l["trace_id"] == "" ||
			l["status"] == 0.0 || l["took"] == nil || l["method"] == nil {
			t.Errorf("a request's line lacks something: %s", line)
		}
		route := l["route"].(string)
		if route == "/checkout/{session}/attempts" &&
			(l["trace_id"] == incomingTrace || l["level"] != "INFO" || l["session"] != id) {
			t.Errorf("the line of a choice: %s", line)
		}
	}
	for _, message := range []string{
		"request", "gateway call", "session changed", "webhook delivered",
	} {
		if sessions[message] == 0 {
			t.Errorf("no line %q names the session", message)
		}
	}
	if requests < 8 {
		t.Errorf("%d lines of requests", requests)
	}
}
