package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
)

// clock is a time that only tests move.
type clock struct {
	mu sync.Mutex // guards the field below
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 4, 10, 0, 0, 123456789, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// reply is an answer of the API, its data not yet read.
type reply struct {
	HTTP    int
	Header  http.Header
	Status  int             `json:"status"`
	Data    json.RawMessage `json:"data"`
	Message string          `json:"message"`
}

// into reads the data.
func (r reply) into(t *testing.T, v any) {
	t.Helper()
	fortest.OK(t, json.Unmarshal(r.Data, v))
}

// call sends a request with the key straight to the handler.
func call(t *testing.T, s *Server, method, target, body string) reply {
	t.Helper()
	r := httptest.NewRequest(method, "http://gateway.example"+target, strings.NewReader(body))
	r.Header.Set("X-Api-Key", DefaultKey)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return do(t, s, r)
}

func do(t *testing.T, s *Server, r *http.Request) reply {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	got := reply{HTTP: w.Code, Header: w.Header()}
	fortest.OK(t, json.Unmarshal(w.Body.Bytes(), &got))
	if got.HTTP != got.Status {
		t.Errorf("%s %s: HTTP status %d, envelope %d", r.Method, r.URL, got.HTTP, got.Status)
	}
	return got
}

const (
	createPath  = "/api/v1/merchant/transaction/create"
	statusPath  = "/api/v1/merchant/transaction/status?tracking_code="
	recheckPath = "/api/v1/merchant/transaction/recheck?tracking_code="
	cancelPath  = "/api/v1/merchant/transaction/cancel?tracking_code="
	listPath    = "/api/v1/merchant/transaction/list"
)

// create opens a transaction of 25 dollars in USDT on TRON for 15 minutes.
func create(t *testing.T, s *Server) createdRecord {
	t.Helper()
	return createWith(t, s,
		`{"currency_symbol":"USDT","network_code":"trc20","amount_usd":25,"ttl":15}`)
}

func createWith(t *testing.T, s *Server, body string) createdRecord {
	t.Helper()
	got := call(t, s, "POST", createPath, body)
	if got.Status != http.StatusOK {
		t.Fatalf("create %s: %d %s", body, got.Status, got.Message)
	}
	var c createdRecord
	got.into(t, &c)
	return c
}

func status(t *testing.T, s *Server, code string) transactionRecord {
	t.Helper()
	got := call(t, s, "GET", statusPath+code, "")
	if got.Status != http.StatusOK {
		t.Fatalf("status of %s: %d %s", code, got.Status, got.Message)
	}
	var r transactionRecord
	got.into(t, &r)
	return r
}

func cancelBody(code string) string { return fmt.Sprintf(`{"tracking_code":%q}`, code) }

func TestSeedRepeats(t *testing.T) {
	c := newClock()
	a, b := New(Config{Seed: 7, Now: c.now}), New(Config{Seed: 7, Now: c.now})
	other, random := New(Config{Seed: 8, Now: c.now}), New(Config{Now: c.now})
	first := create(t, a)
	if diff := cmp.Diff(first, create(t, b), cmp.AllowUnexported(createdRecord{})); diff != "" {
		t.Errorf("same seed, other transaction:\n%s", diff)
	}
	for _, s := range []*Server{other, random} {
		got := create(t, s)
		if got.WalletAddress == first.WalletAddress || got.TrackingCode == first.TrackingCode {
			t.Errorf("another seed repeats %s", got.TrackingCode)
		}
	}
}

func TestJournalIsACopy(t *testing.T) {
	s := New(Config{})
	code := create(t, s).TrackingCode
	fortest.OK(t, s.Pay(code, KindHalf))
	journal := s.Transactions()
	journal[0].Status, journal[0].Transfers[0].Amount = Confirmed, decimal.Zero
	if got := status(t, s, code); got.Status != Pending || got.PaidAmount != "12.50000000" {
		t.Errorf("status after writing to the journal = %s %s", got.Status, got.PaidAmount)
	}
}

// TestConcurrentUse works one server from all sides; the race detector judges.
func TestConcurrentUse(t *testing.T) {
	s := New(Config{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				body := `{"currency_symbol":"gram","network_code":"TON","amount_usd":19.99,"ttl":5}`
				c := createWith(t, s, body)
				fortest.OK(t, s.Pay(c.TrackingCode, Kinds()[i%len(Kinds())]))
				s.Inject(Fault{Path: "withdrawals", Status: 503})
				s.Transactions()
				s.Requests()
				s.ClearFaults()
			}
		})
	}
	wg.Wait()
	codes := map[string]bool{}
	for _, tr := range s.Transactions() {
		codes[tr.TrackingCode] = true
	}
	fortest.Equal(t, len(codes), 80, "different codes")
}
