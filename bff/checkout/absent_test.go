package checkout_test

import (
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// An unknown transaction was polled forever, without a report.
func TestAbsentTransactionIsReported(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Chosen("25", checkouttest.USDT())
	h.Forget()
	before := h.Gateway.Calls("status")
	h.Run(4 * time.Minute)
	h.WantStatus(s.ID, wire.Review)
	if n := h.Gateway.Calls("status") - before; n > 5 {
		t.Errorf("status reads in four minutes = %d; want 5 at most", n)
	}
	h.Run(100 * time.Hour)
	h.WantEvents(s.ID, payment.EventPending, payment.EventReview)
	events := h.Store.EventsOf(s.ID)
	fortest.Has(t, "the event has another reason", string(events[1].Body), `"transaction_absent"`)
	if n := h.Gateway.Calls("status") - before; n > 15 {
		t.Errorf("status reads = %d; want 15 at most", n)
	}
	h.WantNotDue(s.ID)
}

// The address of an absent transaction is hidden, and the page does not claim a payment.
func TestAbsentTransactionAsShown(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Forget()
	h.Run(4 * time.Minute)
	v := h.View(s.ID)
	if a := v.Attempt; a.Address != "" || a.PaymentURL != "" || a.PayAmount != "" || a.URI != "" {
		t.Errorf("attempt = %+v; want nothing that can be paid", a)
	}
	if v.Notice == nil || v.Notice.Code != "" ||
		v.Notice.Message != "problem.payment_in_progress" {
		t.Errorf("notice = %+v; want news that a payment was begun", v.Notice)
	}
	if !v.Can(wire.Recheck) || v.Can(wire.Choose) || v.Can(wire.Retry) {
		t.Errorf("actions = %v; want recheck, and no second payment", v.Actions)
	}
	loaded := h.Load(s.ID)
	checkout.View(&loaded,
		checkout.ViewOptions{Now: h.Clock.Now()}) // as for a QR code: without words
}

// A later answer that knows the transaction ends the review, repeatedly.
func TestAbsentTransactionReappears(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Chosen("25", checkouttest.USDT())
	for range 2 {
		h.Forget()
		h.Run(4 * time.Minute)
		h.WantStatus(s.ID, wire.Review)
		h.Remember()
		h.Run(6 * time.Minute)
		h.WantOne(s.ID)
		if h.View(s.ID).Attempt.Address == "" {
			t.Error("the address is not shown again")
		}
	}
	h.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
	h.Run(20 * time.Second)
	h.WantStatus(s.ID, wire.Confirmed)
	h.WantEvents(s.ID, payment.EventPending, payment.EventReview, payment.EventPending,
		payment.EventReview, payment.EventPending, payment.EventConfirmed)
}

// A payment reported afterwards, but not proven, starts another review.
func TestAbsentTransactionGoesToReview(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Forget()
	h.Run(4 * time.Minute)
	h.Remember()
	h.Gateway.Set("T00001",
		func(tx *checkouttest.Transaction) { tx.Status, tx.PaidAmount = "confirmed", "?" })
	h.Run(6 * time.Minute)
	h.WantStatus(s.ID, wire.Review)
	h.WantEvents(s.ID, payment.EventPending, payment.EventReview, payment.EventReview)
	last := h.Load(s.ID)
	fortest.Equal(t, last.Object(payment.EventOptions{}).ReviewReason, "paid_amount_unreadable",
		"reason")
}

// A replica of the gateway may lag for a while.
func TestBrieflyAbsent(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	for range 5 {
		h.Forget()
		h.Run(80 * time.Second)
		h.Remember()
		h.Run(20 * time.Second)
	}
	h.WantStatus(s.ID, wire.Pending)
	h.WantEvents(s.ID, payment.EventPending)
}

// An open page, hints and rechecks neither add reads nor count as absences.
func TestAbsentTransactionWithAnOpenPage(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Forget()
	h.Run(20 * time.Second)
	before := h.Gateway.Calls("status")
	for range 60 {
		h.Clock.Move(time.Second)
		h.Service.Nudge(t.Context(), h.Load(s.ID))
		h.Process()
	}
	if n := h.Gateway.Calls("status") - before; n > 2 {
		t.Errorf("status reads in a minute = %d; want 2 at most", n)
	}
	for range 20 {
		h.Must(h.Recheck(s.ID))
		h.Clock.Move(time.Second)
	}
	h.WantStatus(s.ID, wire.Pending)
}

// A recheck notices at once that the transaction is known again.
func TestRecheckOfAnAbsentTransaction(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Forget()
	h.Run(2 * time.Hour)
	h.Remember()
	h.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
	h.Gateway.Set("T00001", func(tx *checkouttest.Transaction) { tx.Status = "confirmed" })
	fortest.Equal(t, h.Must(h.Recheck(s.ID)).Status, wire.Confirmed, "status")
}

// The gateway may forget an ended transaction: the late checks end.
func TestAbsentAfterItsEnd(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Run(31 * time.Minute)
	h.WantStatus(s.ID, wire.Expired)
	h.Forget()
	before := h.Gateway.Calls("status")
	h.Run(100 * time.Hour)
	h.WantStatus(s.ID, wire.Expired)
	h.WantEvents(s.ID, payment.EventPending, payment.EventExpired)
	fortest.Equal(t, h.Gateway.Calls("status")-before, len(payment.DefaultSchedule().LateChecks),
		"late checks")
}

// A confirmation stays, and its checks end.
func TestAbsentAfterItsConfirmation(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
	h.Run(20 * time.Second)
	h.Forget()
	before := h.Gateway.Calls("status")
	h.Run(100 * time.Hour)
	h.WantStatus(s.ID, wire.Confirmed)
	fortest.Equal(t, h.Gateway.Calls("status")-before,
		len(payment.DefaultSchedule().ConfirmedChecks), "checks")
}

// A review resolved as unpaid is not reported again.
func TestAbsentTransactionIsResolved(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Forget()
	h.Run(4 * time.Minute)
	h.Must(h.Resolve(s.ID, wire.Cancelled, "the gateway has lost it"))
	h.Run(100 * time.Hour)
	h.WantEvents(s.ID, payment.EventPending, payment.EventReview, payment.EventCancelled)
}
