package checkout_test

import (
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// busy is a 429 that asks to be left alone for a time; zero = it does not say.
func busy(wait time.Duration) error {
	return &payment.RefusedError{Reason: payment.ReasonBusy, Status: 429, RetryAfter: wait}
}

// A create that the gateway had no time for used to send the shopper back to the
// choice of a coin.
func TestBusyCreateIsSentAgain(t *testing.T) { overBoth(t, busyCreateIsSentAgain) }

func busyCreateIsSentAgain(t *testing.T, h *shop) {
	h.gateway.createHook = once(busy(20*time.Second), nil)
	s := h.chosen("25", usdt())
	h.run(19 * time.Second)
	v := h.view(s.ID)
	if v.Status != wire.Preparing || v.Notice != nil || v.Attempt.Address != "" {
		t.Errorf("view = %+v; want preparing, no notice and no address", v)
	}
	if n := h.gateway.called("create"); n != 1 {
		t.Errorf("creates before the gateway said so = %d; want 1", n)
	}
	h.run(3 * time.Second)
	h.wantStatus(s.ID, wire.Pending)
	h.wantOne(s.ID)
	h.wantTold(s.ID, payment.EventPending)
	if n := h.gateway.called("list"); n != 0 {
		t.Errorf("the list was read %d times; want 0, since nothing was created", n)
	}
	if n := len(h.load(s.ID).Attempts); n != 1 {
		t.Errorf("%d attempts; want 1", n)
	}
}

// A wait that the shopper's request can take is not worth another page.
func TestBusyForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newShop(t)
		h.gateway.createHook = once(busy(2*time.Second), nil)
		began := time.Now()
		s := h.chosen("25", usdt())
		h.wantStatus(s.ID, wire.Pending)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("the second create was sent after %v; want 2s", took)
		}
	})
}

func TestBusyForEver(t *testing.T) {
	for name, tt := range map[string]struct {
		wait    time.Duration
		creates int
	}{
		"as long as it says": {wait: 10 * time.Second, creates: 6},
		"without saying":     {wait: 0, creates: 6},
		"for too long":       {wait: 61 * time.Second, creates: 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := newShop(t)
			h.gateway.createHook = func(payment.CreateRequest) (error, error) {
				return busy(tt.wait), nil
			}
			s := h.chosen("25", usdt())
			h.run(2 * time.Minute)
			v := h.view(s.ID)
			if v.Status != wire.Open || v.Notice == nil ||
				v.Notice.Code != wire.CodeGatewayUnavailable {
				t.Errorf("view = %s, notice %+v; want open, unavailable", v.Status, v.Notice)
			}
			if n := h.gateway.called("create"); n != tt.creates {
				t.Errorf("creates = %d; want %d", n, tt.creates)
			}
			h.gateway.createHook = nil
			must(t)(h.choose(s.ID, usdt()))
			h.wantOne(s.ID)
		})
	}
}

// The plan is in the row: a new process sends the create, and does not search for a
// transaction that was never opened.
func TestBusyCreateSurvivesARestart(t *testing.T) { overBoth(t, busyCreateSurvivesARestart) }

func busyCreateSurvivesARestart(t *testing.T, h *shop) {
	h.gateway.createHook = once(busy(20*time.Second), nil)
	s := h.chosen("25", usdt())
	h.restart()
	if err := h.service.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.wantStatus(s.ID, wire.Preparing)
	h.run(22 * time.Second)
	h.wantStatus(s.ID, wire.Pending)
	h.wantOne(s.ID)
}

// Of several that find a create due, one sends it.
func TestBusyCreateIsSentByOne(t *testing.T) { overBoth(t, busyCreateIsSentByOne) }

func busyCreateIsSentByOne(t *testing.T, h *shop) {
	h.gateway.createHook = once(busy(20*time.Second), nil)
	s := h.chosen("25", usdt())
	h.clock.move(21 * time.Second)
	stale := h.load(s.ID)
	for range 4 {
		if err := h.service.Tend(t.Context(), stale); err != nil {
			t.Fatal(err)
		}
		must(t)(h.choose(s.ID, usdt()))
	}
	if n := h.gateway.called("create"); n != 2 {
		t.Errorf("creates = %d; want 2", n)
	}
	h.wantOne(s.ID)
}

// Nothing is opened for an order that was paid while the create waited.
func TestBusyCreateOfAPaidOrder(t *testing.T) { overBoth(t, busyCreateOfAPaidOrder) }

func busyCreateOfAPaidOrder(t *testing.T, h *shop) {
	s := h.chosen("25", usdt())
	h.gateway.createHook = func(payment.CreateRequest) (error, error) {
		return busy(20 * time.Second), nil
	}
	must(t)(h.choose(s.ID, bnb()))
	h.gateway.createHook = nil
	h.gateway.pay("T00001", dec("25"), "0xa")
	must(t)(h.service.Recheck(t.Context(), s.ID))
	h.run(time.Minute)
	h.wantStatus(s.ID, wire.Confirmed)
	if live := h.gateway.live(); len(live) != 0 {
		t.Errorf("live at the gateway = %v; want none", live)
	}
	if n := h.gateway.called("create"); n != 2 {
		t.Errorf("creates = %d; want 2", n)
	}
}
