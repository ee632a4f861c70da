package checkout_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

func TestLostAnswerIsFoundCancelledAndReplaced(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	h.Gateway.CreateHook = checkouttest.Once(nil, checkouttest.LostAnswer())
	s := h.Chosen("25", checkouttest.USDT())
	h.WantStatus(s.ID, wire.Preparing)
	orphan := h.Gateway.All()[0]
	for range 120 {
		h.Clock.Move(time.Second)
		h.Process()
		if a := h.View(s.ID).Attempt; a != nil && a.Address == orphan.Address {
			t.Fatalf("the orphan's address %s is shown", a.Address)
		}
	}
	h.WantOne(s.ID)
	h.WantTransactions(2)
	h.WantEvents(s.ID, payment.EventPending)
}

func TestLostRequestIsReplacedAfterTwoSearches(t *testing.T) {
	h := checkouttest.NewShop(t)
	h.Gateway.CreateHook = checkouttest.Once(checkouttest.LostAnswer(), nil)
	s := h.Chosen("25", checkouttest.USDT())
	asked := h.Clock.Now()
	var searches []time.Duration
	h.Gateway.ListHook = func() error {
		searches = append(searches, h.Clock.Now().Sub(asked))
		return nil
	}
	h.Run(90 * time.Second)
	h.WantOne(s.ID)
	if len(searches) != 2 || searches[1]-searches[0] < 30*time.Second {
		t.Errorf("searches at %v; want two, half a minute apart", searches)
	}
}

// A replacement is not stored if the session was changed since it was decided; the next check decides
// again.
func TestReplacementOfAChangedSession(t *testing.T) {
	h, s := checkouttest.NewUnanswered(t)
	reads := 0 // of the orphan, which is then replaced
	h.Gateway.StatusHook = func(string) error {
		reads++
		return nil
	}
	changed := false
	h.Store.FailUpdates(func() (before, after error) {
		if reads == 0 || changed {
			return nil, nil
		}
		changed = true
		fortest.Must(h.Store.DB.Update(t.Context(), s.ID, 0,
			func(s *payment.Session) ([]payment.Event, error) {
				s.AppendTimeline(h.Clock.Now(), payment.ByMerchant, "meanwhile", "")
				return nil, nil
			}))(t)
		return nil, nil
	})
	h.Run(time.Minute)
	h.WantOne(s.ID)
	h.WantCalls("create", 2)
	if !strings.Contains(h.Timeline(s.ID), "meanwhile") {
		t.Errorf("the change in between is lost:\n%s", h.Timeline(s.ID))
	}
}

// An attempt keeps the trace of the request that asked for it; its replacement has that of the check.
func TestTraceOfAReplacement(t *testing.T) {
	h := checkouttest.NewShop(t)
	h.Gateway.CreateHook = checkouttest.Once(checkouttest.LostAnswer(), nil)
	h.Service.Trace = func(context.Context) string { return "shopper" }
	s := h.Chosen("25", checkouttest.USDT())
	h.Service.Trace = func(context.Context) string { return "check" }
	h.SearchUntil(h.Missed(s.ID))
	fortest.Equal(t, h.Load(s.ID).Attempts[0].Trace, "shopper", "trace after a search")
	h.Run(90 * time.Second)
	h.WantOne(s.ID)
	attempts := h.Load(s.ID).Attempts
	fortest.Equal(t, attempts[0].Trace, "shopper", "trace of the lost attempt")
	fortest.Equal(t, attempts[1].Trace, "check", "trace of its replacement")
}

// A firewall may block the shopper's comment: the replacement is sent without it, and the
// session keeps it.
func TestCommentIsSentOnce(t *testing.T) {
	h := checkouttest.NewShop(t)
	var sent []payment.CreateRequest
	fail := checkouttest.Once(checkouttest.LostAnswer(), nil)
	h.Gateway.CreateHook = func(req payment.CreateRequest) (before, after error) {
		sent = append(sent, req)
		return fail(req)
	}
	choice := checkouttest.USDT()
	choice.Comment = "' OR 1=1 --"
	s := h.Chosen("25", choice)
	h.Run(90 * time.Second)
	h.WantOne(s.ID)
	if len(sent) != 2 || sent[0].Comment != sent[0].Marker+" "+choice.Comment ||
		sent[1].Comment != sent[1].Marker {
		t.Errorf("creates = %+v; want the comment in the first one alone", sent)
	}
	a := h.Load(s.ID)
	if a.Current().Comment != choice.Comment || sent[1].Marker != a.Current().Marker {
		t.Errorf("attempt = %+v; want the comment kept", a.Current())
	}
}

func TestOrphanThatComesLateIsCancelled(t *testing.T) {
	h := checkouttest.NewShop(t)
	var lost payment.CreateRequest
	var first sync.Once
	h.Gateway.CreateHook = func(req payment.CreateRequest) (err, _ error) {
		first.Do(func() { lost, err = req, checkouttest.LostAnswer() })
		return err, nil
	}
	s := h.Chosen("25", checkouttest.USDT())
	h.Run(90 * time.Second)
	h.WantOne(s.ID)
	h.Gateway.Add(lost) // the gateway wakes up
	h.Run(time.Minute)
	h.WantOne(s.ID)
	h.Run(3 * 24 * time.Hour)
	if due := h.Load(s.ID).DueAt; due.IsZero() {
		t.Errorf("nothing is due while late payments are watched for")
	}
	h.Run(2 * 24 * time.Hour)
	h.WantNotDue(s.ID)
}

func TestStubbornOrphanIsHandedOver(t *testing.T) {
	h, s := checkouttest.NewUnanswered(t)
	orphan := h.Gateway.All()[0]
	h.Gateway.Set(orphan.TrackingCode, func(tx *checkouttest.Transaction) { tx.Stubborn = true })
	h.Gateway.MangleStatus = func(r *payment.Record) { // the first answer is wrong
		r.PayAmount, h.Gateway.MangleStatus = checkouttest.Dec("20"), nil
	}
	h.Run(time.Minute)
	a := h.View(s.ID).Attempt
	if h.WantOne(s.ID); a.Address != "" || a.PaymentURL != orphan.PaymentURL ||
		a.PayAmount != "25" || a.ExpiresInMs == 0 {
		t.Errorf("attempt = %+v; want the hosted page and no address", a)
	}
	h.Gateway.Pay(orphan.TrackingCode, checkouttest.Dec("25"), "0xa")
	h.Run(time.Minute)
	h.WantStatus(s.ID, wire.Confirmed)
	h.WantEvents(s.ID, payment.EventPending, payment.EventConfirmed)
}

// A payment with neither address nor page is never shown.
func TestStubbornOrphanWithoutAPageIsReplaced(t *testing.T) {
	h, s := checkouttest.NewUnanswered(t)
	h.Gateway.Set(h.Gateway.All()[0].TrackingCode, func(tx *checkouttest.Transaction) {
		tx.Stubborn, tx.PaymentURL = true, "https://elsewhere.test/p/1"
	})
	h.Run(time.Minute)
	h.WantStatus(s.ID, wire.Pending)
	if a := h.View(s.ID).Attempt; a.Address == "" {
		t.Errorf("attempt = %+v; want one that can be paid", a)
	}
}

// A temporary refusal of a cancellation is retried.
func TestOrphanIsCancelledWhenTheGatewayHasTime(t *testing.T) {
	for _, reason := range []payment.Reason{
		payment.ReasonBusy, payment.ReasonUnsent, payment.ReasonKey,
	} {
		t.Run(string(reason), func(t *testing.T) {
			h := checkouttest.NewShop(t)
			h.Gateway.CreateHook = checkouttest.Once(nil, checkouttest.LostAnswer())
			h.Gateway.CancelHook = func(string) (error, error) {
				return checkouttest.Refusal(reason), nil
			}
			s := h.Chosen("25", checkouttest.USDT())
			h.Run(30 * time.Second)
			h.WantStatus(s.ID, wire.Preparing)
			h.Gateway.CancelHook = nil
			h.Run(time.Minute)
			h.WantOne(s.ID)
			if h.View(s.ID).Attempt.Address == "" {
				t.Error("the orphan was handed over; want it replaced")
			}
		})
	}
}

// An undocumented status is not the end of an orphan.
func TestOrphanOfUnknownStatusIsNotReplaced(t *testing.T) {
	h, s := checkouttest.NewUnanswered(t)
	h.Gateway.Set(h.Gateway.All()[0].TrackingCode,
		func(tx *checkouttest.Transaction) { tx.Status = "processing" })
	h.Run(2 * time.Minute)
	h.WantStatus(s.ID, wire.Preparing)
	h.WantCalls("create", 1)
	h.Gateway.Set(h.Gateway.All()[0].TrackingCode,
		func(tx *checkouttest.Transaction) { tx.Status = "expired" })
	h.Run(time.Minute)
	h.WantOne(s.ID)
}

func TestPaidOrphanIsReviewed(t *testing.T) {
	h, s := checkouttest.NewUnanswered(t)
	h.Gateway.Pay(h.Gateway.All()[0].TrackingCode, checkouttest.Dec("25"), "0xa")
	h.Run(time.Minute)
	h.WantStatus(s.ID, wire.Review)
	h.WantEvents(s.ID, payment.EventReview)
	h.WantCalls("create", 1)
}

func TestLateAnswerIsAdopted(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Open("25")
	arrived, release := h.BlockCreate()
	h.ChooseAndLeave(s.ID, arrived)
	h.Run(20 * time.Second)
	if got := h.Load(s.ID).Attempts[0].State; got != payment.Unknown {
		t.Fatalf("state = %s; want unknown", got)
	}
	close(release)
	h.Service.Close()
	h.WantOne(s.ID)
	h.Run(2 * time.Minute)
	h.WantOne(s.ID)
	h.WantCalls("create", 1)
}

// A transaction whose late answer was just applied is not canceled.
func TestLateAnswerDuringTheSearch(t *testing.T) {
	h := checkouttest.NewShop(t)
	s := h.Open("25")
	arrived, release := h.BlockCreate()
	h.ChooseAndLeave(s.ID, arrived)
	h.Gateway.ListHook = func() error { // the answer comes while the list is read
		h.Gateway.ListHook = nil
		close(release)
		for h.Load(s.ID).Attempts[0].Address == "" {
			runtime.Gosched()
		}
		return nil
	}
	h.Run(time.Minute)
	h.WantOne(s.ID)
	h.WantCalls("cancel", 0)
}

func TestOrphanWithoutCommentIsKnownByItsNumbers(t *testing.T) {
	h, s := checkouttest.NewUnanswered(t)
	h.Gateway.Set("T00001", func(tx *checkouttest.Transaction) { tx.Comment = "" })
	h.Run(time.Minute)
	h.WantOne(s.ID)
}

func TestAttemptsOfOneSessionAreBounded(t *testing.T) {
	h := checkouttest.NewShop(t)
	h.Gateway.CreateHook = func(payment.CreateRequest) (error, error) {
		return checkouttest.LostAnswer(), nil
	}
	s := h.Chosen("25", checkouttest.USDT())
	h.Run(time.Hour)
	s = h.Load(s.ID)
	if len(s.Attempts) != 12 || h.Gateway.Calls("create") != 12 {
		t.Errorf("attempts = %d, creates = %d; want 12", len(s.Attempts), h.Gateway.Calls("create"))
	}
	v := h.View(s.ID)
	if v.Notice == nil || v.Notice.Code != wire.CodeTooManyAttempts || v.Can(wire.Choose) {
		t.Errorf("view = %+v; want a notice and no choice", v)
	}
}

// A paid session gets no replacement.
func TestNothingIsReplacedOncePaid(t *testing.T) {
	t.Parallel()
	h, s := checkouttest.NewPending(t)
	h.Must(h.Cancel(s.ID, payment.ClosedByShopper))
	h.Gateway.CreateHook = checkouttest.Once(checkouttest.LostAnswer(), nil)
	h.Must(h.Choose(s.ID, checkouttest.BNB()))
	h.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
	h.Gateway.Set("T00001", func(tx *checkouttest.Transaction) { tx.Status = "confirmed" })
	h.Gateway.ListHook = checkouttest.LostAnswer
	h.Run(6 * time.Minute)
	h.WantStatus(s.ID, wire.Confirmed)
	h.Gateway.ListHook = nil
	h.Run(time.Hour)
	h.WantCalls("create", 2)
}

// A process that has just started searches for its predecessor's creates at once.
func TestRecoverSearchesAtOnce(t *testing.T) {
	gone := errors.New("process gone")
	h := checkouttest.NewShop(t)
	s := h.Open("25")
	other := h.Open("30") // nothing chosen: not touched
	h.Gateway.CreateHook = func(payment.CreateRequest) (error, error) {
		h.Store.FailUpdates(func() (error, error) { return gone, nil })
		return nil, gone
	}
	h.Choose(s.ID, checkouttest.USDT())
	h.Store.FailUpdates(nil)
	h.Gateway.CreateHook = nil
	h.Restart()
	fortest.OK(t, h.Service.Recover(t.Context()))
	h.Run(5 * time.Second)
	h.WantOne(s.ID)
	h.WantStatus(s.ID, wire.Pending)
	h.WantStatus(other.ID, wire.Open)
}
