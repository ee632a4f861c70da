package gatewaylist_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

// Every kind of difference is found, and nothing else.
func TestReconcile(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	h.Clock.Move(12 * time.Hour)
	reconciled := func() gatewaylist.Result {
		t.Helper()
		day := h.Clock.Now().Truncate(24 * time.Hour)
		return fortest.Must(gatewaylist.Reconcile(t.Context(), h.Gateway, h.Store,
			day.AddDate(0, 0, -1), day, h.Clock.Now()))(t)
	}
	agreed := h.Chosen("25", checkouttest.USDT())
	paid := h.Chosen("26", checkouttest.USDT())
	took := h.Chosen("27", checkouttest.USDT())
	extra := h.Chosen("28", checkouttest.USDT())
	ended, gone := h.Chosen("29", checkouttest.USDT()), h.Chosen("30", checkouttest.USDT())
	code := func(s payment.Session) string { return s.Attempts[0].TrackingCode }
	if c := reconciled(); len(c.Findings) != 0 || c.Transactions != 6 || c.Attempts != 6 {
		t.Fatalf("reconciled = %+v; want 6 of each and no findings", c)
	}
	h.Gateway.Pay(code(took), took.Attempts[0].PayAmount, "0xt")
	h.Clock.Move(20 * time.Second)
	h.Process()
	h.Gateway.Pay(code(paid), paid.Attempts[0].PayAmount, "0xp")
	h.Gateway.Set(code(took), func(tx *checkouttest.Transaction) { tx.Status = "expired" })
	h.Gateway.Set(code(extra),
		func(tx *checkouttest.Transaction) { tx.PayAmount = checkouttest.Dec("1") })
	h.Gateway.Set(code(ended), func(tx *checkouttest.Transaction) { tx.Status = "cancelled" })
	h.Gateway.Set(code(gone),
		func(tx *checkouttest.Transaction) { tx.TrackingCode, tx.Comment = "other", "not ours" })
	h.Gateway.Add(payment.CreateRequest{
		CurrencySymbol: "USDT",
		NetworkCode:    "trc20",
		AmountUSD:      checkouttest.Dec("1"),
		TTL:            30,
		Comment:        "cs-aaaaaaaaaaaaaaaaaaaa",
	})
	h.Gateway.Add(payment.CreateRequest{
		CurrencySymbol: "USDT",
		NetworkCode:    "trc20",
		AmountUSD:      checkouttest.Dec("25"),
		TTL:            30,
		Comment:        agreed.Attempts[0].Marker,
	})
	h.Gateway.CreateHook = checkouttest.Once(nil, checkouttest.LostAnswer())
	lost := h.Chosen("31", checkouttest.USDT())

	c := reconciled()
	got := map[gatewaylist.FindingKind]string{}
	var order []gatewaylist.FindingKind
	for _, f := range c.Findings {
		got[f.Kind] = f.Session
		order = append(order, f.Kind)
		if f.Kind.Explanation() == "" {
			t.Errorf("%s is not explained", f.Kind)
		}
	}
	want := map[gatewaylist.FindingKind]string{
		gatewaylist.FindingPaidAtGateway:  paid.ID,
		gatewaylist.FindingPaidInDatabase: took.ID,
		gatewaylist.FindingMoney:          extra.ID,
		gatewaylist.FindingNotInDatabase:  "",
		gatewaylist.FindingOrphan:         lost.ID,
		gatewaylist.FindingDuplicate:      agreed.ID,
		gatewaylist.FindingNotAtGateway:   gone.ID, gatewaylist.FindingEnded: ended.ID,
	}
	fortest.Diff(t, got, want, "findings")
	if order[0] != gatewaylist.FindingPaidAtGateway ||
		order[len(order)-1] != gatewaylist.FindingEnded || c.NotOurs != 1 {
		t.Errorf("order = %v, foreign = %d; want the gravest first, and one foreign", order,
			c.NotOurs)
	}
	h.Run(5 * time.Minute) // the server fixes what it can
	left := map[gatewaylist.FindingKind]bool{}
	for _, f := range reconciled().Findings {
		left[f.Kind] = true
	}
	fixed := map[gatewaylist.FindingKind]bool{
		gatewaylist.FindingPaidInDatabase: true,
		gatewaylist.FindingMoney:          true,
		gatewaylist.FindingNotInDatabase:  true,
		gatewaylist.FindingNotAtGateway:   true,
	}
	fortest.Diff(t, left, fixed, "findings five minutes later")
}

// A single day is compared whole, whatever the gateway's time zone. Days without payments, and an
// attempt that began after the list was read, are no finding.
func TestReconcileOneDay(t *testing.T) {
	h := checkouttest.NewShop(t)
	h.Clock.Move(12 * time.Hour)
	day, now := h.Clock.Now().Truncate(24*time.Hour), h.Clock.Now()
	h.Chosen("25", checkouttest.USDT())
	h.Clock.Move(time.Second)
	later := h.Chosen("26", checkouttest.USDT())
	h.Gateway.Set(later.Attempts[0].TrackingCode,
		func(tx *checkouttest.Transaction) { tx.TrackingCode, tx.Comment = "other", "not ours" })
	for days, want := range map[int]int{0: 1, 1: 0} {
		at := day.AddDate(0, 0, days)
		c, err := gatewaylist.Reconcile(t.Context(), h.Gateway, h.Store, at, at, now)
		if err != nil || c.Attempts != want || len(c.Findings) != 0 || c.Transactions != 2 {
			t.Errorf(
				"%d days later: %+v, %v; want %d attempts, 2 transactions with those of a day on each side, no finding",
				days,
				c,
				err,
				want,
			)
		}
	}
}

// read counts the sessions that a reconciliation lists.
type read struct {
	gatewaylist.SessionReader
	sessions int
}

func (r *read) List(ctx context.Context, f payment.Filter) (payment.Page, error) {
	page, err := r.SessionReader.List(ctx, f)
	r.sessions += len(page.Sessions)
	return page, err
}

// Old days are reconciled without reading newer sessions.
func TestReconcileOldDays(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	h.Clock.Move(4 * time.Hour) // noon
	day := h.Clock.Now().Truncate(24 * time.Hour)
	h.Chosen("25", checkouttest.USDT())
	h.Clock.Move(300 * 24 * time.Hour)
	for range 5 {
		h.Open("26")
	}
	books := &read{SessionReader: h.Store}
	c, err := gatewaylist.Reconcile(t.Context(), h.Gateway, books, day, day, h.Clock.Now())
	if err != nil || c.Attempts != 1 || books.sessions != 1 {
		t.Errorf("%d sessions were read for %d attempts, %v; want the one of that day",
			books.sessions, c.Attempts, err)
	}
}

// moreThanItSays is a list that has a transaction more than its total, and many more pages on one day.
type moreThanItSays struct {
	gatewaylist.Lister
	pages int // that it says to have; 0 = as many as it has
}

func (m moreThanItSays) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	page, err := m.Lister.Transactions(ctx, q)
	page.Total--
	if m.pages > 0 {
		page.LastPage = m.pages
	}
	return page, err
}

// Nothing counts as missing in a list that was not read completely; its days are a finding.
func TestReconcilePartly(t *testing.T) {
	for name, pages := range map[string]int{"contradicts itself": 0, "too long": 1001} {
		t.Run(name, func(t *testing.T) {
			h := checkouttest.NewShop(t)
			h.Clock.Move(12 * time.Hour)
			gone, paid := h.Chosen("25", checkouttest.USDT()), h.Chosen("26", checkouttest.USDT())
			h.Gateway.Set(
				gone.Attempts[0].TrackingCode,
				func(tx *checkouttest.Transaction) {
					tx.TrackingCode, tx.Comment = "other", "not ours"
				},
			)
			h.Gateway.Pay(paid.Attempts[0].TrackingCode, paid.Attempts[0].PayAmount, "0xp")
			day := h.Clock.Now().Truncate(24 * time.Hour)
			c, err := gatewaylist.Reconcile(t.Context(), moreThanItSays{h.Gateway, pages}, h.Store,
				day, day, h.Clock.Now().Add(time.Hour))
			fortest.OK(t, err)
			kinds := c.Counts()
			if kinds[gatewaylist.FindingNotAtGateway] != 0 ||
				kinds[gatewaylist.FindingNotRead] == 0 ||
				kinds[gatewaylist.FindingPaidAtGateway] != 1 || c.Attempts != 2 {
				t.Errorf(
					"findings %v of %d attempts; want the payment, the days that were not read, and nothing missing",
					kinds,
					c.Attempts,
				)
			}
			for _, f := range c.Findings {
				if f.Kind == gatewaylist.FindingNotRead &&
					!strings.HasPrefix(f.AtGateway, "2026-11-2") {
					t.Errorf("not read: %q; want the days", f.AtGateway)
				}
			}
		})
	}
}
