package checkout_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
)

// Many lost answers cost few readings of the list, and one search makes known
// what others have lost, before it is their turn.
func TestSearchesShareTheList(t *testing.T) { overBoth(t, searchesShareTheList) }

func searchesShareTheList(t *testing.T, h *shop) {
	const lost = 60
	h.gateway.createHook = func(payment.CreateRequest) (before, after error) { return nil, cut() }
	var ids []string
	for range lost {
		ids = append(ids, h.chosen("25", usdt()).ID)
	}
	h.gateway.createHook = nil
	h.clock.move(13 * time.Second)
	due, err := h.store.Claim(t.Context(), h.clock.Now(), time.Minute, lost)
	if err != nil || len(due) != lost {
		t.Fatalf("Claim = %d sessions, %v", len(due), err)
	}
	for _, s := range due {
		if err := h.service.Tend(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		for !h.service.LastBeats()["search"].IsZero() { // on a busy machine nobody waits so long
			time.Sleep(time.Millisecond)
		}
	}
	for _, id := range ids {
		if a := h.load(id).Attempts[0]; a.TrackingCode == "" {
			t.Fatalf("session %s does not know its transaction", id)
		}
	}
	if pages := h.gateway.called("list"); pages > 6 {
		t.Errorf("%d pages were read for %d transactions; want them shared", pages, lost)
	}
	h.run(time.Minute)
	for _, id := range ids {
		h.wantStatus(id, wire.Pending)
	}
	if n := len(h.gateway.live()); n != lost {
		t.Errorf("%d transactions can be paid; want %d", n, lost)
	}
}

// A search that hangs is seen to, and one of a gateway that does not answer is not
// taken for one.
func TestSearchTurns(t *testing.T) {
	for name, stuck := range map[string]bool{"away": false, "stuck": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newShopOver(t, "memory")
				h.gateway.createHook = once(nil, cut())
				h.chosen("25", usdt())
				turned := func() time.Time { return h.service.LastBeats()["search"] }
				var searched atomic.Bool
				freed := make(chan struct{})
				h.gateway.listHook = func() error {
					searched.Store(time.Since(turned()) == 0)
					if time.Sleep(10 * time.Second); stuck {
						<-freed
					}
					return cut()
				}
				if !turned().IsZero() {
					t.Error("a search before there is any")
				}
				for range 20 {
					h.run(20 * time.Second)
					time.Sleep(20 * time.Second)
					if late := time.Since(turned()); !stuck && !turned().IsZero() && late > time.Minute {
						t.Errorf("the search has not turned for %v", late)
					}
				}
				if late := time.Since(turned()); !searched.Load() || stuck && (turned().IsZero() || late < 2*time.Minute) {
					t.Errorf("searched %t, turned %v ago", searched.Load(), late)
				}
				close(freed)
				h.service.Close()
				if !turned().IsZero() {
					t.Error("the search goes on")
				}
			})
		})
	}
}

// A gateway that opens two transactions for one create: the second is cancelled
// and never shown; money on it is told of, not counted.
func TestStray(t *testing.T) { overBoth(t, stray) }

func stray(t *testing.T, h *shop) {
	var asked payment.CreateRequest
	h.gateway.createHook = func(req payment.CreateRequest) (before, after error) { asked = req; return nil, nil }
	s := h.chosen("25", usdt())
	h.gateway.add(asked)
	second := h.gateway.all()[1]
	h.gateway.createHook = once(nil, cut())
	h.chosen("10.01", usdt()) // whose search reads the list
	h.run(time.Minute)
	got := h.load(s.ID)
	if len(got.Attempts) != 2 || got.Attempts[1].State != payment.Stray || got.Attempts[1].TrackingCode != second.TrackingCode {
		t.Fatalf("attempts = %+v; want the stray beside the first\n%s", got.Attempts, h.trail(s.ID))
	}
	h.wantStatus(s.ID, wire.Pending)
	if v := h.view(s.ID); v.Attempt.Address != h.gateway.all()[0].address {
		t.Errorf("shown: %s", v.Attempt.Address)
	}
	if slices.Contains(h.gateway.live(), second.TrackingCode) {
		t.Error("the stray can still be paid")
	}
	h.gateway.pay(second.TrackingCode, got.Attempts[0].PayAmount, "0xstray")
	h.run(10 * time.Minute)
	h.wantStatus(s.ID, wire.Review)
	if !slices.Contains(h.told(s.ID), payment.EventReview) || slices.Contains(h.told(s.ID), payment.EventConfirmed) {
		t.Errorf("told: %v", h.told(s.ID))
	}
}

// shifty is a gateway whose list is not what its pages say.
type shifty struct {
	*gateway
	page func(q payment.ListQuery) (payment.RecordPage, error)
}

func (g *shifty) Transactions(_ context.Context, q payment.ListQuery) (payment.RecordPage, error) {
	return g.page(q)
}

// A list that moves while it is read hides nothing, and one whose pages lie
// about their number is read to its end.
func TestListsThatLie(t *testing.T) {
	records := func(codes ...string) (list []payment.Record) {
		for _, code := range codes {
			list = append(list, payment.Record{TrackingCode: code, Status: "pending"})
		}
		return list
	}
	full := func(prefix string) (list []payment.Record) {
		for i := range 50 {
			list = append(list, payment.Record{TrackingCode: prefix + string(rune('A'+i)), Status: "pending"})
		}
		return list
	}
	reading := 0
	for _, c := range []struct {
		name string
		page func(q payment.ListQuery, wanted []payment.Record) payment.RecordPage
	}{
		{"moves from page 2 to 1 while page 1 is read", func(q payment.ListQuery, wanted []payment.Record) payment.RecordPage {
			if q.Page == 1 {
				reading++
			}
			pages := map[int][]payment.Record{1: full("a"), 2: records("b", "a0")}
			if reading > 1 {
				pages[1] = append(wanted, full("a")[1:]...)
			}
			if q.Page == 2 && reading == 1 {
				pages[2] = append(records("aA"), records("b")...) // pushed down by what went up
			}
			return payment.RecordPage{Items: pages[q.Page], Page: q.Page, LastPage: 2, Total: 52}
		}},
		{"last_page is one too low", func(q payment.ListQuery, wanted []payment.Record) payment.RecordPage {
			pages := map[int][]payment.Record{1: full("a"), 2: wanted}
			return payment.RecordPage{Items: pages[q.Page], Page: q.Page, LastPage: 1, Total: 51}
		}},
		{"last_page is missing", func(q payment.ListQuery, wanted []payment.Record) payment.RecordPage {
			pages := map[int][]payment.Record{1: records("a"), 2: records("b"), 3: wanted}
			return payment.RecordPage{Items: pages[q.Page], Page: q.Page}
		}},
		{"the last page is given for all later ones", func(q payment.ListQuery, wanted []payment.Record) payment.RecordPage {
			items := full("a")
			if q.Page > 1 {
				items = append(full("b")[1:], wanted...)
			}
			return payment.RecordPage{Items: items, Page: q.Page, LastPage: 2, Total: 100}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newShop(t)
			reading = 0
			g := &shifty{gateway: h.gateway}
			h.service = checkout.New(checkout.Config{Store: h.store, Gateway: g, Page: "https://shop.test/checkout/", Now: h.clock.Now})
			h.gateway.createHook = once(nil, cut())
			s := h.chosen("25", usdt())
			asked := 0
			g.page = func(q payment.ListQuery) (payment.RecordPage, error) {
				if asked++; asked > 50 {
					t.Error("the list is read without end")
					return payment.RecordPage{}, errors.New("enough")
				}
				return c.page(q, []payment.Record{h.gateway.all()[0].Record}), nil
			}
			h.run(20 * time.Second)
			if a := h.load(s.ID).Attempts[0]; a.TrackingCode == "" {
				t.Errorf("the transaction was not found\n%s", h.trail(s.ID))
			}
		})
	}
}

// One page that fails now and then does not throw the others away.
func TestPagesThatFail(t *testing.T) {
	h := newShop(t)
	for range 120 { // three pages
		h.gateway.add(payment.CreateRequest{CurrencySymbol: "USDT", NetworkCode: "trc20", AmountUSD: dec("1"), TTL: 30, Comment: "x"})
	}
	h.gateway.createHook = once(nil, cut())
	s := h.chosen("25", usdt())
	n := 0
	h.gateway.listHook = func() error {
		if n++; n%2 == 1 {
			return cut()
		}
		return nil
	}
	h.clock.move(13 * time.Second)
	if err := h.tend(); err != nil {
		t.Fatal(err)
	}
	if a := h.load(s.ID).Attempts[0]; a.TrackingCode == "" {
		t.Errorf("not found in one reading\n%s", h.trail(s.ID))
	}
}

// A list that never ends proves nothing: nothing is replaced because of it.
func TestEndlessListProvesNothing(t *testing.T) {
	h := newShop(t)
	g := &shifty{gateway: h.gateway}
	h.service = checkout.New(checkout.Config{Store: h.store, Gateway: g, Page: "https://shop.test/checkout/", Now: h.clock.Now})
	h.gateway.createHook = once(cut(), nil)
	s := h.chosen("25", usdt())
	n := 0
	g.page = func(q payment.ListQuery) (payment.RecordPage, error) {
		n++
		r := payment.Record{TrackingCode: "x" + time.Duration(n).String(), Status: "pending"}
		return payment.RecordPage{Items: []payment.Record{r}, Page: q.Page, LastPage: q.Page + 1}, nil
	}
	for range 20 {
		h.clock.move(10 * time.Second)
		h.tend()
	}
	if got := h.load(s.ID); len(got.Attempts) != 1 || got.Attempts[0].Misses != 0 {
		t.Errorf("%d attempts, %d misses; want one that is still searched for", len(got.Attempts), got.Attempts[0].Misses)
	}
}

// What a holder finds out whose lease went to another is not written.
func TestFenced(t *testing.T) { overBoth(t, fenced) }

func fenced(t *testing.T, h *shop) {
	s := h.chosen("25", usdt())
	h.run(5 * time.Second)
	h.clock.move(time.Minute)
	claimed, err := h.store.Claim(t.Context(), h.clock.Now(), time.Second, 1)
	if err != nil || len(claimed) != 1 {
		t.Fatalf("Claim = %d, %v", len(claimed), err)
	}
	h.clock.move(2 * time.Second) // it was stopped for longer than its lease
	later, err := h.store.Claim(t.Context(), h.clock.Now(), time.Minute, 1)
	if err != nil || len(later) != 1 || later[0].Epoch <= claimed[0].Epoch {
		t.Fatalf("second Claim = %+v, %v; want a higher epoch than %d", later, err, claimed[0].Epoch)
	}
	h.gateway.pay(h.gateway.all()[0].TrackingCode, s.Attempts[0].PayAmount, "0xa")
	if err := h.service.Tend(t.Context(), claimed[0]); !errors.Is(err, payment.ErrFenced) {
		t.Errorf("Tend by the old holder = %v; want %v", err, payment.ErrFenced)
	}
	h.wantStatus(s.ID, wire.Pending)
	if again, err := h.store.Claim(t.Context(), h.clock.Now(), time.Minute, 1); err != nil || len(again) != 0 {
		t.Errorf("the old holder has ended the new one's lease: %v, %v", again, err)
	}
	if err := h.service.Tend(t.Context(), later[0]); err != nil {
		t.Errorf("Tend by the new holder = %v", err)
	}
	h.wantStatus(s.ID, wire.Confirmed)
}

// A check that is under way when the shopper changes the coin reads that the
// old payment was cancelled: the merchant is not told so, since it was not.
func TestChangeOfCoinDuringACheck(t *testing.T) {
	h := newShop(t)
	s := h.chosen("25", usdt())
	h.clock.move(20 * time.Second)
	due, err := h.store.Claim(t.Context(), h.clock.Now(), time.Minute, 1)
	if err != nil || len(due) != 1 {
		t.Fatalf("Claim = %d, %v", len(due), err)
	}
	// The status is read after the cancellation and written before the change.
	cancelled := false
	h.gateway.cancelHook = func(string) (before, after error) { cancelled = true; return nil, nil }
	var check sync.WaitGroup
	var tendErr error
	h.gateway.statusHook = func(string) error {
		if !cancelled {
			return nil
		}
		h.gateway.statusHook = nil
		check.Go(func() { tendErr = h.service.Tend(t.Context(), due[0]) })
		check.Wait()
		return nil
	}
	if _, err := h.choose(s.ID, bnb()); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(tendErr, payment.ErrFenced) {
		t.Errorf("the check under way = %v; want %v", tendErr, payment.ErrFenced)
	}
	h.wantTold(s.ID, payment.EventPending, payment.EventPending)
	h.run(time.Minute)
	h.wantTold(s.ID, payment.EventPending, payment.EventPending)
}

// A check that a stopping instance calls off is made by the next one at once:
// nothing was wrong with the gateway.
func TestCheckCalledOff(t *testing.T) { overBoth(t, checkCalledOff) }

func checkCalledOff(t *testing.T, h *shop) {
	h.chosen("25", usdt())
	h.clock.move(20 * time.Second)
	due, err := h.store.Claim(t.Context(), h.clock.Now(), time.Minute, 1)
	if err != nil || len(due) != 1 {
		t.Fatalf("Claim = %d, %v", len(due), err)
	}
	ctx, stop := context.WithCancel(t.Context())
	h.gateway.statusHook = func(string) error { stop(); return ctx.Err() }
	if err := h.service.Tend(ctx, due[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("Tend = %v; want %v", err, context.Canceled)
	}
	if again, err := h.store.Claim(t.Context(), h.clock.Now(), time.Minute, 1); err != nil || len(again) != 1 {
		t.Errorf("Claim by the next = %d, %v; want the same session", len(again), err)
	}
}

// An answer that a stopped process could only send too late is not sent.
func TestTooLateToSend(t *testing.T) {
	h := newShop(t)
	pace := payment.DefaultSchedule()
	pace.Answer = time.Nanosecond
	h.service = checkout.New(checkout.Config{Store: h.store, Gateway: h.gateway, Page: "https://shop.test/checkout/", Now: h.clock.Now, Pace: pace})
	s := h.chosen("25", usdt())
	if n := h.gateway.called("create"); n != 0 {
		t.Errorf("%d creates were sent after their time", n)
	}
	h.wantStatus(s.ID, wire.Open)
}
