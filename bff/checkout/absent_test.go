package checkout_test

import (
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
)

// forget makes the gateway answer that it knows no transaction.
func (h *shop) forget() {
	h.gateway.statusHook = func(string) error { return no(payment.ReasonAbsent) }
}

func (h *shop) remember() { h.gateway.statusHook = nil }

// A transaction that the gateway does not know was read every 20 s for a day, then
// hourly for ever, and nobody heard of it.
func TestAbsentTransactionIsTold(t *testing.T) { overBoth(t, absentTransactionIsTold) }

func absentTransactionIsTold(t *testing.T, h *shop) {
	s := h.chosen("25", usdt())
	h.forget()
	before := h.gateway.called("status")
	h.run(4 * time.Minute)
	h.wantStatus(s.ID, wire.Review)
	if n := h.gateway.called("status") - before; n > 5 {
		t.Errorf("status reads in four minutes = %d; want 5 at most", n)
	}
	h.run(100 * time.Hour)
	h.wantTold(s.ID, payment.EventPending, payment.EventReview)
	told := h.store.outbox(s.ID)
	if body := string(told[1].Body); !strings.Contains(body, `"transaction_absent"`) {
		t.Errorf("the event has another reason: %s", body)
	}
	if n := h.gateway.called("status") - before; n > 15 {
		t.Errorf("status reads = %d; want 15 at most", n)
	}
	if due := h.load(s.ID).DueAt; !due.IsZero() {
		t.Errorf("due at %v; want never", due)
	}
}

// The address is not shown while it is in doubt, and the page does not say that
// anything was reported as paid.
func TestAbsentTransactionAsShown(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.forget()
	h.run(4 * time.Minute)
	v := h.view(s.ID)
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
	loaded := h.load(s.ID)
	checkout.View(&loaded, checkout.Showing{Now: h.clock.Now()}) // as for a QR code: without words
}

// A later answer that knows the transaction undoes the review, as often as it takes.
func TestAbsentTransactionReappears(t *testing.T) { overBoth(t, absentTransactionReappears) }

func absentTransactionReappears(t *testing.T, h *shop) {
	s := h.chosen("25", usdt())
	for range 2 {
		h.forget()
		h.run(4 * time.Minute)
		h.wantStatus(s.ID, wire.Review)
		h.remember()
		h.run(6 * time.Minute)
		h.wantOne(s.ID)
		if h.view(s.ID).Attempt.Address == "" {
			t.Error("the address is not shown again")
		}
	}
	h.gateway.pay("T00001", dec("25"), "0xa")
	h.run(20 * time.Second)
	h.wantStatus(s.ID, wire.Confirmed)
	h.wantTold(s.ID, payment.EventPending, payment.EventReview, payment.EventPending,
		payment.EventReview, payment.EventPending, payment.EventConfirmed)
}

// What is reported as paid after that, and not proven, is a review of its own.
func TestAbsentTransactionIsDoubted(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.forget()
	h.run(4 * time.Minute)
	h.remember()
	h.gateway.set("T00001", func(tx *transaction) { tx.Status, tx.PaidAmount = "confirmed", "?" })
	h.run(6 * time.Minute)
	h.wantStatus(s.ID, wire.Review)
	h.wantTold(s.ID, payment.EventPending, payment.EventReview, payment.EventReview)
	last := h.load(s.ID)
	if o := last.Object(payment.EventOptions{}); o.ReviewReason != "paid_amount_unreadable" {
		t.Errorf("reason = %q; want paid_amount_unreadable", o.ReviewReason)
	}
}

// One copy of the gateway's database may lag behind for a while.
func TestBrieflyAbsent(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	for range 5 {
		h.forget()
		h.run(80 * time.Second)
		h.remember()
		h.run(20 * time.Second)
	}
	h.wantStatus(s.ID, wire.Pending)
	h.wantTold(s.ID, payment.EventPending)
}

// An open page, hints and rechecks make for no more reads, and count for nothing.
func TestAbsentTransactionWithAnOpenPage(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.forget()
	h.run(20 * time.Second)
	before := h.gateway.called("status")
	for range 60 {
		h.clock.move(time.Second)
		h.service.Nudge(t.Context(), h.load(s.ID))
		h.tend()
	}
	if n := h.gateway.called("status") - before; n > 2 {
		t.Errorf("status reads in a minute = %d; want 2 at most", n)
	}
	for range 20 {
		must(t)(h.service.Recheck(t.Context(), s.ID))
		h.clock.move(time.Second)
	}
	h.wantStatus(s.ID, wire.Pending)
}

// "Check now" finds out at once that the gateway knows it again, and says so.
func TestRecheckOfAnAbsentTransaction(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.forget()
	h.run(2 * time.Hour)
	h.remember()
	h.gateway.pay("T00001", dec("25"), "0xa")
	h.gateway.set("T00001", func(tx *transaction) { tx.Status = "confirmed" })
	if s := must(t)(h.service.Recheck(t.Context(), s.ID)); s.Status != wire.Confirmed {
		t.Errorf("status = %s; want confirmed", s.Status)
	}
}

// A transaction that has ended may be forgotten: the late looks come to an end.
func TestAbsentAfterItsEnd(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.run(31 * time.Minute)
	h.wantStatus(s.ID, wire.Expired)
	h.forget()
	before := h.gateway.called("status")
	h.run(100 * time.Hour)
	h.wantStatus(s.ID, wire.Expired)
	h.wantTold(s.ID, payment.EventPending, payment.EventExpired)
	if n := h.gateway.called("status") - before; n != len(payment.DefaultSchedule().Late) {
		t.Errorf("late looks = %d; want %d", n, len(payment.DefaultSchedule().Late))
	}
}

// What was confirmed stays so, and is not asked about for ever.
func TestAbsentAfterItsConfirmation(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.gateway.pay("T00001", dec("25"), "0xa")
	h.run(20 * time.Second)
	h.forget()
	before := h.gateway.called("status")
	h.run(100 * time.Hour)
	h.wantStatus(s.ID, wire.Confirmed)
	if n := h.gateway.called("status") - before; n != len(payment.DefaultSchedule().After) {
		t.Errorf("looks = %d; want %d", n, len(payment.DefaultSchedule().After))
	}
}

// What somebody has settled as not paid is not told again.
func TestAbsentTransactionSettled(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.forget()
	h.run(4 * time.Minute)
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "the gateway has lost it"))
	h.run(100 * time.Hour)
	h.wantTold(s.ID, payment.EventPending, payment.EventReview, payment.EventCancelled)
}
