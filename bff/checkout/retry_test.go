package checkout_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// busy is a 429 with that Retry-After; zero = none.
func busy(wait time.Duration) error {
	return &payment.RefusedError{Reason: payment.ReasonBusy, Status: 429, RetryAfter: wait}
}

// A rate-limited create is retried without asking the shopper to choose again.
func TestBusyCreateIsSentAgain(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	h.Gateway.CreateHook = checkouttest.Once(busy(20*time.Second), nil)
	s := h.Chosen("25", checkouttest.USDT())
	h.Run(19 * time.Second)
	v := h.View(s.ID)
	if v.Status != wire.Preparing || v.Notice != nil || v.Attempt.Address != "" {
		t.Errorf("view = %+v; want preparing, no notice and no address", v)
	}
	h.WantCalls("create", 1)
	h.Run(3 * time.Second)
	h.WantStatus(s.ID, wire.Pending)
	h.WantOne(s.ID)
	h.WantEvents(s.ID, payment.EventPending)
	h.WantCalls("list", 0)
	fortest.Equal(t, len(h.Load(s.ID).Attempts), 1, "attempts")
}

// A short Retry-After is waited for within the request.
func TestBusyForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := checkouttest.NewShop(t)
		h.Gateway.CreateHook = checkouttest.Once(busy(2*time.Second), nil)
		began := time.Now()
		s := h.Chosen("25", checkouttest.USDT())
		h.WantStatus(s.ID, wire.Pending)
		fortest.Equal(t, time.Since(began), 2*time.Second, "the second create was sent after")
	})
}

func TestBusyForever(t *testing.T) {
	for name, tt := range map[string]struct {
		wait    time.Duration
		creates int
	}{
		"as long as it says": {wait: 10 * time.Second, creates: 6},
		"without saying":     {wait: 0, creates: 6},
		"for too long":       {wait: 61 * time.Second, creates: 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := checkouttest.NewShop(t)
			h.Gateway.CreateHook = func(payment.CreateRequest) (error, error) {
				return busy(tt.wait), nil
			}
			s := h.Chosen("25", checkouttest.USDT())
			h.Run(2 * time.Minute)
			v := h.View(s.ID)
			if v.Status != wire.Open || v.Notice == nil ||
				v.Notice.Code != wire.CodeGatewayUnavailable {
				t.Errorf("view = %s, notice %+v; want open, unavailable", v.Status, v.Notice)
			}
			fortest.Equal(t, h.Gateway.Calls("create"), tt.creates, "creates")
			h.Gateway.CreateHook = nil
			h.Must(h.Choose(s.ID, checkouttest.USDT()))
			h.WantOne(s.ID)
		})
	}
}

// Of several processes, one sends a postponed create.
func TestBusyCreateIsSentByOne(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	h.Gateway.CreateHook = checkouttest.Once(busy(20*time.Second), nil)
	s := h.Chosen("25", checkouttest.USDT())
	h.Clock.Move(21 * time.Second)
	stale := h.Load(s.ID)
	for range 4 {
		fortest.OK(t, h.Service.Process(t.Context(), checkout.StoredSession{Session: stale}))
		h.Must(h.Choose(s.ID, checkouttest.USDT()))
	}
	h.WantCalls("create", 2)
	h.WantOne(s.ID)
}

// A postponed create is dropped if the order was paid meanwhile.
func TestBusyCreateOfAPaidOrder(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Chosen("25", checkouttest.USDT())
	h.Gateway.CreateHook = func(payment.CreateRequest) (error, error) {
		return busy(20 * time.Second), nil
	}
	h.Must(h.Choose(s.ID, checkouttest.BNB()))
	h.Gateway.CreateHook = nil
	h.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
	h.Must(h.Recheck(s.ID))
	h.Run(time.Minute)
	h.WantStatus(s.ID, wire.Confirmed)
	h.WantLive(0)
	h.WantCalls("create", 2)
}

// After a restart, a postponed create is sent, and one without an answer is replaced, but not while
// no amount could be checked.
func TestNothingIsSentWithoutPrices(t *testing.T) {
	for _, failure := range []error{busy(20 * time.Second), checkouttest.LostAnswer()} {
		t.Run(failure.Error(), func(t *testing.T) {
			h := checkouttest.NewShop(t)
			h.Gateway.CreateHook = checkouttest.Once(failure, nil)
			s := h.Chosen("25", checkouttest.USDT())
			h.Restart()
			fortest.OK(t, h.Service.Recover(t.Context()))
			h.Gateway.CoinsHook = checkouttest.LostAnswer
			h.Run(2 * time.Minute)
			h.WantStatus(s.ID, wire.Preparing)
			h.WantCalls("create", 1)
			h.Gateway.CoinsHook = nil
			h.Run(2 * time.Minute)
			h.WantOne(s.ID)
			h.WantCalls("create", 2)
		})
	}
}

// A create that is to be sent again is refused without a request if the coin has left the list.
func TestCoinThatLeavesTheList(t *testing.T) {
	h := checkouttest.NewShop(t)
	h.Gateway.CreateHook = checkouttest.Once(busy(20*time.Second), nil)
	s := h.Chosen("25", checkouttest.USDT())
	h.UseGateway(fewerCoins{h.Gateway})
	h.Run(time.Minute)
	h.WantCalls("create", 1)
	if v := h.View(s.ID); v.Notice == nil || v.Notice.Code != wire.CodePaymentRefused {
		t.Errorf("%s, notice %+v; want the coin refused", v.Status, v.Notice)
	}
	h.Must(h.Choose(s.ID, checkouttest.BNB()))
	h.WantOne(s.ID)
}

// fewerCoins has the last coin alone.
type fewerCoins struct{ *checkouttest.Gateway }

func (g fewerCoins) Currencies(ctx context.Context) ([]payment.Currency, error) {
	all, err := g.Gateway.Currencies(ctx)
	return all[len(all)-1:], err
}

// A drawn order number that another payment has is drawn anew, twenty times; nothing is sent before
// one is free.
func TestTakenOrderNumberIsDrawnAnew(t *testing.T) {
	t.Parallel()
	for taken, creates := range map[int]int{19: 1, 20: 0} {
		h := checkouttest.NewShop(t)
		s, tries := h.Open("25"), 0
		h.Store.FailUpdates(func() (before, after error) {
			if tries++; tries <= taken {
				return payment.ErrTaken, nil
			}
			return nil, nil
		})
		_, err := h.Choose(s.ID, checkouttest.USDT())
		if errors.Is(err, payment.ErrTaken) != (creates == 0) {
			t.Errorf("Choose after %d taken numbers = %v", taken, err)
		}
		h.WantCalls("create", creates)
		h.WantLive(creates)
	}
}

// So is that of an attempt that replaces one whose answer was lost, before the gateway is asked again.
func TestTakenOrderNumberOfAReplacement(t *testing.T) {
	t.Parallel()
	h, s := checkouttest.NewUnanswered(t)
	reads := 0 // of the orphan, which is then replaced
	h.Gateway.StatusHook = func(string) error {
		reads++
		return nil
	}
	taken := 0
	readsWhenFree := 0
	h.Store.FailUpdates(func() (before, after error) {
		if reads > 0 && taken < 19 {
			taken++
			return payment.ErrTaken, nil
		}
		if readsWhenFree == 0 {
			readsWhenFree = reads
		}
		return nil, nil
	})
	h.Run(time.Minute)
	h.WantOne(s.ID)
	fortest.Equal(t, taken, 19, "taken numbers")
	fortest.Equal(t, readsWhenFree, 1, "reads of the orphan before a number was free")
}
