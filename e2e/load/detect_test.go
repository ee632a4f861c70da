package load

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/e2e/child"

	"github.com/gorilla/websocket"
	"github.com/shopspring/decimal"
	_ "modernc.org/sqlite"
)

// payments is what the gateway and the database know, with pages that are open.
type payments struct {
	*world
	ids, codes []string
	interval   time.Duration // of the checks of watched ones
}

// newPayments starts a checkout in which so many payments are pending. The
// gateway has them from its API; the database is given them while it is unused.
func newPayments(tb testing.TB, n int, interval time.Duration, extra ...string) *payments {
	p := &payments{
		world:    newWorld(tb, append(extra, "COINSLOT_POLL_INTERVAL="+interval.String())...),
		interval: interval,
	}
	child.End(p.process)
	client := fortest.Must(gateway.New(gateway.Config{URL: p.api.URL, Key: gatewayKey}))(tb)
	db := fortest.Must(sql.Open("sqlite", "file:"+p.database()))(tb)
	defer db.Close()
	tx := fortest.Must(db.Begin())(tb)
	defer tx.Rollback()
	for range n {
		fortest.OK(tb, p.add(tb.Context(), tx, client))
	}
	fortest.OK(tb, tx.Commit())
	p.start()
	return p
}

func (p *payments) database() string {
	i := slices.IndexFunc(p.env,
		func(s string) bool { return strings.HasPrefix(s, "COINSLOT_DATABASE=") })
	return strings.TrimPrefix(p.env[i], "COINSLOT_DATABASE=")
}

// add opens a transaction and writes its session, as the server would.
func (p *payments) add(ctx context.Context, tx *sql.Tx, client *gateway.Client) error {
	usd := decimal.NewFromInt(25)
	made, err := client.Create(ctx, payment.CreateRequest{
		CurrencySymbol: "USDT",
		NetworkCode:    "trc20",
		AmountUSD:      usd,
		TTL:            30,
	})
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	s := payment.Session{
		ID:          payment.NewSessionID(),
		Version:     1,
		Status:      wire.Pending,
		Order:       payment.Order{AmountUSD: usd},
		Digest:      "d",
		Environment: client.Environment(),
		CreatedAt:   now,
		ExpiresAt:   now.Add(24 * time.Hour),
		CheckedAt:   now,
		DueAt:       now.Add(15 * time.Second),
		Attempts: []payment.Attempt{{
			Number:         1,
			State:          payment.Waiting,
			Marker:         fmt.Sprintf("cs-%020d", len(p.ids)),
			TrackingCode:   made.TrackingCode,
			TTLMinutes:     30,
			CurrencySymbol: made.CurrencySymbol,
			CurrencyName:   made.CurrencyName,
			NetworkCode:    made.NetworkCode,
			NetworkName:    made.NetworkName,
			AmountUSD:      usd,
			PayAmount:      made.PayAmount,
			PayText:        made.PayAmountText,
			Address:        made.Address,
			Tolerance:      made.TolerancePercent,
			StartedAt:      now, ExpiresAt: made.ExpiresAt,
		}},
	}
	doc, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO sessions (id, version, status, created_at, checked_at, due_at, amount_cents, unpaid_item, deleted, doc) VALUES (?, 1, ?, ?, ?, ?, 0, 0, 0, ?)`,
		s.ID, string(s.Status), now.UnixMicro(), now.UnixMicro(), s.DueAt.UnixMicro(), string(doc))
	if err != nil {
		return err
	}
	p.ids, p.codes = append(p.ids, s.ID), append(p.codes, made.TrackingCode)
	_, err = tx.ExecContext(
		ctx,
		`INSERT INTO attempts (session, number, marker, tracking_code) VALUES (?, 1, ?, ?)`,
		s.ID,
		s.Attempts[0].Marker,
		made.TrackingCode,
	)
	return err
}

// watch opens the socket of a session and records when it shows that it is paid.
func (p *payments) watch(n int, paid chan<- time.Time) {
	p.tb.Helper()
	d := websocket.Dialer{HandshakeTimeout: time.Minute}
	conn, _, err := d.Dial("ws"+strings.TrimPrefix(p.base, "http")+"/checkout/"+p.ids[n]+"/live",
		http.Header{"Origin": {p.base}})
	fortest.OK(p.tb, err)
	p.tb.Cleanup(func() { conn.Close() })
	go func() {
		for {
			var view struct{ Status string }
			if err := conn.ReadJSON(&view); err != nil {
				return // the end, or a test that will wait in vain
			}
			if view.Status == string(wire.Confirmed) {
				paid <- time.Now()
				return
			}
		}
	}()
}

// awaitIdle waits until nothing is overdue: a process that has just started has
// everything to check at once.
func (p *payments) awaitIdle() {
	p.tb.Helper()
	db := fortest.Must(sql.Open("sqlite",
		"file:"+p.database()+"?mode=ro&_pragma=busy_timeout(10000)"))(p.tb)
	defer db.Close()
	start := time.Now()
	for range 3 { // times in a row, some apart
		fortest.Within(p.tb, time.Minute, "every payment to be checked", func() bool {
			var n int
			query := `SELECT count(*) FROM sessions WHERE due_at < ? OR checked_at < ?`
			fortest.OK(
				p.tb,
				db.QueryRow(query, time.Now().Add(-time.Second).UnixMicro(),
					start.UnixMicro()).Scan(&n),
			)
			return n == 0
		})
		<-time.After(p.interval)
	}
}

// detect pays for watched payments at random moments, and returns how long each
// took to be on the screen.
func (p *payments) detect(watched int, within time.Duration) []time.Duration {
	shown := make([]chan time.Time, watched)
	for n := range watched {
		shown[n] = make(chan time.Time, 1)
		p.watch(n, shown[n])
	}
	<-time.After(2 * p.interval) // their checks have found their pace
	took := make([]time.Duration, watched)
	var all sync.WaitGroup
	for n := range watched {
		all.Go(func() {
			<-time.After(rand.N(within))
			at := time.Now()
			if err := p.gateway.Pay(p.codes[n], sandbox.KindPay); err != nil {
				p.tb.Error(err)
				return
			}
			select {
			case seen := <-shown[n]:
				took[n] = seen.Sub(at)
			case <-time.After(time.Minute):
				p.tb.Errorf("payment %d is not shown after a minute", n)
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	return took
}

// BenchmarkDetect is how much longer than the poll interval it takes from the
// gateway's change to the shopper's screen: 5,000 payments are pending and 100 of
// them watched, at 60 requests a second: 33 are status reads of those, 8 pages.
func BenchmarkDetect(b *testing.B) {
	for b.Loop() {
		p := newPayments(b, 5000, 3*time.Second, "COINSLOT_GATEWAY_RPS=60")
		p.awaitIdle()
		took := p.detect(100, 30*time.Second)
		b.Logf("median %v, p99 %v, most %v", took[len(took)/2], took[len(took)*99/100],
			took[len(took)-1])
		b.ReportMetric(float64((took[len(took)*99/100] - p.interval).Milliseconds()), "p99-ms")
	}
	b.ReportMetric(0, "ns/op")
}

// TestDetect: what is watched is heard of within the interval, and what lies
// between, beside many without a socket.
func TestDetect(t *testing.T) {
	p := newPayments(t, 200, 200*time.Millisecond, "COINSLOT_GATEWAY_RPS=200")
	took := p.detect(10, time.Second)
	if most := took[len(took)-1]; most > 20*time.Second { // the machine may be busy
		t.Errorf("a watched payment was shown after %v; want about %v", most, p.interval)
	}
}
