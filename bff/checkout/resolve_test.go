package checkout_test

import (
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// A session resolved as unpaid may have been refunded: a later proof goes to review.
func TestResolvedAsUnpaidIsNeverConfirmed(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Chosen("25", checkouttest.USDT())
	code := s.Attempts[0].TrackingCode
	h.Gateway.Pay(code, checkouttest.Dec("25"), "0xa")
	h.Gateway.MangleStatus = func(r *payment.Record) { r.AmountUSD = checkouttest.Dec("1") }
	h.Run(20 * time.Second)
	h.Must(h.Resolve(s.ID, wire.Cancelled, "refunded"))
	h.WantStatus(s.ID, wire.Cancelled)
	h.Gateway.MangleStatus = nil
	h.Clock.Move(time.Minute)
	h.Must(h.Recheck(s.ID)) // as every shopper can
	h.Run(10 * time.Minute)
	h.WantReview(s.ID, "settled_before")
	h.WantEvents(s.ID, payment.EventPending, payment.EventReview, payment.EventCancelled,
		payment.EventReview)
	h.Must(h.Resolve(s.ID, wire.Cancelled, "refunded, as we said"))
	h.Clock.Move(time.Minute)
	h.Must(h.Recheck(s.ID))
	h.Run(10 * time.Minute)
	h.WantStatus(s.ID, wire.Cancelled) // the same reason is not raised again
	h.WantEvents(s.ID, payment.EventPending, payment.EventReview, payment.EventCancelled,
		payment.EventReview, payment.EventCancelled)
}

// A proof during another review is reported too.
func TestProvenAfterAnotherReview(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Reviewed()
	h.Must(h.Resolve(s.ID, wire.Cancelled, "refunded"))
	h.Gateway.MangleStatus = func(r *payment.Record) { r.AmountUSD = checkouttest.Dec("1") }
	h.Clock.Move(time.Minute)
	h.Must(h.Recheck(s.ID))
	h.WantReview(s.ID, "amount_usd_mismatch")
	h.Gateway.MangleStatus = nil
	h.Gateway.Set(
		s.Attempts[0].TrackingCode,
		func(tx *checkouttest.Transaction) {
			tx.Paid, tx.PaidAmount = checkouttest.Dec("25"), "25"
		},
	)
	h.Run(2 * time.Minute)
	h.WantReview(s.ID, "settled_before")
	h.WantEvents(s.ID, payment.EventPending, payment.EventReview, payment.EventCancelled,
		payment.EventReview, payment.EventReview)
	h.Must(h.Resolve(s.ID, wire.Confirmed, "not refunded yet: we ship"))
	h.WantStatus(s.ID, wire.Confirmed)
	if s = h.Load(s.ID); !s.Current().ConfirmedByOperator() {
		t.Error("it does not say that it was confirmed by hand")
	}
}

// Another attempt of a session resolved as unpaid is paid.
func TestOtherAttemptAfterResolution(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	s = h.Must(h.Choose(s.ID, checkouttest.BNB()))
	first, second := s.Attempts[0], s.Attempts[1]
	h.Gateway.Set(second.TrackingCode,
		func(tx *checkouttest.Transaction) { tx.Status, tx.TxID = "confirmed", "0xa" })
	h.Run(time.Minute)
	h.WantReview(s.ID, "paid_amount_unreadable")
	h.Must(h.Resolve(s.ID, wire.Cancelled, "nothing has come"))
	h.Gateway.Pay(first.TrackingCode, first.PayAmount, "0xb")
	h.Run(2 * time.Hour)
	h.WantReview(s.ID, "settled_before")
	h.WantEvents(s.ID, payment.EventPending, payment.EventPending, payment.EventReview,
		payment.EventCancelled, payment.EventReview)
}

// A review whose transaction paid another session can be resolved as paid after the operator
// was warned.
func TestResolvingAReusedTransaction(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	first, second := h.Chosen("25", checkouttest.USDT()), h.Chosen("25", checkouttest.USDT())
	h.Gateway.Pay(first.Attempts[0].TrackingCode, checkouttest.Dec("25"), "0xa")
	h.Run(time.Minute)
	h.WantStatus(first.ID, wire.Confirmed)
	h.Gateway.MangleStatus = func(r *payment.Record) { r.AmountUSD = checkouttest.Dec("1") }
	h.Gateway.Pay(second.Attempts[0].TrackingCode, checkouttest.Dec("25"), "0xa")
	h.Run(time.Minute)
	h.WantReview(second.ID, "amount_usd_mismatch")
	h.WantCode(wire.CodeReviewChanged)(h.Resolve(second.ID, wire.Confirmed, "seen on the chain"))
	h.WantReview(second.ID, "transaction_id_reused")
	version := h.Load(second.ID).Version
	h.Run(10 * time.Minute) // the gateway says what it said: that is not the reason any more
	h.WantReview(second.ID, "transaction_id_reused")
	fortest.Equal(t, h.Load(second.ID).Version, version, "version after ten minutes without news")
	h.Must(h.Resolve(second.ID, wire.Confirmed, "a batch of our exchange"))
	h.WantStatus(second.ID, wire.Confirmed)
	h.WantEvents(second.ID, payment.EventPending, payment.EventReview, payment.EventConfirmed)
}

// A review that changed since the operator saw it is not resolved.
func TestResolvingAChangedReview(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Reviewed()
	resolve := func(seen payment.Session) error {
		_, err := h.Service.ResolveBy(t.Context(), s.ID, payment.Resolution{
			As:       wire.Confirmed,
			Reason:   "seen",
			By:       payment.Console("ann"),
			ReviewID: seen.ReviewID(),
		})
		return err
	}
	h.Gateway.MangleStatus = func(r *payment.Record) { r.AmountUSD = checkouttest.Dec("1") }
	h.Run(2 * time.Minute)
	h.WantReview(s.ID, "amount_usd_mismatch")
	checkouttest.WantCode(t, resolve(s), wire.CodeReviewChanged)
	s = h.Load(s.ID)
	h.Must(h.Recheck(s.ID)) // finds nothing new
	if v := h.Load(s.ID).Version; v == s.Version {
		t.Fatal("a recheck has written nothing: this test is about one that does")
	}
	fortest.OK(t, resolve(s))
	h.WantStatus(s.ID, wire.Confirmed)
	for _, e := range h.Load(s.ID).Timeline {
		if e.What == "attempt.confirmed" && e.By != "console:ann" {
			t.Errorf("%s is said to have confirmed it", e.By)
		}
	}
}

// A resolution is reported even if another attempt was canceled before.
func TestResolutionIsReportedAfterAnEarlierEnd(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Chosen("25", checkouttest.USDT())
	s = h.Must(h.Choose(s.ID, checkouttest.BNB()))
	h.Must(h.Cancel(s.ID, payment.ClosedByShopper))
	h.WantEvents(s.ID, payment.EventPending, payment.EventPending, payment.EventCancelled)
	h.Gateway.Set(s.Attempts[0].TrackingCode,
		func(tx *checkouttest.Transaction) { tx.Status, tx.TxID = "confirmed", "0xa" })
	h.Clock.Move(10 * time.Minute)
	h.Run(10 * time.Minute)
	h.WantReview(s.ID, "paid_amount_unreadable")
	h.Must(h.Resolve(s.ID, wire.Cancelled, "nothing has come"))
	h.WantStatus(s.ID, wire.Cancelled)
	h.WantEvents(s.ID, payment.EventPending, payment.EventPending, payment.EventCancelled,
		payment.EventReview, payment.EventCancelled)
}

// A session resolved as unpaid gets late checks: the gateway may prove it a day later.
func TestProvenLongAfterResolution(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Reviewed()
	h.Must(h.Resolve(s.ID, wire.Cancelled, "nothing has come"))
	h.Run(2 * time.Hour)
	h.WantStatus(s.ID, wire.Cancelled)
	h.Gateway.Set(
		s.Attempts[0].TrackingCode,
		func(tx *checkouttest.Transaction) {
			tx.Paid, tx.PaidAmount = checkouttest.Dec("25"), "25"
		},
	)
	h.Run(80 * time.Hour)
	h.WantReview(s.ID, "settled_before")
}
