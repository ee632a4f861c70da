package server_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/store"

	"github.com/shopspring/decimal"
	_ "modernc.org/sqlite" // the file, as anybody can read it
)

// listGateway has pending transactions, by number, answers status and list like the sandbox, and
// counts requests. Transactions differ only in their tracking code.
type listGateway struct {
	mu       sync.Mutex // guards the fields below
	pending  []int32    // oldest first
	statuses int
	pages    int
}

func trackingCode(n int) string { return fmt.Sprintf("tx%09d", n) }

func (b *listGateway) record(n int) payment.Record {
	return payment.Record{
		TrackingCode: trackingCode(n),
		Status:       "pending",
		CurrencyCode: "usdt_trc20",
		NetworkCode:  "trc20",
		AmountUSD:    decimal.NewFromInt(25),
		PayAmount:    decimal.NewFromInt(25),
		CreatedAt:    simStart,
		ExpiresAt:    simStart.Add(24 * time.Hour),
	}
}

func (b *listGateway) Status(_ context.Context, tracking string) (payment.Record, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(tracking, "tx"))
	if err != nil {
		return payment.Record{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.statuses++
	return b.record(n), nil
}

func (b *listGateway) Transactions(
	_ context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages++
	total := len(b.pending)
	p := payment.RecordPage{Page: q.Page, Total: total, LastPage: max(1, (total+q.Limit-1)/q.Limit)}
	for i := (q.Page - 1) * q.Limit; i < min(q.Page*q.Limit, total); i++ {
		p.Items = append(p.Items, b.record(int(b.pending[total-1-i])))
	}
	return p, nil
}

func (b *listGateway) requests() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.statuses + b.pages
}

func (b *listGateway) Currencies(context.Context) ([]payment.Currency, error) { return nil, nil }
func (b *listGateway) Create(context.Context, payment.CreateRequest) (payment.Created, error) {
	return payment.Created{}, errors.New("not in this book")
}
func (b *listGateway) Recheck(context.Context, string) error { return nil }
func (b *listGateway) Cancel(context.Context, string) error  { return nil }
func (b *listGateway) Environment() string                   { return "book" }

// simStart is when simulations begin.
var simStart = time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)

// simulation is a checkout with pending payments, a gateway, and a clock that jumps to the next
// task.
type simulation struct {
	tb         testing.TB
	book       *listGateway
	db         *store.DB
	raw        *sql.DB // the same file
	service    *checkout.Service
	poller     *checkout.Poller
	listPoller *gatewaylist.Poller
	payments   int

	mu  sync.Mutex // guards now
	now time.Time

	each     func()        // every simulated second, if not nil
	measured time.Time     // oldest is looked for from then on
	oldest   time.Duration // check
	checks   time.Duration // how far apart the looks for it are
}

func (s *simulation) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func newSimulation(tb testing.TB, payments int) *simulation {
	tb.Helper()
	s := &simulation{tb: tb, payments: payments, now: simStart, checks: time.Second}
	s.book = &listGateway{}
	s.open()
	s.seed()
	s.serve(s.book)
	return s
}

// open makes an empty database.
func (s *simulation) open() {
	tb := s.tb
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "sweep.db")
	s.db = fortest.Must(store.Open(tb.Context(), store.Config{DSN: path, Now: s.clock}))(tb)
	tb.Cleanup(func() { s.db.Close() })
	s.raw = fortest.Must(sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)"))(tb)
	tb.Cleanup(func() { s.raw.Close() })
}

// serve makes everything that is to run, nothing of which is looked at.
func (s *simulation) serve(g checkout.Gateway) {
	s.service = checkout.New(checkout.Config{
		Store:   s.db,
		Gateway: g,
		Page:    "https://pay.example/checkout/",
		Now:     s.clock,
	})
	s.poller = checkout.NewPoller(checkout.PollerConfig{
		Store:   s.db,
		Process: s.service.Process,
		Now:     s.clock,
	})
	s.listPoller = gatewaylist.NewPoller(gatewaylist.PollerConfig{
		Gateway: g,
		Count: func(ctx context.Context) (int, error) {
			return s.db.Count(ctx, string(wire.Pending))
		},
		Watched: func() int { return 0 },
		Apply: (&gatewaylist.PageApplier{
			Store: s.db, Environment: g.Environment(), Schedule: s.service.Schedule,
			IsWatched: s.service.IsWatched, Changed: func(string) {}, Now: s.clock,
		}).Apply,
		Schedule: s.service.Schedule, Now: s.clock, Wait: s.wait,
	})
}

// seed writes payments that were checked just now, as the store would.
func (s *simulation) seed() {
	tx := fortest.Must(s.raw.Begin())(s.tb)
	defer tx.Rollback()
	for n := range s.payments {
		s.book.pending = append(s.book.pending, int32(n))
		p := waitingFor(n, simStart)
		doc, err := json.Marshal(p)
		if err == nil {
			_, err = tx.Exec(`INSERT INTO sessions (id, version, status, created_at, checked_at, due_at, amount_cents, unpaid_item, deleted, doc) VALUES (?, 1, ?, ?, ?, ?, 0, 0, 0, ?)`,
				p.ID, string(p.Status), p.CreatedAt.UnixMicro(), p.CheckedAt.UnixMicro(), p.DueAt.UnixMicro(), string(doc))
		}
		if err == nil {
			_, err = tx.Exec(
				`INSERT INTO attempts (session, number, marker, tracking_code) VALUES (?, 1, ?, ?)`,
				p.ID,
				p.Attempts[0].Marker,
				trackingCode(n),
			)
		}
		fortest.OK(s.tb, err)
	}
	fortest.OK(s.tb, tx.Commit())
}

// waitingFor is a session that waits for transaction n.
func waitingFor(n int, checked time.Time) payment.Session {
	usd := decimal.NewFromInt(25)
	return payment.Session{
		ID:          id(n),
		Version:     1,
		Status:      wire.Pending,
		Order:       payment.Order{AmountUSD: usd},
		Digest:      "d",
		Environment: "book", CreatedAt: simStart, ExpiresAt: simStart.Add(24 * time.Hour),
		CheckedAt: checked, DueAt: checked.Add(15 * time.Second),
		Attempts: []payment.Attempt{{
			Number:         1,
			State:          payment.Waiting,
			Marker:         fmt.Sprintf("cs-%020d", n),
			TrackingCode:   trackingCode(n),
			TTLMinutes:     24 * 60,
			CurrencySymbol: "USDT",
			CurrencyName:   "Tether",
			NetworkCode:    "trc20",
			NetworkName:    "TRON",
			AmountUSD:      usd,
			PayAmount:      usd,
			PayText:        "25.00000000",
			Address:        "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf",
			StartedAt:      simStart,
			ExpiresAt:      simStart.Add(24 * time.Hour),
		}},
	}
}

// tick is how often the poller looks.
const tick = 250 * time.Millisecond

// wait lets the clock run until that time, and whatever is due happen.
func (s *simulation) wait(ctx context.Context, until time.Time) error {
	for ctx.Err() == nil && s.clock().Before(until) {
		s.mu.Lock()
		before := s.now
		s.now = before.Truncate(tick).Add(tick)
		if s.now.After(until) {
			s.now = until
		}
		now := s.now
		s.mu.Unlock()
		if now.Truncate(tick).Equal(now) {
			s.process(ctx)
		}
		if s.checks > 0 && !now.Truncate(s.checks).Equal(before.Truncate(s.checks)) {
			s.check(now)
		}
	}
	return ctx.Err()
}

// process does what is due.
func (s *simulation) process(ctx context.Context) {
	for {
		n := fortest.Must(s.poller.ProcessDue(ctx))(s.tb)
		if n == 0 {
			return
		}
	}
}

// check notes the oldest check of a payment that waits.
func (s *simulation) check(now time.Time) {
	if s.each != nil {
		s.each()
	}
	if s.measured.IsZero() || now.Before(s.measured) {
		return
	}
	var checked sql.NullInt64
	fortest.OK(
		s.tb,
		s.raw.QueryRow(`SELECT min(checked_at) FROM sessions WHERE status = 'pending'`).Scan(&checked),
	)
	if checked.Valid {
		s.oldest = max(s.oldest, now.Sub(time.UnixMicro(checked.Int64)))
	}
}

// run lets so much time pass with everything running.
func (s *simulation) run(d time.Duration) { s.until(d, func() bool { return false }) }

// until is run that ends as soon as something is so, at a full second.
func (s *simulation) until(d time.Duration, so func() bool) {
	ctx, cancel := context.WithCancel(s.tb.Context())
	defer cancel()
	end, each := s.clock().Add(d), s.each
	s.each = func() {
		if each != nil {
			each()
		}
		if !s.clock().Before(end) || so() {
			cancel()
		}
	}
	defer func() { s.each = each }()
	fortest.OK(s.tb, s.listPoller.Run(ctx))
}

// steady runs for d after rest, and returns the requests per payment and minute.
func (s *simulation) steady(rest, d time.Duration) (perMinute float64) {
	before := 0
	s.measured = s.clock().Add(rest)
	each := s.each
	s.each = func() {
		if each != nil {
			each()
		}
		if s.clock().Equal(s.measured) {
			before = s.book.requests()
		}
	}
	s.run(rest + d)
	return float64(s.book.requests()-before) / float64(s.payments) / d.Minutes()
}

// TestListPollFewRequests checks the row of docs/performance.md at a smaller size.
func TestListPollFewRequests(t *testing.T) {
	s := newSimulation(t, 500)
	perMinute := s.steady(time.Minute, 2*time.Minute)
	t.Logf("%.3f requests for each payment and minute, %d pages, %d status reads, oldest check %v",
		perMinute, s.book.pages, s.book.statuses, s.oldest)
	if perMinute > 0.1 || s.oldest > 15*time.Second {
		t.Errorf(
			"%.3f requests for each payment and minute, oldest check %v; want 0.1 and 15 s at most",
			perMinute,
			s.oldest,
		)
	}
}

// id is the session of transaction n.
func id(n int) string { return fmt.Sprintf("cs_%026d", n) }

// BenchmarkListPoll watches 5,000 payments with closed pages for five simulated minutes.
func BenchmarkListPoll(b *testing.B) {
	b.Run("coinslot", func(b *testing.B) {
		for b.Loop() {
			s := newSimulation(b, 5000)
			b.ReportMetric(s.steady(time.Minute, 5*time.Minute), "requests/min")
			b.ReportMetric(s.oldest.Seconds(), "oldest-s")
		}
		b.ReportMetric(0, "ns/op")
	})
	b.Run("naive", func(b *testing.B) {
		for b.Loop() {
			perMinute, oldest := naive(5000, 5*time.Minute)
			b.ReportMetric(perMinute, "requests/min")
			b.ReportMetric(oldest.Seconds(), "oldest-s")
		}
		b.ReportMetric(0, "ns/op")
	})
}

// naive reads the status of each payment every fifteen seconds.
func naive(payments int, d time.Duration) (perMinute float64, oldest time.Duration) {
	checked := make([]time.Time, payments)
	for i := range checked {
		checked[i] = simStart.Add(-15 * time.Second * time.Duration(i) / time.Duration(payments))
	}
	requests := 0
	for now := simStart; now.Before(simStart.Add(d)); now = now.Add(tick) {
		for i := range checked {
			if age := now.Sub(checked[i]); age >= 15*time.Second {
				oldest = max(oldest, age)
				checked[i] = now
				requests++
			}
		}
	}
	return float64(requests) / float64(payments) / d.Minutes(), oldest
}
