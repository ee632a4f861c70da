package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"

	"github.com/shopspring/decimal"
)

// listRig is a simulation whose gateway is the sandbox, over HTTP.
type listRig struct {
	*simulation
	sandbox *sandboxtest.Gateway
	client  *gateway.Client
	lists   atomic.Int64 // pages that were asked for
	api     string
	ids     []string
	codes   []string // of ids
}

func newListRig(t *testing.T, payments int) *listRig {
	t.Helper()
	l := &listRig{
		simulation: &simulation{tb: t, payments: payments, now: simStart, checks: time.Second},
	}
	l.sandbox = sandboxtest.New(sandbox.Config{Key: gatewayKey, Now: l.clock})
	api := httptest.NewServer(l.sandbox)
	t.Cleanup(api.Close)
	l.api = api.URL
	l.open()
	l.client = fortest.Must(gateway.New(gateway.Config{
		URL: api.URL,
		Key: gatewayKey,
		Now: l.clock,
	}))(t)
	l.serve(countedLists{l.client, &l.lists})
	for range payments {
		opened := fortest.Must(l.service.Open(t.Context(),
			payment.Order{AmountUSD: decimal.NewFromInt(25), TTLMinutes: 60}, ""))(t)
		s := fortest.Must(l.service.Choose(t.Context(), opened.ID,
			wire.Choice{CurrencySymbol: "USDT", NetworkCode: "trc20"}))(t)
		l.ids, l.codes = append(l.ids, s.ID), append(l.codes, s.Current().TrackingCode)
	}
	return l
}

// countedLists counts the pages of the list that are asked for.
type countedLists struct {
	*gateway.Client
	n *atomic.Int64
}

func (c countedLists) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	c.n.Add(1)
	return c.Client.Transactions(ctx, q)
}

func (l *listRig) status(id string) wire.Status {
	l.tb.Helper()
	return fortest.Must(l.db.Session(l.tb.Context(), id))(l.tb).Status
}

// asked is how often the gateway was asked for a path, of the last thousand times.
func (l *listRig) asked(path string) (n int) {
	for _, r := range l.sandbox.Requests() {
		if r.Path == "/api/v1/merchant/transaction/"+path {
			n++
		}
	}
	return n
}

// takes pays a payment and returns how long it takes to be confirmed.
func (l *listRig) takes(n int) time.Duration {
	l.tb.Helper()
	fortest.OK(l.tb, l.sandbox.Pay(l.codes[n], sandbox.KindPay))
	paid := l.clock()
	l.until(5*time.Minute, func() bool { return l.status(l.ids[n]) == wire.Confirmed })
	return l.clock().Sub(paid)
}

// A list that fails, is wrong, repeats itself or lacks rows costs requests. No payment is detected
// later than without it by more than an interval, and none is accepted unless its status says so.
func TestListFaults(t *testing.T) {
	l := newListRig(t, 48)
	l.run(15 * time.Second)
	if n := l.asked("list"); n == 0 {
		t.Fatal("the list is not read")
	}
	cases := []any{nil} // nothing goes wrong
	for _, f := range []sandbox.Fault{
		{Status: 500}, {Status: 429, RetryAfter: time.Minute}, {CutBefore: true}, {CutAfter: true},
	} {
		cases = append(cases, f)
	}
	for _, a := range []sandboxtest.Answer{
		{Body: sandboxtest.BadGateway},
		{
			Body: `{"status":200,"data":{"items":[],"pagination":{"page":1,"limit":50,"total":0,"last_page":0}}}`,
		},
		{Set: map[string]any{"status": "confirmed"}},
		{Set: map[string]any{"status": "expired"}},
		{Set: map[string]any{"status": "???"}},
		{Set: map[string]any{"paid_amount": "25.00000000"}},
		{Set: map[string]any{"tx_id": "0xabc"}},
		{Set: map[string]any{"paid_at": 1}},
		{Set: map[string]any{"tracking_code": "other"}},
		{Set: map[string]any{"expired_at": 5}},
		{Set: map[string]any{"pagination.last_page": 1_000_000}},
	} {
		cases = append(cases, a)
	}
	next := 0
	for _, c := range cases {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			switch wrong := c.(type) {
			case sandbox.Fault:
				wrong.Path, wrong.Times = "list", -1
				l.sandbox.Inject(wrong)
			case sandboxtest.Answer:
				wrong.Path, wrong.Times = "transaction/list", -1
				l.sandbox.Falsify(wrong)
			}
			defer l.sandbox.ClearFaults()
			l.serve(countedLists{
				l.client,
				&l.lists,
			}) // it does not know yet that the list is suspect
			before := l.lists.Load()
			l.oldest, l.measured = 0, l.clock()
			if took := l.takes(next); took > 16*time.Second {
				t.Errorf("heard of after %v; want 15 s, and a second for the look", took)
			}
			if l.oldest > 16*time.Second {
				t.Errorf("the oldest check was %v old", l.oldest)
			}
			if l.lists.Load() == before {
				t.Error("the list was not read")
			}
			next++
			for n, id := range l.ids {
				status := l.status(id)
				if (status == wire.Confirmed) != (n < next) ||
					status != wire.Confirmed && status != wire.Pending {
					t.Errorf("payment %d is %s, when %d are paid", n, status, next)
				}
			}
		})
	}
}

// A frozen list hides payments with closed pages. It is not trusted once it contradicts a few that
// were checked.
func TestListThatIsFrozen(t *testing.T) {
	l := newListRig(t, 40)
	l.run(15 * time.Second)
	l.sandbox.Falsify(sandboxtest.Answer{Path: "transaction/list", Times: -1, Body: l.page()})
	l.run(15 * time.Second)
	lists := l.asked("list")
	for n := range 20 {
		fortest.OK(t, l.sandbox.Pay(l.codes[n], sandbox.KindPay))
	}
	l.run(30 * time.Second)
	if hidden := l.unheard(20); hidden < 15 {
		t.Fatalf("%d of 20 are hidden: the list was not read", hidden)
	}
	for n := range 5 { // come back from the gateway's page
		s, err := l.db.Session(t.Context(), l.ids[n])
		if err == nil {
			err = l.service.Hint(t.Context(), s)
		}
		fortest.OK(t, err)
	}
	l.run(time.Minute)
	if hidden := l.unheard(20); hidden > 0 {
		t.Errorf("%d of 20 are hidden, after the list was read %d times", hidden,
			l.asked("list")-lists)
	}
}

// unheard is how many of the first n payments are not known to be confirmed.
func (l *listRig) unheard(n int) int {
	confirmed := slices.DeleteFunc(slices.Clone(l.ids[:n]),
		func(id string) bool { return l.status(id) == wire.Confirmed })
	return len(confirmed)
}

// page is the first page of the list of pending transactions.
func (l *listRig) page() string {
	l.tb.Helper()
	req := fortest.Must(http.NewRequest(http.MethodGet,
		l.api+"/api/v1/merchant/transaction/list?status=pending&limit=50", nil))(l.tb)
	req.Header.Set("x-api-key", gatewayKey)
	resp := fortest.Must(http.DefaultClient.Do(req))(l.tb)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		l.tb.Fatal(fmt.Errorf("the list: %d, %w", resp.StatusCode, err))
	}
	return string(body)
}

// One of two instances reads the list; when it is gone, the other does.
func TestTwoInstancesReadOneList(t *testing.T) {
	t.Parallel()
	p := newPair(t,
		300*time.Millisecond) // the list is worth it from two payments on, and read every 1.35 s
	var ids []string
	for range 12 {
		id := p.a.Open(`{"amount_usd":"25.00"}`)
		p.a.Choose(id)
		ids = append(ids, id)
	}
	fortest.Until(t, "the list to be read", func() bool { return lists(p.a.Gateway) > 0 })
	start, before := time.Now(), lists(p.a.Gateway)
	fortest.Until(t, "the list to be read again",
		func() bool { return lists(p.a.Gateway) >= before+3 })
	if took := time.Since(start); took < 2*1350*time.Millisecond*9/10 {
		t.Errorf("it was read three times in %v; want one instance's pace", took)
	}
	p.stopA()
	before = lists(p.a.Gateway)
	fortest.Until(t, "the other instance to read it",
		func() bool { return lists(p.a.Gateway) >= before+2 })
	p.b.Pay(ids[3])
	p.b.Await(ids[3], "confirmed")
}

// lists is how often the list was read, of the last thousand requests.
func lists(g *sandboxtest.Gateway) (n int) {
	for _, r := range g.Requests() {
		if r.Endpoint == "list" {
			n++
		}
	}
	return n
}
