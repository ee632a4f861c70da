package metrics

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

func scrape(s *Set) string {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// A family has a maximum of series, also in memory.
func TestMaxSeries(t *testing.T) {
	s := New(Config{Token: func(symbol, network string) (string, string, bool) { return symbol, network, true }})
	word := func() string { return fmt.Sprint("w", rand.N(1_000_000)) }
	for range 5_000 {
		s.CountRequest("GET /"+word(), rand.N(2000)-500, time.Second)
		s.CountGatewayCall(word(), word(), time.Second)
		s.CountTransition(payment.Session{}, payment.Session{Status: wire.Status(word()), Attempts: []payment.Attempt{{Number: 1, CurrencySymbol: word(), NetworkCode: word(), State: payment.Waiting}}})
	}
	s.CountRequest("GET /\"}\n# x{", 200, time.Second) // which no pattern is
	count := map[string]int{}
	page := scrape(s)
	for line := range strings.Lines(page) {
		if name, _, ok := strings.Cut(line, "{"); ok && !strings.HasSuffix(name, "_bucket") {
			count[name]++
		}
	}
	for name, n := range count {
		if n > MaxSeries+1 {
			t.Errorf("%s has %d series; want %d at most", name, n, MaxSeries+1)
		}
	}
	for _, want := range []string{"coinslot_http_requests_total", "coinslot_payments_total", "coinslot_gateway_requests_total"} {
		if count[want] < MaxSeries {
			t.Errorf("%s has %d series: the test does not reach the bound", want, count[want])
		}
	}
	fortest.Has(t, "what is too much is not counted as other", page,
		`coinslot_payments_total{status="other",coin="other",network="other"}`)
}

// TestCountTransition: what changes of a session are counted and measured as.
func TestCountTransition(t *testing.T) {
	now := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	attempt := func(state payment.State, change func(*payment.Attempt)) []payment.Attempt {
		a := payment.Attempt{Number: 1, State: state, CurrencySymbol: "usdt", NetworkCode: "trc20", StartedAt: now.Add(-2 * time.Second)}
		if change != nil {
			change(&a)
		}
		return []payment.Attempt{a}
	}
	for _, c := range []struct {
		name          string
		before, after payment.Session
		want          []string
	}{
		{"opened", payment.Session{}, payment.Session{Status: wire.Open}, []string{`coinslot_payments_total{status="open",coin="none",network="none"} 1`}},
		{"an address", payment.Session{Status: wire.Preparing}, payment.Session{Status: wire.Pending, Attempts: attempt(payment.Waiting, nil)},
			[]string{`coinslot_payments_total{status="pending",coin="USDT",network="tron"} 1`, `coinslot_payment_detection_seconds_sum{status="pending"} 2`}},
		{"paid", payment.Session{Status: wire.Pending}, payment.Session{Status: wire.Confirmed, CreatedAt: now.Add(-time.Minute), Attempts: attempt(payment.Confirmed, func(a *payment.Attempt) { a.PaidAt = now.Add(-4 * time.Second) })},
			[]string{`coinslot_payment_detection_seconds_sum{status="confirmed"} 4`, "coinslot_checkout_paid_seconds_sum 60"}},
		{"paid by a clock that is ahead", payment.Session{}, payment.Session{Status: wire.Confirmed, CreatedAt: now, Attempts: attempt(payment.Confirmed, func(a *payment.Attempt) { a.PaidAt = now.Add(time.Hour) })},
			[]string{`coinslot_payment_detection_seconds_sum{status="confirmed"} 0`}},
		{"nobody says when", payment.Session{}, payment.Session{Status: wire.Confirmed, CreatedAt: now, Attempts: attempt(payment.Confirmed, nil)}, []string{"coinslot_checkout_paid_seconds_count 1"}},
		{"expired", payment.Session{Status: wire.Pending}, payment.Session{Status: wire.Expired, Attempts: attempt(payment.Expired, func(a *payment.Attempt) { a.ExpiresAt = now.Add(-9 * time.Second) })},
			[]string{`coinslot_payment_detection_seconds_sum{status="expired"} 9`}},
		{"another coin", payment.Session{}, payment.Session{Status: wire.Pending, Attempts: attempt(payment.Waiting, func(a *payment.Attempt) { a.CurrencySymbol = "canary" })},
			[]string{`coinslot_payments_total{status="pending",coin="other",network="other"} 1`}},
		{"nothing of note", payment.Session{Status: wire.Pending}, payment.Session{Status: wire.Pending}, nil},
		{"to review", payment.Session{Status: wire.Pending, Attempts: attempt(payment.Waiting, nil)}, payment.Session{Status: wire.Review, Attempts: attempt(payment.InReview, nil)}, []string{`coinslot_findings_total{finding="review"} 1`}},
		{"still in review", payment.Session{Status: wire.Review, Attempts: attempt(payment.InReview, nil)}, payment.Session{Status: wire.Review, Attempts: attempt(payment.InReview, nil)}, []string{`coinslot_findings_total{finding="review"} 0`}},
		{"a duplicate", payment.Session{Status: wire.Pending}, payment.Session{Status: wire.Pending, Attempts: attempt(payment.Duplicate, nil)}, []string{`coinslot_findings_total{finding="duplicate"} 1`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(Config{Now: func() time.Time { return now }, Token: func(symbol, _ string) (string, string, bool) { return "USDT", "tron", symbol == "usdt" }})
			s.CountTransition(c.before, c.after)
			page := scrape(s)
			for _, want := range c.want {
				fortest.Has(t, "the page", page, want+"\n")
			}
			if n := strings.Count(page, "coinslot_payments_total{"); c.want == nil && n > 0 {
				t.Errorf("%d payments are counted", n)
			}
		})
	}
}

// A slow measurement is dropped when the scrape ends, and an undeclared name or label panics.
func TestMeasure(t *testing.T) {
	s := New(Config{Measure: func(ctx context.Context, put Put) {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("a scrape may take for ever")
		}
		put("coinslot_checkouts", 2, "review")
		put("coinslot_webhook_oldest_seconds", 0.25)
	}})
	s.CountOperation("read", errors.New("broken"), time.Millisecond)
	s.CountRequest("GET /checkout/{session}/live", 429, 0)
	page := scrape(s)
	fortest.Has(t, "the page", page,
		"# HELP coinslot_checkouts Checkouts that wait now, for the gateway, a payment or the merchant. All instances.\n# TYPE coinslot_checkouts gauge\ncoinslot_checkouts{status=\"review\"} 2\n",
		"coinslot_webhook_oldest_seconds 0.25\n", `coinslot_database_operations_total{operation="read",outcome="failed"} 1`, "coinslot_sockets_refused_total 1\n",
		`coinslot_http_rate_limited_total{route="GET /checkout/{session}/live"} 1`,
	)
	defer func() {
		if recover() == nil {
			t.Error("a name that is not in the table is taken")
		}
	}()
	s.counter("coinslot_typo_total")
}
