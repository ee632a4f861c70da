// Package metrics exports metrics for Prometheus. Methods of [Set] count events; gauges are
// measured at each scrape. [Families] has all names.
//
// No label contains an id, an address, a key or untrusted text: routes are patterns, coins are from
// the token list. A family has at most [MaxSeries] combinations of labels.
//
// Start from [New]; a *Set is the handler of /metrics.
package metrics

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"coinslot/app/wire"

	vm "github.com/VictoriaMetrics/metrics"
)

// MaxSeries bounds the combinations of labels of a family; further ones count with "other" as each
// label.
const MaxSeries = 500

// Put writes a gauge; labels are the values of its labels, in order.
type Put func(family string, value float64, labels ...string)

// Config is where the metrics read their values.
type Config struct {
	// Token returns a coin and a network as the token list spells them; ok is false if it does not
	// have them. Nil = an empty list.
	Token func(symbol, network string) (coin, on string, ok bool)
	// Measure writes the gauges. It may block until ctx ends. Nil = no gauges.
	Measure func(ctx context.Context, put Put)
	Now     func() time.Time // the clock of sessions; nil = time.Now
}

// Set is the metrics of a process, safe for concurrent use.
type Set struct {
	Config
	families map[string]Family // by name
	set      *vm.Set

	mu    sync.Mutex        // guards the fields below
	names map[series]string // cached: each request needs some
	known map[string]int    // number of series by family
}

// series is a family with the values of at most three labels.
type series struct {
	family string
	labels [3]string
}

// New returns a set. Counters with known labels start at zero, so that the first event is an
// increase.
func New(c Config) *Set {
	if c.Token == nil {
		c.Token = func(string, string) (coin, on string, ok bool) { return "", "", false }
	}
	if c.Now == nil {
		c.Now = time.Now
	}

	s := &Set{
		Config:   c,
		families: map[string]Family{},
		set:      vm.NewSet(),
		names:    map[series]string{},
		known:    map[string]int{},
	}
	for _, f := range families {
		s.families[f.Name] = f
	}

	s.initCounters()
	return s
}

func (s *Set) initCounters() {
	for _, endpoint := range []string{
		"create", "status", "recheck", "cancel", "transactions", "currencies",
	} {
		for _, outcome := range []string{"done", "refused", "unknown", "held"} {
			s.counter("coinslot_gateway_requests_total", endpoint, outcome)
		}
	}

	for _, result := range []string{"delivered", "failed", "abandoned"} {
		s.counter("coinslot_webhook_deliveries_total", result)
	}

	for _, result := range []string{"delivered", "failed", "dropped"} {
		s.counter("coinslot_alerts_total", result)
	}

	for _, operation := range []string{"read", "write"} {
		s.counter("coinslot_database_operations_total", operation, "done")
		s.counter("coinslot_database_operations_total", operation, "failed")
	}

	for _, finding := range findings {
		s.counter("coinslot_findings_total", finding)
	}
	s.counter("coinslot_sessions_refused_total", string(wire.CodeRateUnavailable))
	s.counter("coinslot_sessions_refused_total", string(wire.CodeCurrencyUnsupported))

	s.counter("coinslot_log_lines_total", "warn")
	s.counter("coinslot_log_lines_total", "error")
	s.counter("coinslot_sockets_refused_total")
}

// CountRequest counts an answered request by its route's pattern, "" = none.
func (s *Set) CountRequest(route string, status int, took time.Duration) {
	route = cmp.Or(route, "none")
	s.counter("coinslot_http_requests_total", route, statusClass(status)).Inc()
	s.observe("coinslot_http_request_seconds", took, route)
	if status != http.StatusTooManyRequests {
		return
	}
	s.counter("coinslot_http_rate_limited_total", route).Inc()
	if strings.HasSuffix(route, "/live") {
		s.counter("coinslot_sockets_refused_total").Inc()
	}
}

// statusClass is "2xx" and so on; "none" for a request without an answer.
func statusClass(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return strconv.Itoa(status/100) + "xx"
}

// CountGatewayCall counts a gateway request that has ended; see gateway.Began.
func (s *Set) CountGatewayCall(endpoint, outcome string, took time.Duration) {
	s.counter("coinslot_gateway_requests_total", endpoint, outcome).Inc()
	if outcome != "held" {
		s.observe("coinslot_gateway_request_seconds", took, endpoint)
	}
}

// CountDelivery counts a delivery attempt: delivered, failed or abandoned.
func (s *Set) CountDelivery(result string, took time.Duration) {
	s.counter("coinslot_webhook_deliveries_total", result).Inc()
	s.observe("coinslot_webhook_delivery_seconds", took)
}

// CountAlert counts an attempt to deliver an alert: delivered, failed or dropped.
func (s *Set) CountAlert(result string) { s.counter("coinslot_alerts_total", result).Inc() }

// CountOperation counts an operation of the database; see store.Began.
func (s *Set) CountOperation(operation string, err error, took time.Duration) {
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	s.counter("coinslot_database_operations_total", operation, outcome).Inc()
	s.observe("coinslot_database_operation_seconds", took, operation)
}

// CountRefusedPrice counts an order whose price cannot be converted; see checkout.Config.
func (s *Set) CountRefusedPrice(reason wire.Code) {
	s.counter("coinslot_sessions_refused_total", string(reason)).Inc()
}

// CountLogLine counts a log line: warn or error.
func (s *Set) CountLogLine(level string) { s.counter("coinslot_log_lines_total", level).Inc() }

func (s *Set) counter(family string, labels ...string) *vm.Counter {
	return s.set.GetOrCreateCounter(s.seriesName(family, labels))
}

func (s *Set) observe(family string, took time.Duration, labels ...string) {
	s.set.GetOrCreatePrometheusHistogramExt(s.seriesName(family, labels), buckets(family)).
		Update(took.Seconds())
}

// seriesName is the name of a series, or of "other" if there are too many.
func (s *Set) seriesName(family string, labels []string) string {
	of := series{family: family}
	copy(of.labels[:], labels)
	s.mu.Lock()
	defer s.mu.Unlock()
	if name, ok := s.names[of]; ok {
		return name
	}
	if s.known[family] >= MaxSeries {
		return s.formatName(family, slices.Repeat([]string{"other"}, len(labels)))
	}

	name := s.formatName(family, labels)
	s.names[of] = name
	s.known[family]++
	return name
}

// formatName is family{label="value",…}. It panics if the table has no such family and labels.
func (s *Set) formatName(family string, values []string) string {
	f, ok := s.families[family]
	labels := strings.FieldsFunc(f.Labels, func(r rune) bool { return r == ',' })
	if !ok || len(labels) != len(values) {
		panic(fmt.Sprintf("metrics: %s with labels %q is not in the table", family, values))
	}
	if len(labels) == 0 {
		return family
	}

	for i, value := range values {
		labels[i] += "=" + strconv.QuoteToASCII(value)
	}

	return family + "{" + strings.Join(labels, ",") + "}"
}

// ServeHTTP answers a scrape in Prometheus text format 0.0.4.
func (s *Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	var samples bytes.Buffer
	s.set.WritePrometheus(&samples)
	if s.Measure != nil {
		s.Measure(ctx, func(family string, value float64, labels ...string) {
			text := strconv.FormatFloat(value, 'g', -1, 64)
			samples.WriteString(s.formatName(family, labels) + " " + text + "\n")
		})
	}

	vm.WriteProcessMetrics(&samples)
	vm.WriteFDMetrics(&samples)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(s.formatPage(samples.String()))
}

// formatPage orders samples by the table, with HELP and TYPE, and drops other families: most of the
// library's Go metrics.
func (s *Set) formatPage(samples string) []byte {
	lines := map[string][]string{} // by family
	for line := range strings.Lines(samples) {
		if name := s.familyOf(line); name != "" {
			lines[name] = append(lines[name], line)
		}
	}

	var page bytes.Buffer
	for _, f := range families {
		if len(lines[f.Name]) > 0 {
			fmt.Fprintf(&page, "# HELP %s %s\n# TYPE %s %s\n%s", f.Name, f.Help, f.Name, f.Kind,
				strings.Join(lines[f.Name], ""))
		}
	}

	return page.Bytes()
}

// familyOf returns the family of a sample, "" = none.
func (s *Set) familyOf(line string) string {
	end := strings.IndexAny(line, "{ ")
	if end < 0 || line[0] == '#' {
		return ""
	}

	name := line[:end]
	if _, ok := s.families[name]; ok {
		return name
	}

	for _, part := range []string{"_bucket", "_sum", "_count"} {
		whole := strings.TrimSuffix(name, part)
		kind := s.families[whole].Kind
		if kind == histogram || kind == summary {
			return whole
		}
	}

	return ""
}
