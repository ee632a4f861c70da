package checkout_test

import (
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// deny has the gateway confirm a payment and take that back, whenever the checkout asks first.
func deny(t *testing.T, after time.Duration) (*checkouttest.Shop, payment.Session) {
	t.Helper()
	h, s := checkouttest.NewPending(t)
	h.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
	h.Run(after)
	h.WantStatus(s.ID, wire.Confirmed)
	h.Gateway.Set("T00001", func(tx *checkouttest.Transaction) { tx.Status = "expired" })
	return h, s
}

// A confirmation that was taken back is found at any of the checks, and ends when the gateway
// confirms it again.
func TestTakenBackAndConfirmedAgain(t *testing.T) {
	for name, after := range map[string]time.Duration{
		"at once":        20 * time.Second,
		"after the hour": 2 * time.Hour,
		"after a day":    25 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, s := deny(t, after)
			h.Run(73 * time.Hour)
			taken := h.Load(s.ID)
			fortest.Equal(t, taken.Attempts[0].IsTakenBack(), true, "taken back")

			h.Gateway.Set("T00001", func(tx *checkouttest.Transaction) { tx.Status = "confirmed" })
			h.Run(48 * time.Hour)
			again := h.Load(s.ID)
			fortest.Equal(t, again.Attempts[0].IsTakenBack(), false, "taken back after two days")
			h.WantNotDue(s.ID)
		})
	}
}

// The gateway is asked for two weeks, some times a day, whatever it answers.
func TestTakenBackForGood(t *testing.T) {
	h, s := deny(t, 20*time.Second)
	before := h.Gateway.Calls("status")
	h.Run(15 * 24 * time.Hour)
	h.WantNotDue(s.ID)
	h.WantStatus(s.ID, wire.Confirmed)
	if n := h.Gateway.Calls("status") - before; n < 30 || n > 70 {
		t.Errorf("%d status reads; want some a day for two weeks", n)
	}

	h, s = deny(t, 20*time.Second)
	h.Run(time.Hour)
	h.Gateway.Set("T00001", func(tx *checkouttest.Transaction) { tx.Status = "refunded" })
	before = h.Gateway.Calls("status")
	h.Run(15 * 24 * time.Hour)
	h.WantNotDue(s.ID)
	if n := h.Gateway.Calls("status") - before; n > 70 {
		t.Errorf("%d status reads of a status that is not documented; want some a day", n)
	}
}
