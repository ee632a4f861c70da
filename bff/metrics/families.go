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
	{
		"coinslot_payments_total", counter, "status,coin,network",
		"Checkouts that entered a status. coin and network are none before a choice, other " +
			"if the list of coins has no such token.",
	},
	{
		"coinslot_payment_detection_seconds", histogram, "status",
		"From the moment that something was so to the moment that we knew: confirmed since " +
			"the gateway's paid_at, expired since the end of the time to pay, pending since " +
			"the create was asked for.",
	},
	{
		"coinslot_checkout_paid_seconds", histogram, "",
		"From the opening of a checkout to its confirmation.",
	},
	{
		"coinslot_checkouts", gauge, "status",
		"Checkouts in a status now: preparing, pending, review. Of all instances.",
	},
	{
		"coinslot_payment_unchecked_seconds", gauge, "",
		"Since the pending payment that was not checked for the longest was checked. Of all " +
			"instances; 0 = none is pending.",
	},
	{"coinslot_payment_overdue_seconds", gauge, "",
		"By how much the look that is due first is late, " +
			"late checks apart. Of all instances; 0 = none is late."},
	{"coinslot_late_check_overdue_seconds", gauge, "",
		"By how much the late check that is due first " +
			"is late: of payments whose time is over and that nobody has paid, which go last. " +
			"Of all instances; 0 = none is late."},
	{"coinslot_search_unfinished_seconds", gauge, "",
		"How long creates whose answers were lost have been " +
			"searched for in the gateway's list without a result; 0 = none is. A list that " +
			"can be read takes seconds."},
	{
		"coinslot_findings_total", counter, "finding",
		"Attempts that became something to look at: review (paid, not proven), lost (a " +
			"create without an answer, given up), rejected (an answer that failed our " +
			"checks), stray (a second transaction of one create).",
	},

	{"coinslot_reconciliation_age_seconds", gauge, "", "Since the daily comparison with " +
		"the gateway's list, which finds late money, was last complete; since the first " +
		"checkout if it never was. Of all instances; absent before the first checkout."},

	{
		"coinslot_gateway_requests_total", counter, "endpoint,outcome",
		"Calls of the gateway's API: done, refused (a proven no), unknown (no answer that " +
			"proves anything), held (not sent, by the breaker or the budget).",
	},
	{
		"coinslot_gateway_request_seconds", histogram, "endpoint",
		"How long calls took that were sent, the wait for their turn included.",
	},
	{
		"coinslot_gateway_breaker_open", gauge, "",
		"1 while calls are refused because the gateway does not answer.",
	},
	{"coinslot_gateway_breaker_opened_total", counter, "", "How often the breaker opened."},
	{
		"coinslot_gateway_held_total", counter, "reason",
		"Calls that were not sent: breaker (it is open), budget (no slot was free in time).",
	},
	{"coinslot_gateway_pauses_total", counter, "", "Pauses that the gateway asked for."},
	{"coinslot_gateway_pause_seconds", gauge, "", "What is left of the last pause; 0 = none."},
	{
		"coinslot_gateway_rate", gauge, "",
		"Requests per second that all instances together may send.",
	},
	{
		"coinslot_gateway_free_slots", gauge, "",
		"Requests that could be sent at once now, of all instances; absent if that cannot be " +
			"told.",
	},
	{
		"coinslot_gateway_queue", gauge, "for",
		"Calls that wait for their turn now: shopper, watched (polls of open pages), list " +
			"(pages of the gateway's list), unwatched, late (late checks).",
	},

	{
		"coinslot_webhook_backlog", gauge, "",
		"Webhooks that are still to be taken by a configured endpoint. Of all instances.",
	},
	{
		"coinslot_webhook_oldest_seconds", gauge, "",
		"Age of the oldest of them; 0 = there is none.",
	},
	{"coinslot_webhook_unrouted", gauge, "", "Open webhooks to URLs that no running instance " +
		"has configured: nobody sends them. Of all instances; more than 10,000 to one URL " +
		"count as 10,000."},
	{
		"coinslot_webhook_deliveries_total", counter, "result",
		"Tries: delivered, failed (to be tried again), abandoned (after 30 days, or 410).",
	},
	{
		"coinslot_webhook_delivery_seconds", histogram, "",
		"How long a try took, with its settlement.",
	},
	{
		"coinslot_webhook_endpoints", gauge, "state",
		"Configured endpoints: enabled, disabled (has answered 410 since the start).",
	},

	{"coinslot_sockets", gauge, "", "Sockets of open pages now."},
	{"coinslot_sockets_sessions", gauge, "", "Checkouts that have such a socket."},
	{
		"coinslot_sockets_refused_total", counter, "",
		"Sockets that were refused for want of a place: of the client, the checkout or the " +
			"process.",
	},

	{
		"coinslot_http_requests_total", counter, "route,status",
		"Requests by route and class of status; route is none if there is none.",
	},
	{
		"coinslot_http_request_seconds", histogram, "route",
		"How long answers took, sockets up to their opening.",
	},
	{
		"coinslot_http_rate_limited_total", counter, "route",
		"Requests that were answered with 429.",
	},

	{
		"coinslot_database_operations_total", counter, "operation,outcome",
		"Reads and writes of the database: done, failed (the database was in trouble).",
	},
	{
		"coinslot_database_operation_seconds", histogram, "operation",
		"How long they took, the wait for the writer or a connection included.",
	},
	{
		"coinslot_database_up", gauge, "",
		"1 if the database answered this scrape. If not, what is asked of it is absent.",
	},
	{
		"coinslot_database_size_bytes", gauge, "",
		"The SQLite file and its log of writes; absent with PostgreSQL.",
	},
	{
		"coinslot_database_disk_free_bytes", gauge, "",
		"What is left on the volume of the SQLite file; absent with PostgreSQL.",
	},

	{
		"coinslot_loop_age_seconds", gauge, "loop",
		"Since a main loop should last have turned: poller, sender, sweeper, fanout, " +
			"listener, announcer, clock, search, currencies, probe. /healthz fails when one " +
			"is stuck.",
	},
	{
		"coinslot_traces_spans_total", counter, "outcome",
		"Spans of traces: exported, failed (the collector did not take them), dropped (the " +
			"queue was full).",
	},
	{"coinslot_log_lines_total", counter, "level", "Log lines: warn, error."},
	{"coinslot_build_info", gauge, "version,goversion", "1; what runs."},

	{"go_goroutines", gauge, "", "Goroutines that exist now."},
	{"go_threads", gauge, "", "Threads of the operating system."},
	{"go_gomaxprocs", gauge, "", "Threads that may run Go at once."},
	{"go_gc_duration_seconds", summary, "", "Pauses by the garbage collector."},
	{"go_memstats_heap_alloc_bytes", gauge, "", "Memory in use for objects."},
	{"go_memstats_heap_objects", gauge, "", "Objects in memory."},
	{"go_memstats_sys_bytes", gauge, "", "Memory that Go has from the operating system."},
	{"go_memstats_alloc_bytes_total", counter, "", "Memory that was ever taken for objects."},
	{"process_cpu_seconds_total", counter, "", "Processor time used."},
	{"process_resident_memory_bytes", gauge, "", "Memory that is in RAM."},
	{"process_virtual_memory_bytes", gauge, "", "Address space."},
	{
		"process_start_time_seconds", gauge, "",
		"When the process started, in seconds since 1970.",
	},
	{"process_open_fds", gauge, "", "Open files and connections."},
	{"process_max_fds", gauge, "", "How many of them there may be."},
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
