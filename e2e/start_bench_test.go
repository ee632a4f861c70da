package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/store"
	"coinslot/e2e/built"
	"coinslot/e2e/child"

	"github.com/shopspring/decimal"
)

const (
	kept    = 100_000 // sessions in a full database
	awaited = 1_000   // of them that wait for money, and are due
)

// BenchmarkStart measures the time from the start of the process until it has
// answered. Empty is with no database at all, which has to be made; the answer is a
// list of sessions. Full is with a hundred thousand sessions left by a process that
// was killed, a thousand of them waiting for money; the answer is the page of one of
// them, and the gateway must have been asked about another. Medians.
func BenchmarkStart(b *testing.B) {
	b.Run("empty", func(b *testing.B) {
		s := newStarts(b)
		for b.Loop() {
			s.run("/v1/sessions", filepath.Join(b.TempDir(), "empty.db"), false)
		}
		s.report()
	})
	b.Run("full", func(b *testing.B) {
		s := newStarts(b)
		path := filepath.Join(b.TempDir(), "full.db")
		fill(b, path, kept, awaited)
		for b.Loop() {
			s.run("/checkout/"+sessionNumber(0), path, true)
		}
		s.report()
	})
}

// TestFullStart: what is measured is true of a small database.
func TestFullStart(t *testing.T) {
	s := newStarts(t)
	path := filepath.Join(t.TempDir(), "small.db")
	fill(t, path, 200, 20)
	s.run("/checkout/"+sessionNumber(19), path, true)
	fortest.Equal(t, len(s.took), 1, "starts measured")
}

// starts is a gateway and how long each start beside it took.
type starts struct {
	tb    testing.TB
	api   *httptest.Server
	asked atomic.Int64 // about payments, by the present process
	took  []float64    // ms
	cpu   []float64    // ms
}

func newStarts(tb testing.TB) *starts {
	s := &starts{tb: tb}
	gateway := sandbox.New(sandbox.Config{Key: gatewayKey})
	s.api = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/transaction/status") {
			s.asked.Add(1)
		}
		gateway.ServeHTTP(w, r)
	}))
	tb.Cleanup(s.api.Close)
	return s
}

// run starts the binary, waits until path is answered and, if it polls, until it
// has asked the gateway, and kills it.
func (s *starts) run(path, database string, polls bool) {
	s.tb.Helper()
	port := fortest.FreePort(s.tb)
	base := "http://localhost:" + port
	process := exec.Command(built.Program(s.tb), "serve")
	process.Env = []string{
		"COINSLOT_LISTEN=127.0.0.1:" + port, "COINSLOT_PUBLIC_URL=" + base,
		"COINSLOT_OPS_LISTEN=-", "COINSLOT_GATEWAY_URL=" + s.api.URL,
		"COINSLOT_GATEWAY_KEY=" + gatewayKey, "COINSLOT_GATEWAY_PAGE_URL=" + s.api.URL + "/pay",
		"COINSLOT_ORIGINS=https://shop.example", "COINSLOT_SECRET_KEY=" + secretKey,
		"COINSLOT_DATABASE=" + database,
	}
	said := &fortest.Log{}
	process.Stderr = said
	child.Tie(process)
	s.asked.Store(0)
	began := time.Now()
	if err := process.Start(); err != nil {
		s.tb.Fatalf("starting coinslot: %v", err)
	}
	defer child.End(process)
	s.await(said, func() bool { return answers(base + path) })
	if polls {
		s.await(said, func() bool { return s.asked.Load() > 0 })
	}
	s.took = append(s.took, float64(time.Since(began).Microseconds())/1000)
	child.End(process)
	s.cpu = append(
		s.cpu,
		float64((process.ProcessState.UserTime()+
			process.ProcessState.SystemTime()).Microseconds())/1000,
	)
}

// await asks every millisecond, since what is measured is a few of them.
func (s *starts) await(said *fortest.Log, met func() bool) {
	s.tb.Helper()
	for deadline := time.Now().Add(time.Minute); !met(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			s.tb.Fatalf("coinslot does not start:\n%s", said.String())
		}
	}
}

// answers reports whether a GET by the merchant is answered as it should be.
func answers(url string) bool {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "Bearer "+secretKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func (s *starts) report() {
	b := s.tb.(*testing.B)
	b.ReportMetric(median(s.took), "ms")
	b.ReportMetric(slices.Min(s.took), "fastest-ms")
	b.ReportMetric(median(s.cpu), "cpu-ms")
	b.ReportMetric(0, "ns/op")
}

// sessionNumber is the id of session n of a filled database.
func sessionNumber(n int) string { return fmt.Sprintf("cs_%026d", n) }

// fill makes a database of n sessions, of which the first so many wait for money.
func fill(tb testing.TB, path string, n, pending int) {
	tb.Helper()
	db, err := store.Open(tb.Context(), store.Config{DSN: path})
	fortest.OK(tb, err)
	defer db.Close()
	var next atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				_, err := db.Insert(context.WithoutCancel(tb.Context()), stored(i, i < pending))
				if err != nil {
					tb.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// stored is session n as a payment leaves it: waiting and due, or confirmed.
func stored(n int, openPayment bool) payment.Session {
	at := time.Now().Add(-time.Duration(n) * time.Minute).UTC().Truncate(time.Microsecond)
	if openPayment {
		at = time.Now().Add(-time.Minute).UTC()
	}
	amount := decimal.New(2500, -2)
	a := payment.Attempt{
		Number:         1,
		State:          payment.Confirmed,
		Marker:         fmt.Sprintf("cs-%020d", n),
		TrackingCode:   fmt.Sprintf("T%09d", n),
		CurrencySymbol: "USDT",
		CurrencyName:   "Tether",
		NetworkCode:    "trc20",
		NetworkName:    "TRON",
		AmountUSD:      amount,
		TTLMinutes:     30,
		StartedAt:      at,
		ExpiresAt:      at.Add(30 * time.Minute),
		Address:        "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE",
		PayAmount:      amount,
		PayText:        "25",
		Paid:           amount,
		TxID:           fmt.Sprintf("%064d", n),
		PaidAt:         at,
	}
	s := payment.Session{
		ID:        sessionNumber(n),
		Status:    wire.Confirmed,
		CreatedAt: at,
		ExpiresAt: at.Add(24 * time.Hour),
		CheckedAt: at,
		Order: payment.Order{
			AmountUSD:   amount,
			Ref:         fmt.Sprintf("order-%d", n),
			Title:       "Two tickets",
			Description: "Row 7, seats 12 and 13",
		},
	}
	if openPayment {
		a.State, a.Paid, a.TxID, a.PaidAt = payment.Waiting, decimal.Zero, "", time.Time{}
		s.Status, s.DueAt = wire.Pending, at
	}
	for _, what := range []string{"session.created", "attempt.intended", "attempt.pending"} {
		s.Timeline = append(s.Timeline, payment.TimelineEntry{At: at, By: "coinslot", What: what})
	}
	s.Attempts = []payment.Attempt{a}
	return s
}
