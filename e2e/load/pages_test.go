package load

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/e2e/child"
)

const (
	pageReaders  = 16    // keep-alive connections at once
	pageSessions = 1_000 // open, requested in turn, each by a shopper with an address of its own
	pageRequests = 5_000 // of one measurement
)

// pageKinds are what is measured: a page of its own, one in a frame, and its data.
var pageKinds = []struct{ name, query, unit string }{
	{"alone", "", "pages/s"},
	{"framed", "?embed=inline&origin=https%3A%2F%2Fshop.example", "pages/s"},
	{"view", "/view", "views/s"},
}

// BenchmarkPages measures how many pages and views are answered in a second over HTTP/1.1 with
// brotli, as through a proxy, by a server that shares its cores with its clients. Clients ask again
// as soon as they are answered, so p99-ms is with all of them in a queue.
func BenchmarkPages(b *testing.B) {
	w, sessions := pagesWorld(b, pageSessions)
	for _, kind := range pageKinds {
		b.Run(kind.name, func(b *testing.B) {
			var r round
			var bytes int64
			for b.Loop() {
				r, bytes = w.readPages(sessions, pageRequests, kind.query)
			}
			b.ReportMetric(r.rate(), kind.unit)
			b.ReportMetric(r.percentile(50), "p50-ms")
			b.ReportMetric(r.percentile(99), "p99-ms")
			b.ReportMetric(r.cpuEach(), "cpu-us/page")
			b.ReportMetric(float64(bytes)/pageRequests, "B/page")
			discardLog(b)
		})
	}
}

// TestPages: what the benchmark counts are pages in brotli.
func TestPages(t *testing.T) {
	w, sessions := pagesWorld(t, 20)
	for _, kind := range pageKinds {
		if _, bytes := w.readPages(sessions, 100, kind.query); bytes < 100*1000 {
			t.Errorf("%s: %d bytes for 100 answers", kind.name, bytes)
		}
	}
}

// pagesWorld is a server with open sessions, whose log goes into a file.
func pagesWorld(tb testing.TB, n int) (*world, []string) {
	tb.Helper()
	w := newWorld(tb, "COINSLOT_TRUSTED_PROXIES=127.0.0.1/32")
	sessions := make([]string, n)
	w.round(n, func(c *http.Client, i int) (err error) {
		sessions[i], err = w.accepted(c, strconv.Itoa(i))
		return err
	})
	child.End(w.process)
	var err error
	if w.log, err = os.Create(filepath.Join(tb.TempDir(), "log")); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { w.log.Close() })
	w.start()
	return w, sessions
}

// pageRequest is what a browser sends, and a proxy adds.
const pageRequest = "GET /checkout/%s%s HTTP/1.1\r\nHost: pay.example\r\n" +
	"X-Forwarded-For: 10.%d.%d.1\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) " +
	"AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36\r\n" +
	"Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n" +
	"Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-US,en;q=0.9\r\n" +
	"Origin: %s\r\nReferer: https://shop.example/\r\nSec-Fetch-Site: cross-site\r\n" +
	"Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n\r\n"

// readPages requests n pages, and adds up the bytes of their bodies.
func (w *world) readPages(sessions []string, n int, query string) (round, int64) {
	w.tb.Helper()
	requests := make([][]byte, len(sessions))
	for i, id := range sessions {
		requests[i] = fmt.Appendf(nil, pageRequest, id, query, i/250, i%250, w.base)
	}
	r := round{took: make([]time.Duration, n)}
	var next, sum atomic.Int64
	before, began := w.cpuTime(), time.Now()
	parallel(w.tb, pageReaders, pageReaders, func(int) error {
		conn, err := net.Dial("tcp", w.base[len("http://"):])
		if err != nil {
			return err
		}
		defer conn.Close()
		in := bufio.NewReaderSize(conn, 64<<10)
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			asked := time.Now()
			size, err := exchange(conn, in, requests[i%len(requests)])
			if err != nil {
				return err
			}
			r.took[i] = time.Since(asked)
			sum.Add(int64(size))
		}
		return nil
	})
	r.wall, r.cpu = time.Since(began), w.cpuTime()-before
	slices.Sort(r.took)
	return r, sum.Load()
}

// exchange sends a request, and returns the size of the body that answers it.
func exchange(conn net.Conn, in *bufio.Reader, request []byte) (size int, err error) {
	if _, err := conn.Write(request); err != nil {
		return 0, err
	}
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		switch value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); {
		case err != nil:
			return 0, err
		case first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")):
			return 0, fmt.Errorf("a page was answered with %q", line)
		case found:
			if size, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, err
			}
		case len(line) == len("\r\n"):
			_, err = in.Discard(size)
			return size, err
		}
	}
}
