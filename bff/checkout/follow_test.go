package checkout_test

import (
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// expired returns a session whose only attempt has ended, eight hours and a half ago,
// so that no late look is due for hours.
func (h *shop) expired() payment.Session {
	h.t.Helper()
	s := h.chosen("25", usdt())
	h.run(9 * time.Hour)
	h.wantStatus(s.ID, wire.Expired)
	return h.load(s.ID)
}

// The gateway may verify in the background: after one look there was silence for
// minutes, or a day.
func TestRecheckIsFollowed(t *testing.T) { overBoth(t, recheckIsFollowed) }

func recheckIsFollowed(t *testing.T, h *shop) {
	s := h.expired()
	must(t)(h.service.Recheck(t.Context(), s.ID))
	h.run(40 * time.Second)
	h.wantStatus(s.ID, wire.Expired)
	h.gateway.pay("T00001", dec("25"), "0xa")
	h.gateway.set("T00001", func(tx *transaction) { tx.Status = "confirmed" }) // verified meanwhile
	h.restart()
	h.run(25 * time.Second)
	h.wantStatus(s.ID, wire.Confirmed)
}

// After a change of coin the money may have gone to the first address.
func TestRecheckOfAReplacedAttempt(t *testing.T) { overBoth(t, recheckOfAReplacedAttempt) }

func recheckOfAReplacedAttempt(t *testing.T, h *shop) {
	s := h.chosen("25", usdt())
	must(t)(h.choose(s.ID, bnb()))
	h.gateway.pay("T00001", dec("25"), "0xa")
	s = must(t)(h.service.Recheck(t.Context(), s.ID))
	if s.Status != wire.Pending {
		t.Fatalf("status = %s; want pending: the poller checks the other attempt", s.Status)
	}
	h.run(5 * time.Second)
	h.wantStatus(s.ID, wire.Confirmed)
	if n := h.gateway.called("recheck"); n != 1 {
		t.Errorf("rechecks = %d; want 1", n)
	}
}

// One request makes for one recheck and one read at each of the times of the pace.
func TestFollowIsBounded(t *testing.T) {
	h := newShop(t)
	s := h.expired()
	reads, rechecks := h.gateway.called("status"), h.gateway.called("recheck")
	must(t)(h.service.Recheck(t.Context(), s.ID))
	began := h.clock.Now()
	for _, after := range payment.DefaultSchedule().Follow[1:] {
		if due := h.load(s.ID).DueAt; !due.Equal(began.Add(after)) {
			t.Errorf("due %v after the request; want %v", due.Sub(began), after)
		}
		h.clock.move(began.Add(after).Sub(h.clock.Now()))
		h.tend()
	}
	h.run(time.Hour)
	if n := h.gateway.called("status") - reads; n != len(payment.DefaultSchedule().Follow) {
		t.Errorf("status reads = %d; want %d", n, len(payment.DefaultSchedule().Follow))
	}
	if n := h.gateway.called("recheck") - rechecks; n != 1 {
		t.Errorf("rechecks = %d; want 1", n)
	}
}

// However often somebody asks, a session with many attempts makes for no more
// rechecks than one with a single attempt.
func TestRecheckOfManyAttemptsIsPaced(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	for n := range 5 {
		must(t)(h.choose(s.ID, []wire.Choice{bnb(), usdt()}[n%2]))
	}
	before := h.gateway.called("recheck")
	for range 600 {
		h.clock.move(time.Second)
		h.tend()
		must(t)(h.service.Recheck(t.Context(), s.ID))
	}
	if n := h.gateway.called("recheck") - before; n < 15 || n > 25 {
		t.Errorf("rechecks in ten minutes = %d; want 20, and 5 of the usual late looks", n)
	}
}

// A read that was not possible in time stands for those before it, and a process
// that stopped before the first read leaves that to the next one.
func TestFollowAfterAnOutage(t *testing.T) {
	h := newShop(t)
	s := h.expired()
	h.gateway.statusHook = func(string) error { return cut() }
	h.service.Recheck(t.Context(), s.ID)
	h.run(3 * time.Minute)
	h.gateway.statusHook = nil
	before := h.gateway.called("status")
	h.run(time.Minute)
	if n := h.gateway.called("status") - before; n != 1 {
		t.Errorf("status reads after the outage = %d; want 1", n)
	}
}

// While the list stands in for status reads of the current attempt, the others are
// followed as ever.
func TestListDoesNotPutOffAFollow(t *testing.T) {
	for _, kind := range []string{"memory", "sqlite"} {
		t.Run(kind, func(t *testing.T) {
			l := newListing(t, kind)
			must(t)(l.choose(l.id, bnb()))
			l.row = l.gateway.all()[1].Record
			reads := map[string]int{}
			l.gateway.statusHook = func(code string) error { reads[code]++; return nil }
			l.clock.move(time.Minute)
			must(t)(l.service.Recheck(t.Context(), l.id))
			for n := range 62 * 2 {
				if n%5 == 0 {
					l.asked = l.clock.Now()
				}
				l.clock.move(time.Second / 2)
				if n%5 == 0 {
					l.heed(l.row)
				}
				l.tend()
			}
			if n := reads["T00001"]; n != 5 {
				t.Errorf("reads of the replaced attempt = %d; want 5 in a minute", n)
			}
			if n := reads["T00002"]; n > 8 {
				t.Errorf("reads of the current attempt = %d; want few, since the list shows it", n)
			}
		})
	}
}
