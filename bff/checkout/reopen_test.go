package checkout_test

import (
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// ask asks for the order of 25 dollars with a reference, as a merchant's server does.
func ask(h *checkouttest.Shop, key string) payment.Session {
	h.T.Helper()
	o := payment.Order{
		AmountUSD: checkouttest.Dec("25"), Ref: "1001", Email: "ann@example.com",
	}
	s, err := h.Service.Open(h.T.Context(), o, key)
	fortest.OK(h.T, err)
	return s.Session
}

func erase(h *checkouttest.Shop, id string, much payment.Erasure) {
	h.T.Helper()
	decide := func(payment.Session, bool) payment.Erasure { return much }
	_, err := h.Store.DB.Erase(h.T.Context(), id, h.Clock.Now(), decide)
	fortest.OK(h.T, err)
}

// endings are the ends of an unpaid session after which its order can be paid when the merchant
// asks for it again.
var endings = map[string]func(h *checkouttest.Shop, id string){
	"without a choice": func(h *checkouttest.Shop, _ string) {
		h.Run(25 * time.Hour)
	},
	"without a choice, just now": func(h *checkouttest.Shop, _ string) {
		h.Clock.Move(24 * time.Hour)
	},
	"refused coin": func(h *checkouttest.Shop, id string) {
		h.Gateway.CreateHook = checkouttest.Once(checkouttest.Refusal(payment.ReasonRefused), nil)
		h.Must(h.Choose(id, checkouttest.USDT()))
		h.Run(25 * time.Hour)
	},
	"unreachable gateway": func(h *checkouttest.Shop, id string) {
		h.Gateway.CreateHook = checkouttest.Once(busy(2*time.Minute), nil)
		h.Must(h.Choose(id, checkouttest.USDT()))
		h.Run(25 * time.Hour)
	},
	"unpaid attempt": func(h *checkouttest.Shop, id string) {
		h.Must(h.Choose(id, checkouttest.USDT()))
		h.Run(2 * time.Hour)
		h.WantStatus(id, wire.Expired)
	},
	"canceled by the shopper": func(h *checkouttest.Shop, id string) {
		h.Must(h.Choose(id, checkouttest.USDT()))
		h.Must(h.Cancel(id, payment.ClosedByShopper))
	},
	"too many attempts": func(h *checkouttest.Shop, id string) {
		coins := []wire.Choice{checkouttest.USDT(), checkouttest.BNB()}
		for i := range 12 {
			h.Must(h.Choose(id, coins[i%2]))
		}
		h.Must(h.Cancel(id, payment.ClosedByShopper))
		h.WantCode(wire.CodeTooManyAttempts)(h.Choose(id, coins[0]))
	},
	"erased": func(h *checkouttest.Shop, id string) {
		h.Run(25 * time.Hour)
		erase(h, id, payment.ErasePersonal)
	},
}

// An unpaid order that is asked for again can be paid, in the same session, as often as it ends.
func TestAskedForAgain(t *testing.T) {
	for name, end := range endings {
		key := "" // the reference identifies the order
		if name == "without a choice" {
			key = "key-1"
		}
		t.Run(name, func(t *testing.T) {
			h := checkouttest.NewShop(t)
			id := ask(h, key).ID
			end(h, id)
			h.Gateway.CreateHook = nil
			before := h.Load(id)

			for range 2 { // the second changes nothing
				s := ask(h, key)
				if s.ID != id || s.Status != wire.Open ||
					!s.ExpiresAt.Equal(h.Clock.Now().Add(24*time.Hour)) ||
					s.Version != before.Version+1 || s.Order.Email != "ann@example.com" {
					t.Fatalf("asked again: %s, version %d after %d, until %s, %+v", s.Status,
						s.Version, before.Version, s.ExpiresAt, s.Order)
				}
			}
			v := h.View(id)
			if v.Attempt != nil || !v.Can(wire.Choose) {
				t.Errorf("view = %+v; want a choice", v)
			}
			h.Run(25 * time.Hour)
			h.WantStatus(id, wire.Expired)
			events := h.EventTypes(id)
			fortest.Equal(t, events[len(events)-1], payment.EventExpired, "the last event")

			ask(h, key)
			h.Must(h.Choose(id, checkouttest.BNB()))
			h.WantOne(id)
			attempts := h.Load(id).Attempts
			last := attempts[len(attempts)-1]
			h.Gateway.Pay(last.TrackingCode, last.PayAmount, "0xa")
			h.Run(time.Minute)
			h.WantStatus(id, wire.Confirmed)
			fortest.Equal(t, ask(h, key).Status, wire.Confirmed, "status once paid")
		})
	}
}

// Each end of a reopened session is reported.
func TestEveryEndIsReported(t *testing.T) {
	h := checkouttest.NewShop(t)
	for range 3 {
		ask(h, "")
		h.Run(25 * time.Hour)
	}
	id := ask(h, "").ID
	h.WantEvents(id, payment.EventExpired, payment.EventExpired, payment.EventExpired)
}

// A session that can be paid, or must not be paid again, is returned as it is.
func TestAskedForAgainChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(h *checkouttest.Shop, id string)
		want wire.Status
	}{
		"open": {func(h *checkouttest.Shop, _ string) { h.Clock.Move(time.Hour) }, wire.Open},
		"pending": {func(h *checkouttest.Shop, id string) {
			h.Must(h.Choose(id, checkouttest.USDT()))
		}, wire.Pending},
		"canceled by the merchant": {func(h *checkouttest.Shop, id string) {
			h.Must(h.Cancel(id, payment.ClosedByMerchant))
			h.Run(25 * time.Hour)
		}, wire.Cancelled},
		"canceled by an operator": {func(h *checkouttest.Shop, id string) {
			h.Must(h.Service.CancelBy(h.T.Context(), id, payment.Console("ann")))
		}, wire.Cancelled},
		"expired, then canceled by the merchant": {func(h *checkouttest.Shop, id string) {
			h.Run(25 * time.Hour)
			h.Must(h.Cancel(id, payment.ClosedByMerchant))
		}, wire.Cancelled},
		"deleted": {func(h *checkouttest.Shop, id string) {
			h.Run(25 * time.Hour)
			erase(h, id, payment.EraseAll)
		}, wire.Expired},
		"paid in part": {func(h *checkouttest.Shop, id string) {
			h.Must(h.Choose(id, checkouttest.USDT()))
			h.PayFor(id, "5")
			h.Run(2 * time.Hour)
		}, wire.Expired},
	} {
		t.Run(name, func(t *testing.T) {
			h := checkouttest.NewShop(t)
			id := ask(h, "").ID
			c.do(h, id)
			before := h.Load(id)
			s := ask(h, "")
			fortest.Equal(t, s.Status, c.want, "status")
			fortest.Equal(t, s.Version, before.Version, "version")
			fortest.Equal(t, s.ID, id, "session")
		})
	}
}

// Late money for an attempt before the reopening still confirms the order, and leaves nothing that
// could be paid again.
func TestLateMoneyOfAReopenedOrder(t *testing.T) {
	h := checkouttest.NewShop(t)
	id := ask(h, "").ID
	h.Must(h.Choose(id, checkouttest.USDT()))
	h.Run(2 * time.Hour)
	ask(h, "")
	h.WantStatus(id, wire.Open)
	h.PayFor(id, "25")
	h.Run(3 * time.Hour)
	h.WantStatus(id, wire.Confirmed)
	h.WantLive(0)
}

// Strangers can repeat the post of a page: it reopens only what had timed out.
func TestShopperReopens(t *testing.T) {
	h := checkouttest.NewShop(t)
	o := payment.Order{AmountUSD: checkouttest.Dec("25"), Ref: "1001"}
	open := func(want wire.Status) string {
		t.Helper()
		s, err := h.Service.OpenForShopper(t.Context(), o, "")
		fortest.OK(t, err)
		fortest.Equal(t, s.Status, want, "status")
		return s.ID
	}
	id := open(wire.Open)
	h.Must(h.Cancel(id, payment.ClosedByShopper))
	open(wire.Cancelled)
	h.Must(h.Choose(id, checkouttest.USDT())) // as its page offers
	h.Must(h.Cancel(id, payment.ClosedByMerchant))
	open(wire.Cancelled)

	o.Ref = "1002"
	id = open(wire.Open)
	h.Run(25 * time.Hour)
	h.WantStatus(id, wire.Expired)
	open(wire.Open)
}
