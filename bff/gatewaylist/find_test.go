package gatewaylist_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// longList is a gateway with many transactions of others in its list.
type longList struct {
	*checkouttest.Gateway
	others int // of others
	before int // of them, in front of its own; less than 0 = its own are not there

	mu    sync.Mutex // guards the fields below
	fail  func(q payment.ListQuery) error
	grown int // transactions of others that came in front, one after every tenth page, if grows
	grows bool
	pages []int // that were asked for
}

func (g *longList) Transactions(
	_ context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pages = append(g.pages, q.Page)
	if g.fail != nil {
		if err := g.fail(q); err != nil {
			return payment.RecordPage{}, err
		}
	}
	before, others, own := g.before, g.others, g.All()
	if before < 0 {
		before, own = others, nil
	}
	total := g.grown + others + len(own)
	p := payment.RecordPage{Page: q.Page, Total: total, LastPage: (total + q.Limit - 1) / q.Limit}
	for i := (q.Page - 1) * q.Limit; i < min(q.Page*q.Limit, total); i++ {
		at := i - g.grown - before
		r := payment.Record{
			TrackingCode: fmt.Sprint("X", i-g.grown),
			Status:       "expired",
			Comment:      "of another shop",
		}
		switch {
		case at >= len(own):
			r.TrackingCode = fmt.Sprint("X", i-g.grown-len(own))
		case at >= 0:
			r = own[at].Record
		}
		p.Items = append(p.Items, r)
	}
	if g.grows && len(g.pages)%10 == 0 {
		g.grown++
	}
	return p, nil
}

// shiftingList is a gateway whose list contradicts its pages.
type shiftingList struct {
	*checkouttest.Gateway
	page func(q payment.ListQuery) (payment.RecordPage, error)
}

func (g *shiftingList) Transactions(
	_ context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	return g.page(q)
}

// asked returns the number of requested pages since the last call.
func (g *longList) asked() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := len(g.pages)
	g.pages = nil
	return n
}

// Of 900 pages, few are read to find a transaction at one end; two readings prove its absence.
func TestSearchOfALongList(t *testing.T) {
	const others = 45_000
	for _, c := range []struct {
		name   string
		before int
		lost   bool // the request, not the answer
		most   int  // requests until it is known
	}{
		{"newest first", 0, false, 1},
		{"newest first, some newer", 40, false, 1},
		{"newest last", others, false, 3},
		{"newest last, some newer", others - 40, false, 3},
		{"in no order", others / 2, false, 2 + 451},
		{"nowhere", -1, true, 2 + 901},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := checkouttest.NewShop(t)
			g := &longList{Gateway: h.Gateway, others: others, before: c.before}
			h.UseGateway(g)
			h.Gateway.CreateHook = checkouttest.Once(nil, checkouttest.LostAnswer())
			if c.lost {
				h.Gateway.CreateHook = checkouttest.Once(checkouttest.LostAnswer(), nil)
			}
			s := h.Chosen("25", checkouttest.USDT())
			h.Clock.Move(13 * time.Second)
			done := h.Known(s.ID)
			if c.lost {
				done = h.Missed(s.ID)
			}
			h.SearchUntil(done)
			if n := g.asked(); n > c.most {
				t.Errorf("%d requests; want %d at most", n, c.most)
			}
			if c.lost {
				h.Clock.Move(40 * time.Second)
				h.SearchUntil(func() bool { return h.Load(s.ID).Status == wire.Pending })
				if n := g.asked(); n > c.most {
					t.Errorf("%d requests for the second search; want %d at most", n, c.most)
				}
			}
			h.Run(10 * time.Second)
			h.WantOne(s.ID)
		})
	}
}

// A transaction is added after every tenth page that is read.
func TestSearchOfAListThatMoves(t *testing.T) {
	h := checkouttest.NewShop(t)
	g := &longList{Gateway: h.Gateway, grows: true, others: 10_000, before: -1}
	h.UseGateway(g)
	h.Gateway.CreateHook = checkouttest.Once(checkouttest.LostAnswer(), nil)
	s := h.Chosen("25", checkouttest.USDT())
	h.Clock.Move(13 * time.Second)
	h.SearchUntil(h.Missed(s.ID))
	if n := g.asked(); n > 2+201+3 {
		t.Errorf("%d requests for a list of 200 pages; want it read once", n)
	}
	h.Clock.Move(40 * time.Second)
	h.SearchUntil(func() bool { return h.Load(s.ID).Status == wire.Pending })
	if n := g.asked(); n > 2+202+3 {
		t.Errorf("%d requests for the second search", n)
	}
}

// A list of more than a thousand pages proves nothing, and its ends are read all the same.
func TestSearchOfAListThatIsTooLong(t *testing.T) {
	h := checkouttest.NewShop(t)
	g := &longList{Gateway: h.Gateway, others: 60_000, before: 60_000}
	log := h.UseGateway(g)
	h.Gateway.CreateHook = checkouttest.Once(checkouttest.LostAnswer(), nil)
	lost := h.Chosen("25", checkouttest.USDT())
	h.Gateway.CreateHook = checkouttest.Once(nil, checkouttest.LostAnswer())
	found := h.Chosen("30", checkouttest.USDT())
	for range 18 {
		h.Clock.Move(40 * time.Second)
		h.FinishSearch()
	}
	h.WantStatus(found.ID, wire.Pending)
	s := h.Load(lost.ID)
	if s.Status != wire.Open || s.Attempts[0].State != payment.Abandoned ||
		s.Attempts[0].Misses != 0 {
		t.Errorf(
			"a create that was not found is %+v; want it abandoned, and nothing taken for absent",
			s.Attempts[0],
		)
	}
	text := log.String()
	if !strings.Contains(text, "more than 1000 pages") ||
		!strings.Contains(text, "from=2026-11-19 to=2026-11-23") {
		t.Errorf("the log does not say what was not searched:\n%s", text)
	}
	if n := g.asked(); n > 20*3 {
		t.Errorf("%d requests in twelve minutes", n)
	}
}

// A session that is processed before its second search is due causes none.
func TestSearchBeforeItsTime(t *testing.T) {
	h := checkouttest.NewShop(t)
	g := &longList{Gateway: h.Gateway, others: 900, before: -1}
	h.UseGateway(g)
	h.Gateway.CreateHook = checkouttest.Once(checkouttest.LostAnswer(), nil)
	s := h.Chosen("25", checkouttest.USDT())
	h.Clock.Move(13 * time.Second)
	h.SearchUntil(h.Missed(s.ID))
	missed := h.Clock.Now()
	for range 5 {
		h.Clock.Move(time.Second)
		g.asked()
		fortest.OK(t,
			h.Service.Process(t.Context(), checkout.StoredSession{Session: h.Load(s.ID)}))
		h.FinishSearch()
		if n := g.asked(); n > 0 {
			t.Errorf("%d requests; want none", n)
		}
	}
	fortest.Equal(t, h.Load(s.ID).Attempts[0].State, payment.Unknown,
		"state (unknown, since half a minute has not passed)")
	if due := h.Load(s.ID).DueAt; due.Sub(missed) > 31*time.Second {
		t.Errorf("due %v after the first search; want half a minute", due.Sub(missed))
	}
}

// A search resumes at the page that could not be read.
func TestSearchGoesOn(t *testing.T) {
	h := checkouttest.NewShop(t)
	g := &longList{Gateway: h.Gateway, others: 890, before: -1}
	log := h.UseGateway(g)
	h.Gateway.CreateHook = checkouttest.Once(checkouttest.LostAnswer(), nil)
	s := h.Chosen("25", checkouttest.USDT())
	g.fail = func(q payment.ListQuery) error {
		if q.Page == 11 {
			return checkouttest.LostAnswer()
		}
		return nil
	}
	h.Clock.Move(13 * time.Second)
	h.FinishSearch()
	since := h.Service.SearchingSince()
	if !since.Equal(h.Clock.Now()) {
		t.Errorf("searching since %v; want %v", since, h.Clock.Now())
	}
	h.Clock.Move(20 * time.Second)
	h.FinishSearch() // fails again
	if got := h.Service.SearchingSince(); !got.Equal(since) {
		t.Errorf("searching since %v; want %v", got, since)
	}
	g.asked()
	g.fail = nil
	h.Clock.Move(20 * time.Second)
	h.SearchUntil(h.Missed(s.ID))
	if n := g.asked(); n > 8 {
		t.Errorf("%d requests; want the last 8 pages read", n)
	}
	if got := h.Service.SearchingSince(); !got.IsZero() {
		t.Errorf("searching since %v; want never", got)
	}
	if n := strings.Count(log.String(), "cannot be searched"); n != 1 {
		t.Errorf("%d lines in the log; want one\n%s", n, log)
	}
}

// While the list cannot be read, the shopper may choose again after ten minutes; the old
// transaction is never shown, and canceled once it is found.
func TestUnsearchableList(t *testing.T) {
	for name, fail := range map[string]func(q payment.ListQuery) (payment.RecordPage, error){
		"not answered": func(payment.ListQuery) (payment.RecordPage, error) {
			return payment.RecordPage{}, checkouttest.LostAnswer()
		},
		"without an end": func(q payment.ListQuery) (payment.RecordPage, error) {
			r := payment.Record{TrackingCode: fmt.Sprint("x", q.Page), Comment: "x"}
			return payment.RecordPage{Items: []payment.Record{r}, LastPage: q.Page + 1}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := checkouttest.NewShop(t)
			g := &shiftingList{Gateway: h.Gateway, page: fail}
			log := h.UseGateway(g)
			h.Gateway.CreateHook = checkouttest.Once(nil, checkouttest.LostAnswer())
			s := h.Chosen("25", checkouttest.USDT())
			orphan := h.Gateway.All()[0]
			steps := func(n int, d time.Duration) {
				for range n {
					h.Clock.Move(d)
					h.FinishSearch()
					if a := h.View(s.ID).Attempt; a != nil && a.Address == orphan.Address {
						t.Fatalf("the lost address is shown")
					}
				}
			}
			steps(18, 30*time.Second)
			h.WantStatus(s.ID, wire.Preparing)
			_, err := h.Choose(s.ID, checkouttest.BNB())
			if !errors.Is(err, &wire.Error{Code: wire.CodePaymentInProgress}) {
				t.Errorf("Choose meanwhile = %v", err)
			}
			steps(3, 30*time.Second)
			h.WantStatus(s.ID, wire.Open)
			if v := h.View(s.ID); !v.Can(wire.Choose) || v.Notice == nil {
				t.Errorf("view = %+v; want a notice and a choice", v)
			}
			h.WantCalls("create", 1)
			h.Must(h.Choose(s.ID, checkouttest.BNB()))
			h.WantStatus(s.ID, wire.Pending)
			shown := h.View(s.ID).Attempt.Address
			steps(4, 30*time.Second)
			if checked := h.Clock.Now().Sub(h.Load(s.ID).CheckedAt); checked > time.Minute {
				t.Errorf("the payment that is shown was checked %v ago", checked)
			}
			if since := h.Service.SearchingSince(); h.Clock.Now().Sub(since) < 10*time.Minute {
				t.Errorf("searching since %v", since)
			}
			if n := strings.Count(log.String(), "cannot be searched"); n != 1 {
				t.Errorf("%d lines in the log; want one\n%s", n, log)
			}
			g.page = func(q payment.ListQuery) (payment.RecordPage, error) {
				return h.Gateway.Transactions(t.Context(), q)
			}
			steps(24, 30*time.Second)
			h.WantOne(s.ID)
			if a := h.Load(s.ID).Attempts[0]; a.State != payment.Abandoned ||
				a.TrackingCode != orphan.TrackingCode || a.EndedAt.IsZero() {
				t.Errorf("the orphan is %+v; want it known and ended", a)
			}
			fortest.Equal(t, h.View(s.ID).Attempt.Address, shown, "shown")
			if since := h.Service.SearchingSince(); !since.IsZero() {
				t.Errorf("searching since %v; want never", since)
			}
		})
	}
}

// A transaction that can be neither canceled nor read blocks the shopper no longer than that,
// and is canceled later.
func TestUnresolvedCreateIsAbandoned(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	h.Gateway.CreateHook = checkouttest.Once(nil, checkouttest.LostAnswer())
	h.Gateway.StatusHook = func(string) error { return checkouttest.LostAnswer() }
	h.Gateway.CancelHook = func(string) (error, error) { return checkouttest.LostAnswer(), nil }
	s := h.Chosen("25", checkouttest.USDT())
	h.Run(11 * time.Minute)
	h.WantStatus(s.ID, wire.Open)
	h.Gateway.StatusHook, h.Gateway.CancelHook = nil, nil
	h.Must(h.Choose(s.ID, checkouttest.USDT()))
	h.Run(time.Minute)
	h.WantOne(s.ID)
}

// A list with a wrong total proves nothing, but the transactions at its ends are found.
func TestEndsOfAnUnsearchableList(t *testing.T) {
	for _, others := range []int{0, 120, 400} { // one page, three, and nine
		t.Run(fmt.Sprint(others), func(t *testing.T) { testEnds(t, others) })
	}
}

func testEnds(t *testing.T, others int) {
	h := checkouttest.NewShop(t)
	for range others {
		h.Gateway.Add(payment.CreateRequest{
			CurrencySymbol: "USDT",
			NetworkCode:    "trc20",
			AmountUSD:      checkouttest.Dec("1"),
			TTL:            30,
			Comment:        "-",
		})
	}
	asked := 0
	h.UseGateway(&shiftingList{
		Gateway: h.Gateway,
		page: func(q payment.ListQuery) (payment.RecordPage, error) {
			asked++
			if pages := others/q.Limit + 1; q.Page <= pages {
				q.Page = pages + 1 - q.Page // new ones are at the end
			}
			p, err := h.Gateway.Transactions(t.Context(), q)
			p.Total += 7
			return p, err
		}})
	h.Gateway.CreateHook = checkouttest.Once(checkouttest.LostAnswer(), nil)
	lost := h.Chosen("25", checkouttest.USDT())
	h.Clock.Move(13 * time.Second)
	h.FinishSearch()
	h.WantStatus(lost.ID, wire.Preparing)
	h.Gateway.CreateHook = checkouttest.Once(nil, checkouttest.LostAnswer())
	found := h.Chosen("30", checkouttest.USDT())
	for range 6 {
		h.Clock.Move(10 * time.Second)
		h.FinishSearch()
	}
	h.WantStatus(found.ID, wire.Pending)
	h.WantStatus(lost.ID, wire.Preparing)
	asked = 0
	for range 18 {
		h.Clock.Move(10 * time.Second)
		h.FinishSearch()
	}
	if asked > 9*6 {
		t.Errorf("%d requests in three minutes for a list that cannot be read", asked)
	}
	if h.Service.SearchingSince().IsZero() {
		t.Error("the first create is not searched for")
	}
}
