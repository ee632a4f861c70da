package gatewaylist

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/internal/background"
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
	last  *ListPoll
	began time.Time
}

type call struct {
	page int
	at   time.Duration // since the start
}

// Transactions implements Lister.
func (l *list) Transactions(ctx context.Context, q payment.ListQuery) (payment.RecordPage, error) {
	l.calls = append(l.calls, call{q.Page, time.Since(l.began)})
	if err := wait(ctx, l.takes); err != nil {
		return payment.RecordPage{}, err
	}
	if l.fails != nil && l.fails(q.Page) {
		return payment.RecordPage{}, errors.New("busy")
	}
	page := payment.RecordPage{LastPage: l.pages + l.grows*q.Page, Total: 50 * l.pages}
	if l.empty == 0 || q.Page < l.empty {
		page.Items = codes(fmt.Sprint(q.Page, "."), 50)
	}
	if q.Page >= page.LastPage { // no other follows
		page.Items = page.Items[:min(49, len(page.Items))]
	}
	return page, nil
}

// wait waits for d. Errors: ctx's.
func wait(ctx context.Context, d time.Duration) error {
	background.Sleep(ctx, d)
	return ctx.Err()
}

func (l *list) apply(
	_ context.Context, r *ListPoll, _ []payment.Record, _ time.Time,
) (Tally, error) {
	if r != l.last {
		l.last, l.next = r, append(l.next, r.Next)
	}
	return Tally{Unchanged: l.shows}, nil
}

// leases is the lease of one kind of runs in memory.
type leases struct {
	Runs
	mu    sync.Mutex // guards the fields below
	epoch int64
	until time.Time // end of the lease; zero = none
	next  time.Time // none is begun before
	ended []Run
}

func (l *leases) BeginRun(
	_ context.Context, _ Run, now time.Time, lease time.Duration,
) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.until) || now.Before(l.next) && l.next.Sub(now) < MaxPause {
		return 0, ErrRunning
	}
	l.epoch++
	l.until = now.Add(lease)
	return l.epoch, nil
}

func (l *leases) ExtendRun(_ context.Context, epoch int64, _ Run, until time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if epoch != l.epoch {
		return payment.ErrFenced
	}
	l.until = until
	return nil
}

func (l *leases) EndRun(_ context.Context, epoch int64, run Run, _ *Report, next time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if epoch != l.epoch {
		return payment.ErrFenced
	}
	l.until, l.next = time.Time{}, next
	l.ended = append(l.ended, run)
	return nil
}

// watch runs a poller over l with that many payments.
func (l *list) watch(t *testing.T, pending int, d time.Duration, change func(*PollerConfig)) {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	l.began = time.Now()
	c := PollerConfig{
		Gateway: l, Apply: l.apply, Schedule: payment.DefaultSchedule(),
		Count:   func(context.Context) (int, error) { return pending, nil },
		Watched: func() int { return 0 },
	}
	if change != nil {
		change(&c)
	}
	if err := NewPoller(c).Run(ctx); err != nil {
		t.Errorf("Run = %v", err)
	}
}

// begun returns the start times of readings.
func (l *list) begun() (at []time.Duration) {
	for i, c := range l.calls {
		again := i > 0 && l.calls[i-1].page == 1 && c.at-l.calls[i-1].at < time.Second
		if c.page == 1 && !again {
			at = append(at, c.at)
		}
	}
	return at
}

// mortal is the lease of an instance that dies at a time, and ends nothing then.
type mortal struct {
	*leases
	dies time.Time
}

func (m mortal) EndRun(ctx context.Context, epoch int64, c Run, r *Report, next time.Time) error {
	if !time.Now().Before(m.dies) {
		return nil
	}
	return m.leases.EndRun(ctx, epoch, c, r, next)
}

func TestListPollSpreadsItsPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &list{shows: 50, pages: 100}
		l.watch(t, 5000, 40*time.Second, nil)
		if want := []time.Duration{
			0, 13500 * time.Millisecond, 27 * time.Second,
		}; !slices.Equal(l.begun(), want) {
			t.Errorf("readings began at %v; want %v", l.begun(), want)
		}
		for i, c := range l.calls[:200] {
			want := time.Duration(i/100)*13500*time.Millisecond +
				time.Duration(i%100)*121500*time.Microsecond
			if c.page != i%100+1 || c.at != want {
				t.Fatalf("call %d is of page %d at %v; want page %d at %v", i, c.page, c.at,
					i%100+1, want)
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
		if want := []time.Duration{
			0, 27 * time.Second, 54 * time.Second,
		}; !slices.Equal(l.begun(), want) {
			t.Errorf("readings began at %v; want %v", l.begun(), want)
		}
		if want := []time.Duration{
			14500 * time.Millisecond, 29 * time.Second, 29 * time.Second,
		}; !slices.Equal(l.next, want) {
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
		"nothing to watch": {list{pages: 1}, 0, 0, 0},
		"few":              {list{pages: 1}, 10, 0, 0},
		"one page":         {list{pages: 1}, 50, 5, 5},
		"a page that fails": {
			list{pages: 60, fails: func(n int) bool { return n == 30 }},
			3000,
			5,
			4*32 + 31,
		},
		"every page fails": {
			list{pages: 100, fails: func(int) bool { return true }},
			5000,
			5,
			15,
		},
		"all but the first fail": {
			list{pages: 100, fails: func(n int) bool { return n > 1 }},
			5000,
			5,
			5 * 4,
		},
		"too long":              {list{pages: 20_000}, 5000, 1, 1},
		"grows forever":         {list{pages: 100, grows: 1}, 5000, 1, 901},
		"grows fast":            {list{pages: 100, grows: 100}, 5000, 1, 11},
		"nothing after page 60": {list{pages: 100, empty: 61}, 5000, 5, 4*61 + 50},
		"shows a few":           {list{pages: 100, empty: 11}, 5000, 1, 11},
		"grows, but is empty":   {list{pages: 100, grows: 1, empty: 101}, 5000, 5, 5*101 - 3},
		"no pages at all":       {list{pages: 0}, 5000, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := tt.list
				l.shows = 50
				l.watch(t, tt.pending, time.Minute, nil)
				n := len(l.begun())
				if n != tt.readings || len(l.calls) < tt.calls-2 || len(l.calls) > tt.calls+2 {
					t.Errorf("%d readings, %d calls; want %d and %d", n, len(l.calls), tt.readings,
						tt.calls)
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
			l.watch(t, 5000, time.Minute,
				func(c *PollerConfig) { c.Watched = func() int { return 1000 } })
			if n := len(l.begun()); n < want-1 || n > want+1 {
				t.Errorf("with pages of %v: readings began at %v; want about %d", takes, l.begun(),
					want)
			}
		})
	}
}

// A list without our payments is read only now and then; here, Apply counts nothing as unchanged.
func TestListPollOfNoUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &list{pages: 100}
		l.watch(t, 5000, 11*time.Minute, nil)
		if n := len(l.begun()); n != 3 {
			t.Errorf("%d readings in eleven minutes; want one in five", n)
		}
	})
}

func TestUseless(t *testing.T) {
	for _, tt := range []struct {
		tally   Tally
		pending int
		want    bool
	}{
		{Tally{}, 0, false},
		{Tally{Unchanged: 50, Stale: 2}, 50, false},
		{Tally{Unchanged: 50, Stale: 3}, 50, true},
		{Tally{Unchanged: 5000, Stale: 7}, 5000, false},
		{Tally{Unchanged: 5000, Stale: 8}, 5000, true},
		{Tally{Unchanged: 20, Changed: 5}, 50, false},
		{Tally{Unchanged: 20, Changed: 4}, 50, true},
		{Tally{}, 1, false},
	} {
		fortest.Equal(t, useless(tt.tally, tt.pending), tt.want, "useless(%+v of %d)", tt.tally,
			tt.pending)
	}
}

// Two instances read the list as often as one, also if a reading takes longer than the period.
// When one dies in a reading, the other starts within a period and a quarter.
func TestListPollKeepsItsLease(t *testing.T) {
	const period, gap = 13500 * time.Millisecond, 13500 * time.Millisecond * 5 / 4
	for _, takes := range []time.Duration{0, 500 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			shared := new(leases)
			first := &list{shows: 50, pages: 100, takes: takes}
			other := &list{shows: 50, pages: 100, takes: takes}
			var both sync.WaitGroup
			both.Go(func() {
				first.watch(
					t,
					5000,
					130*time.Second,
					func(c *PollerConfig) {
						c.Runs = mortal{shared, time.Now().Add(130 * time.Second)}
					},
				)
			})
			synctest.Wait()
			other.watch(t, 5000, 300*time.Second, func(c *PollerConfig) { c.Runs = shared })
			both.Wait()
			at := slices.Sorted(slices.Values(append(first.begun(), other.begun()...)))
			for i, began := range at[1:] {
				if passed := began - at[i]; passed < period*19/20 || passed > 100*takes+2*gap {
					t.Errorf("with pages of %v: readings began %v apart", takes, passed)
				}
			}
			after := at[slices.IndexFunc(at,
				func(d time.Duration) bool { return d >= 130*time.Second })]
			if after > 130*time.Second+gap {
				t.Errorf("with pages of %v: the other began at %v; want 146.9 s at most", takes,
					after)
			}
		})
	}
}

// A run is stored with its end and outcome; one that a shutdown interrupts has no end.
func TestListPollEndsItsRun(t *testing.T) {
	for _, failed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l, runs := &list{shows: 50, pages: 100}, new(leases)
			if failed {
				l.fails = func(int) bool { return true }
			}
			l.watch(t, 5000, 20*time.Second, func(c *PollerConfig) { c.Runs = runs })
			if len(runs.ended) != 2 {
				t.Fatalf("%d runs; want one, and one that is interrupted: %+v", len(runs.ended),
					runs.ended)
			}
			first, last := runs.ended[0], runs.ended[1]
			if first.Ended.IsZero() || first.Failed != failed {
				t.Errorf("the first ended at %v, failed %t; want an end, %t", first.Ended,
					first.Failed, failed)
			}
			if !failed && !last.Ended.IsZero() {
				t.Errorf("the interrupted run ended at %v; want no end", last.Ended)
			}
		})
	}
}

// A clock set back by an hour delays nothing by more than a period.
func TestListPollWithAClockSetBack(t *testing.T) {
	for _, at := range []time.Duration{
		5 * time.Second, 12800 * time.Millisecond,
	} { // in the middle of a reading, and between two
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			l := &list{shows: 50, pages: 100}
			l.watch(t, 5000, 2*time.Minute, func(c *PollerConfig) {
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
	l := &list{fails: func(int) bool { return true }}
	p := NewPoller(PollerConfig{
		Gateway: l, Apply: l.apply,
		Count:    func(context.Context) (int, error) { return 5000, nil },
		Watched:  func() int { return 0 },
		Schedule: payment.DefaultSchedule(), Now: func() time.Time { return now },
	})
	p.suspicion.raise(p.Schedule, now)
	if p.poll(t.Context()); p.mode != statuses {
		t.Fatalf("mode %d; want none while the list is suspect", p.mode)
	}
	p.pages, p.measuredAt = 20_000, now
	now = now.Add(-time.Hour)
	if p.poll(t.Context()); p.mode != slow {
		t.Errorf("mode %d an hour before; want %d", p.mode, slow)
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
				l := &list{pages: 10, takes: c.takes, shows: 500}
				s := NewPoller(PollerConfig{
					Gateway: l, Apply: l.apply, Schedule: payment.DefaultSchedule(),
					Count:   func(context.Context) (int, error) { return c.pending, nil },
					Watched: func() int { return 0 },
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
