package checkout_test

import (
	"slices"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// A gateway that takes a confirmation back for good is told of once, within a
// quarter of an hour of the first look that saw it; one that takes it back for
// a moment is not.
func TestTakenBack(t *testing.T) { overBoth(t, takenBack) }

func takenBack(t *testing.T, h *shop) {
	s := h.chosen("25", usdt())
	code := s.Attempts[0].TrackingCode
	h.gateway.pay(code, s.Attempts[0].PayAmount, "0xa")
	h.run(20 * time.Second)
	h.wantStatus(s.ID, wire.Confirmed)
	set := func(status string) { h.gateway.set(code, func(tx *transaction) { tx.Status = status }) }

	set("pending")
	h.run(2 * time.Minute) // the first look
	set("confirmed")
	h.run(30 * time.Minute)
	if a := h.load(s.ID).Attempts[0]; a.Regressions != 0 || a.Rechecks < 2 {
		t.Errorf("%d regressions after %d looks; want none", a.Regressions, a.Rechecks)
	}
	h.wantTold(s.ID, payment.EventPending, payment.EventConfirmed)

	set("cancelled")
	h.run(time.Hour) // the look after an hour, and what follows
	if told := h.told(s.ID); !slices.Equal(told, []payment.EventType{payment.EventPending, payment.EventConfirmed, payment.EventReview}) {
		t.Fatalf("told %v; want one review\n%s", told, h.trail(s.ID))
	}
	looks := h.gateway.called("status")
	h.run(23 * time.Hour)
	if n := h.gateway.called("status") - looks; n > 2 {
		t.Errorf("%d looks in the day after it was told; want as many as before", n)
	}
	h.wantStatus(s.ID, wire.Confirmed)
	if v := h.view(s.ID); v.Status != wire.Confirmed {
		t.Errorf("the shopper sees %s", v.Status)
	}
}
