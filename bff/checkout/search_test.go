package checkout_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// Many unanswered creates share one search, which adopts transactions of all of them.
func TestSearchesShareTheList(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	const lost = 60
	h.Gateway.CreateHook = func(payment.CreateRequest) (before, after error) {
		return nil, checkouttest.LostAnswer()
	}
	var ids []string
	for range lost {
		ids = append(ids, h.Chosen("25", checkouttest.USDT()).ID)
	}
	h.Gateway.CreateHook = nil
	h.Clock.Move(13 * time.Second)
	due, err := h.Store.Claim(t.Context(), h.Clock.Now(), time.Minute, lost, false)
	if err != nil || len(due) != lost {
		t.Fatalf("Claim = %d sessions, %v", len(due), err)
	}
	for _, s := range due {
		fortest.OK(t, h.Service.Process(t.Context(), s))
		for !h.Service.LastBeats()["search"].IsZero() { // may take long on a busy machine
			time.Sleep(time.Millisecond)
		}
	}
	for _, id := range ids {
		if a := h.Load(id).Attempts[0]; a.TrackingCode == "" {
			t.Fatalf("session %s does not know its transaction", id)
		}
	}
	if pages := h.Gateway.Calls("list"); pages > 6 {
		t.Errorf("%d pages were read for %d transactions; want them shared", pages, lost)
	}
	h.Run(time.Minute)
	for _, id := range ids {
		h.WantStatus(id, wire.Pending)
	}
	fortest.Equal(t, len(h.Gateway.Live()), lost, "transactions can be paid")
}

// A stuck search is detected, and one that waits for the gateway is not taken for stuck.
func TestSearchesAlternate(t *testing.T) {
	for name, stuck := range map[string]bool{"away": false, "stuck": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := checkouttest.NewShop(t)
				h.Gateway.CreateHook = checkouttest.Once(nil, checkouttest.LostAnswer())
				h.Chosen("25", checkouttest.USDT())
				turned := func() time.Time { return h.Service.LastBeats()["search"] }
				var searched atomic.Bool
				freed := make(chan struct{})
				h.Gateway.ListHook = func() error {
					searched.Store(time.Since(turned()) == 0)
					if time.Sleep(10 * time.Second); stuck {
						<-freed
					}
					return checkouttest.LostAnswer()
				}
				if !turned().IsZero() {
					t.Error("a search before there is any")
				}
				for range 20 {
					h.Run(20 * time.Second)
					time.Sleep(20 * time.Second)
					late := time.Since(turned())
					if !stuck && !turned().IsZero() && late > time.Minute {
						t.Errorf("the search has not turned for %v", late)
					}
				}
				if late := time.Since(turned()); !searched.Load() ||
					stuck && (turned().IsZero() || late < 2*time.Minute) {
					t.Errorf("searched %t, turned %v ago", searched.Load(), late)
				}
				close(freed)
				h.Service.Close()
				if !turned().IsZero() {
					t.Error("the search continues")
				}
			})
		})
	}
}

// The second transaction of one create is canceled and never shown; payments of it are
// reported, not counted.
func TestDuplicateTransaction(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	var asked payment.CreateRequest
	h.Gateway.CreateHook = func(req payment.CreateRequest) (before, after error) {
		asked = req
		return nil, nil
	}
	s := h.Chosen("25", checkouttest.USDT())
	h.Gateway.Add(asked)
	second := h.Gateway.All()[1]
	h.Gateway.CreateHook = checkouttest.Once(nil, checkouttest.LostAnswer())
	h.Chosen("10.01", checkouttest.USDT()) // whose search reads the list
	h.Run(time.Minute)
	got := h.Load(s.ID)
	if len(got.Attempts) != 2 || got.Attempts[1].State != payment.Duplicate ||
		got.Attempts[1].TrackingCode != second.TrackingCode {
		t.Fatalf("attempts = %+v; want the duplicate beside the first\n%s", got.Attempts,
			h.Timeline(s.ID))
	}
	h.WantStatus(s.ID, wire.Pending)
	fortest.Equal(t, h.View(s.ID).Attempt.Address, h.Gateway.All()[0].Address, "shown")
	if slices.Contains(h.Gateway.Live(), second.TrackingCode) {
		t.Error("the duplicate can still be paid")
	}
	h.Gateway.Pay(second.TrackingCode, got.Attempts[0].PayAmount, "0xstray")
	h.Run(10 * time.Minute)
	h.WantStatus(s.ID, wire.Review)
	if !slices.Contains(h.EventTypes(s.ID), payment.EventReview) ||
		slices.Contains(h.EventTypes(s.ID), payment.EventConfirmed) {
		t.Errorf("reported: %v", h.EventTypes(s.ID))
	}
}

// Results obtained under a lost lease are not stored.
func TestFenced(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Chosen("25", checkouttest.USDT())
	h.Run(5 * time.Second)
	h.Clock.Move(time.Minute)
	claimed, err := h.Store.Claim(t.Context(), h.Clock.Now(), time.Second, 1, false)
	if err != nil || len(claimed) != 1 {
		t.Fatalf("Claim = %d, %v", len(claimed), err)
	}
	h.Clock.Move(2 * time.Second) // it was stopped for longer than its lease
	later, err := h.Store.Claim(t.Context(), h.Clock.Now(), time.Minute, 1, false)
	if err != nil || len(later) != 1 || later[0].Epoch <= claimed[0].Epoch {
		t.Fatalf("second Claim = %+v, %v; want a higher epoch than %d", later, err,
			claimed[0].Epoch)
	}
	h.Gateway.Pay(h.Gateway.All()[0].TrackingCode, s.Attempts[0].PayAmount, "0xa")
	fortest.Is(t, h.Service.Process(t.Context(), claimed[0]), payment.ErrFenced,
		"Tend by the old holder")
	h.WantStatus(s.ID, wire.Pending)
	if again, err := h.Store.Claim(t.Context(), h.Clock.Now(), time.Minute, 1,
		false); err != nil || len(again) != 0 {
		t.Errorf("the old holder has ended the new one's lease: %v, %v", again, err)
	}
	if err := h.Service.Process(t.Context(), later[0]); err != nil {
		t.Errorf("Tend by the new holder = %v", err)
	}
	h.WantStatus(s.ID, wire.Confirmed)
}

// A check canceled by a shutdown is repeated by the next instance at once.
func TestCheckCanceled(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	h.Chosen("25", checkouttest.USDT())
	h.Clock.Move(20 * time.Second)
	due, err := h.Store.Claim(t.Context(), h.Clock.Now(), time.Minute, 1, false)
	if err != nil || len(due) != 1 {
		t.Fatalf("Claim = %d, %v", len(due), err)
	}
	ctx, stop := context.WithCancel(t.Context())
	h.Gateway.StatusHook = func(string) error { stop(); return ctx.Err() }
	fortest.Is(t, h.Service.Process(ctx, due[0]), context.Canceled, "Tend")
	if again, err := h.Store.Claim(t.Context(), h.Clock.Now(), time.Minute, 1,
		false); err != nil || len(again) != 1 {
		t.Errorf("Claim by the next = %d, %v; want the same session", len(again), err)
	}
}

// A create that a suspended process would send too late is not sent.
func TestTooLateToSend(t *testing.T) {
	h := checkouttest.NewShop(t)
	schedule := payment.DefaultSchedule()
	schedule.CreateTimeout = time.Nanosecond
	h.Service = checkout.New(checkout.Config{
		Store:    h.Store,
		Gateway:  h.Gateway,
		Page:     "https://shop.test/checkout/",
		Now:      h.Clock.Now,
		Schedule: schedule,
	})
	s := h.Chosen("25", checkouttest.USDT())
	h.WantCalls("create", 0)
	h.WantStatus(s.ID, wire.Open)
}
