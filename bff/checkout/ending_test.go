package checkout_test

import (
	"bytes"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

func TestLatePaymentConfirms(t *testing.T) {
	for name, end := range map[string]func(*shop, string){
		"expired":   func(h *shop, _ string) { h.run(31 * time.Minute) },
		"cancelled": func(h *shop, id string) { h.service.Cancel(h.t.Context(), id, payment.ClosedByShopper) },
		"called off for good": func(h *shop, id string) {
			h.service.Cancel(h.t.Context(), id, payment.ClosedByMerchant)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newShop(t)
			s := h.chosen("25", usdt())
			end(h, s.ID)
			h.run(time.Hour)
			h.gateway.pay(s.Attempts[0].TrackingCode, dec("25"), "0xa")
			h.run(25 * time.Hour)
			h.wantStatus(s.ID, wire.Confirmed)
			if a := h.view(s.ID).Attempt; !a.Late {
				t.Error("Late = false; want true")
			}
			told := h.store.outbox(s.ID)
			if last := told[len(told)-1]; last.Type != payment.EventConfirmed || !bytes.Contains(last.Body, []byte(`"late":true`)) {
				t.Errorf("last event = %s %s; want confirmed, late", last.Type, last.Body)
			}
		})
	}
}

func TestUnderpaidExpires(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.gateway.pay(s.Attempts[0].TrackingCode, dec("5"), "0xa")
	h.run(40 * time.Minute)
	h.wantStatus(s.ID, wire.Expired)
	h.wantTold(s.ID, payment.EventPending, payment.EventPartial, payment.EventExpired)
	_, err := h.choose(s.ID, usdt())
	wantCode(t, err, wire.CodePaymentInProgress)
	h.gateway.pay(s.Attempts[0].TrackingCode, dec("20"), "0xb")
	h.run(2 * time.Hour)
	h.wantStatus(s.ID, wire.Confirmed)
}

// Money that was there in full, but that the gateway did not count in time, used
// to be told to nobody, and the shopper was invited to pay again.
func TestFullPaymentOfAnEndedAttemptIsTold(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.run(40 * time.Minute)
	h.gateway.set(s.Attempts[0].TrackingCode, func(tx *transaction) {
		tx.Paid, tx.PaidAmount, tx.PaidReadable, tx.AmountUSD = dec("25"), "25", true, dec("25")
		tx.PayAmount = dec("25.5") // the gateway waits for more, so that no recheck confirms
	})
	h.run(2 * time.Hour)
	h.wantStatus(s.ID, wire.Expired)
	h.wantTold(s.ID, payment.EventPending, payment.EventExpired, payment.EventPartial)
	if h.view(s.ID).Can(wire.Retry) {
		t.Error("retry is offered although the money is there")
	}
	_, err := h.choose(s.ID, usdt())
	wantCode(t, err, wire.CodePaymentInProgress)
}

// A second payment, for an attempt that was called off, used to be taken for
// another confirmation and told to nobody.
func TestPaidTwice(t *testing.T) { overBoth(t, paidTwice) }

func paidTwice(t *testing.T, h *shop) {
	s := h.chosen("25", usdt())
	s = must(t)(h.choose(s.ID, bnb()))
	h.gateway.pay(s.Attempts[1].TrackingCode, s.Attempts[1].PayAmount, "0xb")
	h.run(time.Minute)
	h.wantStatus(s.ID, wire.Confirmed)
	h.gateway.pay(s.Attempts[0].TrackingCode, dec("25"), "0xa")
	h.run(2 * time.Hour)
	h.wantStatus(s.ID, wire.Confirmed)
	h.wantTold(s.ID, payment.EventPending, payment.EventPending, payment.EventConfirmed, payment.EventReview)
	if a := h.view(s.ID).Attempt; a.Number != 2 {
		t.Errorf("attempt shown = %d; want 2, the one that confirmed", a.Number)
	}
}

func TestSameTransactionForTwoSessions(t *testing.T) { overBoth(t, sameTransactionForTwoSessions) }

func sameTransactionForTwoSessions(t *testing.T, h *shop) {
	first, second := h.chosen("25", usdt()), h.chosen("25", usdt())
	h.gateway.pay(first.Attempts[0].TrackingCode, dec("25"), "0xa")
	h.run(time.Minute)
	h.gateway.pay(second.Attempts[0].TrackingCode, dec("25"), "0xa")
	h.run(time.Minute)
	h.wantStatus(first.ID, wire.Confirmed)
	h.wantStatus(second.ID, wire.Review)
	h.wantTold(second.ID, payment.EventPending, payment.EventReview)
	if a := h.load(second.ID).Attempts[0]; a.Reason != "transaction_id_reused" || a.TxID != "0xa" || !a.Paid.Equal(dec("25")) {
		t.Errorf("%q for %s paid in %q; want transaction_id_reused for what was seen", a.Reason, a.Paid, a.TxID)
	}
	version := h.load(second.ID).Version
	h.run(10 * time.Minute)
	if v := h.load(second.ID).Version; v != version {
		t.Errorf("version = %d after ten minutes without news; want %d", v, version)
	}
	// An exchange pays several orders in one transaction: the merchant, who can
	// see that, used to be unable to say so.
	must(t)(h.service.Resolve(t.Context(), second.ID, wire.Confirmed, "a batch of our exchange"))
	h.wantStatus(second.ID, wire.Confirmed)
}

// reviewed returns a session whose payment is reported but too little.
func (h *shop) reviewed() payment.Session {
	h.t.Helper()
	s := h.chosen("25", usdt())
	h.gateway.set(s.Attempts[0].TrackingCode, func(tx *transaction) {
		tx.Status, tx.Paid, tx.PaidAmount, tx.PaidReadable, tx.TxID = "confirmed", dec("20"), "20", true, "0xa"
	})
	h.run(20 * time.Second)
	h.wantStatus(s.ID, wire.Review)
	return h.load(s.ID)
}

func TestResolve(t *testing.T) {
	h := newShop(t)
	s := h.reviewed()
	_, err := h.service.Resolve(t.Context(), s.ID, wire.Confirmed, "")
	wantCode(t, err, wire.CodeInvalid)
	_, err = h.service.Resolve(t.Context(), s.ID, wire.Expired, "why not")
	wantCode(t, err, wire.CodeInvalid)
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Confirmed, "the rest came in cash"))
	h.wantStatus(s.ID, wire.Confirmed)
	_, err = h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "no, after all")
	wantCode(t, err, wire.CodeNotPossible)
	h.wantTold(s.ID, payment.EventPending, payment.EventReview, payment.EventConfirmed)
	trail := h.load(s.ID).Trail
	if last := trail[len(trail)-1]; last.By != "merchant" || last.Detail != "confirmed: the rest came in cash" {
		t.Errorf("trail ends with %+v; want the merchant's words", last)
	}
}

// A shopper's recheck used to put what the merchant had settled into review again.
func TestResolvedStaysResolved(t *testing.T) {
	h := newShop(t)
	s := h.reviewed()
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "refunded"))
	h.wantStatus(s.ID, wire.Cancelled)
	h.clock.move(time.Minute)
	must(t)(h.service.Recheck(t.Context(), s.ID))
	h.run(time.Hour)
	h.wantStatus(s.ID, wire.Cancelled)
	_, err := h.choose(s.ID, usdt())
	wantCode(t, err, wire.CodeSessionExpired)
}

func TestReviewEndsByItselfWhenProven(t *testing.T) {
	h := newShop(t)
	s := h.reviewed()
	h.gateway.pay(s.Attempts[0].TrackingCode, dec("5"), "0xb")
	h.run(2 * time.Minute)
	h.wantStatus(s.ID, wire.Confirmed)
}

func TestRecheck(t *testing.T) {
	h := newShop(t)
	s := h.open("25")
	_, err := h.service.Recheck(t.Context(), s.ID)
	wantCode(t, err, wire.CodeNotPossible)
	s = must(t)(h.choose(s.ID, usdt()))
	code := s.Attempts[0].TrackingCode
	must(t)(h.service.Recheck(t.Context(), s.ID))
	if n := h.gateway.called("recheck"); n != 0 {
		t.Errorf("rechecks of a waiting transaction = %d; want 0", n)
	}
	h.run(31 * time.Minute)
	h.wantStatus(s.ID, wire.Expired)
	h.gateway.pay(code, dec("25"), "0xa")
	rechecks := h.gateway.called("recheck")
	must(t)(h.service.Recheck(t.Context(), s.ID))
	must(t)(h.service.Recheck(t.Context(), s.ID))
	h.wantStatus(s.ID, wire.Confirmed)
	if n := h.gateway.called("recheck") - rechecks; n != 1 {
		t.Errorf("rechecks = %d; want 1", n)
	}
}

func TestRecheckIsPaced(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	must(t)(h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper))
	for range 10 {
		h.clock.move(time.Second)
		must(t)(h.service.Recheck(t.Context(), s.ID))
	}
	if n := h.gateway.called("recheck"); n != 1 {
		t.Errorf("rechecks in ten seconds = %d; want 1", n)
	}
}

// However often somebody asks, a waiting payment is read once in a poll interval.
func TestRecheckOfAWaitingPaymentIsPaced(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	before := h.gateway.called("status")
	for range 100 {
		h.clock.move(120 * time.Millisecond)
		must(t)(h.service.Recheck(t.Context(), s.ID))
	}
	if n := h.gateway.called("status") - before; n < 3 || n > 4 {
		t.Errorf("status reads in twelve seconds = %d; want 4 at most", n)
	}
}

// "I have paid" while the answer to create is searched for used to be able to
// end the session as cancelled.
func TestRecheckWhilePreparing(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = once(nil, cut())
	h.gateway.cancelHook = func(code string) (error, error) {
		h.gateway.statusHook = func(string) error { return cut() }
		return nil, nil
	}
	s := h.chosen("25", usdt())
	h.run(10 * time.Second) // found and cancelled, but nobody could read that
	h.gateway.statusHook, h.gateway.cancelHook = nil, nil
	must(t)(h.service.Recheck(t.Context(), s.ID))
	h.wantStatus(s.ID, wire.Preparing)
	h.run(time.Minute)
	h.wantOne(s.ID)
}

func TestOtherKeyProvesNothing(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.gateway.key = "https://gateway.test#2"
	h.gateway.pay(s.Attempts[0].TrackingCode, dec("25"), "0xa")
	h.run(time.Minute)
	h.wantStatus(s.ID, wire.Review)
}

func TestRecordOfAnotherTransactionIsIgnored(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.gateway.tell = func(r *payment.Record) { r.TrackingCode, r.Status = "T99999", "confirmed" }
	h.run(time.Minute)
	h.wantStatus(s.ID, wire.Pending)
}

func TestOutageChangesNothing(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.gateway.statusHook = func(string) error { return cut() }
	h.run(40 * time.Minute)
	h.wantStatus(s.ID, wire.Pending)
	h.gateway.statusHook = nil
	h.run(30 * time.Second)
	h.wantStatus(s.ID, wire.Expired)
}

// The time that the gateway asks to be left alone used to be lost on the way.
func TestRetryAfterIsObeyed(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.run(20 * time.Second)
	for _, c := range []struct {
		err  error
		wait time.Duration
	}{
		{&payment.RefusedError{Reason: payment.ReasonBusy, RetryAfter: 40 * time.Second}, 40 * time.Second},
		{&payment.RefusedError{Reason: payment.ReasonBusy, RetryAfter: 5 * time.Minute}, time.Minute},
		{&payment.RefusedError{Reason: payment.ReasonBusy, RetryAfter: time.Second}, 3 * time.Second}, // it was not sent
		{&payment.RefusedError{Reason: payment.ReasonBusy, Status: 429, RetryAfter: time.Second}, 15 * time.Second},
		{&payment.UnknownError{RetryAfter: 40 * time.Second, Err: cut()}, 20 * time.Second}, // it may be back sooner
	} {
		h.gateway.statusHook = func(string) error { return c.err }
		h.clock.move(time.Minute)
		h.tend()
		if wait := h.load(s.ID).DueAt.Sub(h.clock.Now()); wait != c.wait {
			t.Errorf("next look in %v after %v; want %v", wait, c.err, c.wait)
		}
	}
}

func TestNudge(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.clock.move(10 * time.Second)
	if err := h.service.Nudge(t.Context(), h.load(s.ID)); err != nil {
		t.Fatal(err)
	}
	if due := h.load(s.ID).DueAt; due.After(h.clock.Now()) {
		t.Errorf("DueAt = %v; want now", due)
	}
	h.tend()
	for range 2 {
		h.service.Nudge(t.Context(), h.load(s.ID)) // checked a moment ago
		if due := h.load(s.ID).DueAt.Sub(h.clock.Now()); due != 2900*time.Millisecond-time.Microsecond {
			t.Errorf("due in %v; want just before every watched one", due)
		}
	}
}

// A hint, which anybody may give as often as they like, makes for one look in ten
// seconds after the last one.
func TestHint(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.tend()
	checked := h.load(s.ID).CheckedAt
	for _, c := range []struct{ after, due time.Duration }{{0, 10}, {4, 10}, {9, 10}} {
		h.clock.move(checked.Add(c.after * time.Second).Sub(h.clock.Now()))
		if err := h.service.Hint(t.Context(), h.load(s.ID)); err != nil {
			t.Fatal(err)
		}
		if got := h.load(s.ID).DueAt.Sub(checked); got != c.due*time.Second {
			t.Errorf("a hint after %d s: due after %v; want %d s", c.after, got, c.due)
		}
	}
	h.clock.move(11 * time.Second)
	h.tend()
	if got := h.load(s.ID).CheckedAt; got.Equal(checked) {
		t.Error("nobody has looked")
	}
}

// looks counts what is asked of the gateway about one session in a day.
func TestNothingIsDueForever(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.run(31 * time.Minute)
	h.wantStatus(s.ID, wire.Expired)
	before := h.gateway.called("status")
	h.run(100 * time.Hour)
	if n := h.gateway.called("status") - before; n != 9 {
		t.Errorf("late looks = %d; want 9", n)
	}
	if due := h.load(s.ID).DueAt; !due.IsZero() {
		t.Errorf("DueAt = %v; want none", due)
	}
}

// Looks that were taken twice at the same time used to be counted twice, and
// the last ones, days later, were never taken.
func TestLateLookIsCountedOnce(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.run(31 * time.Minute)
	h.clock.move(10 * time.Minute)
	stale := h.load(s.ID)
	for range 4 {
		if err := h.service.Tend(t.Context(), stale); err != nil {
			t.Fatal(err)
		}
	}
	if n := h.load(s.ID).Attempts[0].Rechecks; n != 1 {
		t.Errorf("late looks counted = %d; want 1", n)
	}
}

// What the merchant has settled used to leave another address payable.
func TestResolvedSessionLeavesNothingPayable(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	s = must(t)(h.choose(s.ID, bnb()))
	h.gateway.set("T00001", func(tx *transaction) { tx.Status, tx.TxID = "confirmed", "0xa" })
	h.run(6 * time.Minute)
	h.wantStatus(s.ID, wire.Review)
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "not ours"))
	h.run(time.Minute)
	if live := h.gateway.live(); len(live) != 0 {
		t.Errorf("live at the gateway = %v; want none", live)
	}
}

// A payment that was cancelled, then doubted, then settled as cancelled is told
// of each time.
func TestSettledAsWhatItWas(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	code := s.Attempts[0].TrackingCode
	h.gateway.set(code, func(tx *transaction) { tx.Status = "cancelled" })
	h.run(time.Minute)
	h.gateway.set(code, func(tx *transaction) { tx.Status = "confirmed"; tx.PaidAmount = "?" })
	h.run(10 * time.Minute)
	h.wantStatus(s.ID, wire.Review)
	must(t)(h.service.Resolve(t.Context(), s.ID, wire.Cancelled, "refunded"))
	h.wantTold(s.ID, payment.EventPending, payment.EventCancelled, payment.EventReview, payment.EventCancelled)
}
