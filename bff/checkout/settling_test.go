package checkout_test

import (
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// What a person has settled as not paid was confirmed all the same when the
// gateway's record came right, although it may have been refunded.
func TestSettledAsNotPaidIsNeverConfirmed(t *testing.T) { overBoth(t, settledAsNotPaid) }

func settledAsNotPaid(t *testing.T, h *shop) {
	s := h.chosen("25", usdt())
	code := s.Attempts[0].TrackingCode
	h.gateway.pay(code, dec("25"), "0xa")
	h.gateway.tell = func(r *payment.Record) { r.AmountUSD = dec("1") }
	h.run(20 * time.Second)
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "refunded"))
	h.wantStatus(s.ID, wire.Cancelled)
	h.gateway.tell = nil
	h.clock.move(time.Minute)
	must(t)(h.service.Recheck(t.Context(), s.ID)) // as every shopper can
	h.run(10 * time.Minute)
	h.wantReview(s.ID, "settled_before")
	h.wantTold(s.ID, payment.EventPending, payment.EventReview, payment.EventCancelled, payment.EventReview)
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "refunded, as we said"))
	h.clock.move(time.Minute)
	must(t)(h.service.Recheck(t.Context(), s.ID))
	h.run(10 * time.Minute)
	h.wantStatus(s.ID, wire.Cancelled) // it is settled: the same is not raised again
	h.wantTold(s.ID, payment.EventPending, payment.EventReview, payment.EventCancelled, payment.EventReview, payment.EventCancelled)
}

// wantReview fails unless the session is in review for that reason.
func (h *shop) wantReview(id, reason string) {
	h.t.Helper()
	h.wantStatus(id, wire.Review)
	s := h.load(id)
	if got := s.Current().Reason; got != reason {
		h.t.Fatalf("in review for %q; want %q\n%s", got, reason, h.trail(id))
	}
}

// It is in review for something else when the gateway comes to prove it: the
// merchant hears of both.
func TestProvenAfterAnotherReview(t *testing.T) {
	h := newShop(t)
	s := h.reviewed()
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "refunded"))
	h.gateway.tell = func(r *payment.Record) { r.AmountUSD = dec("1") }
	h.clock.move(time.Minute)
	must(t)(h.service.Recheck(t.Context(), s.ID))
	h.wantReview(s.ID, "amount_usd_mismatch")
	h.gateway.tell = nil
	h.gateway.set(s.Attempts[0].TrackingCode, func(tx *transaction) { tx.Paid, tx.PaidAmount = dec("25"), "25" })
	h.run(2 * time.Minute)
	h.wantReview(s.ID, "settled_before")
	h.wantTold(s.ID, payment.EventPending, payment.EventReview, payment.EventCancelled, payment.EventReview, payment.EventReview)
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Confirmed, "not refunded yet: we ship"))
	h.wantStatus(s.ID, wire.Confirmed)
	if s = h.load(s.ID); !s.Current().ByHand() {
		t.Error("it does not say that it was confirmed by hand")
	}
}

// Money for another attempt of a session that a person has settled as not paid.
func TestOtherAttemptAfterSettling(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	s = must(t)(h.choose(s.ID, bnb()))
	first, second := s.Attempts[0], s.Attempts[1]
	h.gateway.set(second.TrackingCode, func(tx *transaction) { tx.Status, tx.TxID = "confirmed", "0xa" })
	h.run(time.Minute)
	h.wantReview(s.ID, "paid_amount_unreadable")
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "nothing has come"))
	h.gateway.pay(first.TrackingCode, first.PayAmount, "0xb")
	h.run(2 * time.Hour)
	h.wantReview(s.ID, "settled_before")
	h.wantTold(s.ID, payment.EventPending, payment.EventPending, payment.EventReview, payment.EventCancelled, payment.EventReview)
}

// Rows of before settlements were counted are known by what they kept.
func TestSettledBeforeThatWasCounted(t *testing.T) {
	h := newShop(t)
	s := h.reviewed()
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "refunded"))
	must(t)(h.store.Update(t.Context(), s.ID, func(s *payment.Session) ([]payment.Event, error) {
		s.Attempts[0].Settled = 0
		return nil, nil
	}))
	h.gateway.set(s.Attempts[0].TrackingCode, func(tx *transaction) { tx.Paid, tx.PaidAmount = dec("25"), "25" })
	h.clock.move(time.Minute)
	must(t)(h.service.Recheck(t.Context(), s.ID))
	h.run(5 * time.Minute)
	h.wantReview(s.ID, "settled_before")
}

// A review for another reason, whose transaction has paid another session, could
// not be settled as paid: the database refused it at every try.
func TestSettlingWhatAnotherWasPaidWith(t *testing.T) { overBoth(t, settlingWhatAnotherWasPaidWith) }

func settlingWhatAnotherWasPaidWith(t *testing.T, h *shop) {
	first, second := h.chosen("25", usdt()), h.chosen("25", usdt())
	h.gateway.pay(first.Attempts[0].TrackingCode, dec("25"), "0xa")
	h.run(time.Minute)
	h.wantStatus(first.ID, wire.Confirmed)
	h.gateway.tell = func(r *payment.Record) { r.AmountUSD = dec("1") }
	h.gateway.pay(second.Attempts[0].TrackingCode, dec("25"), "0xa")
	h.run(time.Minute)
	h.wantReview(second.ID, "amount_usd_mismatch")
	_, err := h.service.Resolve(t.Context(), second.ID, wire.Confirmed, "seen on the chain")
	wantCode(t, err, wire.CodeReviewChanged)
	h.wantReview(second.ID, "transaction_id_reused")
	version := h.load(second.ID).Version
	h.run(10 * time.Minute) // the gateway says what it said: that is not the reason any more
	h.wantReview(second.ID, "transaction_id_reused")
	if v := h.load(second.ID).Version; v != version {
		t.Errorf("version = %d after ten minutes without news; want %d", v, version)
	}
	must(t)(h.service.Resolve(t.Context(), second.ID, wire.Confirmed, "a batch of our exchange"))
	h.wantStatus(second.ID, wire.Confirmed)
	h.wantTold(second.ID, payment.EventPending, payment.EventReview, payment.EventConfirmed)
}

// Who has looked at another review than there is now settles nothing.
func TestSettlingWhatHasChanged(t *testing.T) {
	h := newShop(t)
	s := h.reviewed()
	settle := func(seen payment.Session) error {
		_, err := h.service.Settle(t.Context(), s.ID, payment.Settlement{As: wire.Confirmed, Reason: "seen", By: payment.Console("ann"), Review: seen.Review()})
		return err
	}
	h.gateway.tell = func(r *payment.Record) { r.AmountUSD = dec("1") }
	h.run(2 * time.Minute)
	h.wantReview(s.ID, "amount_usd_mismatch")
	wantCode(t, settle(s), wire.CodeReviewChanged)
	s = h.load(s.ID)
	must(t)(h.service.Recheck(t.Context(), s.ID)) // finds nothing new
	if v := h.load(s.ID).Version; v == s.Version {
		t.Fatal("a recheck has written nothing: this test is about one that does")
	}
	if err := settle(s); err != nil {
		t.Fatal(err)
	}
	h.wantStatus(s.ID, wire.Confirmed)
	for _, e := range h.load(s.ID).Trail {
		if e.What == "attempt.confirmed" && e.By != "console:ann" {
			t.Errorf("%s is said to have confirmed it", e.By)
		}
	}
}

// A review of one attempt was settled while another one had been called off before:
// the merchant was not told of it.
func TestSettlingIsToldAfterAnEarlierEnd(t *testing.T) { overBoth(t, settlingIsToldAfterAnEarlierEnd) }

func settlingIsToldAfterAnEarlierEnd(t *testing.T, h *shop) {
	s := h.chosen("25", usdt())
	s = must(t)(h.choose(s.ID, bnb()))
	must(t)(h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper))
	h.wantTold(s.ID, payment.EventPending, payment.EventPending, payment.EventCancelled)
	h.gateway.set(s.Attempts[0].TrackingCode, func(tx *transaction) { tx.Status, tx.TxID = "confirmed", "0xa" })
	h.clock.move(10 * time.Minute)
	h.run(10 * time.Minute)
	h.wantReview(s.ID, "paid_amount_unreadable")
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "nothing has come"))
	h.wantStatus(s.ID, wire.Cancelled)
	h.wantTold(s.ID, payment.EventPending, payment.EventPending, payment.EventCancelled, payment.EventReview, payment.EventCancelled)
}

// What is settled as not paid is looked at as late as everything that has ended: the
// gateway may prove it a day later, when nobody has asked.
func TestProvenLongAfterSettling(t *testing.T) {
	h := newShop(t)
	s := h.reviewed()
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "nothing has come"))
	h.run(2 * time.Hour)
	h.wantStatus(s.ID, wire.Cancelled)
	h.gateway.set(s.Attempts[0].TrackingCode, func(tx *transaction) { tx.Paid, tx.PaidAmount = dec("25"), "25" })
	h.run(80 * time.Hour)
	h.wantReview(s.ID, "settled_before")
}
