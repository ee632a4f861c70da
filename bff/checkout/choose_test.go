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
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

func TestPaymentFromOrderToConfirmation(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Open("25.00")
	h.WantStatus(s.ID, wire.Open)
	s = h.Must(h.Choose(s.ID, checkouttest.USDT()))
	v := h.View(s.ID)
	tx := h.Gateway.All()[0]
	if v.Status != wire.Pending || v.Attempt.Address != tx.Address ||
		v.Attempt.PayAmount != "25.00000000" || v.Attempt.PayableAmount != "25" {
		t.Fatalf("view = %+v, attempt %+v; want the gateway's address and amount", v, v.Attempt)
	}
	fortest.Has(t, "comment", tx.Comment, s.Attempts[0].Marker)
	h.Run(time.Minute)
	h.WantStatus(s.ID, wire.Pending)
	h.Gateway.Pay(tx.TrackingCode, checkouttest.Dec("10"), "0xa")
	h.Run(20 * time.Second)
	if a := h.View(s.ID).Attempt; a.PaidAmount != "10" || a.MissingAmount != "15" {
		t.Errorf("paid %q, missing %q; want 10 and 15", a.PaidAmount, a.MissingAmount)
	}
	h.Gateway.Pay(tx.TrackingCode, checkouttest.Dec("15.5"), "0xb")
	h.Run(20 * time.Second)
	h.WantStatus(s.ID, wire.Confirmed)
	if a := h.View(s.ID).Attempt; a.OverpaidAmount != "0.5" || a.Late {
		t.Errorf("overpaid %q, late %v; want 0.5 in time", a.OverpaidAmount, a.Late)
	}
	h.WantEvents(s.ID, payment.EventPending, payment.EventPartial, payment.EventConfirmed)
	h.Run(100 * time.Hour)
	h.WantEvents(s.ID, payment.EventPending, payment.EventPartial, payment.EventConfirmed)
	h.WantNotDue(s.ID)
}

func TestManyClicksAreOneCreate(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Open("25")
	var clicks sync.WaitGroup
	for range 50 {
		clicks.Go(func() {
			_, err := h.Service.Choose(context.Background(), s.ID, checkouttest.USDT())
			if err != nil {
				t.Errorf("Choose = %v; want every click answered", err)
			}
		})
	}
	clicks.Wait()
	h.Service.Close()
	h.WantCalls("create", 1)
	h.WantStatus(s.ID, wire.Pending)
}

func TestOtherCoinWhilePreparing(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Open("25")
	arrived, release := h.BlockCreate()
	ctx, leave := context.WithCancel(t.Context())
	var tab sync.WaitGroup
	tab.Go(func() { h.Service.Choose(ctx, s.ID, checkouttest.USDT()) })
	<-arrived
	h.WantCode(wire.CodePaymentInProgress)(h.Choose(s.ID, checkouttest.BNB()))
	fortest.Equal(t, h.Must(h.Choose(s.ID, checkouttest.USDT())).Status, wire.Preparing,
		"status for the second tab")
	leave() // the shopper closes the tab; the create continues
	tab.Wait()
	close(release)
	h.Service.Close()
	h.WantStatus(s.ID, wire.Pending)
}

func TestChangeOfCoinCancelsFirst(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	first := h.View(s.ID).Attempt.Address
	h.Gateway.CreateHook = func(payment.CreateRequest) (error, error) {
		h.WantLive(0)
		return nil, nil
	}
	s = h.Must(h.Choose(s.ID, checkouttest.BNB()))
	if a := h.View(s.ID).Attempt; a.Number != 2 || a.Address == first || a.CurrencySymbol != "BNB" {
		t.Errorf("attempt = %+v; want the second, in BNB", a)
	}
	h.WantEvents(s.ID, payment.EventPending, payment.EventPending)
}

func TestUnfinishedPaymentIsNotCanceled(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	h.Gateway.Pay(s.Attempts[0].TrackingCode, checkouttest.Dec("3"), "0xa")
	h.WantCode(wire.CodePaymentInProgress)(h.Choose(s.ID, checkouttest.BNB()))
	h.WantCode(wire.CodePaymentInProgress)(h.Cancel(s.ID, payment.ClosedByShopper))
	h.WantCalls("cancel", 0)
	h.WantEvents(s.ID, payment.EventPending, payment.EventPartial)
}

// A payment seen during a change of coin is recorded at once.
func TestPaidWhileChanging(t *testing.T) {
	for name, act := range map[string]func(*checkouttest.Shop, string) error{
		"change": func(h *checkouttest.Shop, id string) error {
			_, err := h.Choose(id, checkouttest.BNB())
			return err
		},
		"cancel": func(h *checkouttest.Shop, id string) error {
			_, err := h.Cancel(id, payment.ClosedByMerchant)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, s := checkouttest.NewPending(t)
			h.Gateway.Pay(s.Attempts[0].TrackingCode, checkouttest.Dec("25"), "0xa")
			checkouttest.WantCode(t, act(h, s.ID), wire.CodeSessionPaid)
			h.WantStatus(s.ID, wire.Confirmed)
			h.WantEvents(s.ID, payment.EventPending, payment.EventConfirmed)
		})
	}
}

// A change of coin cancels nothing unless another attempt may be opened.
func TestRefusedChangeCancelsNothing(t *testing.T) {
	h, s := checkouttest.NewPending(t)
	for i := range 11 {
		s = h.Must(h.Choose(s.ID, []wire.Choice{checkouttest.BNB(), checkouttest.USDT()}[i%2]))
	}
	if h.View(s.ID).Can(wire.Change) {
		t.Errorf("change is offered after %d attempts", len(s.Attempts))
	}
	h.WantCode(wire.CodeTooManyAttempts)(h.Choose(s.ID, checkouttest.USDT()))
	h.WantLive(1)
}

func TestOutcomesOfCreateThatNothingCameOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		calls int
		want  wire.Code
	}{
		{"refused", checkouttest.Refusal(payment.ReasonRefused), 1, wire.CodePaymentRefused},
		{"invalid", checkouttest.Refusal(payment.ReasonInvalid), 1, wire.CodePaymentRefused},
		{"busy for long", busy(2 * time.Minute), 1, wire.CodeGatewayUnavailable},
		{"key", checkouttest.Refusal(payment.ReasonKey), 1, wire.CodeGatewayUnavailable},
		{"unsent", checkouttest.Refusal(payment.ReasonUnsent), 3, wire.CodeGatewayUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := checkouttest.NewShop(t)
				h.Gateway.CreateHook = func(payment.CreateRequest) (error, error) {
					return c.err, nil
				}
				s := h.Chosen("25", checkouttest.USDT())
				v := h.View(s.ID)
				if v.Status != wire.Open || v.Attempt != nil || v.Notice == nil ||
					v.Notice.Code != c.want || !v.Can(wire.Choose) {
					t.Errorf("view = %+v, notice %+v; want open, a notice of %s and choose", v,
						v.Notice, c.want)
				}
				fortest.Equal(t, h.Gateway.Calls("create"), c.calls, "creates")
				h.Gateway.CreateHook = nil
				s = h.Must(h.Choose(s.ID, checkouttest.BNB()))
				if v := h.View(s.ID); v.Status != wire.Pending || v.Notice != nil {
					t.Errorf("after another choice: %s, notice %v; want pending without", v.Status,
						v.Notice)
				}
			})
		})
	}
}

func TestUnsentIsSentOnceItCan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := checkouttest.NewShop(t)
		h.Gateway.CreateHook = checkouttest.Once(checkouttest.Refusal(payment.ReasonUnsent), nil)
		s := h.Chosen("25", checkouttest.USDT())
		h.WantStatus(s.ID, wire.Pending)
	})
}

// A notice ends with its session.
func TestNoticeEndsWithTheSession(t *testing.T) {
	h := checkouttest.NewShop(t)
	h.Gateway.CreateHook = checkouttest.Once(checkouttest.Refusal(payment.ReasonRefused), nil)
	s := h.Chosen("25", checkouttest.USDT())
	h.Must(h.Cancel(s.ID, payment.ClosedByShopper))
	if v := h.View(s.ID); v.Notice != nil || v.Status != wire.Cancelled {
		t.Errorf("%s with notice %+v; want cancelled without", v.Status, v.Notice)
	}
}

func TestRejectedAnswerIsNeverShown(t *testing.T) {
	for name, mangle := range map[string]func(*payment.Created){
		"bad checksum": func(c *payment.Created) {
			c.Address = strings.Replace(c.Address, c.Address[9:10], "z", 1)
		},
		"no address":   func(c *payment.Created) { c.Address = "" },
		"wrong amount": func(c *payment.Created) { c.AmountUSD = checkouttest.Dec("2.5") },
		"wrong coin":   func(c *payment.Created) { c.CurrencySymbol = "USDC" },
		"a million":    func(c *payment.Created) { c.PayAmount = checkouttest.Dec("25000000") },
		"bad tracking": func(c *payment.Created) { c.TrackingCode = "../x" },
	} {
		t.Run(name, func(t *testing.T) {
			h := checkouttest.NewShop(t)
			h.Gateway.MangleCreated = mangle
			s := h.Chosen("25", checkouttest.USDT())
			v := h.View(s.ID)
			if v.Status != wire.Open || v.Attempt != nil || v.Notice == nil ||
				v.Notice.Code != wire.CodePaymentRefused {
				t.Fatalf("view = %+v, notice %+v; want open with payment_refused", v, v.Notice)
			}
			h.Run(3 * time.Minute)
			h.WantLive(0)
		})
	}
}

func TestTrackingCodeOfAnotherSessionIsRefused(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	first := h.Chosen("25", checkouttest.USDT())
	h.Gateway.MangleCreated = func(c *payment.Created) {
		c.TrackingCode = first.Attempts[0].TrackingCode
	}
	second := h.Chosen("25", checkouttest.USDT())
	h.WantStatus(second.ID, wire.Open)
	h.Run(time.Minute)
	h.WantStatus(first.ID, wire.Pending)
	if live := h.Gateway.Live(); len(live) == 0 || live[0] != first.Attempts[0].TrackingCode {
		t.Errorf("live at the gateway = %v; want the first session's left alone", live)
	}
}

func TestChoiceErrors(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Open("2")
	for _, c := range []struct {
		choice wire.Choice
		want   wire.Code
	}{
		{wire.Choice{CurrencySymbol: "USDT", NetworkCode: "bep20"}, wire.CodeAmountBelowMinimum},
		{wire.Choice{CurrencySymbol: "DOGE"}, wire.CodeNetworkUnsupported},
		{wire.Choice{}, wire.CodeNetworkRequired},
		{
			wire.Choice{CurrencySymbol: "USDT", NetworkCode: "trc20", Email: "a@b\r\nBcc: c@d"},
			wire.CodeInvalid,
		},
		{
			wire.Choice{
				CurrencySymbol: "USDT",
				NetworkCode:    "trc20",
				Comment:        strings.Repeat("x", 201),
			},
			wire.CodeInvalid,
		},
	} {
		h.WantCode(c.want)(h.Choose(s.ID, c.choice))
	}
	h.WantCode(wire.CodeSessionUnknown)(h.Choose("cs_unknown", checkouttest.USDT()))
	h.WantCode(wire.CodeAmountAboveMaximum)(h.Choose(h.Open("1000.01").ID, checkouttest.USDT()))
	h.WantCalls("create", 0)
}

func TestCurrenciesUnavailable(t *testing.T) {
	h := checkouttest.NewShop(t)
	h.Gateway.CoinsHook = checkouttest.LostAnswer
	s := h.Open("25")
	h.WantCode(wire.CodeGatewayUnavailable)(h.Choose(s.ID, checkouttest.USDT()))
	h.Gateway.CoinsHook = nil
	h.Must(h.Choose(s.ID, checkouttest.USDT()))
}

func TestOpenIsIdempotent(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	open := func(o payment.Order, key string) (checkout.Opened, error) {
		return h.Service.Open(t.Context(), o, key)
	}
	a, err := open(payment.Order{AmountUSD: checkouttest.Dec("25"), Ref: "1001"}, "k1")
	if err != nil || !a.Created {
		t.Fatalf("Open = %v, %v; want a new session", a.Created, err)
	}
	for _, key := range []string{"k1", "k2", ""} {
		b, err := open(
			payment.Order{
				AmountUSD: checkouttest.Dec("25.00"),
				Ref:       "1001",
				ExpiresIn: 24 * time.Hour,
			},
			key,
		)
		if err != nil || b.Created || b.ID != a.ID {
			t.Errorf("Open with key %q = %s, %v, %v; want %s again", key, b.ID, b.Created, err, a.ID)
		}
	}
	_, err = open(payment.Order{AmountUSD: checkouttest.Dec("25.01"), Ref: "1001"}, "")
	checkouttest.WantCode(t, err, wire.CodeOrderConflict)
	_, err = open(payment.Order{AmountUSD: checkouttest.Dec("9")}, "k1")
	checkouttest.WantCode(t, err, wire.CodeIdempotency)
	if s := h.Open("25"); s.ID == a.ID {
		t.Errorf("an order without reference joined %s", a.ID)
	}
	_, err = open(payment.Order{}, "")
	checkouttest.WantCode(t, err, wire.CodeInvalid)
}

func TestSessionExpires(t *testing.T) {
	h := checkouttest.NewShop(t)
	s, err := h.Service.Open(t.Context(),
		payment.Order{AmountUSD: checkouttest.Dec("25"), ExpiresIn: time.Hour}, "")
	fortest.OK(t, err)
	h.Clock.Move(time.Hour)
	h.WantCode(wire.CodeSessionExpired)(h.Choose(s.ID,
		checkouttest.USDT())) // before it was processed
	fortest.OK(t, h.Process())
	h.WantStatus(s.ID, wire.Expired)
	h.WantEvents(s.ID, payment.EventExpired)
	h.WantCode(wire.CodeSessionExpired)(h.Choose(s.ID, checkouttest.USDT()))
	if v := h.View(s.ID); len(v.Actions) != 0 {
		t.Errorf("actions = %v; want none", v.Actions)
	}
	h.WantNotDue(s.ID)
}

func TestFailedCommitIsNotTakenForAnAnswer(t *testing.T) {
	disk := errors.New("disk I/O error")
	for name, outcome := range map[string][2]error{
		"not written": {disk, nil},
		"written":     {nil, disk},
	} {
		t.Run("intent "+name, func(t *testing.T) {
			h := checkouttest.NewShop(t)
			s := h.Open("25")
			h.Store.FailUpdates(func() (error, error) { return outcome[0], outcome[1] })
			if _, err := h.Choose(s.ID, checkouttest.USDT()); !errors.Is(err, disk) {
				t.Fatalf("Choose = %v; want the store's error", err)
			}
			h.WantCalls("create", 0)
			h.Store.FailUpdates(nil)
			h.Run(2 * time.Minute)
			if h.Load(s.ID).Status == wire.Open {
				h.Must(h.Choose(s.ID, checkouttest.USDT()))
			}
			h.WantStatus(s.ID, wire.Pending)
			h.WantTransactions(1)
		})
		t.Run("answer "+name, func(t *testing.T) {
			h := checkouttest.NewShop(t)
			s := h.Open("25")
			h.Gateway.CreateHook = func(payment.CreateRequest) (error, error) {
				h.Store.FailUpdates(func() (error, error) { return outcome[0], outcome[1] })
				return nil, nil
			}
			h.Choose(s.ID, checkouttest.USDT())
			h.Store.FailUpdates(nil)
			h.Gateway.CreateHook = nil
			h.Run(2 * time.Minute)
			h.WantOne(s.ID)
		})
	}
}

// An outage does not use up the attempts of a session.
func TestOutageUsesUpNothing(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Open("25")
	for _, err := range []error{
		checkouttest.Refusal(payment.ReasonUnsent), busy(2 * time.Minute),
		checkouttest.Refusal(payment.ReasonKey),
	} {
		h.Gateway.CreateHook = func(payment.CreateRequest) (before, after error) { return err, nil }
		for range 10 {
			fortest.Must(h.Choose(s.ID, checkouttest.USDT()))(t)
			h.WantStatus(s.ID, wire.Open)
		}
	}
	h.Gateway.CreateHook = nil
	h.Must(h.Choose(s.ID, checkouttest.USDT()))
	h.WantStatus(s.ID, wire.Pending)
	if n := len(h.Load(s.ID).Attempts); n != 1 {
		t.Errorf("%d attempts; want the one that was opened", n)
	}
	h.Gateway.CreateHook = func(payment.CreateRequest) (before, after error) {
		return checkouttest.Refusal(payment.ReasonRefused), nil
	}
	other := h.Open("25")
	var err error
	for range 20 {
		_, err = h.Choose(other.ID, checkouttest.USDT())
	}
	checkouttest.WantCode(t, err, wire.CodeTooManyAttempts) // these were sent
}
