package checkout_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

func TestPaymentFromOrderToConfirmation(t *testing.T) { overBoth(t, paymentFromOrderToConfirmation) }

func paymentFromOrderToConfirmation(t *testing.T, h *shop) {
	s := h.open("25.00")
	h.wantStatus(s.ID, wire.Open)
	s = must(t)(h.choose(s.ID, usdt()))
	v := h.view(s.ID)
	tx := h.gateway.all()[0]
	if v.Status != wire.Pending || v.Attempt.Address != tx.address || v.Attempt.PayAmount != "25.00000000" || v.Attempt.PayableAmount != "25" {
		t.Fatalf("view = %+v, attempt %+v; want the gateway's address and amount", v, v.Attempt)
	}
	if !strings.Contains(tx.Comment, s.Attempts[0].Marker) {
		t.Errorf("comment = %q; want the marker %q in it", tx.Comment, s.Attempts[0].Marker)
	}
	h.run(time.Minute)
	h.wantStatus(s.ID, wire.Pending)
	h.gateway.pay(tx.TrackingCode, dec("10"), "0xa")
	h.run(20 * time.Second)
	if a := h.view(s.ID).Attempt; a.PaidAmount != "10" || a.MissingAmount != "15" {
		t.Errorf("paid %q, missing %q; want 10 and 15", a.PaidAmount, a.MissingAmount)
	}
	h.gateway.pay(tx.TrackingCode, dec("15.5"), "0xb")
	h.run(20 * time.Second)
	h.wantStatus(s.ID, wire.Confirmed)
	if a := h.view(s.ID).Attempt; a.OverpaidAmount != "0.5" || a.Late {
		t.Errorf("overpaid %q, late %v; want 0.5 in time", a.OverpaidAmount, a.Late)
	}
	h.wantTold(s.ID, payment.EventPending, payment.EventPartial, payment.EventConfirmed)
	h.run(100 * time.Hour)
	h.wantTold(s.ID, payment.EventPending, payment.EventPartial, payment.EventConfirmed)
	if due := h.load(s.ID).DueAt; !due.IsZero() {
		t.Errorf("DueAt of a confirmed session = %v; want none", due)
	}
}

func TestManyClicksAreOneCreate(t *testing.T) { overBoth(t, manyClicksAreOneCreate) }

func manyClicksAreOneCreate(t *testing.T, h *shop) {
	s := h.open("25")
	var clicks sync.WaitGroup
	for range 50 {
		clicks.Go(func() {
			if _, err := h.service.Choose(context.Background(), s.ID, usdt()); err != nil {
				t.Errorf("Choose = %v; want every click answered", err)
			}
		})
	}
	clicks.Wait()
	h.service.Close()
	if n := h.gateway.called("create"); n != 1 {
		t.Errorf("creates = %d; want 1", n)
	}
	h.wantStatus(s.ID, wire.Pending)
}

func TestOtherCoinWhilePreparing(t *testing.T) {
	h := newShop(t)
	s := h.open("25")
	arrived, release := make(chan struct{}), make(chan struct{})
	h.gateway.createHook = func(payment.CreateRequest) (error, error) {
		close(arrived)
		<-release
		return nil, nil
	}
	ctx, leave := context.WithCancel(t.Context())
	var tab sync.WaitGroup
	tab.Go(func() { h.service.Choose(ctx, s.ID, usdt()) })
	<-arrived
	_, err := h.choose(s.ID, bnb())
	wantCode(t, err, wire.CodePaymentInProgress)
	if s := must(t)(h.choose(s.ID, usdt())); s.Status != wire.Preparing {
		t.Errorf("status for the second tab = %s; want preparing", s.Status)
	}
	leave() // the shopper closes the tab; the create goes on
	tab.Wait()
	close(release)
	h.service.Close()
	h.wantStatus(s.ID, wire.Pending)
}

func TestChangeOfCoinCancelsFirst(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	first := h.view(s.ID).Attempt.Address
	h.gateway.createHook = func(payment.CreateRequest) (error, error) {
		if live := h.gateway.live(); len(live) != 0 {
			t.Errorf("live at the gateway during create = %v; want none", live)
		}
		return nil, nil
	}
	s = must(t)(h.choose(s.ID, bnb()))
	if a := h.view(s.ID).Attempt; a.Number != 2 || a.Address == first || a.CurrencySymbol != "BNB" {
		t.Errorf("attempt = %+v; want the second, in BNB", a)
	}
	h.wantTold(s.ID, payment.EventPending, payment.EventPending)
}

func TestUnfinishedPaymentIsNotCalledOff(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.gateway.pay(s.Attempts[0].TrackingCode, dec("3"), "0xa")
	_, err := h.choose(s.ID, bnb())
	wantCode(t, err, wire.CodePaymentInProgress)
	_, err = h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper)
	wantCode(t, err, wire.CodePaymentInProgress)
	if n := h.gateway.called("cancel"); n != 0 {
		t.Errorf("cancels = %d; want 0", n)
	}
	h.wantTold(s.ID, payment.EventPending, payment.EventPartial)
}

// The payment that was seen while a coin was changed used to be forgotten
// until the next check, although the shopper was told of it.
func TestPaidWhileChanging(t *testing.T) {
	for name, act := range map[string]func(*shop, string) error{
		"change": func(h *shop, id string) error { _, err := h.choose(id, bnb()); return err },
		"cancel": func(h *shop, id string) error {
			_, err := h.service.Cancel(h.t.Context(), id, payment.ClosedByMerchant)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newShop(t)
			s := h.chosen("25", usdt())
			h.gateway.pay(s.Attempts[0].TrackingCode, dec("25"), "0xa")
			wantCode(t, act(h, s.ID), wire.CodeSessionPaid)
			h.wantStatus(s.ID, wire.Confirmed)
			h.wantTold(s.ID, payment.EventPending, payment.EventConfirmed)
		})
	}
}

// The transaction used to be cancelled before it was known whether another one
// may be opened: the shopper was left with neither.
func TestRefusedChangeCancelsNothing(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	for i := range 11 {
		s = must(t)(h.choose(s.ID, []wire.Choice{bnb(), usdt()}[i%2]))
	}
	if h.view(s.ID).Can(wire.Change) {
		t.Errorf("change is offered after %d attempts", len(s.Attempts))
	}
	_, err := h.choose(s.ID, usdt())
	wantCode(t, err, wire.CodeTooManyAttempts)
	if live := h.gateway.live(); len(live) != 1 {
		t.Errorf("live at the gateway = %v; want the one that is shown", live)
	}
}

func TestOutcomesOfCreateThatNothingCameOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		calls int
		want  wire.Code
	}{
		{"refused", no(payment.ReasonRefused), 1, wire.CodePaymentRefused},
		{"invalid", no(payment.ReasonInvalid), 1, wire.CodePaymentRefused},
		{"busy for long", busy(2 * time.Minute), 1, wire.CodeGatewayUnavailable},
		{"key", no(payment.ReasonKey), 1, wire.CodeGatewayUnavailable},
		{"unsent", no(payment.ReasonUnsent), 3, wire.CodeGatewayUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newShop(t)
				h.gateway.createHook = func(payment.CreateRequest) (error, error) { return c.err, nil }
				s := h.chosen("25", usdt())
				v := h.view(s.ID)
				if v.Status != wire.Open || v.Attempt != nil || v.Notice == nil || v.Notice.Code != c.want || !v.Can(wire.Choose) {
					t.Errorf("view = %+v, notice %+v; want open, a notice of %s and choose", v, v.Notice, c.want)
				}
				if n := h.gateway.called("create"); n != c.calls {
					t.Errorf("creates = %d; want %d", n, c.calls)
				}
				h.gateway.createHook = nil
				s = must(t)(h.choose(s.ID, bnb()))
				if v := h.view(s.ID); v.Status != wire.Pending || v.Notice != nil {
					t.Errorf("after another choice: %s, notice %v; want pending without", v.Status, v.Notice)
				}
			})
		})
	}
}

func TestUnsentIsSentOnceItCan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newShop(t)
		h.gateway.createHook = once(no(payment.ReasonUnsent), nil)
		s := h.chosen("25", usdt())
		h.wantStatus(s.ID, wire.Pending)
	})
}

// The reason of a choice that led nowhere used to outlive the session.
func TestNoticeEndsWithTheSession(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = once(no(payment.ReasonRefused), nil)
	s := h.chosen("25", usdt())
	must(t)(h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper))
	if v := h.view(s.ID); v.Notice != nil || v.Status != wire.Cancelled {
		t.Errorf("%s with notice %+v; want cancelled without", v.Status, v.Notice)
	}
}

func TestRejectedAnswerIsNeverShown(t *testing.T) {
	for name, mangle := range map[string]func(*payment.Created){
		"bad checksum": func(c *payment.Created) { c.Address = strings.Replace(c.Address, c.Address[9:10], "z", 1) },
		"no address":   func(c *payment.Created) { c.Address = "" },
		"wrong amount": func(c *payment.Created) { c.AmountUSD = dec("2.5") },
		"wrong coin":   func(c *payment.Created) { c.CurrencySymbol = "USDC" },
		"a million":    func(c *payment.Created) { c.PayAmount = dec("25000000") },
		"bad tracking": func(c *payment.Created) { c.TrackingCode = "../x" },
	} {
		t.Run(name, func(t *testing.T) {
			h := newShop(t)
			h.gateway.mangle = mangle
			s := h.chosen("25", usdt())
			v := h.view(s.ID)
			if v.Status != wire.Open || v.Attempt != nil || v.Notice == nil || v.Notice.Code != wire.CodePaymentRefused {
				t.Fatalf("view = %+v, notice %+v; want open with payment_refused", v, v.Notice)
			}
			h.run(3 * time.Minute)
			if live := h.gateway.live(); len(live) != 0 {
				t.Errorf("live at the gateway = %v; want none", live)
			}
		})
	}
}

func TestTrackingCodeOfAnotherSessionIsRefused(t *testing.T) {
	overBoth(t, trackingCodeOfAnotherSessionIsRefused)
}

func trackingCodeOfAnotherSessionIsRefused(t *testing.T, h *shop) {
	first := h.chosen("25", usdt())
	h.gateway.mangle = func(c *payment.Created) { c.TrackingCode = first.Attempts[0].TrackingCode }
	second := h.chosen("25", usdt())
	h.wantStatus(second.ID, wire.Open)
	h.run(time.Minute)
	h.wantStatus(first.ID, wire.Pending)
	if live := h.gateway.live(); len(live) == 0 || live[0] != first.Attempts[0].TrackingCode {
		t.Errorf("live at the gateway = %v; want the first session's left alone", live)
	}
}

func TestChoiceErrors(t *testing.T) {
	h := newShop(t)
	s := h.open("2")
	for _, c := range []struct {
		choice wire.Choice
		want   wire.Code
	}{
		{wire.Choice{CurrencySymbol: "USDT", NetworkCode: "bep20"}, wire.CodeAmountBelowMinimum},
		{wire.Choice{CurrencySymbol: "DOGE"}, wire.CodeNetworkUnsupported},
		{wire.Choice{}, wire.CodeNetworkRequired},
		{wire.Choice{CurrencySymbol: "USDT", NetworkCode: "trc20", Email: "a@b\r\nBcc: c@d"}, wire.CodeInvalid},
		{wire.Choice{CurrencySymbol: "USDT", NetworkCode: "trc20", Comment: strings.Repeat("x", 201)}, wire.CodeInvalid},
	} {
		_, err := h.choose(s.ID, c.choice)
		wantCode(t, err, c.want)
	}
	_, err := h.choose("cs_nobody", usdt())
	wantCode(t, err, wire.CodeSessionUnknown)
	_, err = h.choose(h.open("1000.01").ID, usdt())
	wantCode(t, err, wire.CodeAmountAboveMaximum)
	if n := h.gateway.called("create"); n != 0 {
		t.Errorf("creates = %d; want 0", n)
	}
}

func TestCurrenciesUnavailable(t *testing.T) {
	h := newShop(t)
	h.gateway.coinsHook = cut
	s := h.open("25")
	_, err := h.choose(s.ID, usdt())
	wantCode(t, err, wire.CodeGatewayUnavailable)
	h.gateway.coinsHook = nil
	must(t)(h.choose(s.ID, usdt()))
}

func TestOpenIsIdempotent(t *testing.T) { overBoth(t, openIsIdempotent) }

func openIsIdempotent(t *testing.T, h *shop) {
	open := func(o payment.Order, key string) (payment.Session, bool, error) {
		return h.service.Open(t.Context(), o, key)
	}
	a, created, err := open(payment.Order{AmountUSD: dec("25"), Ref: "1001"}, "k1")
	if err != nil || !created {
		t.Fatalf("Open = %v, %v; want a new session", created, err)
	}
	for _, key := range []string{"k1", "k2", ""} {
		b, created, err := open(payment.Order{AmountUSD: dec("25.00"), Ref: "1001", ExpiresIn: 24 * time.Hour}, key)
		if err != nil || created || b.ID != a.ID {
			t.Errorf("Open with key %q = %s, %v, %v; want %s again", key, b.ID, created, err, a.ID)
		}
	}
	_, _, err = open(payment.Order{AmountUSD: dec("25.01"), Ref: "1001"}, "")
	wantCode(t, err, wire.CodeOrderConflict)
	_, _, err = open(payment.Order{AmountUSD: dec("9")}, "k1")
	wantCode(t, err, wire.CodeIdempotency)
	if s := h.open("25"); s.ID == a.ID {
		t.Errorf("an order without reference joined %s", a.ID)
	}
	_, _, err = open(payment.Order{}, "")
	wantCode(t, err, wire.CodeInvalid)
}

func TestSessionExpires(t *testing.T) {
	h := newShop(t)
	s, _, err := h.service.Open(t.Context(), payment.Order{AmountUSD: dec("25"), ExpiresIn: time.Hour}, "")
	if err != nil {
		t.Fatal(err)
	}
	h.clock.move(time.Hour)
	_, err = h.choose(s.ID, usdt()) // before anybody has tended it
	wantCode(t, err, wire.CodeSessionExpired)
	if err := h.tend(); err != nil {
		t.Fatal(err)
	}
	h.wantStatus(s.ID, wire.Expired)
	h.wantTold(s.ID, payment.EventExpired)
	_, err = h.choose(s.ID, usdt())
	wantCode(t, err, wire.CodeSessionExpired)
	if v := h.view(s.ID); len(v.Actions) != 0 {
		t.Errorf("actions = %v; want none", v.Actions)
	}
	if due := h.load(s.ID).DueAt; !due.IsZero() {
		t.Errorf("DueAt = %v; want none", due)
	}
}

func TestFailedCommitIsNotTakenForAnAnswer(t *testing.T) {
	disk := errors.New("disk I/O error")
	for name, outcome := range map[string][2]error{"not written": {disk, nil}, "written": {nil, disk}} {
		t.Run("intent "+name, func(t *testing.T) {
			h := newShop(t)
			s := h.open("25")
			h.store.failUpdates(func() (error, error) { return outcome[0], outcome[1] })
			if _, err := h.choose(s.ID, usdt()); !errors.Is(err, disk) {
				t.Fatalf("Choose = %v; want the store's error", err)
			}
			if n := h.gateway.called("create"); n != 0 {
				t.Fatalf("creates = %d; want none before the intent is known to be stored", n)
			}
			h.store.failUpdates(nil)
			h.run(2 * time.Minute)
			if h.load(s.ID).Status == wire.Open {
				must(t)(h.choose(s.ID, usdt()))
			}
			h.wantStatus(s.ID, wire.Pending)
			if n := len(h.gateway.all()); n != 1 {
				t.Errorf("transactions at the gateway = %d; want 1", n)
			}
		})
		t.Run("answer "+name, func(t *testing.T) {
			h := newShop(t)
			s := h.open("25")
			h.gateway.createHook = func(payment.CreateRequest) (error, error) {
				h.store.failUpdates(func() (error, error) { return outcome[0], outcome[1] })
				return nil, nil
			}
			h.choose(s.ID, usdt())
			h.store.failUpdates(nil)
			h.gateway.createHook = nil
			h.run(2 * time.Minute)
			h.wantOne(s.ID)
		})
	}
}

// An outage used to use up the attempts of a session, although nothing was ever
// opened.
func TestOutageUsesUpNothing(t *testing.T) { overBoth(t, outageUsesUpNothing) }

func outageUsesUpNothing(t *testing.T, h *shop) {
	s := h.open("25")
	for _, err := range []error{
		no(payment.ReasonUnsent), busy(2 * time.Minute), no(payment.ReasonKey),
	} {
		h.gateway.createHook = func(payment.CreateRequest) (before, after error) { return err, nil }
		for range 10 {
			if _, err := h.choose(s.ID, usdt()); err != nil {
				t.Fatalf("Choose = %v", err)
			}
			h.wantStatus(s.ID, wire.Open)
		}
	}
	h.gateway.createHook = nil
	must(t)(h.choose(s.ID, usdt()))
	h.wantStatus(s.ID, wire.Pending)
	if n := len(h.load(s.ID).Attempts); n != 1 {
		t.Errorf("%d attempts; want the one that was opened", n)
	}
	h.gateway.createHook = func(payment.CreateRequest) (before, after error) { return no(payment.ReasonRefused), nil }
	other := h.open("25")
	var err error
	for range 20 {
		_, err = h.choose(other.ID, usdt())
	}
	wantCode(t, err, wire.CodeTooManyAttempts) // these were sent
}

// A process that dies between a re-verification and reading its result leaves
// that to be read soon, not at the next late look.
func TestRecheckWhoseResultNobodyRead(t *testing.T) { overBoth(t, recheckWhoseResultNobodyRead) }

func recheckWhoseResultNobodyRead(t *testing.T, h *shop) {
	s := h.chosen("25", usdt())
	code := s.Attempts[0].TrackingCode
	h.gateway.set(code, func(tx *transaction) { tx.Status = "expired" })
	h.run(2 * time.Hour) // the look after an hour is over
	h.wantStatus(s.ID, wire.Expired)
	h.gateway.pay(code, s.Attempts[0].PayAmount, "0xa")
	h.gateway.set(code, func(tx *transaction) { tx.Status = "confirmed" }) // verified again
	h.gateway.statusHook = func(string) error { return cut() }
	h.service.Recheck(t.Context(), s.ID)
	h.gateway.statusHook = nil
	h.restart()
	h.run(time.Minute)
	h.wantStatus(s.ID, wire.Confirmed)
}
