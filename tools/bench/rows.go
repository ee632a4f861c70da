package main

// row is a row of the table: a metric of a benchmark, and its goal.
type row struct {
	name      string
	pkg       string // relative to the module's root
	benchmark string // with its sub-benchmarks: "Push/coinslot"
	unit      string // of the metric, as the benchmark reports it
	// Zero = must be zero; with a baseline, no goal.
	goal           float64
	higherIsBetter bool
	// Benchmark of a simple implementation, same package and unit; empty = none.
	baseline string
	peers    string // measurements of other products, see docs/performance.md
}

// benchtimes are the -benchtime of benchmarks with medians; the default is 1x.
var benchtimes = map[string]string{
	"./e2e.Cold":  "5x",
	"./e2e.Again": "5x",
	"./e2e.Show":  "7x",
	"./e2e.Start": "5x",
}

var rows = []row{
	{"usable, cold, frame in the HTML", "./e2e", "Cold/tls/html", "usable-ms", 0, false,
		"Cold/tls/static", ""},
	{"  times the plain page", "./e2e", "Cold/tls/html", "times-plain", 2, false, "", ""},
	{"  blocking time, 4x slower", "./e2e", "Cold/tls/html", "blocking-ms", 250, false, "", ""},
	{"  on the wire", "./e2e", "Cold/tls/html", "wire-B", 24_000, false, "Cold/tls/static", ""},
	{"  live after usable and the transfer", "./e2e", "Cold/tls/html", "takeover-ms", 400, false,
		"", ""},
	{"usable, cold, by the script alone", "./e2e", "Cold/tls/crosssite", "times-plain", 2.5, false,
		"", ""},
	{"usable, cold, neighbors", "./e2e", "Cold/tls/neighbor", "times-plain", 2.2, false, "", ""},
	{"usable, again, frame in the HTML", "./e2e", "Again/tls/html", "usable-ms", 0, false,
		"Again/tls/static", ""},
	{"  times the plain page", "./e2e", "Again/tls/html", "times-plain", 1.8, false, "", ""},
	{"WebAssembly live, again", "./e2e", "Again/tls/html", "live-ms", 700, false, "", ""},
	{"Adyen's Drop-in: usable, cold", "./e2e", "Cold/tls/adyen", "usable-ms", 0, false,
		"Cold/tls/static", ""},
	{"  on the wire", "./e2e", "Cold/tls/adyen", "wire-B", 0, false, "Cold/tls/static", ""},
	{"  usable, again", "./e2e", "Again/tls/adyen", "usable-ms", 0, false, "Again/tls/static", ""},
	{"HTTP/2, a network of its own: usable, cold", "./e2e", "Network/loss0/h2/cold/html",
		"usable-ms", 0, false, "Network/loss0/h2/cold/static", ""},
	{"  HTTP/3, with an HTTPS record", "./e2e", "Network/loss0/h3/cold/html", "usable-ms", 0,
		false, "Network/loss0/h3/cold/static", ""},
	{"  HTTP/2, 1 % of frames lost", "./e2e", "Network/loss1/h2/cold/html", "usable-ms", 0, false,
		"Network/loss1/h2/cold/static", ""},
	{"  HTTP/3, 1 % of frames lost", "./e2e", "Network/loss1/h3/cold/html", "usable-ms", 0, false,
		"Network/loss1/h3/cold/static", ""},
	{"HTTP/2, a network of its own: usable, again", "./e2e", "Network/loss0/h2/again/html",
		"usable-ms", 0, false, "Network/loss0/h2/again/static", ""},
	{"  HTTP/3", "./e2e", "Network/loss0/h3/again/html", "usable-ms", 0, false,
		"Network/loss0/h3/again/static", ""},
	{"  HTTP/2, 1 % of frames lost", "./e2e", "Network/loss1/h2/again/html", "usable-ms", 0, false,
		"Network/loss1/h2/again/static", ""},
	{"  HTTP/3, 1 % of frames lost", "./e2e", "Network/loss1/h3/again/html", "usable-ms", 0, false,
		"Network/loss1/h3/again/static", ""},
	{"plain HTTP/1.1: usable, cold", "./e2e", "Cold/http1/coinslot", "usable-ms", 1300, false,
		"Cold/http1/static", "BTCPay Server 3,408; Adyen 1,626; Daimo 6,555"},
	{"  on the wire", "./e2e", "Cold/http1/coinslot", "wire-B", 40_000, false,
		"Cold/http1/static", "BTCPay Server 158,141"},
	{"  WebAssembly live", "./e2e", "Cold/http1/coinslot", "live-ms", 0, false,
		"Cold/http1/goapp", ""},
	{"  WebAssembly live, again", "./e2e", "Again/http1/coinslot", "live-ms", 900, false,
		"Again/http1/goapp", ""},
	{"page alone, brotli", "./e2e", "Size/page", "brotli-B", 14_000, false, "", ""},
	{"WebAssembly, brotli", "./e2e", "Size/app.wasm", "brotli-B", 950_000, false, "Size/goapp", ""},
	{"usable, prewarmed, 4x slower", "./e2e", "Show/warm/cpu4", "usable-ms", 100, false,
		"Show/cold/cpu4", ""},
	{"long tasks while waiting", "./e2e", "Waiting", "long-tasks", 0, false, "", ""},
	{"CPU while waiting, 4x slower", "./e2e", "Waiting", "ms/min", 60, false, "", ""},
	{"the binary", "./e2e", "Size/coinslot", "raw-B", 40e6, false, "", ""},
	{"start to first answer", "./e2e", "Start/empty", "ms", 150, false, "", ""},
	{"start, 100,000 sessions", "./e2e", "Start/full", "ms", 2000, false, "", ""},
	{"memory of an idle socket", "./e2e/load", "Sockets/coinslot", "KiB/socket", 30, false,
		"Sockets/naive", "Centrifugo 40; tuned gorilla 8.7"},
	{"15,000 sockets cut, all back", "./e2e/load", "Storm", "s", 30, false, "", ""},
	{"  of them lost", "./e2e/load", "Storm", "lost", 0, false, "", ""},
	{"sessions accepted", "./e2e/load", "Accept", "sessions/s", 200, true, "",
		"SQLite alone 3,995 two-row commits/s"},
	{"  p99", "./e2e/load", "Accept", "p99-ms", 50, false, "", ""},
	{"from the gateway to the screen, p99, beyond the interval", "./e2e/load", "Detect", "p99-ms",
		300, false, "", ""},
	{"gateway requests, payment and minute", "./bff/server", "ListPoll/coinslot", "requests/min",
		0.1, false, "ListPoll/naive", ""},
	{"  oldest check", "./bff/server", "ListPoll/coinslot", "oldest-s", 15, false, "ListPoll/naive",
		""},
	{"shoppers served while one client attacks", "./bff/server", "Attack", "%-served", 100, true,
		"", ""},
	{"  median wait, times the calm one", "./bff/server", "Attack", "times-calm", 2, false, "", ""},
	{"  slowest detection of money", "./bff/server", "Attack", "detected-s", 20, false, "", ""},
	{"pages over HTTP", "./e2e/load", "Pages/alone", "pages/s", 1000, true, "", ""},
	{"pages over HTTP, framed", "./e2e/load", "Pages/framed", "pages/s", 1000, true, "", ""},
	{"views over HTTP", "./e2e/load", "Pages/view", "views/s", 2000, true, "", ""},
}
