package checkout_test

import (
	"context"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// TestClockThatWasAhead: payments of a clock that was two days ahead are watched
// as soon as the clock is right.
func TestClockThatWasAhead(t *testing.T) {
	for name, hook := range map[string]func(payment.CreateRequest) (before, after error){
		"pending": nil, "answer lost": once(nil, cut()), "request lost": once(cut(), nil),
	} {
		t.Run(name, func(t *testing.T) {
			h := newShopOver(t, "sqlite")
			h.gateway.createHook = hook
			h.clock.move(48 * time.Hour)
			s := h.chosen("25", usdt())
			h.run(20 * time.Second)
			h.clock.move(-48 * time.Hour)
			h.restart()
			db := h.store.(interface {
				CapDue(ctx context.Context, now time.Time, most time.Duration) (int, error)
			})
			if _, err := db.CapDue(t.Context(), h.clock.Now(), payment.DefaultSchedule().MostAhead()); err != nil {
				t.Fatal(err)
			}
			h.run(4 * time.Minute)
			h.wantStatus(s.ID, wire.Pending)
			h.wantOne(s.ID)
			now := h.load(s.ID)
			h.gateway.pay(now.Current().TrackingCode, dec("25"), "tx-1")
			h.run(time.Minute)
			h.wantStatus(s.ID, wire.Confirmed)
		})
	}
}
