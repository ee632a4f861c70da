package checkout_test

import (
	"context"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// Sessions stored by a clock two days ahead are checked as soon as the clock is right.
func TestClockThatWasAhead(t *testing.T) {
	for name, hook := range map[string]func(payment.CreateRequest) (before, after error){
		"pending": nil, "answer lost": checkouttest.Once(nil, checkouttest.LostAnswer()), "request lost": checkouttest.Once(checkouttest.LostAnswer(), nil),
	} {
		t.Run(name, func(t *testing.T) {
			h := checkouttest.NewShopOver(t, "sqlite")
			h.Gateway.CreateHook = hook
			h.Clock.Move(48 * time.Hour)
			s := h.Chosen("25", checkouttest.USDT())
			h.Run(20 * time.Second)
			h.Clock.Move(-48 * time.Hour)
			h.Restart()
			db := h.Store.(interface {
				CapDue(ctx context.Context, now time.Time, most time.Duration) (int, error)
			})
			fortest.Must(db.CapDue(t.Context(), h.Clock.Now(), payment.DefaultSchedule().MaxDueAhead()))(t)
			h.Run(4 * time.Minute)
			h.WantStatus(s.ID, wire.Pending)
			h.WantOne(s.ID)
			now := h.Load(s.ID)
			h.Gateway.Pay(now.Current().TrackingCode, checkouttest.Dec("25"), "tx-1")
			h.Run(time.Minute)
			h.WantStatus(s.ID, wire.Confirmed)
		})
	}
}
