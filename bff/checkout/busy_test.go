package checkout_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// actions are all that shoppers and the merchant may ask of a pending payment.
var actions = map[string]func(*checkouttest.Shop, string) (payment.Session, error){
	"cancel":          cancelBy(payment.ClosedByShopper),
	"merchant cancel": cancelBy(payment.ClosedByMerchant),
	"operator cancel": func(h *checkouttest.Shop, id string) (payment.Session, error) {
		return h.Service.CancelBy(h.T.Context(), id, payment.Console("ann"))
	},
	"change": func(h *checkouttest.Shop, id string) (payment.Session, error) {
		return h.Choose(id, checkouttest.BNB())
	},
	"extend": func(h *checkouttest.Shop, id string) (payment.Session, error) {
		return h.Service.Extend(h.T.Context(), id, 0)
	},
	"recheck": func(h *checkouttest.Shop, id string) (payment.Session, error) {
		return h.Recheck(id)
	},
}

func cancelBy(who payment.Closer) func(*checkouttest.Shop, string) (payment.Session, error) {
	return func(h *checkouttest.Shop, id string) (payment.Session, error) {
		return h.Cancel(id, who)
	}
}

// While the gateway answers 429, every action waits as long as the gateway says, and is done.
func TestBusyActions(t *testing.T) {
	for name, do := range actions {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, s := checkouttest.NewPending(t)
				h.Clock.Move(time.Minute)
				status, cancels := 0, 0
				h.Gateway.StatusHook = func(string) error {
					status++
					if status%3 != 0 {
						return busy(time.Second)
					}
					return nil
				}
				h.Gateway.CancelHook = func(string) (before, after error) {
					cancels++
					if cancels < 3 {
						return busy(time.Second), nil
					}
					return nil, nil
				}
				want := map[string]wire.Status{
					"cancel": wire.Cancelled, "merchant cancel": wire.Cancelled,
					"operator cancel": wire.Cancelled,
				}[name]
				if want == "" {
					want = wire.Pending
				}
				h.Must(do(h, s.ID))
				h.WantStatus(s.ID, want)
				h.WantLive(map[bool]int{true: 1}[want == wire.Pending])
			})
		})
	}
}

// An action ends before the server's answer is due, with the gateway's Retry-After, and changes
// nothing.
func TestBusyForTooLong(t *testing.T) {
	for name, do := range actions {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, s := checkouttest.NewPending(t)
				h.Clock.Move(time.Minute)
				if name == "recheck" {
					h.Gateway.StatusHook = func(string) error { return busy(3 * time.Second) }
				}
				h.Gateway.CancelHook = func(string) (before, after error) {
					return busy(3 * time.Second), nil
				}
				began := time.Now()
				_, err := do(h, s.ID)
				checkouttest.WantCode(t, err, wire.CodeGatewayUnavailable)
				refused, ok := errors.AsType[*payment.RefusedError](err)
				if took := time.Since(began); took > 20*time.Second || !ok ||
					refused.RetryAfter != 3*time.Second {
					t.Errorf("%v after %s; want a Retry-After of 3 s within 20 s", err, took)
				}
				h.WantStatus(s.ID, wire.Pending)
				h.WantLive(1)
			})
		})
	}
}

// A first choice waits for the currency list.
func TestBusyCurrencyList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := checkouttest.NewShop(t)
		asked := 0
		h.Gateway.CoinsHook = func() error {
			asked++
			if asked < 3 {
				return busy(time.Second)
			}
			return nil
		}
		s := h.Chosen("25", checkouttest.USDT())
		h.WantStatus(s.ID, wire.Pending)
	})
}

// A create that waits for a busy gateway exists nowhere: the order can be canceled, and paid in
// another coin.
func TestPostponedCreateIsWithdrawn(t *testing.T) {
	for name, do := range map[string]func(*checkouttest.Shop, string) (payment.Session, error){
		"cancel": actions["cancel"], "merchant cancel": actions["merchant cancel"],
		"change": actions["change"],
	} {
		t.Run(name, func(t *testing.T) {
			h := checkouttest.NewShop(t)
			h.Gateway.CreateHook = checkouttest.Once(busy(20*time.Second), nil)
			s := h.Chosen("25", checkouttest.USDT())
			fortest.Equal(t, h.View(s.ID).Can(wire.Cancel), true, "the page offers cancel")
			h.Must(do(h, s.ID))
			h.Run(time.Minute)
			want, live := wire.Cancelled, 0
			if name == "change" {
				want, live = wire.Pending, 1
			}
			h.WantStatus(s.ID, want)
			h.WantLive(live)
			h.WantTransactions(live)
		})
	}
}

// An action waits for a create in flight.
func TestCancelAwaitsCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := checkouttest.NewShop(t)
		h.Gateway.CreateHook = func(payment.CreateRequest) (before, after error) {
			time.Sleep(8 * time.Second)
			return nil, nil
		}
		s := h.Chosen("25", checkouttest.USDT())
		h.WantStatus(s.ID, wire.Preparing)
		h.Must(h.Cancel(s.ID, payment.ClosedByMerchant))
		h.WantStatus(s.ID, wire.Cancelled)
		h.WantLive(0)
	})
}

// The client has left: the gateway is not asked again.
func TestRecheckWithoutItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, s := checkouttest.NewPending(t)
		h.Clock.Move(time.Minute)
		ctx, leave := context.WithCancel(t.Context())
		h.Gateway.StatusHook = func(string) error {
			leave()
			return busy(time.Second)
		}
		_, err := h.Service.Recheck(ctx, s.ID)
		checkouttest.WantCode(t, err, wire.CodeGatewayUnavailable)
		h.WantCalls("status", 1)
	})
}
