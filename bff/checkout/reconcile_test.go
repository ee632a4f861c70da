package checkout_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// wantOne fails unless the session shows the only transaction that can be paid,
// and never one whose address was lost.
func (h *shop) wantOne(id string) {
	h.t.Helper()
	h.wantStatus(id, wire.Pending)
	live := h.gateway.live()
	s := h.load(id)
	if len(live) != 1 || s.Current().TrackingCode != live[0] {
		h.t.Fatalf("live at the gateway = %v; want only %s, the one shown\n%s", live, s.Current().TrackingCode, h.trail(id))
	}
}

func TestLostAnswerIsFoundCancelledAndReplaced(t *testing.T) {
	overBoth(t, lostAnswerIsFoundCancelledAndReplaced)
}

func lostAnswerIsFoundCancelledAndReplaced(t *testing.T, h *shop) {
	h.gateway.createHook = once(nil, cut())
	s := h.chosen("25", usdt())
	h.wantStatus(s.ID, wire.Preparing)
	orphan := h.gateway.all()[0]
	for range 120 {
		h.clock.move(time.Second)
		h.tend()
		if a := h.view(s.ID).Attempt; a != nil && a.Address == orphan.address {
			t.Fatalf("the orphan's address %s is shown", a.Address)
		}
	}
	h.wantOne(s.ID)
	if n := len(h.gateway.all()); n != 2 {
		t.Errorf("transactions = %d; want 2", n)
	}
	h.wantTold(s.ID, payment.EventPending)
}

func TestLostRequestIsReplacedAfterTwoSearches(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = once(cut(), nil)
	s := h.chosen("25", usdt())
	asked := h.clock.Now()
	var searches []time.Duration
	h.gateway.listHook = func() error {
		searches = append(searches, h.clock.Now().Sub(asked))
		return nil
	}
	h.run(90 * time.Second)
	h.wantOne(s.ID)
	if len(searches) != 2 || searches[1]-searches[0] < 30*time.Second {
		t.Errorf("searches at %v; want two, half a minute apart", searches)
	}
}

// A firewall may reject a create because of the shopper's comment: the next one
// goes without it, and the session keeps it.
func TestCommentIsSentOnce(t *testing.T) {
	h := newShop(t)
	var sent []payment.CreateRequest
	fail := once(cut(), nil)
	h.gateway.createHook = func(req payment.CreateRequest) (before, after error) {
		sent = append(sent, req)
		return fail(req)
	}
	choice := usdt()
	choice.Comment = "' OR 1=1 --"
	s := h.chosen("25", choice)
	h.run(90 * time.Second)
	h.wantOne(s.ID)
	if len(sent) != 2 || sent[0].Comment != sent[0].Marker+" "+choice.Comment || sent[1].Comment != sent[1].Marker {
		t.Errorf("creates = %+v; want the comment in the first one alone", sent)
	}
	if a := h.load(s.ID); a.Current().Comment != choice.Comment || sent[1].Marker != a.Current().Marker {
		t.Errorf("attempt = %+v; want the comment kept", a.Current())
	}
}

func TestOrphanThatComesLateIsCancelled(t *testing.T) {
	h := newShop(t)
	var lost payment.CreateRequest
	var first sync.Once
	h.gateway.createHook = func(req payment.CreateRequest) (err, _ error) {
		first.Do(func() { lost, err = req, cut() })
		return err, nil
	}
	s := h.chosen("25", usdt())
	h.run(90 * time.Second)
	h.wantOne(s.ID)
	h.gateway.add(lost) // the gateway wakes up
	h.run(time.Minute)
	h.wantOne(s.ID)
	h.run(3 * 24 * time.Hour)
	if due := h.load(s.ID).DueAt; due.IsZero() {
		t.Errorf("nothing is due while late payments are watched for")
	}
	h.run(2 * 24 * time.Hour)
	if due := h.load(s.ID).DueAt; !due.IsZero() {
		t.Errorf("DueAt = %v; want none after the last late look", due)
	}
}

func TestStubbornOrphanIsHandedOver(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = once(nil, cut())
	s := h.chosen("25", usdt())
	orphan := h.gateway.all()[0]
	h.gateway.set(orphan.TrackingCode, func(tx *transaction) { tx.stubborn = true })
	h.run(time.Minute)
	a := h.view(s.ID).Attempt
	if h.wantOne(s.ID); a.Address != "" || a.PaymentURL != orphan.PaymentURL || a.PayAmount != "25" || a.ExpiresInMs == 0 {
		t.Errorf("attempt = %+v; want the hosted page and no address", a)
	}
	h.gateway.pay(orphan.TrackingCode, dec("25"), "0xa")
	h.run(time.Minute)
	h.wantStatus(s.ID, wire.Confirmed)
	h.wantTold(s.ID, payment.EventPending, payment.EventConfirmed)
}

// A hosted page that may not be shown used to be handed over all the same, as a
// payment with neither address nor page.
func TestStubbornOrphanWithoutAPageIsReplaced(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = once(nil, cut())
	s := h.chosen("25", usdt())
	h.gateway.set(h.gateway.all()[0].TrackingCode, func(tx *transaction) {
		tx.stubborn, tx.PaymentURL = true, "https://elsewhere.test/p/1"
	})
	h.run(time.Minute)
	h.wantStatus(s.ID, wire.Pending)
	if a := h.view(s.ID).Attempt; a.Address == "" {
		t.Errorf("attempt = %+v; want one that can be paid", a)
	}
}

// A cancellation that was turned away for a while used to count as refused for
// good, and the orphan was handed over.
func TestOrphanIsCancelledWhenTheGatewayHasTime(t *testing.T) {
	for _, reason := range []payment.Reason{payment.ReasonBusy, payment.ReasonUnsent, payment.ReasonKey} {
		t.Run(string(reason), func(t *testing.T) {
			h := newShop(t)
			h.gateway.createHook = once(nil, cut())
			h.gateway.cancelHook = func(string) (error, error) { return no(reason), nil }
			s := h.chosen("25", usdt())
			h.run(30 * time.Second)
			h.wantStatus(s.ID, wire.Preparing)
			h.gateway.cancelHook = nil
			h.run(time.Minute)
			h.wantOne(s.ID)
			if h.view(s.ID).Attempt.Address == "" {
				t.Error("the orphan was handed over; want it replaced")
			}
		})
	}
}

// A status that is not documented used to be taken for the orphan's end, and a
// second transaction was opened beside it.
func TestOrphanOfUnknownStatusIsNotReplaced(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = once(nil, cut())
	s := h.chosen("25", usdt())
	h.gateway.set(h.gateway.all()[0].TrackingCode, func(tx *transaction) { tx.Status = "processing" })
	h.run(2 * time.Minute)
	h.wantStatus(s.ID, wire.Preparing)
	if n := h.gateway.called("create"); n != 1 {
		t.Errorf("creates = %d; want 1", n)
	}
	h.gateway.set(h.gateway.all()[0].TrackingCode, func(tx *transaction) { tx.Status = "expired" })
	h.run(time.Minute)
	h.wantOne(s.ID)
}

func TestOrphanThatSomebodyPaidIsReviewed(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = once(nil, cut())
	s := h.chosen("25", usdt())
	h.gateway.pay(h.gateway.all()[0].TrackingCode, dec("25"), "0xa")
	h.run(time.Minute)
	h.wantStatus(s.ID, wire.Review)
	h.wantTold(s.ID, payment.EventReview)
	if n := h.gateway.called("create"); n != 1 {
		t.Errorf("creates = %d; want 1", n)
	}
}

func TestCrashBetweenIntentAndAnswer(t *testing.T) {
	gone := errors.New("process gone")
	for name, hook := range map[string]func(payment.CreateRequest) (error, error){
		"before sending": func(payment.CreateRequest) (error, error) { return gone, nil },
		"after sending":  func(payment.CreateRequest) (error, error) { return nil, gone },
	} {
		t.Run(name, func(t *testing.T) {
			h := newShop(t)
			s := h.open("25")
			h.gateway.createHook = func(req payment.CreateRequest) (error, error) {
				h.store.failUpdates(func() (error, error) { return gone, nil }) // nothing is recorded any more
				return hook(req)
			}
			h.choose(s.ID, usdt())
			h.store.failUpdates(nil)
			h.gateway.createHook = nil
			h.restart()
			h.wantStatus(s.ID, wire.Preparing)
			h.run(2 * time.Minute)
			h.wantOne(s.ID)
		})
	}
}

func TestLateAnswerIsAdopted(t *testing.T) {
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
	leave()
	tab.Wait()
	h.run(20 * time.Second)
	if got := h.load(s.ID).Attempts[0].State; got != payment.Unknown {
		t.Fatalf("state = %s; want unknown", got)
	}
	close(release)
	h.service.Close()
	h.wantOne(s.ID)
	h.run(2 * time.Minute)
	h.wantOne(s.ID)
	if n := h.gateway.called("create"); n != 1 {
		t.Errorf("creates = %d; want 1", n)
	}
}

// A search that had found the record just when the late answer was adopted used
// to cancel the transaction whose address was shown.
func TestLateAnswerDuringTheSearch(t *testing.T) {
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
	leave()
	tab.Wait()
	h.gateway.listHook = func() error { // the answer comes while the list is read
		h.gateway.listHook = nil
		close(release)
		for h.load(s.ID).Attempts[0].Address == "" {
			runtime.Gosched()
		}
		return nil
	}
	h.run(time.Minute)
	h.wantOne(s.ID)
	if n := h.gateway.called("cancel"); n != 0 {
		t.Errorf("cancels = %d; want 0", n)
	}
}

// Whoever came second to give an attempt up used to make the create call of the
// replacement once more.
func TestTwoTendersReplaceOnce(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = once(cut(), nil)
	s := h.chosen("25", usdt())
	h.run(20 * time.Second) // the first search has found nothing
	h.clock.move(time.Minute)
	stale := h.load(s.ID)
	if a := stale.Attempts[0]; a.State != payment.Unknown || a.Misses != 1 {
		t.Fatalf("attempt = %s after %d misses; want unknown after 1", a.State, a.Misses)
	}
	arrived, release := make(chan struct{}), make(chan struct{})
	var held sync.Once
	h.gateway.createHook = func(payment.CreateRequest) (error, error) {
		held.Do(func() { close(arrived); <-release })
		return nil, nil
	}
	ctx, leave := context.WithCancel(t.Context())
	var tending sync.WaitGroup
	tending.Go(func() { h.service.Tend(ctx, stale) })
	<-arrived
	if err := h.service.Tend(t.Context(), stale); err != nil {
		t.Errorf("Tend = %v", err)
	}
	leave()
	tending.Wait()
	close(release)
	h.service.Close()
	if n := h.gateway.called("create"); n != 2 { // the lost one and the replacement
		t.Errorf("creates = %d; want 2", n)
	}
	h.wantOne(s.ID)
}

func TestSearchReadsEveryPage(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = once(nil, cut())
	s := h.chosen("25", usdt())
	for range 130 {
		h.gateway.add(payment.CreateRequest{CurrencySymbol: "USDT", NetworkCode: "trc20", AmountUSD: dec("25"), TTL: 1})
	}
	h.run(30 * time.Second)
	if got := h.load(s.ID).Attempts[0].TrackingCode; got != "T00001" {
		t.Errorf("found %q; want T00001", got)
	}
}

func TestOrphanWithoutCommentIsKnownByItsNumbers(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = once(nil, cut())
	s := h.chosen("25", usdt())
	h.gateway.set("T00001", func(tx *transaction) { tx.Comment = "" })
	h.run(time.Minute)
	h.wantOne(s.ID)
}

func TestOutageOfTheListProvesNothing(t *testing.T) {
	t.Parallel()
	h := newShop(t)
	h.gateway.createHook = once(nil, cut())
	h.gateway.listHook = cut
	s := h.chosen("25", usdt())
	h.run(9 * time.Minute)
	h.wantStatus(s.ID, wire.Preparing)
	if n := h.gateway.called("create"); n != 1 {
		t.Errorf("creates = %d; want 1", n)
	}
	h.gateway.listHook = nil
	h.run(50 * time.Second)
	h.wantOne(s.ID)
}

func TestAttemptsOfOneSessionAreBounded(t *testing.T) {
	h := newShop(t)
	h.gateway.createHook = func(payment.CreateRequest) (error, error) { return cut(), nil }
	s := h.chosen("25", usdt())
	h.run(time.Hour)
	s = h.load(s.ID)
	if len(s.Attempts) != 12 || h.gateway.called("create") != 12 {
		t.Errorf("attempts = %d, creates = %d; want 12", len(s.Attempts), h.gateway.called("create"))
	}
	if v := h.view(s.ID); v.Notice == nil || v.Notice.Code != wire.CodeTooManyAttempts || v.Can(wire.Choose) {
		t.Errorf("view = %+v; want a notice and no choice", v)
	}
}

// A session that was paid after all used to get another transaction for the
// attempt that was given up.
func TestNothingIsReplacedOncePaid(t *testing.T) {
	t.Parallel()
	h := newShop(t)
	s := h.chosen("25", usdt())
	must(t)(h.service.Cancel(t.Context(), s.ID, payment.ClosedByShopper))
	h.gateway.createHook = once(cut(), nil)
	must(t)(h.choose(s.ID, bnb()))
	h.gateway.pay("T00001", dec("25"), "0xa")
	h.gateway.set("T00001", func(tx *transaction) { tx.Status = "confirmed" })
	h.gateway.listHook = cut
	h.run(6 * time.Minute)
	h.wantStatus(s.ID, wire.Confirmed)
	h.gateway.listHook = nil
	h.run(time.Hour)
	if n := h.gateway.called("create"); n != 2 {
		t.Errorf("creates = %d; want 2, the one that is paid and the one that was lost", n)
	}
}

// A process that has just started need not wait for an answer that nobody will
// record: what its predecessor was creating is searched for at once.
func TestRecoverSearchesAtOnce(t *testing.T) {
	gone := errors.New("process gone")
	h := newShop(t)
	s := h.open("25")
	other := h.open("30") // nothing chosen: not touched
	h.gateway.createHook = func(payment.CreateRequest) (error, error) {
		h.store.failUpdates(func() (error, error) { return gone, nil })
		return nil, gone
	}
	h.choose(s.ID, usdt())
	h.store.failUpdates(nil)
	h.gateway.createHook = nil
	h.restart()
	if err := h.service.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.run(5 * time.Second)
	h.wantOne(s.ID)
	h.wantStatus(s.ID, wire.Pending)
	h.wantStatus(other.ID, wire.Open)
}
