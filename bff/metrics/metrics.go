// Package metrics counts and measures for Prometheus. What happens is told to a
// [Set] by its methods; what is the case is asked for at each scrape. The names
// are in [Families] and nowhere else.
//
// No label holds an id, an address, a key or anything that a stranger has written:
// routes are patterns, endpoints and outcomes are words of ours, and coins are
// those of the list of coins. A family has at most [MaxSeries] combinations of
// labels, whatever comes.
//
// Start from [New]; a *Set is the handler of /metrics.
package metrics

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	vm "github.com/VictoriaMetrics/metrics"
)

// MaxSeries bounds the combinations of labels that one family may have; further
// ones are counted under "other" in each label.
const MaxSeries = 500

// Put writes one value of a family that is asked for at a scrape; labels are the
// values of its labels, in their order.
type Put func(family string, value float64, labels ...string)

// Config is what a [Set] is made of.
type Config struct {
	// Token returns a coin and a network as the list of coins writes them; ok is false
	// if it has no such token. Nil = it has none.
	Token func(symbol, network string) (coin, on string, ok bool)
	// Measure writes what is the case now. It may block, for as long as ctx allows. Nil =
	// nothing is asked for.
	Measure func(ctx context.Context, put Put)
	Now     func() time.Time // the clock of sessions; nil = time.Now
}

// Set is every metric of a process. Its methods may be called by many goroutines.
type Set struct {
	Config
	families map[string]Family // by name
	set      *vm.Set

	mu    sync.Mutex        // guards the fields below
	names map[series]string // of what was counted before: each request asks for some
	known map[string]int    // series by family
}

// series is a family with the values of its labels, three at most.
type series struct {
	family string
	labels [3]string
}

// New returns a set. What can be counted at all is there from the start, as zero,
// so that the first time is seen as an increase.
func New(c Config) *Set {
	if c.Token == nil {
		c.Token = func(string, string) (coin, on string, ok bool) { return "", "", false }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Set{
		Config: c, families: map[string]Family{}, set: vm.NewSet(), names: map[series]string{},
		known: map[string]int{},
	}
	for _, f := range families {
		s.families[f.Name] = f
	}
	s.initCounters()
	return s
}

// initCounters makes the counters whose labels are known beforehand.
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
	for _, operation := range []string{"read", "write"} {
		for _, outcome := range []string{"done", "failed"} {
			s.counter("coinslot_database_operations_total", operation, outcome)
		}
	}
	for _, finding := range findings {
		s.counter("coinslot_findings_total", finding)
	}
	for _, level := range []string{"warn", "error"} {
		s.counter("coinslot_log_lines_total", level)
	}
	s.counter("coinslot_sockets_refused_total")
}

// CountRequest tells of a request that was answered, by its route's pattern, "" if it
// had none.
func (s *Set) CountRequest(route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
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

// statusClass is the class of an HTTP status; that of a request without an answer is
// "none".
func statusClass(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return strconv.Itoa(status/100) + "xx"
}

// CountGatewayCall tells of a call of the gateway that has ended; see gateway.Began.
func (s *Set) CountGatewayCall(endpoint, outcome string, took time.Duration) {
	s.counter("coinslot_gateway_requests_total", endpoint, outcome).Inc()
	if outcome != "held" {
		s.observe("coinslot_gateway_request_seconds", took, endpoint)
	}
}

// CountDelivery tells of a try to deliver a webhook: delivered, failed or abandoned.
func (s *Set) CountDelivery(result string, took time.Duration) {
	s.counter("coinslot_webhook_deliveries_total", result).Inc()
	s.observe("coinslot_webhook_delivery_seconds", took)
}

// CountOperation tells of an operation of the database; see store.Began.
func (s *Set) CountOperation(operation string, err error, took time.Duration) {
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	s.counter("coinslot_database_operations_total", operation, outcome).Inc()
	s.observe("coinslot_database_operation_seconds", took, operation)
}

// CountLogLine tells of a line of the log: warn or error.
func (s *Set) CountLogLine(level string) { s.counter("coinslot_log_lines_total", level).Inc() }

// counter returns the counter of a family with those labels.
func (s *Set) counter(family string, labels ...string) *vm.Counter {
	return s.set.GetOrCreateCounter(s.seriesName(family, labels))
}

// observe measures a duration.
func (s *Set) observe(family string, took time.Duration, labels ...string) {
	s.set.GetOrCreatePrometheusHistogramExt(s.seriesName(family, labels), buckets(family)).
		Update(took.Seconds())
}

// seriesName is the name of a series, which is that of the others if there are too
// many.
func (s *Set) seriesName(family string, labels []string) string {
	of := series{family: family}
	copy(of.labels[:], labels)
	s.mu.Lock()
	defer s.mu.Unlock()
	name, ok := s.names[of]
	if ok {
		return name
	}
	if s.known[family] >= MaxSeries {
		return s.formatName(family, slices.Repeat([]string{"other"}, len(labels)))
	}
	name = s.formatName(family, labels)
	s.names[of] = name
	s.known[family]++
	return name
}

// formatName is family{label="value",…}. A family that is not in the table, or has other
// labels there, is a mistake in the program.
func (s *Set) formatName(family string, values []string) string {
	f, ok := s.families[family]
	count := 0
	if f.Labels != "" {
		count = 1 + strings.Count(f.Labels, ",")
	}
	if !ok || count != len(values) {
		panic(fmt.Sprintf("metrics: %s with labels %q is not in the table", family, values))
	}
	if count == 0 {
		return family
	}
	name, separator, labels := append(make([]byte, 0, 128), family...), byte('{'), f.Labels
	for _, value := range values {
		label, rest, _ := strings.Cut(labels, ",")
		name = append(append(append(name, separator), label...), '=')
		name = strconv.AppendQuoteToASCII(name, value)
		separator, labels = ',', rest
	}
	return string(append(name, '}'))
}

// ServeHTTP answers a scrape, in Prometheus' text format 0.0.4.
func (s *Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	var samples bytes.Buffer
	s.set.WritePrometheus(&samples)
	if s.Measure != nil {
		s.Measure(ctx, func(family string, value float64, labels ...string) {
			samples.WriteString(
				s.formatName(family, labels) + " " + strconv.FormatFloat(value, 'g', -1, 64) + "\n",
			)
		})
	}
	vm.WriteProcessMetrics(&samples)
	vm.WriteFDMetrics(&samples)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(formatPage(samples.String()))
}

// formatPage orders samples by family as the table has them, each with its HELP and
// TYPE. What the table lacks is left out: most of what the library tells of Go.
func formatPage(samples string) []byte {
	lines := map[string][]string{} // by family
	kinds := map[string]string{}   // by family
	for _, f := range families {
		kinds[f.Name] = f.Kind
	}
	for line := range strings.Lines(samples) {
		if name := familyOf(line, kinds); name != "" {
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

// familyOf returns the family that a sample is of, "" if it is of none.
func familyOf(line string, kinds map[string]string) string {
	end := strings.IndexAny(line, "{ ")
	if end < 0 || line[0] == '#' {
		return ""
	}
	name := line[:end]
	if kinds[name] != "" {
		return name
	}
	for _, part := range []string{"_bucket", "_sum", "_count"} {
		if whole, ok := strings.CutSuffix(name, part); ok &&
			(kinds[whole] == histogram || kinds[whole] == summary) {
			return whole
		}
	}
	return ""
}
