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

// The gateway may verify in the background: a recheck is followed by several reads.
func TestRecheckIsFollowed(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Expired()
	h.Must(h.Recheck(s.ID))
	h.Run(40 * time.Second)
	h.WantStatus(s.ID, wire.Expired)
	h.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
	h.Gateway.Set("T00001",
		func(tx *checkouttest.Transaction) { tx.Status = "confirmed" }) // verified meanwhile
	h.Restart()
	h.Run(25 * time.Second)
	h.WantStatus(s.ID, wire.Confirmed)
}

// After a change of coin, the first address may be paid.
func TestRecheckOfAReplacedAttempt(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Chosen("25", checkouttest.USDT())
	h.Must(h.Choose(s.ID, checkouttest.BNB()))
	h.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
	s = h.Must(h.Recheck(s.ID))
	if s.Status != wire.Pending {
		t.Fatalf("status = %s; want pending: the poller checks the other attempt", s.Status)
	}
	h.Run(5 * time.Second)
	h.WantStatus(s.ID, wire.Confirmed)
	h.WantCalls("recheck", 1)
}

// A recheck in the middle of a change of coin does not report its cancellation.
func TestRecheckDuringAChange(t *testing.T) {
	t.Parallel()
	h, s := checkouttest.NewPending(t)
	h.Clock.Move(10 * time.Second)
	canceled, rechecked := false, false
	h.Gateway.CancelHook = func(string) (error, error) { canceled = true; return nil, nil }
	h.Gateway.StatusHook = func(string) error {
		if canceled && !rechecked {
			rechecked = true
			h.Must(h.Recheck(s.ID))
		}
		return nil
	}
	h.Must(h.Choose(s.ID, checkouttest.BNB()))
	h.Run(time.Minute)
	fortest.Equal(t, rechecked, true, "rechecked after the cancellation")
	h.WantEvents(s.ID, payment.EventPending, payment.EventPending)
}

// One request causes one recheck and one read at each time of the schedule.
func TestFollowUpIsBounded(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Expired()
	reads, rechecks := h.Gateway.Calls("status"), h.Gateway.Calls("recheck")
	h.Must(h.Recheck(s.ID))
	began := h.Clock.Now()
	for _, after := range payment.DefaultSchedule().FollowUps[1:] {
		if due := h.Load(s.ID).DueAt; !due.Equal(began.Add(after)) {
			t.Errorf("due %v after the request; want %v", due.Sub(began), after)
		}
		h.Clock.Move(began.Add(after).Sub(h.Clock.Now()))
		h.Process()
	}
	h.Run(time.Hour)
	fortest.Equal(t, h.Gateway.Calls("status")-reads, len(payment.DefaultSchedule().FollowUps),
		"status reads")
	h.WantCallsSince(rechecks, "recheck", 1)
}

// A session with many attempts causes no more rechecks than one with a single attempt.
func TestRecheckOfManyAttemptsIsPaced(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	for n := range 5 {
		h.Must(h.Choose(s.ID, []wire.Choice{checkouttest.BNB(), checkouttest.USDT()}[n%2]))
	}
	before := h.Gateway.Calls("recheck")
	for range 120 {
		h.Clock.Move(5 * time.Second)
		h.Process()
		h.Must(h.Recheck(s.ID))
	}
	if n := h.Gateway.Calls("recheck") - before; n < 15 || n > 25 {
		t.Errorf("rechecks in ten minutes = %d; want 20, and 5 of the scheduled late checks", n)
	}
}

// A delayed read replaces those before it; if the process stops before the first, the next
// process makes it.
func TestFollowUpAfterAnOutage(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Expired()
	h.Gateway.StatusHook = func(string) error { return checkouttest.LostAnswer() }
	h.Recheck(s.ID)
	h.Run(3 * time.Minute)
	h.Gateway.StatusHook = nil
	before := h.Gateway.Calls("status")
	h.Run(time.Minute)
	h.WantCallsSince(before, "status", 1)
}

// silent is a gateway that does not answer the first requests to verify.
type silent struct {
	*checkouttest.Gateway
	left int
}

func (g *silent) Recheck(ctx context.Context, code string) error {
	if g.left--; g.left >= 0 {
		return checkouttest.LostAnswer()
	}
	return g.Gateway.Recheck(ctx, code)
}

// A late check does not count before the gateway was asked to verify, unless it never answers.
func TestLateCheckIsRepeated(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ lost, rechecks, counted int }{
		"answered at once": {0, 1, 1},
		"two answers lost": {2, 1, 1},
		"all answers lost": {1_000, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			h, s := checkouttest.NewPending(t)
			h.UseGateway(&silent{h.Gateway, tt.lost})
			h.Run(s.Attempts[0].ExpiresAt.Sub(h.Clock.Now()) + 12*time.Minute)
			h.WantStatus(s.ID, wire.Expired)
			h.WantCalls("recheck", tt.rechecks)
			fortest.Equal(t, h.Load(s.ID).Attempts[0].ChecksDone, tt.counted, "late checks done")
		})
	}
}
