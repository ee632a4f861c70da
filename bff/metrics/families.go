package metrics

import "slices"

// Kinds of a family, as Prometheus calls them.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
	summary   = "summary"
)

// Family is one metric, with all of its labels' values.
type Family struct {
	Name, Kind string
	Labels     string // names, comma separated; empty = none
	Help       string // what it counts or measures, on one line
}

// Families returns every metric there is, in the order in which they are written: what
// is not in it is not written. docs/ops/metrics.md has the same table.
func Families() []Family { return slices.Clone(families) }

var families = []Family{
	{"coinslot_payments_total", counter, "status,coin,network",
		"Checkouts that entered a status. coin and network are none before a choice, other for " +
			"tokens not in the list of coins."},
	{"coinslot_payment_detection_seconds", histogram, "status",
		"Time until Coinslot knew a status: confirmed since the gateway's paid_at, expired " +
			"since the end of the time to pay, pending since the create was requested."},
	{"coinslot_checkout_paid_seconds", histogram, "",
		"Time from the start of a checkout to its confirmation."},
	{"coinslot_checkouts", gauge, "status",
		"Checkouts that wait now, for the gateway, a payment or the merchant. All instances."},
	{"coinslot_payment_unchecked_seconds", gauge, "",
		"Time since the last check of the pending payment that was checked longest ago. All " +
			"instances; 0 = none is pending."},
	{"coinslot_payment_overdue_seconds", gauge, "",
		"How late the oldest due check is, without late checks. All instances; 0 = none is late."},
	{"coinslot_late_check_overdue_seconds", gauge, "",
		"How late the oldest due late check is: of an unpaid payment whose time is over, at the " +
			"lowest priority. All instances; 0 = none is late."},
	{"coinslot_search_unfinished_seconds", gauge, "",
		"How long the search of the gateway's list for creates without an answer has had no " +
			"result; 0 = no search. Normally seconds."},
	{"coinslot_findings_total", counter, "finding",
		"Attempts that need attention, by finding: review=paid, not proven; abandoned=a given-up " +
			"create; rejected=an invalid answer; duplicate=a second transaction."},

	{"coinslot_sessions_refused_total", counter, "reason",
		"Orders that were refused because their price cannot be converted: rate_unavailable, " +
			"currency_unsupported."},
	{"coinslot_rate_age_seconds", gauge, "source",
		"Age of the newest exchange rates, by what the source says; absent without any. All " +
			"instances."},
	{"coinslot_rates_usable", gauge, "",
		"Currencies that can be converted now; absent without COINSLOT_RATES. All instances."},
	{"coinslot_rates_held", gauge, "",
		"Currencies whose newest rate jumped and waits for an operator. All instances."},
	{"coinslot_rate_failing_seconds", gauge, "",
		"How long reads of the source of exchange rates have failed; 0 = the last one succeeded. " +
			"All instances."},

	{"coinslot_reconciliation_age_seconds", gauge, "",
		"Time since the last complete daily reconciliation, which finds late money, or since " +
			"the first checkout. All instances; absent before the first checkout."},

	{"coinslot_gateway_requests_total", counter, "endpoint,outcome",
		"Calls of the gateway's API: done, refused (proven), unknown (no usable answer), held " +
			"(not sent, by the circuit breaker or the rate limit)."},
	{"coinslot_gateway_request_seconds", histogram, "endpoint",
		"Duration of calls that were sent, with their time in the queue."},
	{"coinslot_gateway_breaker_open", gauge, "",
		"1 while the circuit breaker refuses calls because the gateway does not respond."},
	{"coinslot_gateway_breaker_opened_total", counter, "",
		"Times that the circuit breaker opened."},
	{
		"coinslot_gateway_held_total", counter, "reason",
		"Calls that were not sent: breaker (open), budget (no slot within the rate limit in time).",
	},
	{"coinslot_gateway_pauses_total", counter, "", "Pauses that the gateway requested."},
	{"coinslot_gateway_pause_seconds", gauge, "", "Rest of the current pause; 0 = none."},
	{"coinslot_gateway_rate", gauge, "",
		"Requests per second that all instances together may send."},
	{"coinslot_gateway_free_slots", gauge, "",
		"Requests that could be sent now, of all instances; absent if unknown."},
	{"coinslot_gateway_queue", gauge, "for",
		"Queued calls: shopper, poll (checks of payments and pages of the gateway's list), " +
			"late (late checks)."},

	{"coinslot_webhook_backlog", gauge, "",
		"Webhooks that a configured endpoint has not accepted yet. All instances."},
	{"coinslot_webhook_oldest_seconds", gauge, "", "Age of the oldest of them; 0 = none."},
	{"coinslot_webhook_unrouted", gauge, "",
		"Unsent webhooks to URLs that no running instance has configured. All instances; at " +
			"most 10,000 per URL are counted."},
	{"coinslot_webhook_deliveries_total", counter, "result",
		"Delivery attempts: delivered, failed (will be retried), abandoned (after 30 days, or " +
			"410)."},
	{"coinslot_webhook_delivery_seconds", histogram, "",
		"Duration of a delivery attempt, with recording its result."},
	{"coinslot_webhook_endpoints", gauge, "state",
		"Configured endpoints: enabled, disabled (answered 410 since the start)."},

	{"coinslot_alerts_total", counter, "result",
		"Attempts to deliver an alert: delivered, failed (will be retried), dropped (given up)."},
	{"coinslot_alerts_waiting", gauge, "",
		"Alerts that a target has not accepted yet; absent without COINSLOT_ALERTS. All " +
			"instances."},

	{"coinslot_sockets", gauge, "", "Open sockets of pages."},
	{"coinslot_sockets_sessions", gauge, "", "Checkouts with an open socket."},
	{"coinslot_sockets_refused_total", counter, "",
		"Sockets refused by a limit: of the client, the checkout or the process."},

	{"coinslot_http_requests_total", counter, "route,status",
		"Requests by route and class of status; route is none if no route matched."},
	{"coinslot_http_request_seconds", histogram, "route",
		"Duration of responses; of sockets, until they open."},
	{"coinslot_http_rate_limited_total", counter, "route", "Requests answered with 429."},
	{"coinslot_certificate_expires_seconds", gauge, "",
		"Time until the certificate expires; 0 = there is none yet, absent without COINSLOT_TLS."},
	{"coinslot_certificate_failing_seconds", gauge, "",
		"How long the certificate could not be obtained, renewed or read; 0 = all is well, absent " +
			"without COINSLOT_TLS."},

	{"coinslot_database_operations_total", counter, "operation,outcome",
		"Reads and writes of the database: done, failed."},
	{"coinslot_database_operation_seconds", histogram, "operation",
		"Duration of reads and writes, with the wait for the writer or a connection."},
	{"coinslot_database_up", gauge, "",
		"1 if the database answered this scrape. Otherwise metrics that need it are absent."},
	{"coinslot_database_size_bytes", gauge, "",
		"Size of the SQLite file and its write-ahead log; absent with PostgreSQL."},
	{"coinslot_database_disk_free_bytes", gauge, "",
		"Free space on the volume of the SQLite file; absent with PostgreSQL."},

	{"coinslot_unreadable_rows", gauge, "kind",
		"Stored rows that cannot be decoded and were set aside: session, event. All instances."},
	{"coinslot_events_held_seconds", gauge, "",
		"Age of the oldest event that the event log does not show yet, because a transaction " +
			"that began to write one before it has not ended. All instances; 0 = none."},

	{"coinslot_loop_age_seconds", gauge, "loop",
		"Time since the heartbeat of a main loop was due: poller, sender, sweeper, fanout, " +
			"clock, search, currencies, probe. /healthz fails when one is stuck."},
	{"coinslot_traces_spans_total", counter, "outcome",
		"Trace spans: exported, failed (refused by the collector), dropped (the queue was full)."},
	{"coinslot_log_lines_total", counter, "level", "Log lines: warn, error."},
	{"coinslot_build_info", gauge, "version,goversion", "1; the running version."},

	{"go_goroutines", gauge, "", "Goroutines."},
	{"go_threads", gauge, "", "Operating system threads."},
	{"go_gomaxprocs", gauge, "", "Threads that may run Go code at once."},
	{"go_gc_duration_seconds", summary, "", "Garbage collection pauses."},
	{"go_memstats_heap_alloc_bytes", gauge, "", "Heap memory in use."},
	{"go_memstats_heap_objects", gauge, "", "Heap objects."},
	{"go_memstats_next_gc_bytes", gauge, "", "Heap size at which the next collection starts."},
	{"go_memstats_sys_bytes", gauge, "", "Memory obtained from the operating system."},
	{"go_memstats_alloc_bytes_total", counter, "", "Heap memory allocated since the start."},
	{"process_cpu_seconds_total", counter, "", "CPU time."},
	{"process_resident_memory_bytes", gauge, "", "Resident memory."},
	{"process_virtual_memory_bytes", gauge, "", "Virtual memory."},
	{"process_start_time_seconds", gauge, "", "Start of the process, in seconds since 1970."},
	{"process_open_fds", gauge, "", "Open file descriptors."},
	{"process_max_fds", gauge, "", "Maximum of open file descriptors."},
}

// Upper bounds of the histograms' buckets, in seconds.
func buckets(name string) []float64 {
	switch name {
	case "coinslot_payment_detection_seconds":
		return []float64{0.5, 1, 2.5, 5, 10, 15, 30, 60, 300, 900, 3600, 86400}
	case "coinslot_checkout_paid_seconds":
		return []float64{15, 30, 60, 120, 300, 600, 900, 1800, 3600, 14400, 86400}
	case "coinslot_database_operation_seconds":
		return []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10}
	}
	return []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20}
}
