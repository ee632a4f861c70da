package checkout_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// An extension gets a new address in the same coin and all minutes of the network; the old
// address is canceled first.
func TestExtend(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Must(h.Choose(h.Open("25").ID, wire.Choice{
		CurrencySymbol: "USDT",
		NetworkCode:    "trc20",
		Email:          "ann@example.com",
		Comment:        "blue",
	}))
	first := h.View(s.ID).Attempt
	h.Run(27 * time.Minute)
	if v := h.View(s.ID); !v.Can(wire.Extend) || v.Attempt.ExtendMinutes != 60 {
		t.Fatalf("%v and %d minutes are offered; want extend and 60", v.Actions,
			v.Attempt.ExtendMinutes)
	}
	h.Gateway.CreateHook = func(payment.CreateRequest) (error, error) {
		h.WantLive(0)
		return nil, nil
	}
	s = h.Must(h.Extend(s.ID, 1))
	v := h.View(s.ID)
	if a := v.Attempt; v.Status != wire.Pending || a.Number != 2 || a.Address == first.Address ||
		a.CurrencySymbol != "USDT" || a.NetworkCode != "trc20" {
		t.Fatalf("%s, attempt %+v; want the second, pending in USDT", v.Status, a)
	}
	left := time.Duration(v.Attempt.ExpiresInMs) * time.Millisecond
	if left < 59*time.Minute || left > time.Hour {
		t.Errorf("%v are left; want an hour", left)
	}
	if a := s.Attempts[1]; a.Email != "ann@example.com" || a.Comment != "blue" {
		t.Errorf("e-mail %q, comment %q; want those of the first attempt", a.Email, a.Comment)
	}
	if v.Can(wire.Extend) {
		t.Error("more time is offered although there is as much as there can be")
	}
	h.Run(10 * time.Minute)
	h.WantEvents(s.ID, payment.EventPending, payment.EventPending)
	h.WantStatus(s.ID, wire.Pending)
}

// Any number of clicks replaces the address once.
func TestManyClicksExtendOnce(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	for _, number := range []int{0, 1} {
		s := h.Chosen("25", checkouttest.USDT())
		h.Clock.Move(10 * time.Minute)
		before := h.Gateway.Calls("create")
		click := func() {
			if _, err := h.Service.Extend(context.Background(), s.ID, number); err != nil {
				t.Errorf("Extend(%d) = %v; want every click answered", number, err)
			}
		}
		var clicks sync.WaitGroup
		for range 20 {
			clicks.Go(click)
		}
		clicks.Wait()
		h.Service.Close()
		click() // late, from a page that still shows the first address
		h.WantCallsSince(before, "create", 1)
		fortest.Equal(t, len(h.Gateway.Live()), 1+number,
			"live at the gateway (one of each session)")
		h.WantStatus(s.ID, wire.Pending)
		h.WantEvents(s.ID, payment.EventPending, payment.EventPending)
	}
}

// A page with an old address gets the current one.
func TestExtendWhatIsReplaced(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Run(10 * time.Minute)
	h.Must(h.Extend(s.ID, 1))
	h.Run(10 * time.Minute)
	if s = h.Must(h.Extend(s.ID, 1)); len(s.Attempts) != 2 {
		t.Errorf("%d attempts; want two: the first was replaced already", len(s.Attempts))
	}
	if s = h.Must(h.Extend(s.ID, 2)); len(s.Attempts) != 3 {
		t.Errorf("%d attempts; want three: this is another wish", len(s.Attempts))
	}
}

func TestExtendRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		begin func(h *checkouttest.Shop, id string)
		want  wire.Code
	}{
		{
			"paid in part",
			func(h *checkouttest.Shop, id string) { h.PayFor(id, "3") },
			wire.CodePaymentInProgress,
		},
		{
			"paid",
			func(h *checkouttest.Shop, id string) { h.PayFor(id, "25") },
			wire.CodeSessionPaid,
		},
		{"seen on the chain", func(h *checkouttest.Shop, id string) {
			h.Gateway.Set(h.Load(id).Attempts[0].TrackingCode,
				func(tx *checkouttest.Transaction) { tx.TxID = "0xa" })
		}, wire.CodePaymentInProgress},
		{"canceled", func(h *checkouttest.Shop, id string) {
			h.Must(h.Cancel(id, payment.ClosedByShopper))
		}, wire.CodeNotPossible},
		{
			"expired",
			func(h *checkouttest.Shop, id string) { h.Run(31 * time.Minute) },
			wire.CodeNotPossible,
		},
		{"gateway away", func(h *checkouttest.Shop, _ string) {
			h.Gateway.StatusHook = func(string) error { return checkouttest.LostAnswer() }
		}, wire.CodeGatewayUnavailable},
		{"cancel refused", func(h *checkouttest.Shop, id string) {
			h.Gateway.Set(h.Load(id).Attempts[0].TrackingCode,
				func(tx *checkouttest.Transaction) { tx.Stubborn = true })
		}, wire.CodePaymentInProgress},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, s := checkouttest.NewPending(t)
			h.Run(10 * time.Minute)
			c.begin(h, s.ID)
			h.WantCode(c.want)(h.Extend(s.ID, 0))
			fortest.Equal(t, len(h.Load(s.ID).Attempts), 1, "attempts")
			again := c.name == "gateway away" || c.name == "cancel refused" // it may go better then
			v := h.View(s.ID)
			if v.Can(wire.Extend) != again || (v.Attempt.ExtendMinutes != 0) != again {
				t.Errorf("actions %v, %d minutes; want them offered %t", v.Actions,
					v.Attempt.ExtendMinutes, again)
			}
		})
	}
}

// Extensions are bounded by attempts and by the session; impossible ones are not offered and
// cancel nothing.
func TestExtendIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		expires time.Duration
		most    int // attempts
		want    wire.Code
	}{
		"by attempts": {0, 12, wire.CodeTooManyAttempts},
		"by its end":  {55 * time.Minute, 6, wire.CodeNotPossible},
	} {
		t.Run(name, func(t *testing.T) {
			h := checkouttest.NewShop(t)
			opened, err := h.Service.Open(t.Context(),
				payment.Order{AmountUSD: checkouttest.Dec("25"), ExpiresIn: c.expires}, "")
			fortest.OK(t, err)
			s := h.Must(h.Choose(opened.ID, checkouttest.USDT()))
			for h.Run(10 * time.Minute); h.View(s.ID).Can(wire.Extend); h.Run(10 * time.Minute) {
				s = h.Must(h.Extend(s.ID, 0))
			}
			fortest.Equal(t, len(s.Attempts), c.most, "attempts")
			h.WantCode(c.want)(h.Extend(s.ID, 0))
			h.WantLive(1)
		})
	}
}

func TestExtendNothing(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Open("25")
	h.WantCode(wire.CodeNotPossible)(h.Extend(s.ID, 0))
	h.WantCode(wire.CodeSessionUnknown)(h.Extend("cs_none", 0))
	h.Must(h.Choose(s.ID, checkouttest.USDT()))
	h.WantCode(wire.CodeNotPossible)(h.Extend(s.ID, 7))
	if v := h.View(s.ID); !v.Can(wire.Extend) {
		t.Errorf("actions = %v; want extend: the network gives 60 minutes, the order asked for 30",
			v.Actions)
	}
}
