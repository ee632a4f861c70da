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

func TestCancelRules(t *testing.T) {
	h := checkouttest.NewShop(t)
	open := h.Open("25")
	h.Must(h.Cancel(open.ID, payment.ClosedByShopper))
	h.WantStatus(open.ID, wire.Cancelled)
	h.Must(h.Cancel(open.ID, payment.ClosedByShopper))
	h.WantEvents(open.ID, payment.EventCancelled)
	h.Must(h.Choose(open.ID, checkouttest.USDT())) // a shopper may think again
	h.WantStatus(open.ID, wire.Pending)
	h.Must(h.Cancel(open.ID, payment.ClosedByMerchant))
	h.WantStatus(open.ID, wire.Cancelled)
	// a merchant's cancellation is final
	h.WantCode(wire.CodeSessionExpired)(h.Choose(open.ID, checkouttest.USDT()))
	h.WantLive(0)
	h.WantCode(wire.CodeSessionUnknown)(h.Cancel("cs_unknown", payment.ClosedByShopper))
}

func TestCancelNeedsTheGatewaysWord(t *testing.T) {
	for name, c := range map[string]struct {
		breakIt func(*checkouttest.Shop, string)
		want    wire.Code
	}{
		"status unavailable": {func(h *checkouttest.Shop, _ string) {
			h.Gateway.StatusHook = func(string) error { return checkouttest.LostAnswer() }
		}, wire.CodeGatewayUnavailable},
		"cancel refused": {func(h *checkouttest.Shop, code string) {
			h.Gateway.Set(code, func(tx *checkouttest.Transaction) { tx.Stubborn = true })
		}, wire.CodePaymentInProgress},
		"unknown status": {func(h *checkouttest.Shop, code string) {
			h.Gateway.Set(code, func(tx *checkouttest.Transaction) { tx.Status = "processing" })
		}, wire.CodePaymentInProgress},
		"cancel without word": {func(h *checkouttest.Shop, _ string) {
			h.Gateway.CancelHook = func(string) (error, error) {
				return checkouttest.LostAnswer(), nil
			}
		}, wire.CodePaymentInProgress},
	} {
		t.Run(name, func(t *testing.T) {
			h, s := checkouttest.NewPending(t)
			c.breakIt(h, s.Attempts[0].TrackingCode)
			h.WantCode(c.want)(h.Cancel(s.ID, payment.ClosedByShopper))
			h.WantCode(c.want)(h.Choose(s.ID, checkouttest.BNB()))
			h.WantStatus(s.ID, wire.Pending)
		})
	}
}

func TestLostAnswerToCancelIsChecked(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Gateway.CancelHook = func(string) (error, error) { return nil, checkouttest.LostAnswer() }
	h.Must(h.Cancel(s.ID, payment.ClosedByShopper))
	h.WantStatus(s.ID, wire.Cancelled)
}

func TestCancelWhilePreparing(t *testing.T) {
	h := checkouttest.NewShop(t)
	h.Gateway.CreateHook = checkouttest.Once(checkouttest.LostAnswer(), nil)
	s := h.Chosen("25", checkouttest.USDT())
	h.WantCode(wire.CodePaymentInProgress)(h.Cancel(s.ID, payment.ClosedByShopper))
	h.WantStatus(s.ID, wire.Preparing)
}

func TestConfirmedCancelsWhatIsLeft(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	s = h.Must(h.Choose(s.ID, checkouttest.BNB()))
	h.Gateway.Pay(s.Attempts[0].TrackingCode, checkouttest.Dec("25"), "0xa")
	h.Run(30 * time.Minute)
	h.WantStatus(s.ID, wire.Confirmed)
	h.WantLive(0)
}

// The second cancellation was not reported, since its attempt reuses the number of one never sent.
func TestCanceledAgainAfterAnOutage(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Open("25")
	h.Gateway.CreateHook = func(payment.CreateRequest) (before, after error) {
		return busy(2 * time.Minute), nil
	}
	h.Choose(s.ID, checkouttest.BNB())
	h.Must(h.Cancel(s.ID, payment.ClosedByShopper))
	h.Gateway.CreateHook = nil
	h.Must(h.Choose(s.ID, checkouttest.USDT()))
	h.Must(h.Cancel(s.ID, payment.ClosedByShopper))
	h.WantEvents(s.ID, payment.EventCancelled, payment.EventPending, payment.EventCancelled)
}

// A cancellation is completed even if the client disconnects.
func TestClientDisconnectsDuringCancel(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	for name, do := range map[string]func(context.Context, string) (payment.Session, error){
		"for good": func(ctx context.Context, id string) (payment.Session, error) {
			return h.Service.Cancel(ctx, id, payment.ClosedByMerchant)
		},
		"for another coin": func(ctx context.Context, id string) (payment.Session, error) {
			return h.Service.Choose(ctx, id, checkouttest.BNB())
		},
	} {
		s := h.Chosen("25", checkouttest.USDT())
		ctx, leave := context.WithCancel(t.Context())
		h.Gateway.CancelHook = func(string) (before, after error) { leave(); return nil, nil }
		do(ctx, s.ID)
		h.Gateway.CancelHook = nil
		h.Service.Close() // waits for creates
		h.Run(time.Minute)
		want := []payment.EventType{payment.EventPending, payment.EventPending}
		if name == "for good" {
			want[1] = payment.EventCancelled
			fortest.Equal(t, h.Load(s.ID).ClosedBy, payment.ClosedByMerchant, "%s: closed by", name)
		}
		h.WantEvents(s.ID, want...)
	}
}
