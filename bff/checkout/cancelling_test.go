package checkout_test

import (
	"context"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

func TestCancelRules(t *testing.T) {
	h := newShop(t)
	open := h.open("25")
	must(t)(h.service.Cancel(t.Context(), open.ID, payment.ClosedByShopper))
	h.wantStatus(open.ID, wire.Cancelled)
	must(t)(h.service.Cancel(t.Context(), open.ID, payment.ClosedByShopper))
	h.wantTold(open.ID, payment.EventCancelled)
	must(t)(h.choose(open.ID, usdt())) // a shopper may think again
	h.wantStatus(open.ID, wire.Pending)
	must(t)(h.service.Cancel(t.Context(), open.ID, payment.ClosedByMerchant))
	h.wantStatus(open.ID, wire.Cancelled)
	_, err := h.choose(open.ID, usdt()) // a merchant's word is final
	wantCode(t, err, wire.CodeSessionExpired)
	if live := h.gateway.live(); len(live) != 0 {
		t.Errorf("live at the gateway = %v; want none", live)
	}
	_, err = h.service.Cancel(t.Context(), "cs_nobody", payment.ClosedByShopper)
	wantCode(t, err, wire.CodeSessionUnknown)
}

func TestCancelNeedsTheGatewaysWord(t *testing.T) {
	for name, c := range map[string]struct {
		breakIt func(*shop, string)
		want    wire.Code
	}{
		"status unavailable":  {func(h *shop, _ string) { h.gateway.statusHook = func(string) error { return cut() } }, wire.CodeGatewayUnavailable},
		"cancel refused":      {func(h *shop, code string) { h.gateway.set(code, func(tx *transaction) { tx.stubborn = true }) }, wire.CodePaymentInProgress},
		"unknown status":      {func(h *shop, code string) { h.gateway.set(code, func(tx *transaction) { tx.Status = "processing" }) }, wire.CodePaymentInProgress},
		"cancel without word": {func(h *shop, _ string) { h.gateway.cancelHook = func(string) (error, error) { return cut(), nil } }, wire.CodePaymentInProgress},
	} {
		t.Run(name, func(t *testing.T) {
			h := newShop(t)
			s := h.chosen("25", usdt())
			c.breakIt(h, s.Attempts[0].TrackingCode)
			_, err := h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper)
			wantCode(t, err, c.want)
			_, err = h.choose(s.ID, bnb())
			wantCode(t, err, c.want)
			h.wantStatus(s.ID, wire.Pending)
		})
	}
}

func TestLostAnswerToCancelIsLookedUp(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.gateway.cancelHook = func(string) (error, error) { return nil, cut() }
	must(t)(h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper))
	h.wantStatus(s.ID, wire.Cancelled)
}

func TestCancelWhilePreparing(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = once(cut(), nil)
	s := h.chosen("25", usdt())
	_, err := h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper)
	wantCode(t, err, wire.CodePaymentInProgress)
	h.wantStatus(s.ID, wire.Preparing)
}

func TestConfirmedCancelsWhatIsLeft(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	s = must(t)(h.choose(s.ID, bnb()))
	h.gateway.pay(s.Attempts[0].TrackingCode, dec("25"), "0xa")
	h.run(30 * time.Minute)
	h.wantStatus(s.ID, wire.Confirmed)
	if live := h.gateway.live(); len(live) != 0 {
		t.Errorf("live at the gateway = %v; want none", live)
	}
}

// Calling off what is called off changes nothing.
func TestCancelTwice(t *testing.T) {
	h := newShop(t)
	s := h.open("25")
	first := must(t)(h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper))
	second := must(t)(h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper))
	if second.Version != first.Version || second.Status != wire.Cancelled {
		t.Errorf("the second time: version %d, %s; want %d, cancelled", second.Version, second.Status, first.Version)
	}
}

// A coin that the gateway was too busy for was called off, chosen again and called
// off again: the second time was not told, since the attempt has the same number.
func TestCalledOffAgainAfterAnOutage(t *testing.T) {
	h := newShop(t)
	s := h.open("25")
	h.gateway.createHook = func(payment.CreateRequest) (before, after error) {
		return busy(2 * time.Minute), nil
	}
	h.choose(s.ID, bnb())
	must(t)(h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper))
	h.gateway.createHook = nil
	must(t)(h.choose(s.ID, usdt()))
	must(t)(h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper))
	h.wantTold(s.ID, payment.EventCancelled, payment.EventPending, payment.EventCancelled)
}

// Whoever asks may go while the gateway calls a transaction off: what was asked for
// is done all the same, and not half of it.
func TestLeavingWhileItIsCalledOff(t *testing.T) { overBoth(t, leavingWhileItIsCalledOff) }

func leavingWhileItIsCalledOff(t *testing.T, h *shop) {
	for name, do := range map[string]func(context.Context, string) (payment.Session, error){
		"for good": func(ctx context.Context, id string) (payment.Session, error) {
			return h.service.Cancel(ctx, id, payment.ClosedByMerchant)
		},
		"for another coin": func(ctx context.Context, id string) (payment.Session, error) {
			return h.service.Choose(ctx, id, bnb())
		},
	} {
		s := h.chosen("25", usdt())
		ctx, leave := context.WithCancel(t.Context())
		h.gateway.cancelHook = func(string) (before, after error) { leave(); return nil, nil }
		do(ctx, s.ID)
		h.gateway.cancelHook = nil
		h.service.Close() // waits for creates
		h.run(time.Minute)
		want := []payment.EventType{payment.EventPending, payment.EventPending}
		if name == "for good" {
			want[1] = payment.EventCancelled
			if got := h.load(s.ID).ClosedBy; got != payment.ClosedByMerchant {
				t.Errorf("%s: closed by %q", name, got)
			}
		}
		h.wantTold(s.ID, want...)
	}
}
