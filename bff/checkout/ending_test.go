package checkout_test

import (
	"bytes"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

func TestLatePaymentConfirms(t *testing.T) {
	for name, end := range map[string]func(*checkouttest.Shop, string){
		"expired": func(h *checkouttest.Shop, _ string) { h.Run(31 * time.Minute) },
		"cancelled": func(h *checkouttest.Shop, id string) {
			h.Cancel(id, payment.ClosedByShopper)
		},
		"canceled by the merchant": func(h *checkouttest.Shop, id string) {
			h.Cancel(id, payment.ClosedByMerchant)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, s := checkouttest.NewPending(t)
			end(h, s.ID)
			h.Run(time.Hour)
			h.Gateway.Pay(s.Attempts[0].TrackingCode, checkouttest.Dec("25"), "0xa")
			h.Run(25 * time.Hour)
			h.WantStatus(s.ID, wire.Confirmed)
			if a := h.View(s.ID).Attempt; !a.Late {
				t.Error("Late = false; want true")
			}
			events := h.Store.EventsOf(s.ID)
			last := events[len(events)-1]
			if last.Type != payment.EventConfirmed ||
				!bytes.Contains(last.Body, []byte(`"late":true`)) {
				t.Errorf("last event = %s %s; want confirmed, late", last.Type, last.Body)
			}
		})
	}
}

func TestUnderpaidExpires(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Gateway.Pay(s.Attempts[0].TrackingCode, checkouttest.Dec("5"), "0xa")
	h.Run(40 * time.Minute)
	h.WantStatus(s.ID, wire.Expired)
	h.WantEvents(s.ID, payment.EventPending, payment.EventPartial, payment.EventExpired)
	h.WantCode(wire.CodePaymentInProgress)(h.Choose(s.ID, checkouttest.USDT()))
	h.Gateway.Pay(s.Attempts[0].TrackingCode, checkouttest.Dec("20"), "0xb")
	h.Run(2 * time.Hour)
	h.WantStatus(s.ID, wire.Confirmed)
}

// A full payment that the gateway did not count was not reported, and the shopper was invited
// to pay again.
func TestFullPaymentOfAnEndedAttemptIsReported(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Run(40 * time.Minute)
	h.Gateway.Set(s.Attempts[0].TrackingCode, func(tx *checkouttest.Transaction) {
		tx.Paid = checkouttest.Dec("25")
		tx.PaidAmount = "25"
		tx.PaidReadable = true
		tx.AmountUSD = checkouttest.Dec("25")
		tx.PayAmount = checkouttest.Dec("25.5") // the gateway waits for more, so that no recheck confirms
	})
	h.Run(2 * time.Hour)
	h.WantStatus(s.ID, wire.Expired)
	h.WantEvents(s.ID, payment.EventPending, payment.EventExpired, payment.EventPartial)
	if h.View(s.ID).Can(wire.Retry) {
		t.Error("retry is offered although the money is there")
	}
	h.WantCode(wire.CodePaymentInProgress)(h.Choose(s.ID, checkouttest.USDT()))
}

// A second payment, for a canceled attempt, goes to review instead of confirming again.
func TestPaidTwice(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Chosen("25", checkouttest.USDT())
	s = h.Must(h.Choose(s.ID, checkouttest.BNB()))
	h.Gateway.Pay(s.Attempts[1].TrackingCode, s.Attempts[1].PayAmount, "0xb")
	h.Run(time.Minute)
	h.WantStatus(s.ID, wire.Confirmed)
	h.Gateway.Pay(s.Attempts[0].TrackingCode, checkouttest.Dec("25"), "0xa")
	h.Run(2 * time.Hour)
	h.WantStatus(s.ID, wire.Confirmed)
	h.WantEvents(s.ID, payment.EventPending, payment.EventPending, payment.EventConfirmed,
		payment.EventReview)
	fortest.Equal(t, h.View(s.ID).Attempt.Number, 2, "attempt shown (2, the one that confirmed)")
}

func TestSameTransactionForTwoSessions(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	first, second := h.Chosen("25", checkouttest.USDT()), h.Chosen("25", checkouttest.USDT())
	h.Gateway.Pay(first.Attempts[0].TrackingCode, checkouttest.Dec("25"), "0xa")
	h.Run(time.Minute)
	h.Gateway.Pay(second.Attempts[0].TrackingCode, checkouttest.Dec("25"), "0xa")
	h.Run(time.Minute)
	h.WantStatus(first.ID, wire.Confirmed)
	h.WantStatus(second.ID, wire.Review)
	h.WantEvents(second.ID, payment.EventPending, payment.EventReview)
	a := h.Load(second.ID).Attempts[0]
	if a.Reason != "transaction_id_reused" || a.TxID != "0xa" ||
		!a.Paid.Equal(checkouttest.Dec("25")) {
		t.Errorf("%q for %s paid in %q; want transaction_id_reused for what was seen", a.Reason,
			a.Paid, a.TxID)
	}
	version := h.Load(second.ID).Version
	h.Run(10 * time.Minute)
	fortest.Equal(t, h.Load(second.ID).Version, version, "version after ten minutes without news")
	// An exchange pays several orders in one transaction: the merchant, who can
	// see that, used to be unable to say so.
	h.Must(h.Resolve(second.ID, wire.Confirmed, "a batch of our exchange"))
	h.WantStatus(second.ID, wire.Confirmed)
}

func TestResolve(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Reviewed()
	h.WantCode(wire.CodeInvalid)(h.Resolve(s.ID, wire.Confirmed, ""))
	h.WantCode(wire.CodeInvalid)(h.Resolve(s.ID, wire.Expired, "why not"))
	h.Must(h.Resolve(s.ID, wire.Confirmed, "the rest came in cash"))
	h.WantStatus(s.ID, wire.Confirmed)
	h.WantCode(wire.CodeNotPossible)(h.Resolve(s.ID, wire.Cancelled, "no, after all"))
	h.WantEvents(s.ID, payment.EventPending, payment.EventReview, payment.EventConfirmed)
	timeline := h.Load(s.ID).Timeline
	last := timeline[len(timeline)-1]
	if last.By != "merchant" || last.Detail != "confirmed: the rest came in cash" {
		t.Errorf("timeline ends with %+v; want the merchant's words", last)
	}
}

func TestReviewEndsByItselfWhenProven(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Reviewed()
	h.Gateway.Pay(s.Attempts[0].TrackingCode, checkouttest.Dec("5"), "0xb")
	h.Run(2 * time.Minute)
	h.WantStatus(s.ID, wire.Confirmed)
}

func TestRecheck(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Open("25")
	h.WantCode(wire.CodeNotPossible)(h.Recheck(s.ID))
	s = h.Must(h.Choose(s.ID, checkouttest.USDT()))
	code := s.Attempts[0].TrackingCode
	h.Must(h.Recheck(s.ID))
	h.WantCalls("recheck", 0)
	h.Run(31 * time.Minute)
	h.WantStatus(s.ID, wire.Expired)
	h.Gateway.Pay(code, checkouttest.Dec("25"), "0xa")
	rechecks := h.Gateway.Calls("recheck")
	h.Must(h.Recheck(s.ID))
	h.Must(h.Recheck(s.ID))
	h.WantStatus(s.ID, wire.Confirmed)
	h.WantCallsSince(rechecks, "recheck", 1)
}

// However often it is requested, a waiting payment is read once per poll interval.
func TestRecheckOfAWaitingPaymentIsPaced(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	before := h.Gateway.Calls("status")
	for range 100 {
		h.Clock.Move(120 * time.Millisecond)
		h.Must(h.Recheck(s.ID))
	}
	if n := h.Gateway.Calls("status") - before; n < 3 || n > 4 {
		t.Errorf("status reads in twelve seconds = %d; want 4 at most", n)
	}
}

// A recheck during the search for an unanswered create must not cancel the session.
func TestRecheckWhilePreparing(t *testing.T) {
	h := checkouttest.NewShop(t)
	h.Gateway.CreateHook = checkouttest.Once(nil, checkouttest.LostAnswer())
	h.Gateway.CancelHook = func(code string) (error, error) {
		h.Gateway.StatusHook = func(string) error { return checkouttest.LostAnswer() }
		return nil, nil
	}
	s := h.Chosen("25", checkouttest.USDT())
	h.Run(10 * time.Second) // found and canceled, but its status is unreadable
	h.Gateway.StatusHook, h.Gateway.CancelHook = nil, nil
	h.Must(h.Recheck(s.ID))
	h.WantStatus(s.ID, wire.Preparing)
	h.Run(time.Minute)
	h.WantOne(s.ID)
}

func TestOutageChangesNothing(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Gateway.StatusHook = func(string) error { return checkouttest.LostAnswer() }
	h.Run(40 * time.Minute)
	h.WantStatus(s.ID, wire.Pending)
	h.Gateway.StatusHook = nil
	h.Run(30 * time.Second)
	h.WantStatus(s.ID, wire.Expired)
}

// Retry-After postpones the next check.
func TestRetryAfterIsObeyed(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Run(20 * time.Second)
	for _, c := range []struct {
		err  error
		wait time.Duration
	}{
		{
			&payment.RefusedError{Reason: payment.ReasonBusy, RetryAfter: 40 * time.Second},
			40 * time.Second,
		},
		{
			&payment.RefusedError{Reason: payment.ReasonBusy, RetryAfter: 5 * time.Minute},
			time.Minute,
		},
		{
			&payment.RefusedError{Reason: payment.ReasonBusy, RetryAfter: time.Second},
			3 * time.Second,
		}, // it was not sent
		{
			&payment.RefusedError{Reason: payment.ReasonBusy, Status: 429, RetryAfter: time.Second},
			15 * time.Second,
		},
		{
			&payment.UnknownError{RetryAfter: 40 * time.Second, Err: checkouttest.LostAnswer()},
			20 * time.Second,
		}, // it may be back sooner
	} {
		h.Gateway.StatusHook = func(string) error { return c.err }
		h.Clock.Move(time.Minute)
		h.Process()
		if wait := h.Load(s.ID).DueAt.Sub(h.Clock.Now()); wait != c.wait {
			t.Errorf("next check in %v after %v; want %v", wait, c.err, c.wait)
		}
	}
}

func TestNudge(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Clock.Move(10 * time.Second)
	fortest.OK(t, h.Service.Nudge(t.Context(), h.Load(s.ID)))
	if due := h.Load(s.ID).DueAt; due.After(h.Clock.Now()) {
		t.Errorf("DueAt = %v; want now", due)
	}
	h.Process()
	for range 2 {
		h.Service.Nudge(t.Context(), h.Load(s.ID)) // checked a moment ago
		due := h.Load(s.ID).DueAt.Sub(h.Clock.Now())
		if due != 2900*time.Millisecond-time.Microsecond {
			t.Errorf("due in %v; want just before every watched one", due)
		}
	}
}

// However many hints, a session is checked once in ten seconds.
func TestHint(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Process()
	checked := h.Load(s.ID).CheckedAt
	for _, c := range []struct{ after, due time.Duration }{{0, 10}, {4, 10}, {9, 10}} {
		h.Clock.Move(checked.Add(c.after * time.Second).Sub(h.Clock.Now()))
		fortest.OK(t, h.Service.Hint(t.Context(), h.Load(s.ID)))
		if got := h.Load(s.ID).DueAt.Sub(checked); got != c.due*time.Second {
			t.Errorf("a hint after %d s: due after %v; want %d s", c.after, got, c.due)
		}
	}
	h.Clock.Move(11 * time.Second)
	h.Process()
	if got := h.Load(s.ID).CheckedAt; got.Equal(checked) {
		t.Error("not checked")
	}
}

func TestNothingIsDueForever(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Run(31 * time.Minute)
	h.WantStatus(s.ID, wire.Expired)
	before := h.Gateway.Calls("status")
	h.Run(100 * time.Hour)
	h.WantCallsSince(before, "status", 9)
	h.WantNotDue(s.ID)
}

// Concurrent checks count once, so that the schedule does not end early.
func TestLateCheckIsCountedOnce(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Run(31 * time.Minute)
	h.Clock.Move(10 * time.Minute)
	stale := h.Load(s.ID)
	for range 4 {
		fortest.OK(t, h.Service.Process(t.Context(), checkout.StoredSession{Session: stale}))
	}
	fortest.Equal(t, h.Load(s.ID).Attempts[0].ChecksDone, 1, "late checks counted")
}

// A resolution leaves no address payable.
func TestResolvedSessionLeavesNothingPayable(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	s = h.Must(h.Choose(s.ID, checkouttest.BNB()))
	h.Gateway.Set("T00001",
		func(tx *checkouttest.Transaction) { tx.Status, tx.TxID = "confirmed", "0xa" })
	h.Run(6 * time.Minute)
	h.WantStatus(s.ID, wire.Review)
	h.Must(h.Resolve(s.ID, wire.Cancelled, "not ours"))
	h.Run(time.Minute)
	h.WantLive(0)
}

// A canceled payment that is reviewed, then resolved as canceled, is reported each time.
func TestResolvedAsWhatItWas(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	code := s.Attempts[0].TrackingCode
	h.Gateway.Set(code, func(tx *checkouttest.Transaction) { tx.Status = "cancelled" })
	h.Run(time.Minute)
	h.Gateway.Set(code,
		func(tx *checkouttest.Transaction) { tx.Status = "confirmed"; tx.PaidAmount = "?" })
	h.Run(10 * time.Minute)
	h.WantStatus(s.ID, wire.Review)
	h.Must(h.Resolve(s.ID, wire.Cancelled, "refunded"))
	h.WantEvents(s.ID, payment.EventPending, payment.EventCancelled, payment.EventReview,
		payment.EventCancelled)
}

// Sessions stored by a clock two days ahead are checked as soon as the clock is right.
func TestClockThatWasAhead(t *testing.T) {
	for name, hook := range map[string]func(payment.CreateRequest) (before, after error){
		"pending":      nil,
		"answer lost":  checkouttest.Once(nil, checkouttest.LostAnswer()),
		"request lost": checkouttest.Once(checkouttest.LostAnswer(), nil),
	} {
		t.Run(name, func(t *testing.T) {
			h := checkouttest.NewShop(t)
			h.Gateway.CreateHook = hook
			h.Clock.Move(48 * time.Hour)
			s := h.Chosen("25", checkouttest.USDT())
			h.Run(20 * time.Second)
			h.Clock.Move(-48 * time.Hour)
			h.Restart()
			fortest.Must(h.Store.CapDue(t.Context(), h.Clock.Now(),
				payment.DefaultSchedule().MaxDueAhead()))(t)
			h.Run(4 * time.Minute)
			h.WantStatus(s.ID, wire.Pending)
			h.WantOne(s.ID)
			now := h.Load(s.ID)
			h.Gateway.Pay(now.Current().TrackingCode, checkouttest.Dec("25"), "tx-1")
			h.Run(time.Minute)
			h.WantStatus(s.ID, wire.Confirmed)
		})
	}
}
