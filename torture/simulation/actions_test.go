package simulation

import (
	"context"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/payment"
)

// session is what the world knows of a session of the checkout.
type session struct {
	order    payment.Order
	key      string
	id       string            // "" = not known yet
	history  []payment.Session // by version, from 1
	shown    []string          // tracking codes of what could be paid on its page, oldest first
	canceled bool              // a shopper or the merchant has asked to cancel it
	resolved bool              // an operator has decided
	acked    int64             // newest version that a client has seen
}

var coins = []wire.Choice{
	checkouttest.USDT(), checkouttest.BNB(), {CurrencySymbol: "USDT", NetworkCode: "bep20"},
}

// open begins an order. What fails is asked for again with the same key.
func (w *world) open() {
	amount := []string{"25", "19.99", "999", "10.01"}[w.rng.IntN(4)]
	n := len(w.sessions) + 1
	s := &session{key: fmt.Sprintf("key %d", n), order: payment.Order{
		AmountUSD: checkouttest.Dec(amount), TTLMinutes: 1 + w.rng.IntN(30),
		Ref: fmt.Sprintf("order %d", n),
	}}
	w.sessions = append(w.sessions, s)
	w.openAgain(s)
}

func (w *world) openAgain(s *session) {
	w.client("open "+s.order.Ref, func(in *instance, ctx context.Context) error {
		got, err := in.service.Open(ctx, s.order, s.key)
		return w.answered(in, s, 0, got.Session, err)
	})
}

// answered checks what a client is answered.
func (w *world) answered(
	in *instance, s *session, before int64, got payment.Session, err error,
) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && !in.dead {
		w.checkAnswer(s, before, got)
	}
	return err
}

// act draws what an instance, a shopper or the merchant does.
func (w *world) act() {
	in := w.slots[w.rng.IntN(len(w.slots))]
	switch n := w.rng.IntN(100); {
	case n < 15:
		in.poll()
		return
	case n < 25:
		in.deliver()
		return
	case n < 29:
		in.list()
		return
	case n < 32 && len(w.sessions) < 3:
		w.open()
		return
	}
	s := w.sessions[w.rng.IntN(len(w.sessions))]
	if s.id == "" {
		w.openAgain(s)
		return
	}
	w.actOn(s)
}

// actOn draws an action on a session.
func (w *world) actOn(s *session) {
	coin := coins[w.rng.IntN(len(coins))]
	number := w.rng.IntN(4)
	type useCase = func(in *instance, ctx context.Context) (payment.Session, error)
	ask := func(name string, do useCase) {
		before := s.acked
		w.client(name+" "+s.id, func(in *instance, ctx context.Context) error {
			got, err := do(in, ctx)
			return w.answered(in, s, before, got, err)
		})
	}
	switch n := w.rng.IntN(100); {
	case n < 24:
		ask("choose "+coin.CurrencySymbol+" "+coin.NetworkCode,
			func(in *instance, ctx context.Context) (payment.Session, error) {
				return in.service.Choose(ctx, s.id, coin)
			})
	case n < 31:
		ask("extend", func(in *instance, ctx context.Context) (payment.Session, error) {
			return in.service.Extend(ctx, s.id, number)
		})
	case n < 36:
		by := payment.ClosedByShopper
		if w.rng.IntN(3) == 0 {
			by = payment.ClosedByMerchant
		}
		s.canceled = true
		ask("cancel by "+string(by),
			func(in *instance, ctx context.Context) (payment.Session, error) {
				return in.service.Cancel(ctx, s.id, by)
			})
	case n < 44:
		ask("recheck", func(in *instance, ctx context.Context) (payment.Session, error) {
			return in.service.Recheck(ctx, s.id)
		})
	case n < 52:
		w.resolve(s, ask)
	case n < 56:
		ask("hint", func(in *instance, ctx context.Context) (payment.Session, error) {
			got, err := in.service.Session(ctx, s.id)
			if err == nil {
				err = in.service.Hint(ctx, got)
			}
			return got, err
		})
	case n < 59:
		ask("view", func(in *instance, ctx context.Context) (payment.Session, error) {
			return in.service.Session(ctx, s.id)
		})
	case n < 62:
		w.payerCancels(s)
	case n < 70:
		w.approachEnd(s)
	default:
		w.payShown(s)
	}
}

// resolve lets an operator decide about a review.
func (w *world) resolve(s *session, ask func(
	string, func(in *instance, ctx context.Context) (payment.Session, error),
)) {
	if s.now().Status != wire.Review {
		return
	}
	as := []wire.Status{wire.Confirmed, wire.Cancelled}[w.rng.IntN(2)]
	s.resolved = true
	ask("resolve as "+string(as), func(in *instance, ctx context.Context) (payment.Session, error) {
		return in.service.Resolve(ctx, s.id, as, "by hand")
	})
}

// payerCancels is the button on the gateway's own page.
func (w *world) payerCancels(s *session) {
	if len(s.shown) == 0 || w.transaction(s.shown[len(s.shown)-1]).Status != "pending" {
		return
	}
	code := s.shown[len(s.shown)-1]
	w.logf("payer cancels %s", code)
	s.canceled, w.dirty = true, true
	w.gateway.Set(code, func(tx *checkouttest.Transaction) {
		if w.rng.IntN(3) == 0 {
			tx.Stubborn = true // and cannot be canceled by us any more
			return
		}
		tx.Status, tx.CancelledByUser = "cancelled", true
	})
}

// approachEnd lets time pass until shortly before the end of the youngest window.
func (w *world) approachEnd(s *session) {
	if len(s.shown) == 0 {
		return
	}
	left := time.Until(w.transaction(s.shown[len(s.shown)-1]).ExpiresAt)
	if left -= time.Duration(w.rng.IntN(3000)) * time.Millisecond; left > 0 {
		w.pass(left)
	}
}

// payShown sends a share of what was asked for to an address that was shown.
func (w *world) payShown(s *session) {
	if len(s.shown) == 0 {
		return
	}
	n := w.rng.IntN(len(s.shown))
	code := s.shown[max(n, w.rng.IntN(len(s.shown)))]
	tx := w.transaction(code)
	if _, a := w.known(code); time.Since(tx.ExpiresAt) > time.Hour ||
		!a.ReviewedAt.IsZero() && time.Since(a.ReviewedAt) > time.Hour ||
		a.State == payment.Confirmed && time.Since(a.EndedAt) > 30*time.Minute {
		return // it is not looked for any more
	}
	share := []string{"1", "1", "1", "1", "1", "1.1", "0.99", "0.98999", "0.5", "0.3", "12"}
	w.dirty = true
	w.pay(code, tx.PayAmount.Mul(checkouttest.Dec(share[w.rng.IntN(len(share))])).RoundCeil(8))
}
