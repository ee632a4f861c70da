package shop

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"syscall"
	"testing"
	"time"

	"coinslot/app/screen"
	"coinslot/app/widget/node"
	"coinslot/bff/fortest"
	"coinslot/static"
)

// discardWriter is a client that reads nothing.
type discardWriter struct{ header http.Header }

func (s *discardWriter) Header() http.Header            { return s.header }
func (s *discardWriter) WriteHeader(int)                {}
func (s *discardWriter) Write(page []byte) (int, error) { return len(page), nil }

// renderLoop returns a function that serves a page of the gallery in a coding, and one that
// renders only its component tree.
func renderLoop(tb testing.TB, name, accept string) (answer, tree func()) {
	tb.Helper()
	_, d := builtPages(tb, static.Files)
	p, client, request := galleryPage(tb, name), &discardWriter{http.Header{}},
		httptest.NewRequest("GET", "/", nil)
	request.Header.Set("Accept-Encoding", accept)
	answer = func() {
		clear(client.header)
		fortest.OK(tb, d.write(client, request, http.StatusOK, p))
	}
	return answer, func() { node.HTML(&screen.Checkout{Page: p}) }
}

// cpuTime is the time that cores have worked for this process.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	fortest.OK(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkDocument tells how many pages one core answers in a second of its
// time, whatever else the computer does meanwhile, garbage collection included,
// and how many allocations an answer makes, and beyond those of its component tree:
// of the screens on which shoppers choose and pay, the worse one. Nothing is
// compressed; BenchmarkDocumentPacked does that.
func BenchmarkDocument(b *testing.B) { benchmarkDocument(b, "identity") }

// BenchmarkDocumentPacked is that for browsers, which accept brotli, and others.
func BenchmarkDocumentPacked(b *testing.B) {
	for _, coding := range []string{"br", "gzip"} {
		b.Run(coding, func(b *testing.B) { benchmarkDocument(b, coding) })
	}
}

func benchmarkDocument(b *testing.B, coding string) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	slowest, all, extra := time.Duration(0), 0.0, 0.0
	for _, name := range []string{"open", "pending"} {
		answer, tree := renderLoop(b, name, coding)
		answer() // what is made once is made
		began := cpuTime(b)
		for range b.N {
			answer()
		}
		slowest = max(slowest, cpuTime(b)-began)
		whole := testing.AllocsPerRun(20, answer)
		all, extra = max(all, whole), max(extra, whole-testing.AllocsPerRun(20, tree))
	}
	b.ReportMetric(float64(b.N)/slowest.Seconds(), "pages/s")
	b.ReportMetric(all, "allocs")
	b.ReportMetric(extra, "extra-allocs")
	b.ReportMetric(0, "ns/op")
}

// cost is the most of a page: allocations of its tree, and bytes of the whole answer.
type cost struct{ tree, bytes float64 }

// allocations is what f allocates each time: the least of five measurements, because goroutines that
// another test has left behind count too.
func allocations(f func()) float64 {
	least := testing.AllocsPerRun(10, f)
	for range 4 {
		least = min(least, testing.AllocsPerRun(10, f))
	}
	return least
}

// TestDocumentAllocations bounds the allocations and bytes of a page, and of its tree.
func TestDocumentAllocations(t *testing.T) {
	for name, most := range pageCosts() {
		answer, tree := renderLoop(t, name, "identity")
		whole, alone := allocations(answer), allocations(tree)
		if whole-alone > 60 || alone > most.tree {
			t.Errorf("%s: %v allocations, %v of them in its tree; want at most 60 more than its %v",
				name, whole, alone, most.tree)
		}
		if bytes := allocated(50, answer); bytes > most.bytes {
			t.Errorf("%s: %.0f bytes are allocated; want at most %.0f", name, bytes, most.bytes)
		} else {
			t.Logf("%s: %v allocations, the tree %v, %.0f bytes", name, whole, alone, bytes)
		}
	}
}

// allocated is how many bytes f allocates, on average of n runs.
func allocated(n int, f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		f()
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
}
