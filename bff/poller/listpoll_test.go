package poller

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// list is a gateway's list in fake time.
type list struct {
	pages int // that it has
	grows int // how many more it says to have at each page
	empty int // the first page without items; 0 = none
	shows int // payments that are ours and unchanged, on each
	takes time.Duration
	fails func(n int) bool // nil = none
	calls []call
	next  []time.Duration // of each reading
	mine  func() bool     // nil = one instance
}

type call struct {
	page int
	at   time.Duration // since the start
}

// watch runs a list poller over l with that many payments.
func (l *list) watch(t *testing.T, pending int, d time.Duration, change func(*ListPollerConfig)) {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	start := time.Now()
	var last *Reading
	c := ListPollerConfig{
		Count: func(context.Context) (int, error) { return pending, nil }, Watched: func() int { return 0 }, Schedule: payment.DefaultSchedule(), Concurrency: 1,
		Page: func(ctx context.Context, n int) (payment.RecordPage, error) {
			l.calls = append(l.calls, call{n, time.Since(start)})
			if err := wait(ctx, l.takes); err != nil {
				return payment.RecordPage{}, err
			}
			if l.fails != nil && l.fails(n) {
				return payment.RecordPage{}, errors.New("busy")
			}
			page := payment.RecordPage{LastPage: l.pages + l.grows*n, Total: 50 * l.pages}
			if l.empty == 0 || n < l.empty {
				page.Items = make([]payment.Record, 50)
			}
			return page, nil
		},
		Apply: func(_ context.Context, r *Reading, _ []payment.Record, _ time.Time) (Tally, error) {
			if r != last {
				last, l.next = r, append(l.next, r.Next)
			}
			return Tally{Unchanged: l.shows}, nil
		},
	}
	if l.mine != nil {
		c.AcquireLease = func(context.Context, time.Duration) (bool, error) {
			return l.mine(), nil
		}
	}
	if change != nil {
		change(&c)
	}
	if err := NewListPoller(c).Run(ctx); err != nil {
		t.Errorf("Run = %v", err)
	}
}

// begun returns the start times of readings.
func (l *list) begun() (at []time.Duration) {
	for _, c := range l.calls {
		if c.page == 1 {
			at = append(at, c.at)
		}
	}
	return at
}

func TestListPollSpreadsItsPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &list{shows: 50, pages: 100}
		l.watch(t, 5000, 40*time.Second, func(c *ListPollerConfig) { c.Concurrency = 0 })
		if want := []time.Duration{0, 13500 * time.Millisecond, 27 * time.Second}; !slices.Equal(l.begun(), want) {
			t.Errorf("readings began at %v; want %v", l.begun(), want)
		}
		for i, c := range l.calls[:200] {
			want := time.Duration(i/100)*13500*time.Millisecond + time.Duration(i%100)*121500*time.Microsecond
			if c.page != i%100+1 || c.at != want {
				t.Fatalf("call %d is of page %d at %v; want page %d at %v", i, c.page, c.at, i%100+1, want)
			}
		}
		fortest.Equal(t, l.next[1], 14500*time.Millisecond, "rows are read again after")
	})
}

// A slow list is read again and again, and its rows are not due sooner than that.
func TestListPollThatTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &list{shows: 50, pages: 100, takes: 270 * time.Millisecond}
		l.watch(t, 5000, 80*time.Second, nil)
		if want := []time.Duration{0, 27 * time.Second, 54 * time.Second}; !slices.Equal(l.begun(), want) {
			t.Errorf("readings began at %v; want %v", l.begun(), want)
		}
		if want := []time.Duration{14500 * time.Millisecond, 29 * time.Second, 29 * time.Second}; !slices.Equal(l.next, want) {
			t.Errorf("rows are expected again after %v; want %v", l.next, want)
		}
	})
}

func TestListPollFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		list    list
		pending int
		readings,
		calls int // in a minute: at 0, 13.5, 27, 40.5 and 54 s
	}{
		"nothing to watch":       {list{pages: 1}, 0, 0, 0},
		"few":                    {list{pages: 1}, 10, 0, 0},
		"one page":               {list{pages: 1}, 50, 5, 5},
		"pages that fail":        {list{pages: 60, fails: func(n int) bool { return n%30 == 0 }}, 3000, 5, 4*60 + 30},
		"every page fails":       {list{shows: 50, pages: 100, fails: func(int) bool { return true }}, 5000, 5, 5},
		"all but the first fail": {list{shows: 50, pages: 100, fails: func(n int) bool { return n > 1 }}, 5000, 5, 5 * 9},
		"too long":               {list{pages: 20_000}, 5000, 1, 1},
		"grows forever, as expensive as statuses": {list{pages: 100, grows: 1}, 5000, 1, 4405},
		"grows fast":               {list{pages: 100, grows: 100}, 5000, 1, 45},
		"nothing after page 10":    {list{pages: 100, empty: 11}, 5000, 5, 5 * 11},
		"grows, but is empty":      {list{pages: 100, grows: 1, empty: 101}, 5000, 5, 5*101 - 3},
		"no pages at all":          {list{pages: 0}, 5000, 1, 1},
		"another instance's lease": {list{shows: 50, pages: 100, mine: func() bool { return false }}, 5000, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := tt.list
				l.shows = 50
				l.watch(t, tt.pending, time.Minute, nil)
				if n := len(l.begun()); n != tt.readings || len(l.calls) < tt.calls-2 || len(l.calls) > tt.calls+2 {
					t.Errorf("%d readings, %d calls; want %d and %d", n, len(l.calls), tt.readings, tt.calls)
				}
			})
		})
	}
}

// With many watched payments the list is read at their interval, unless it is too slow: then it
// is read at the other one, and retried later.
func TestListPollForTheWatched(t *testing.T) {
	for takes, want := range map[time.Duration]int{0: 23, 40 * time.Millisecond: 6} {
		synctest.Test(t, func(t *testing.T) {
			l := &list{shows: 50, pages: 100, takes: takes}
			l.watch(t, 5000, time.Minute, func(c *ListPollerConfig) { c.Watched = func() int { return 1000 } })
			if n := len(l.begun()); n < want-1 || n > want+1 {
				t.Errorf("with pages of %v: readings began at %v; want about %d", takes, l.begun(), want)
			}
		})
	}
}

// A list without our payments is read only now and then; here, Apply counts nothing as unchanged.
func TestListPollOfNoUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &list{pages: 100}
		l.watch(t, 5000, 10*time.Minute, nil)
		if n := len(l.begun()); n < 4 || n > 5 {
			t.Errorf("%d readings in ten minutes; want one in ten periods", n)
		}
	})
}

func TestStale(t *testing.T) {
	for _, tt := range []struct {
		stale, pending int
		want           bool
	}{{0, 0, false}, {2, 50, false}, {3, 50, true}, {3, 5000, false}, {8, 5000, true}, {900, 1_000_000, false}, {1003, 1_000_000, true}} {
		fortest.Equal(t, stale(Tally{Stale: tt.stale}, tt.pending), tt.want,
			"stale(%d of %d)", tt.stale, tt.pending)
	}
}

// rivals are two instances that share a lease.
type rivals struct {
	mu    sync.Mutex // guards the fields below
	has   int
	until time.Time
}

func (r *rivals) take(who int) func(context.Context, time.Duration) (bool, error) {
	return func(_ context.Context, d time.Duration) (bool, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		now := time.Now()
		if r.has != who && now.Before(r.until) {
			return false, nil
		}
		r.has, r.until = who, now.Add(d)
		return true, nil
	}
}

// A reading longer than the period keeps its lease; when its instance dies, the other starts
// within a period and a quarter.
func TestListPollKeepsItsLease(t *testing.T) {
	for _, takes := range []time.Duration{0, 500 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			var turn rivals
			first := &list{shows: 50, pages: 100, takes: takes}
			other := &list{shows: 50, pages: 100, takes: takes}
			var both sync.WaitGroup
			both.Go(func() { // dies in the middle of a reading
				first.watch(t, 5000, 130*time.Second, func(c *ListPollerConfig) { c.AcquireLease = turn.take(1) })
			})
			synctest.Wait()
			other.watch(t, 5000, 150*time.Second, func(c *ListPollerConfig) { c.AcquireLease = turn.take(2) })
			both.Wait()
			if len(other.calls) == 0 || other.calls[0].at < 130*time.Second || other.calls[0].at > 130*time.Second+13500*time.Millisecond*5/4 {
				t.Errorf("with pages of %v: the other began with %v; want 130 s and up to 16.9", takes, other.begun())
			}
		})
	}
}

// Pages read for watched payments do not wait behind status reads of those; others do.
func TestListPollIsAsUrgentAsItsRows(t *testing.T) {
	for watched, want := range map[int]bool{0: false, 1000: true} {
		synctest.Test(t, func(t *testing.T) {
			l, soon := &list{shows: 50, pages: 100}, 0
			l.watch(t, 5000, 20*time.Second, func(c *ListPollerConfig) {
				c.Watched = func() int { return watched }
				page := c.Page
				c.UrgentPage = func(ctx context.Context, n int) (payment.RecordPage, error) {
					soon++
					return page(ctx, n)
				}
			})
			if n := len(l.calls); n == 0 || want && soon != n || !want && soon != 0 {
				t.Errorf("with %d watched, %d of %d pages are urgent; want all: %t", watched, soon, n, want)
			}
		})
	}
}

// A clock set back by an hour delays nothing by more than a period.
func TestListPollWithAClockSetBack(t *testing.T) {
	for _, at := range []time.Duration{5 * time.Second, 12800 * time.Millisecond} { // in the middle of a reading, and between two
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			l := &list{shows: 50, pages: 100}
			l.watch(t, 5000, 2*time.Minute, func(c *ListPollerConfig) {
				c.Now = func() time.Time {
					now := time.Now()
					if now.Sub(start) >= at {
						return now.Add(-time.Hour)
					}
					return now
				}
			})
			for i, c := range l.calls[1:] {
				if pause := c.at - l.calls[i].at; pause > 13500*time.Millisecond {
					t.Errorf("the clock set back after %v: nothing was read for %v", at, pause)
				}
			}
			if n := len(l.begun()); n < 8 {
				t.Errorf("the clock set back after %v: %d readings in two minutes", at, n)
			}
		})
	}
}

// Cached results expire even if the clock is set back.
func TestListPollForgetsWithAClockSetBack(t *testing.T) {
	now := time.Now()
	c := ListPollerConfig{
		Count: func(context.Context) (int, error) { return 5000, nil }, Watched: func() int { return 0 },
		Page: func(context.Context, int) (payment.RecordPage, error) {
			return payment.RecordPage{}, errors.New("busy")
		},
		Schedule: payment.DefaultSchedule(), Now: func() time.Time { return now },
	}
	s := NewListPoller(c)
	s.distrustedUntil = now.Add(s.distrustPeriod())
	if s.poll(t.Context()); s.mode != statuses {
		t.Fatalf("mode %d; want none while the list is barred", s.mode)
	}
	s.last, s.at = load{pages: 20_000, tooSlow: true}, now
	now = now.Add(-time.Hour)
	if s.poll(t.Context()); s.mode != slow {
		t.Errorf("mode %d an hour before; want %d", s.mode, slow)
	}
}

// An idle or slow list poller still beats.
func TestListPollLeases(t *testing.T) {
	for name, c := range map[string]struct {
		pending int
		takes   time.Duration // a page
	}{"nothing to read": {10, 0}, "slow pages": {5000, 70 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewListPoller(ListPollerConfig{
					Count: func(context.Context) (int, error) { return c.pending, nil }, Watched: func() int { return 0 }, Schedule: payment.DefaultSchedule(),
					Page: func(ctx context.Context, _ int) (payment.RecordPage, error) {
						return payment.RecordPage{LastPage: 10, Items: make([]payment.Record, 50)}, wait(ctx, c.takes)
					},
					Apply: func(context.Context, *Reading, []payment.Record, time.Time) (Tally, error) {
						return Tally{Unchanged: 500}, nil
					},
				})
				if !s.LastBeat().IsZero() {
					t.Error("it turns before Run")
				}
				ctx, cancel := context.WithCancel(t.Context())
				go s.Run(ctx)
				for range 120 {
					time.Sleep(5 * time.Second)
					if late := time.Since(s.LastBeat()); late > c.takes+5*time.Second {
						t.Errorf("it is %v late; a page takes %v", late, c.takes)
					}
				}
				cancel()
				if synctest.Wait(); !s.LastBeat().IsZero() {
					t.Error("it turns after the end")
				}
			})
		})
	}
}
