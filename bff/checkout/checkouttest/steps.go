package checkouttest

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
)

// Forget makes the gateway answer that transactions do not exist.
func (h *Shop) Forget() {
	h.Gateway.StatusHook = func(string) error { return Refusal(payment.ReasonAbsent) }
}

// Remember undoes Forget.
func (h *Shop) Remember() { h.Gateway.StatusHook = nil }

// NewUnanswered returns a shop with a session whose create was executed without an answer.
func NewUnanswered(t *testing.T) (*Shop, payment.Session) {
	t.Helper()
	h := NewShop(t)
	h.Gateway.CreateHook = Once(nil, LostAnswer())
	return h, h.Chosen("25", USDT())
}

// BlockCreate makes the next create wait until release is closed; it closes arrived.
func (h *Shop) BlockCreate() (arrived, release chan struct{}) {
	arrived, release = make(chan struct{}), make(chan struct{})
	h.Gateway.CreateHook = func(payment.CreateRequest) (error, error) {
		close(arrived)
		<-release
		return nil, nil
	}
	return arrived, release
}

// ChooseAndLeave chooses USDT, and disconnects when the create has arrived.
func (h *Shop) ChooseAndLeave(id string, arrived <-chan struct{}) {
	ctx, leave := context.WithCancel(h.T.Context())
	var tab sync.WaitGroup
	tab.Go(func() { _, _ = h.Service.Choose(ctx, id, USDT()) })
	<-arrived
	leave()
	tab.Wait()
}

// Reviewed returns a session in review: reported as paid, but too little.
func (h *Shop) Reviewed() payment.Session {
	h.T.Helper()
	s := h.Chosen("25", USDT())
	h.Gateway.Set(s.Attempts[0].TrackingCode, func(tx *Transaction) {
		tx.Status, tx.TxID = "confirmed", "0xa"
		tx.Paid, tx.PaidAmount, tx.PaidReadable = Dec("20"), "20", true
	})
	h.Run(20 * time.Second)
	h.WantStatus(s.ID, wire.Review)
	return h.Load(s.ID)
}

// Extend asks for more time.
func (h *Shop) Extend(id string, number int) (payment.Session, error) {
	h.T.Helper()
	return h.Service.Extend(h.T.Context(), id, number)
}

// Cancel cancels a session.
func (h *Shop) Cancel(id string, by payment.Closer) (payment.Session, error) {
	h.T.Helper()
	return h.Service.Cancel(h.T.Context(), id, by)
}

// Recheck asks for a check.
func (h *Shop) Recheck(id string) (payment.Session, error) {
	h.T.Helper()
	return h.Service.Recheck(h.T.Context(), id)
}

// Resolve resolves a review.
func (h *Shop) Resolve(id string, as wire.Status, reason string) (payment.Session, error) {
	h.T.Helper()
	return h.Service.Resolve(h.T.Context(), id, as, reason)
}

// PayFor pays for an attempt of a session.
func (h *Shop) PayFor(id, amount string) {
	h.T.Helper()
	h.Gateway.Pay(h.Load(id).Attempts[0].TrackingCode, Dec(amount), "0xa")
}

// Expired returns a session whose only attempt ended eight and a half hours ago, so that no
// late check is due for hours.
func (h *Shop) Expired() payment.Session {
	h.T.Helper()
	s := h.Chosen("25", USDT())
	h.Run(9 * time.Hour)
	h.WantStatus(s.ID, wire.Expired)
	return h.Load(s.ID)
}

// WantOne fails unless the session shows the only transaction that can be paid.
func (h *Shop) WantOne(id string) {
	h.T.Helper()
	h.WantStatus(id, wire.Pending)
	live := h.Gateway.Live()
	s := h.Load(id)
	if len(live) != 1 || s.Current().TrackingCode != live[0] {
		h.T.Fatalf("live at the gateway = %v; want only %s, the one shown\n%s", live,
			s.Current().TrackingCode, h.Timeline(id))
	}
}

// WantReview fails unless the session is in review for that reason.
func (h *Shop) WantReview(id, reason string) {
	h.T.Helper()
	h.WantStatus(id, wire.Review)
	s := h.Load(id)
	if got := s.Current().Reason; got != reason {
		h.T.Fatalf("in review for %q; want %q\n%s", got, reason, h.Timeline(id))
	}
}

// UseGateway replaces the service's gateway, and returns the new log.
func (h *Shop) UseGateway(g checkout.Gateway) *bytes.Buffer {
	var log bytes.Buffer
	h.Service = checkout.New(checkout.Config{
		Store: h.Store, Gateway: g, Page: "https://shop.test/checkout/",
		PaymentPage: "https://pay.test/p", Now: h.Clock.Now,
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	return &log
}

// FinishSearch processes what is due and waits for the end of searches.
func (h *Shop) FinishSearch() {
	h.T.Helper()
	_ = h.Process() // failures are retried
	for !h.Service.LastBeats()["search"].IsZero() {
		time.Sleep(time.Millisecond)
	}
}

// SearchUntil repeats FinishSearch, a second later each time, until done.
func (h *Shop) SearchUntil(done func() bool) {
	h.T.Helper()
	for range 30 {
		if h.FinishSearch(); done() {
			return
		}
		h.Clock.Move(time.Second)
	}
	h.T.Fatal("the search did not finish")
}

// Missed reports whether a search of the first attempt has found nothing.
func (h *Shop) Missed(id string) func() bool {
	return func() bool { return h.Load(id).Attempts[0].Misses == 1 }
}

// Known reports whether the transaction of the first attempt is known.
func (h *Shop) Known(id string) func() bool {
	return func() bool { return h.Load(id).Attempts[0].TrackingCode != "" }
}
