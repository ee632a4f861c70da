package checkout_test

import (
	"slices"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/payment"
)

// A permanently withdrawn confirmation is reported once, within a quarter of an hour; a brief
// one is not.
func TestConfirmationTakenBack(t *testing.T) { checkouttest.OverBoth(t, confirmationTakenBack) }

func confirmationTakenBack(t *testing.T, h *checkouttest.Shop) {
	s := h.Chosen("25", checkouttest.USDT())
	code := s.Attempts[0].TrackingCode
	h.Gateway.Pay(code, s.Attempts[0].PayAmount, "0xa")
	h.Run(20 * time.Second)
	h.WantStatus(s.ID, wire.Confirmed)
	set := func(status string) { h.Gateway.Set(code, func(tx *checkouttest.Transaction) { tx.Status = status }) }

	set("pending")
	h.Run(2 * time.Minute) // the first check
	set("confirmed")
	h.Run(30 * time.Minute)
	if a := h.Load(s.ID).Attempts[0]; a.Regressions != 0 || a.ChecksDone < 2 {
		t.Errorf("%d regressions after %d checks; want none", a.Regressions, a.ChecksDone)
	}
	h.WantEvents(s.ID, payment.EventPending, payment.EventConfirmed)

	set("cancelled")
	h.Run(time.Hour) // the check after an hour, and what follows
	if reported := h.EventTypes(s.ID); !slices.Equal(reported, []payment.EventType{payment.EventPending, payment.EventConfirmed, payment.EventReview}) {
		t.Fatalf("reported %v; want one review\n%s", reported, h.Timeline(s.ID))
	}
	checks := h.Gateway.Calls("status")
	h.Run(23 * time.Hour)
	if n := h.Gateway.Calls("status") - checks; n > 2 {
		t.Errorf("%d checks in the day after the report; want as many as before", n)
	}
	h.WantStatus(s.ID, wire.Confirmed)
	if v := h.View(s.ID); v.Status != wire.Confirmed {
		t.Errorf("the shopper sees %s", v.Status)
	}
}
