package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

const (
	shops        = 64     // keep-alive clients at once
	accepted     = 12_000 // sessions of one measurement
	startPayment = 3_000  // of them that a coin is chosen for
)

// BenchmarkAccept measures how many sessions are accepted in a second, each of them committed when it
// is answered, by a server that shares its cores with its clients and their gateway, which takes no
// time. Clients ask again as soon as they are answered, so p99-ms is with all of them in a queue.
func BenchmarkAccept(b *testing.B) {
	w := newWorld(b, "COINSLOT_GATEWAY_RPS=10000", "COINSLOT_TRUSTED_PROXIES=127.0.0.1/32")
	ids := make([]string, accepted)
	var accept, start round
	for i := 0; b.Loop(); i++ {
		accept = w.round(accepted, func(c *http.Client, n int) (err error) {
			ids[n], err = w.accepted(c, fmt.Sprintf("%d-%d", i, n))
			return err
		})
		start = w.round(startPayment,
			func(c *http.Client, n int) error { return w.startPayment(c, ids[n], n) })
	}
	b.ReportMetric(accept.rate(), "sessions/s")
	b.ReportMetric(accept.percentile(50), "p50-ms")
	b.ReportMetric(accept.percentile(99), "p99-ms")
	b.ReportMetric(accept.cpuEach(), "cpu-us/session")
	b.ReportMetric(start.rate(), "started/s")
	b.ReportMetric(start.percentile(99), "started-p99-ms")
	b.ReportMetric(start.cpuEach(), "cpu-us/started")
	b.ReportMetric(0, "ns/op")
}

// TestAccepted: what the benchmark counts is there.
func TestAccepted(t *testing.T) {
	w := newWorld(t, "COINSLOT_TRUSTED_PROXIES=127.0.0.1/32")
	ids := make([]string, 200)
	w.round(len(ids), func(c *http.Client, n int) (err error) {
		ids[n], err = w.accepted(c, strconv.Itoa(n))
		return err
	})
	for _, id := range ids {
		fortest.Equal(t, w.call(http.MethodGet, "/v1/sessions/"+id, nil, nil), http.StatusOK,
			"session %q was accepted; reading it", id)
	}
	w.round(2, func(c *http.Client, n int) error { return w.startPayment(c, ids[n], n) })
}

// accepted opens a session as a shop does; ref is its own.
func (w *world) accepted(c *http.Client, ref string) (id string, err error) {
	var got struct{ ID string }
	status, err := w.post(c, "/v1/sessions", map[string]any{
		"amount_usd":  "25.00",
		"order_ref":   "order-" + ref,
		"title":       "Two tickets",
		"description": "Row 7, seats 12 and 13",
		"email":       "buyer@shop.example",
		"metadata":    map[string]string{"cart": ref},
		"success_url": "https://shop.example/thanks",
	}, http.Header{"Authorization": {"Bearer " + secretKey}, "Idempotency-Key": {ref}}, &got)
	if err == nil && status != http.StatusCreated {
		err = fmt.Errorf("POST /v1/sessions = %d", status)
	}
	return got.ID, err
}

// startPayment chooses a coin as a shopper does, of a network of its own.
func (w *world) startPayment(c *http.Client, id string, n int) error {
	var got wire.View
	status, err := w.post(c, "/checkout/"+id+
		"/attempts", map[string]any{"currency_symbol": "USDT", "network_code": "trc20"},
		http.Header{"X-Forwarded-For": {fmt.Sprintf("10.%d.%d.1", n/250, n%250)}}, &got)
	if err == nil && (status != http.StatusOK || got.Attempt == nil || got.Attempt.Address == "") {
		err = fmt.Errorf("choosing a coin for %q = %d, %q", id, status, got.Status)
	}
	return err
}

// post sends JSON and reads JSON into what into points to.
func (w *world) post(
	c *http.Client, path string, body any, h http.Header, into any,
) (status int, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequest(http.MethodPost, w.base+path, bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	req.Header = h
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, json.Unmarshal(answer, into)
}

// round is what many clients at once have measured.
type round struct {
	took      []time.Duration // by each answer, the fastest first
	wall, cpu time.Duration   // of all; cpu is what the server has used
}

// round has n requests made by all shops at once. It fails if any fails.
func (w *world) round(n int, ask func(c *http.Client, n int) error) round {
	w.tb.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: shops}}
	defer client.CloseIdleConnections()
	r := round{took: make([]time.Duration, n)}
	var next atomic.Int64
	var socketCount sync.WaitGroup
	before, began := w.cpuTime(), time.Now()
	for range shops {
		socketCount.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				asked := time.Now()
				if err := ask(client, i); err != nil {
					w.tb.Errorf("request %d: %v", i, err)
					return
				}
				r.took[i] = time.Since(asked)
			}
		})
	}
	socketCount.Wait()
	r.wall, r.cpu = time.Since(began), w.cpuTime()-before
	slices.Sort(r.took)
	return r
}

func (r round) rate() float64 { return float64(len(r.took)) / r.wall.Seconds() }

// percentile is a time that so many of a hundred answers have not exceeded, in ms.
func (r round) percentile(p int) float64 {
	return float64(r.took[len(r.took)*p/100].Microseconds()) / 1000
}

// cpuEach is the server's processor time for one answer, in microseconds.
func (r round) cpuEach() float64 { return float64(r.cpu.Microseconds()) / float64(len(r.took)) }

// cpuTime is the processor time that the server has used.
//
// Source: proc_pid_stat(5), fields 14 and 15, in hundredths of a second.
func (w *world) cpuTime() time.Duration {
	w.tb.Helper()
	text := fortest.Must(os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.process.Process.Pid)))(w.tb)
	_, after, _ := strings.Cut(string(text), ") ")
	var ticks int
	for _, field := range strings.Fields(after)[11:13] {
		n := fortest.Must(strconv.Atoi(field))(w.tb)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
