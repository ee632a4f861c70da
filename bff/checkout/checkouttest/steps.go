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
func (sh *Shop) Forget() {
	sh.Gateway.StatusHook = func(string) error { return Refusal(payment.ReasonAbsent) }
}

// Remember undoes Forget.
func (sh *Shop) Remember() { sh.Gateway.StatusHook = nil }

// NewUnanswered returns a shop with a session whose create was executed without an answer.
func NewUnanswered(t *testing.T) (*Shop, payment.Session) {
	t.Helper()
	h := NewShop(t)
	h.Gateway.CreateHook = Once(nil, LostAnswer())
	return h, h.Chosen("25", USDT())
}

// BlockCreate makes the next create wait until release is closed; it closes arrived.
func (sh *Shop) BlockCreate() (arrived, release chan struct{}) {
	arrived = make(chan struct{})
	release = make(chan struct{})
	sh.Gateway.CreateHook = func(payment.CreateRequest) (error, error) {
		close(arrived)
		<-release
		return nil, nil
	}
	return arrived, release
}

// ChooseAndLeave chooses USDT, and disconnects when the create has arrived.
func (sh *Shop) ChooseAndLeave(id string, arrived <-chan struct{}) {
	ctx, leave := context.WithCancel(sh.T.Context())
	var tab sync.WaitGroup
	tab.Go(func() { _, _ = sh.Service.Choose(ctx, id, USDT()) })
	<-arrived
	leave()
	tab.Wait()
}

// Reviewed returns a session in review: reported as paid, but too little.
func (sh *Shop) Reviewed() payment.Session {
	sh.T.Helper()
	s := sh.Chosen("25", USDT())
	sh.Gateway.Set(s.Attempts[0].TrackingCode, func(tx *Transaction) {
		tx.Status = "confirmed"
		tx.TxID = "0xa"
		tx.Paid = Dec("20")
		tx.PaidAmount = "20"
		tx.PaidReadable = true
	})
	sh.Run(20 * time.Second)
	sh.WantStatus(s.ID, wire.Review)
	return sh.Load(s.ID)
}

// Extend asks for more time.
func (sh *Shop) Extend(id string, number int) (payment.Session, error) {
	sh.T.Helper()
	return sh.Service.Extend(sh.T.Context(), id, number)
}

// Cancel cancels a session.
func (sh *Shop) Cancel(id string, by payment.Closer) (payment.Session, error) {
	sh.T.Helper()
	return sh.Service.Cancel(sh.T.Context(), id, by)
}

// Recheck asks for a check.
func (sh *Shop) Recheck(id string) (payment.Session, error) {
	sh.T.Helper()
	return sh.Service.Recheck(sh.T.Context(), id)
}

// Resolve resolves a review.
func (sh *Shop) Resolve(id string, as wire.Status, reason string) (payment.Session, error) {
	sh.T.Helper()
	return sh.Service.Resolve(sh.T.Context(), id, as, reason)
}

// PayFor pays for an attempt of a session.
func (sh *Shop) PayFor(id, amount string) {
	sh.T.Helper()
	sh.Gateway.Pay(sh.Load(id).Attempts[0].TrackingCode, Dec(amount), "0xa")
}

// Expired returns a session whose only attempt ended eight and a half hours ago, so that no
// late check is due for hours.
func (sh *Shop) Expired() payment.Session {
	sh.T.Helper()
	s := sh.Chosen("25", USDT())
	sh.Run(9 * time.Hour)
	sh.WantStatus(s.ID, wire.Expired)
	return sh.Load(s.ID)
}

// WantOne fails unless the session shows the only transaction that can be paid.
func (sh *Shop) WantOne(id string) {
	sh.T.Helper()
	sh.WantStatus(id, wire.Pending)
	live := sh.Gateway.Live()
	s := sh.Load(id)
	if len(live) != 1 || s.Current().TrackingCode != live[0] {
		sh.T.Fatalf("live at the gateway = %v; want only %s, the one shown\n%s", live,
			s.Current().TrackingCode, sh.Timeline(id))
	}
}

// WantReview fails unless the session is in review for that reason.
func (sh *Shop) WantReview(id, reason string) {
	sh.T.Helper()
	sh.WantStatus(id, wire.Review)
	s := sh.Load(id)
	if got := s.Current().Reason; got != reason {
		sh.T.Fatalf("in review for %q; want %q\n%s", got, reason, sh.Timeline(id))
	}
}

// UseGateway replaces the service's gateway, and returns the new log.
func (sh *Shop) UseGateway(g checkout.Gateway) *bytes.Buffer {
	var log bytes.Buffer
	sh.Service = checkout.New(checkout.Config{
		Store:       sh.Store,
		Gateway:     g,
		Page:        "https://shop.test/checkout/",
		PaymentPage: "https://pay.test/p",
		Now:         sh.Clock.Now,
		Log:         slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	return &log
}

// FinishSearch processes what is due and waits for the end of searches.
func (sh *Shop) FinishSearch() {
	sh.T.Helper()
	_ = sh.Process() // failures are retried
	for !sh.Service.LastBeats()["search"].IsZero() {
		time.Sleep(time.Millisecond)
	}
}

// SearchUntil repeats FinishSearch, a second later each time, until done.
func (sh *Shop) SearchUntil(done func() bool) {
	sh.T.Helper()
	for range 30 {
		sh.FinishSearch()
		if done() {
			return
		}
		sh.Clock.Move(time.Second)
	}
	sh.T.Fatal("the search did not finish")
}

// Missed reports whether a search of the first attempt has found nothing.
func (sh *Shop) Missed(id string) func() bool {
	return func() bool { return sh.Load(id).Attempts[0].Misses == 1 }
}

// Known reports whether the transaction of the first attempt is known.
func (sh *Shop) Known(id string) func() bool {
	return func() bool { return sh.Load(id).Attempts[0].TrackingCode != "" }
}
