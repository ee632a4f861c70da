package checkout_test

import (
	"slices"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/payment"
)

// A gateway that takes a confirmation back for good is told of once, within a
// quarter of an hour of the first look that saw it; one that takes it back for
// a moment is not.
func TestConfirmationTakenBack(t *testing.T) { checkouttest.OverBoth(t, takenBack) }

func takenBack(t *testing.T, h *checkouttest.Shop) {
	s := h.Chosen("25", checkouttest.USDT())
	code := s.Attempts[0].TrackingCode
	h.Gateway.Pay(code, s.Attempts[0].PayAmount, "0xa")
	h.Run(20 * time.Second)
	h.WantStatus(s.ID, wire.Confirmed)
	set := func(status string) { h.Gateway.Set(code, func(tx *checkouttest.Transaction) { tx.Status = status }) }

	set("pending")
	h.Run(2 * time.Minute) // the first look
	set("confirmed")
	h.Run(30 * time.Minute)
	if a := h.Load(s.ID).Attempts[0]; a.Regressions != 0 || a.ChecksDone < 2 {
		t.Errorf("%d regressions after %d looks; want none", a.Regressions, a.ChecksDone)
	}
	h.WantEvents(s.ID, payment.EventPending, payment.EventConfirmed)

	set("cancelled")
	h.Run(time.Hour) // the look after an hour, and what follows
	if told := h.EventTypes(s.ID); !slices.Equal(told, []payment.EventType{payment.EventPending, payment.EventConfirmed, payment.EventReview}) {
		t.Fatalf("told %v; want one review\n%s", told, h.Timeline(s.ID))
	}
	looks := h.Gateway.Calls("status")
	h.Run(23 * time.Hour)
	if n := h.Gateway.Calls("status") - looks; n > 2 {
		t.Errorf("%d looks in the day after it was told; want as many as before", n)
	}
	h.WantStatus(s.ID, wire.Confirmed)
	if v := h.View(s.ID); v.Status != wire.Confirmed {
		t.Errorf("the shopper sees %s", v.Status)
	}
}
