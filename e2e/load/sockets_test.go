package load

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/child"
)

// socketCount is how many sockets are open when memory and pushes are measured.
const socketCount = 10_000

// warmupPages is how many pages are asked for before memory is measured: the database's
// cache, which does not grow with the sockets, is full then.
const warmupPages = 2000

// BenchmarkSockets measures what an idle socket costs in resident memory: with a session of its own
// each, after every socket was pinged once; beside it the naive server, which has no sessions.
func BenchmarkSockets(b *testing.B) {
	b.Run("coinslot", func(b *testing.B) {
		w := newWorld(b)
		sessions := w.sessions(socketCount)
		child.End(w.process) // what they have left in memory is not the sockets'
		w.start()
		parallel(b, warmupPages, 8, func(i int) error { w.version(sessions[i]); return nil })
		measureIdleMemory(b, w, sessions, livePath)
	})
	b.Run(
		"naive",
		func(b *testing.B) {
			measureIdleMemory(b, newNaive(b), make([]string, socketCount), naivePath)
		},
	)
}

// measureIdleMemory reports the memory of a socket for each of the sessions.
func measureIdleMemory(b *testing.B, w *world, sessions []string, path func(string) string) {
	openSockets(b, w.base, sessions[:1], path) // what comes with the first one is not the others'
	before := w.resident()
	all := openSockets(b, w.base, sessions, path)
	awaitAll(b, "a ping of every socket", all,
		func(s *shopper) bool { return s.pings.Load() > 0 && s.version.Load() > 0 })
	var samples []int
	for range 5 {
		samples = append(samples, w.resident()-before)
		<-time.After(200 * time.Millisecond)
	}
	if i := slices.IndexFunc(all, func(s *shopper) bool { return s.cut.Load() }); i >= 0 {
		b.Fatalf("socket %d was cut", i)
	}
	discardLog(b)
	b.ReportMetric(float64(median(samples))/1024/float64(len(all)), "KiB/socket")
}

// BenchmarkPush measures how soon all of 10,000 sockets hear of changes: 20 look at each of 500
// sessions, all of which the merchant cancels. ms is from the first request to the last socket that
// has the new view, committed-ms from the first request to the last answer.
func BenchmarkPush(b *testing.B) {
	w := newWorld(b)
	sessions := w.sessions(socketCount / 20)
	all := openSockets(b, w.base, repeatEach(sessions, 20), livePath)
	awaitAll(b, "a first view", all, func(s *shopper) bool { return s.version.Load() > 0 })

	began, cpu := time.Now(), w.cpu()
	parallel(b, len(sessions), 8, func(i int) error { w.cancel(sessions[i]); return nil })
	committed := time.Since(began)
	newest := w.version(sessions[0])
	awaitAll(b, "the last to hear of it", all, func(s *shopper) bool {
		return s.version.Load() >= newest
	})
	took := time.Since(began)

	discardLog(b)
	b.ReportMetric(milliseconds(took), "ms")
	b.ReportMetric(milliseconds(committed), "committed-ms")
	b.ReportMetric(milliseconds(w.cpu()-cpu), "cpu-ms")
}

// cancel has the merchant call a session off.
func (w *world) cancel(session string) {
	w.tb.Helper()
	status := w.call(http.MethodPost, "/v1/sessions/"+session+"/cancel", map[string]any{}, nil)
	if status != http.StatusOK {
		w.tb.Fatalf("calling %s off = %d", session, status)
	}
}

// version is the newest of a session.
func (w *world) version(session string) int64 {
	w.tb.Helper()
	var view struct{ Version int64 }
	status := w.call(http.MethodGet, "/checkout/"+session+"/view", nil, &view)
	if status != http.StatusOK {
		w.tb.Fatalf("the view of %s = %d", session, status)
	}
	return view.Version
}

// cpu is the time that the process has used of the processors.
//
// Source: proc_pid_stat(5), utime and stime, in hundredths of a second.
func (w *world) cpu() time.Duration {
	w.tb.Helper()
	text := fortest.Must(os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.process.Process.Pid)))(w.tb)
	_, rest, _ := strings.Cut(string(text), ") ")
	ticks := 0
	for _, field := range strings.Fields(rest)[11:13] {
		n := fortest.Must(strconv.Atoi(field))(w.tb)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// median of a list that is not empty.
func median[T int | float64](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// discardLog leaves out the time of the benchmark itself, which says nothing.
func discardLog(b *testing.B) { b.ReportMetric(0, "ns/op") }
