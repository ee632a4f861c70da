package gatewaylist_test

import (
	"hash/fnv"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

// listing is a shop with a payment checked ten seconds ago, and its row in the gateway's list.
type listing struct {
	*checkouttest.Shop
	id      string
	row     payment.Record
	asked   time.Time // the page
	reading *gatewaylist.ListPoll
	store   gatewaylist.ListStore
}

func newListing(t *testing.T) *listing {
	h := checkouttest.NewShop(t)
	id := h.Chosen("25.00", checkouttest.USDT()).ID
	for !quietFor(id, h.Clock.Now(), 3*time.Minute) { // one of hundreds has an audit read then
		h = checkouttest.NewShop(t)
		id = h.Chosen("25.00", checkouttest.USDT()).ID
	}
	l := &listing{
		Shop:    h,
		id:      id,
		reading: &gatewaylist.ListPoll{Next: 14500 * time.Millisecond},
		store:   h.Store,
	}
	h.Clock.Move(15 * time.Second)
	fortest.OK(t, h.Process())
	h.Clock.Move(10 * time.Second)
	l.asked, l.row = h.Clock.Now(), h.Gateway.All()[0].Record
	return l
}

// quietFor reports whether the session has no audit read, whose time depends on its id, within d.
func quietFor(id string, from time.Time, d time.Duration) bool {
	every := payment.DefaultSchedule().AuditInterval(false)
	h := fnv.New64a()
	h.Write([]byte(id))
	phase := time.Duration(h.Sum64() % uint64(every))
	return !from.Add(d - phase).Truncate(every).Add(phase).After(from)
}

func (l *listing) apply(rows ...payment.Record) gatewaylist.Tally {
	l.T.Helper()
	list := &gatewaylist.PageApplier{
		Store: l.store, Environment: l.Gateway.Environment(), Schedule: l.Service.Schedule,
		IsWatched: l.Service.IsWatched, Changed: l.Service.Changed, Now: l.Clock.Now,
	}
	return fortest.Must(list.Apply(l.T.Context(), l.reading, rows, l.asked))(l.T)
}

// pay receives a payment that the row does not show.
func (l *listing) pay(amount string) {
	l.Gateway.Pay(l.row.TrackingCode, checkouttest.Dec(amount), "tx1")
}

// update changes the stored session without its times.
func (l *listing) update(change func(*payment.Session)) {
	l.T.Helper()
	_, err := l.Store.Update(l.T.Context(), l.id, 0, func(s *payment.Session) ([]payment.Event, error) {
		change(s)
		return nil, nil
	})
	fortest.OK(l.T, err)
}

// same compares times as instants and numbers by value.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	fortest.Diff(t, got, want, "%s", what)
}

// A payment shown as stored counts as checked; one that differs is due now; one that is due for
// another reason stays as it is.
func TestApplyPage(t *testing.T) {
	const (
		touched = "counts as checked"
		dueNow  = "is due now"
		left    = "is left"
	)
	for name, tt := range map[string]struct {
		set  func(l *listing) // before the page is asked for
		flaw func(l *listing) // of the page, or after it was asked for
		want string
	}{
		"as stored":   {want: touched},
		"twice":       {flaw: func(l *listing) { l.apply(l.row) }, want: touched},
		"expired":     {flaw: func(l *listing) { l.row.Status = "expired" }, want: dueNow},
		"confirmed":   {flaw: func(l *listing) { l.row.Status = "confirmed" }, want: dueNow},
		"new status":  {flaw: func(l *listing) { l.row.Status = "frozen" }, want: dueNow},
		"by the user": {flaw: func(l *listing) { l.row.CancelledByUser = true }, want: dueNow},
		"paid in part": {
			flaw: func(l *listing) {
				l.row.Paid, l.row.PaidAmount, l.row.PaidReadable = checkouttest.Dec("1"), "1", true
			},
			want: dueNow,
		},
		"not readable": {flaw: func(l *listing) { l.row.PaidAmount = "a lot" }, want: dueNow},
		"transaction":  {flaw: func(l *listing) { l.row.TxID = "0xabc" }, want: dueNow},
		"paid at":      {flaw: func(l *listing) { l.row.PaidAt = l.asked }, want: dueNow},
		"other window": {
			flaw: func(l *listing) { l.row.ExpiresAt = l.row.ExpiresAt.Add(-10 * time.Minute) },
			want: dueNow,
		},
		"of another": {flaw: func(l *listing) { l.row.TrackingCode = "other" }, want: left},
		"empty code": {flaw: func(l *listing) { l.row.TrackingCode = "" }, want: left},
		"twice, different": {flaw: func(l *listing) {
			other := l.row
			other.Paid, other.PaidAmount, other.PaidReadable = checkouttest.Dec("1"), "1", true
			l.apply(l.row, other)
		}, want: dueNow},
		"different and as stored on one page": {flaw: func(l *listing) {
			other := l.row
			other.TxID = "0xabc"
			l.apply(other, l.row)
		}, want: dueNow},
		"different, then as stored": {flaw: func(l *listing) {
			other := l.row
			other.TxID = "0xabc"
			l.apply(other)
		}, want: dueNow},
		"older than the last check": {
			flaw: func(l *listing) { l.asked = l.asked.Add(-11 * time.Second) },
			want: left,
		},
		"took longer than its worth": {flaw: func(l *listing) {
			l.Clock.Move(14500 * time.Millisecond)
		},
			want: left},
		"claimed": {flaw: func(l *listing) {
			fortest.Must(l.Store.Hold(l.T.Context(), l.id, l.Clock.Now(), time.Minute))(l.T)
		}, want: left},
		"hinted": {flaw: func(l *listing) {
			l.Clock.Move(time.Second)
			fortest.OK(t, l.Service.Hint(l.T.Context(), l.Load(l.id)))
		}, want: left},
		"hinted for later": {set: func(l *listing) {
			s := l.Load(l.id)
			read := checkout.StoredSession{Session: s}
			fortest.OK(t,
				l.Store.Touch(l.T.Context(), read, s.CheckedAt, s.CheckedAt.Add(12*time.Second)))
		}, want: left},
		"due since before": {set: func(l *listing) { l.Clock.Move(time.Minute) }, want: touched},
		"due meanwhile": {
			flaw: func(l *listing) { l.Clock.Move(6 * time.Second) },
			want: touched,
		},
		"watched": {set: func(l *listing) {
			until := l.Clock.Now().Add(time.Minute)
			fortest.OK(t, l.Store.Watch(l.T.Context(), []string{l.id}, until, until))
		}, want: left},
		"watched, changed": {set: func(l *listing) {
			until := l.Clock.Now().Add(time.Minute)
			fortest.OK(t, l.Store.Watch(l.T.Context(), []string{l.id}, until, until))
		}, flaw: func(l *listing) { l.row.TxID = "0xabc" }, want: dueNow},
		"of another gateway": {
			set: func(l *listing) {
				l.update(func(s *payment.Session) { s.Environment = "other" })
			},
			want: left,
		},
		"closed by the merchant": {set: func(l *listing) {
			l.update(func(s *payment.Session) {
				s.ClosedBy, s.Status = payment.ClosedByMerchant, wire.Cancelled
			})
		}, want: left},
		"in review": {set: func(l *listing) {
			l.update(func(s *payment.Session) {
				s.Attempts[0].State, s.Status = payment.InReview, wire.Review
			})
		}, want: left},
		"over for us": {set: func(l *listing) {
			l.update(func(s *payment.Session) {
				s.Attempts[0].State, s.Status = payment.Expired, wire.Expired
			})
		}, want: left},
		"with an orphan that lives": {set: func(l *listing) {
			l.update(func(s *payment.Session) {
				s.Attempts = append([]payment.Attempt{
					{Number: 1, State: payment.Abandoned, Marker: "m", TrackingCode: "orphan"},
				}, s.Attempts...)
				s.Attempts[1].Number = 2
			})
		}, want: left},
		"with a recheck without a read": {set: func(l *listing) {
			l.update(func(s *payment.Session) {
				s.Attempts = append([]payment.Attempt{{
					Number:       1,
					State:        payment.Expired,
					Marker:       "m",
					TrackingCode: "old",
					EndedAt:      l.Clock.Now(), RecheckAskedAt: l.Clock.Now()}}, s.Attempts...)
				s.Attempts[1].Number = 2
			})
		}, want: left},
		"after its window": {set: func(l *listing) { l.Clock.Move(31 * time.Minute) }, want: left},
	} {
		t.Run(name, func(t *testing.T) {
			l := newListing(t)
			if tt.set != nil {
				tt.set(l)
			}
			l.asked = l.Clock.Now()
			l.row = l.Gateway.All()[0].Record
			l.row.Status = "pending" // the list may lag
			if tt.flaw != nil {
				tt.flaw(l)
			}
			before := l.Load(l.id)
			l.apply(l.row)
			got, want := l.Load(l.id), before
			switch tt.want {
			case touched:
				want.CheckedAt, want.DueAt = l.asked, l.asked.Add(14500*time.Millisecond)
			case dueNow:
				want.DueAt = l.Clock.Now()
				want.CheckedAt = got.CheckedAt
			}
			same(t, tt.want, got, want)
			l.WantCalls("status", 1)
		})
	}
}

// A stuck list hides a payment until the end of its window, plus two hours at most.
func TestListThatIsStuck(t *testing.T) {
	l := newListing(t)
	l.pay("25") // at once: the list never shows it
	var reads []time.Duration
	start := l.Clock.Now()
	for range 31 * 60 {
		l.asked = l.Clock.Now()
		if l.asked.Sub(start)%(13*time.Second) == 0 {
			l.apply(l.row)
		}
		before := l.Gateway.Calls("status")
		fortest.OK(t, l.Process())
		if l.Gateway.Calls("status") > before {
			reads = append(reads, l.asked.Sub(start))
		}
		l.Clock.Move(time.Second)
	}
	if s := l.Load(l.id); s.Status != wire.Confirmed {
		t.Errorf("status %s after its window, with reads at %v; want confirmed", s.Status, reads)
	}
}

// A list that shows ended payments as pending is detected.
func TestStaleList(t *testing.T) {
	l := newListing(t)
	l.pay("25")
	l.Clock.Move(5 * time.Second)
	fortest.OK(t, l.Process())
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{15 * time.Second, 0}, {time.Second, 1}, {time.Hour, 1}} {
		l.Clock.Move(tt.after)
		l.asked = l.Clock.Now()
		if got := l.apply(l.row); got.Stale != tt.want || got.Unchanged != 0 {
			t.Errorf("%v later: %+v; want %d stale", tt.after, got, tt.want)
		}
	}
}

// Opening the page, returning to it and rechecking cause a status read even if the list has
// just shown the payment; hints cause one in ten seconds.
func TestListAnswersNoHint(t *testing.T) {
	const every = 2700 * time.Millisecond
	for name, tt := range map[string]struct {
		unwatched bool
		slow      bool
		ask       func(l *listing, s payment.Session) error
		reads     int // in ten seconds of one asking each second
	}{
		"nothing": {ask: func(*listing, payment.Session) error { return nil }},
		"hints": {
			ask: func(l *listing, s payment.Session) error {
				return l.Service.Hint(t.Context(), s)
			},
			reads: 1,
		},
		"hints, not watched": {unwatched: true, reads: 1,
			ask: func(l *listing, s payment.Session) error {
				return l.Service.Hint(t.Context(), s)
			}},
		"hints, with a slow list": {unwatched: true, slow: true, reads: 1,
			ask: func(l *listing, s payment.Session) error {
				return l.Service.Hint(t.Context(), s)
			}},
		"pages": {
			ask: func(l *listing, s payment.Session) error {
				return l.Service.Nudge(t.Context(), s)
			},
			reads: 3,
		},
		"rechecks": {ask: func(l *listing, s payment.Session) error {
			return l.recheck(s.ID)
		}, reads: 3}, // one in a poll interval
	} {
		t.Run(name, func(t *testing.T) {
			l := newListing(t)
			if !tt.unwatched {
				until := l.Clock.Now().Add(time.Hour)
				fortest.OK(t, l.Store.Watch(t.Context(), []string{l.id}, until, l.Clock.Now()))
			}
			fortest.OK(t, l.Process())
			l.reading.Next = every * 29 / 27
			if tt.slow {
				l.reading.Next = 30 * time.Second
				l.Clock.Move(time.Second)
				l.asked = l.Clock.Now()
				l.apply(l.row)
				l.Clock.Move(20 * time.Second)
			}
			before := l.Gateway.Calls("status")
			for n := range 100 {
				l.Clock.Move(100 * time.Millisecond)
				l.asked = l.Clock.Now().Add(-time.Microsecond)
				if n%10 == 0 {
					fortest.OK(t, tt.ask(l, l.Load(l.id)))
				}
				if n%27 == 1 || tt.slow {
					l.apply(l.row)
				}
				fortest.OK(t, l.Process())
			}
			if got := l.Gateway.Calls("status") - before; got < tt.reads || got > tt.reads+1 {
				t.Errorf("%d status reads; want %d or one more", got, tt.reads)
			}
		})
	}
}

// recheck does what the recheck endpoint does.
func (l *listing) recheck(id string) error {
	l.T.Helper()
	s, err := l.Recheck(id)
	if err != nil {
		return err
	}
	return l.Service.Nudge(l.T.Context(), s)
}

// A payment that always differs from the list is made due once, then read at its interval;
// postponed ones stay postponed.
func TestListThatAlwaysDiffers(t *testing.T) {
	for name, tt := range map[string]struct {
		fails error
		reads int // in four and a half minutes
	}{
		"and can be read": {reads: 19},
		"and is not to be asked": {
			fails: &payment.RefusedError{Reason: payment.ReasonBusy, RetryAfter: time.Minute},
			reads: 5,
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newListing(t)
			l.row.CancelledByUser = true
			if tt.fails != nil {
				l.Gateway.StatusHook = func(string) error { return tt.fails }
				l.Clock.Move(5 * time.Second)
				l.Process()
			}
			before := l.Gateway.Calls("status")
			for n := range 270 * 2 {
				l.Clock.Move(time.Second / 2)
				l.asked = l.Clock.Now()
				if n%27 == 0 {
					l.reading = l.reading.After(l.reading.Next)
					l.apply(l.row)
				}
				l.Process()
			}
			if got := l.Gateway.Calls("status") - before; got > tt.reads {
				t.Errorf("%d status reads; want %d", got, tt.reads)
			}
		})
	}
}

// A status read during a page wins: the page neither stores an older check nor ends a lease.
func TestDistrustIsGuarded(t *testing.T) {
	l := newListing(t)
	l.row.TxID = "0xabc"
	held := fortest.Must(l.Store.Hold(t.Context(), l.id, l.Clock.Now(), time.Minute))(t)
	before := l.Load(l.id)
	l.apply(l.row)
	same(t, "while it is read", l.Load(l.id), before)
	fortest.OK(t,
		l.Store.Touch(t.Context(), held, l.Clock.Now(), l.Clock.Now().Add(15*time.Second)))
	l.reading = &gatewaylist.ListPoll{Next: l.reading.Next}
	l.apply(l.row)
	if got := l.Load(l.id).CheckedAt; !got.Equal(l.Clock.Now()) {
		t.Errorf("checked at %v; want %v", got, l.Clock.Now())
	}
}

// While the list replaces status reads of the current attempt, the others are followed up.
func TestListDoesNotPostponeAFollowUp(t *testing.T) {
	l := newListing(t)
	l.Must(l.Choose(l.id, checkouttest.BNB()))
	l.row = l.Gateway.All()[1].Record
	reads := map[string]int{}
	l.Gateway.StatusHook = func(code string) error { reads[code]++; return nil }
	l.Clock.Move(time.Minute)
	l.Must(l.Recheck(l.id))
	for n := range 62 * 2 {
		if n%5 == 0 {
			l.asked = l.Clock.Now()
		}
		l.Clock.Move(time.Second / 2)
		if n%5 == 0 {
			l.apply(l.row)
		}
		l.Process()
	}
	fortest.Equal(t, reads["T00001"], 5, "reads of the replaced attempt (5 in a minute)")
	if n := reads["T00002"]; n > 8 {
		t.Errorf("reads of the current attempt = %d; want few, since the list shows it", n)
	}
}
