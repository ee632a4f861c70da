package checkout_test

import (
	"context"
	"testing"
	"time"

	"coinslot/bff/payment"
	"coinslot/bff/reconcile"

	"github.com/google/go-cmp/cmp"
)

// Each way in which gateway and database can disagree is named, and agreement is
// silence.
func TestCompare(t *testing.T) { overBoth(t, compare) }

func compare(t *testing.T, h *shop) {
	h.clock.move(12 * time.Hour)
	compared := func() reconcile.Result {
		t.Helper()
		day := h.clock.Now().Truncate(24 * time.Hour)
		c, err := reconcile.Compare(t.Context(), h.gateway, h.store, day.AddDate(0, 0, -3), day.AddDate(0, 0, 3))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	agreed, paid, took, extra := h.chosen("25", usdt()), h.chosen("26", usdt()), h.chosen("27", usdt()), h.chosen("28", usdt())
	ended, gone := h.chosen("29", usdt()), h.chosen("30", usdt())
	code := func(s payment.Session) string { return s.Attempts[0].TrackingCode }
	if c := compared(); len(c.Findings) != 0 || c.Transactions != 6 || c.Attempts != 6 {
		t.Fatalf("compared = %+v; want 6 of each and no findings", c)
	}
	h.gateway.pay(code(took), took.Attempts[0].PayAmount, "0xt")
	h.clock.move(20 * time.Second)
	h.tend()
	h.gateway.pay(code(paid), paid.Attempts[0].PayAmount, "0xp")
	h.gateway.set(code(took), func(tx *transaction) { tx.Status = "expired" })
	h.gateway.set(code(extra), func(tx *transaction) { tx.PayAmount = dec("1") })
	h.gateway.set(code(ended), func(tx *transaction) { tx.Status = "cancelled" })
	h.gateway.set(code(gone), func(tx *transaction) { tx.TrackingCode, tx.Comment = "other", "not ours" })
	h.gateway.add(payment.CreateRequest{CurrencySymbol: "USDT", NetworkCode: "trc20", AmountUSD: dec("1"), TTL: 30, Comment: "cs-aaaaaaaaaaaaaaaaaaaa"})
	h.gateway.add(payment.CreateRequest{CurrencySymbol: "USDT", NetworkCode: "trc20", AmountUSD: dec("25"), TTL: 30, Comment: agreed.Attempts[0].Marker})
	h.gateway.createHook = once(nil, cut())
	lost := h.chosen("31", usdt())

	c := compared()
	got := map[reconcile.FindingKind]string{}
	var order []reconcile.FindingKind
	for _, f := range c.Findings {
		got[f.Kind] = f.Session
		order = append(order, f.Kind)
		if f.Kind.Why() == "" {
			t.Errorf("%s is not explained", f.Kind)
		}
	}
	want := map[reconcile.FindingKind]string{
		reconcile.FindingPaidThere: paid.ID, reconcile.FindingPaidHere: took.ID, reconcile.FindingMoney: extra.ID,
		reconcile.FindingUnknownHere: "", reconcile.FindingOrphan: lost.ID, reconcile.FindingSecond: agreed.ID,
		reconcile.FindingUnknownThere: gone.ID, reconcile.FindingEnded: ended.ID,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if order[0] != reconcile.FindingPaidThere || order[len(order)-1] != reconcile.FindingEnded || c.Foreign != 1 {
		t.Errorf("order = %v, foreign = %d; want the gravest first, and one foreign", order, c.Foreign)
	}
	h.run(5 * time.Minute) // the server mends what can be mended
	left := map[reconcile.FindingKind]bool{}
	for _, f := range compared().Findings {
		left[f.Kind] = true
	}
	mended := map[reconcile.FindingKind]bool{
		reconcile.FindingPaidHere: true, reconcile.FindingMoney: true, reconcile.FindingUnknownHere: true, reconcile.FindingUnknownThere: true,
	}
	if diff := cmp.Diff(mended, left); diff != "" {
		t.Errorf("findings five minutes later (-want +got):\n%s", diff)
	}
}

// read counts the sessions that a comparison lists.
type read struct {
	reconcile.SessionReader
	sessions int
}

func (r *read) List(ctx context.Context, f payment.Filter) (payment.Page, error) {
	page, err := r.SessionReader.List(ctx, f)
	r.sessions += len(page.Sessions)
	return page, err
}

// Old days are compared without reading what was made since. Once, all of it was.
func TestCompareOldDays(t *testing.T) { overBoth(t, compareOldDays) }

func compareOldDays(t *testing.T, h *shop) {
	h.clock.move(4 * time.Hour) // noon
	day := h.clock.Now().Truncate(24 * time.Hour)
	h.chosen("25", usdt())
	h.clock.move(300 * 24 * time.Hour)
	for range 5 {
		h.open("26")
	}
	books := &read{SessionReader: h.store}
	c, err := reconcile.Compare(t.Context(), h.gateway, books, day.AddDate(0, 0, -1), day.AddDate(0, 0, 1))
	if err != nil || c.Attempts != 1 || books.sessions != 1 {
		t.Errorf("%d sessions were read for %d attempts, %v; want the one of that day", books.sessions, c.Attempts, err)
	}
}
