package checkout

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

// rows is a store of due times.
type rows struct {
	mu   sync.Mutex
	due  map[string]time.Time // by session id
	late map[string]bool      // by session id: of a late check
	err  error
}

func (r *rows) Claim(
	_ context.Context, now time.Time, lease time.Duration, limit int, late bool,
) ([]StoredSession, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []StoredSession
	for id, at := range r.due {
		if !at.After(now) && r.late[id] == late && len(list) < limit {
			r.due[id] = now.Add(lease)
			list = append(list, StoredSession{Session: payment.Session{ID: id}})
		}
	}
	return list, r.err
}

func (r *rows) ClaimOf(
	_ context.Context, ids []string, now time.Time, lease time.Duration, limit int,
) ([]StoredSession, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []StoredSession
	for _, id := range ids {
		if at, ok := r.due[id]; ok && !at.After(now) && len(list) < limit {
			r.due[id] = now.Add(lease)
			list = append(list, StoredSession{Session: payment.Session{ID: id}})
		}
	}
	return list, r.err
}

func (r *rows) set(id string, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.due[id] = at
}

func TestRunProcessesWhatIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &rows{due: map[string]time.Time{}}
		processed := make(chan string, 10)
		p := NewPoller(PollerConfig{
			Store: store,
			Process: func(_ context.Context, s StoredSession) error {
				processed <- s.ID
				return nil
			}})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.Run(ctx) }()

		start := time.Now()
		store.set("cs_a", start.Add(3*time.Second))
		fortest.Equal(t, <-processed, "cs_a", "processed")
		if took := time.Since(start); took < 3*time.Second || took > 3*time.Second+p.Interval {
			t.Errorf("processed after %v; want 3s to %v", took, 3*time.Second+p.Interval)
		}
		// Process stores nothing: the row is due again after the lease, not before.
		<-processed
		if took := time.Since(start); took < p.Lease {
			t.Errorf("processed again after %v; want at least the lease, %v", took, p.Lease)
		}
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v; want nil", err)
		}
	})
}

func TestProcessDueOutlivesFailures(t *testing.T) {
	store := &rows{due: map[string]time.Time{}}
	for i := range 5 {
		store.set(fmt.Sprint("cs_", i), time.Now().Add(-time.Second))
	}
	var mu sync.Mutex
	seen := 0
	p := NewPoller(PollerConfig{
		Store:       store,
		Concurrency: 5,
		Process: func(_ context.Context, s StoredSession) error {
			mu.Lock()
			seen++
			mu.Unlock()
			if s.ID == "cs_0" {
				panic("a broken row")
			}
			return errors.New("no luck")
		}})
	n, err := p.ProcessDue(t.Context())
	if n != 5 || err != nil || seen != 5 {
		t.Errorf("ProcessDue = %d, %v with %d processed; want 5, nil, 5", n, err, seen)
	}
}

func TestProcessDueReportsStoreErrors(t *testing.T) {
	want := errors.New("disk gone")
	p := NewPoller(PollerConfig{Store: &rows{err: want}})
	if _, err := p.ProcessDue(t.Context()); !errors.Is(err, want) {
		t.Errorf("ProcessDue = %v; want %v", err, want)
	}
}

func TestKickClaimsNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &rows{due: map[string]time.Time{"cs_a": time.Now()}}
		processed := make(chan string, 1)
		p := NewPoller(PollerConfig{
			Store:    store,
			Interval: time.Hour,
			Process: func(_ context.Context, s StoredSession) error {
				processed <- s.ID
				return nil
			}})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go p.Run(ctx)
		start := time.Now()
		p.Kick()
		p.Kick() // a full slot is no reason to block
		<-processed
		fortest.Equal(t, time.Since(start), 0, "processed after Kick")
	})
}

func TestSlowSessionBlocksNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &rows{due: map[string]time.Time{"cs_slow": time.Now()}}
		slow, processed := make(chan struct{}), make(chan string, 100)
		p := NewPoller(PollerConfig{
			Store:       store,
			Concurrency: 2,
			Process: func(_ context.Context, s StoredSession) error {
				if s.ID == "cs_slow" {
					<-slow
				}
				processed <- s.ID
				return nil
			}})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.Run(ctx) }()
		synctest.Wait()
		start := time.Now()
		for i := range 50 {
			store.set(fmt.Sprint("cs_", i), start)
		}
		for range 50 {
			if id := <-processed; id == "cs_slow" {
				t.Error("the slow one ended early")
			}
		}
		if took := time.Since(start); took > p.Interval {
			t.Errorf("fifty sessions took %v beside a slow one; want at most %v", took, p.Interval)
		}
		stop()
		close(slow)
		if err := <-ended; err != nil {
			t.Errorf("Run = %v; want nil", err)
		}
	})
}

// A watched session is processed on time behind a thousand others, while all slots are taken.
func TestWatchedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &rows{due: map[string]time.Time{}}
		start := time.Now()
		for i := range 1000 {
			store.set(fmt.Sprint("cs_", i), start.Add(-time.Hour))
		}
		store.set("cs_watched", start)
		var at []time.Duration
		p := NewPoller(PollerConfig{
			Store:           store,
			Concurrency:     2,
			Watched:         func() []string { return []string{"cs_watched", "cs_done"} },
			WatchedInterval: 3 * time.Second,
			Process: func(ctx context.Context, s StoredSession) error {
				if s.ID == "cs_watched" {
					at = append(at, time.Since(start))
					store.set(s.ID, time.Now().Add(3*time.Second))
					return nil
				}
				return wait(ctx, 10*time.Second)
			},
		})
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		defer stop()
		fortest.OK(t, p.Run(ctx))
		if len(at) != 10 {
			t.Fatalf("processed at %v; want ten times in half a minute", at)
		}
		for i, d := range at {
			if late := d - time.Duration(i)*3*time.Second; late > time.Duration(i+1)*p.Interval {
				t.Errorf("processed at %v, %v after it was due first", d, late)
			}
		}
	})
}

// A watched session does not wait for a clock that was set back.
func TestWatchedWithAClockSetBack(t *testing.T) {
	now := time.Now()
	store := &rows{due: map[string]time.Time{"cs_watched": now.Add(-2 * time.Hour)}}
	p := NewPoller(PollerConfig{
		Store:           store,
		Watched:         func() []string { return []string{"cs_watched"} },
		WatchedInterval: 3 * time.Second,
		Now:             func() time.Time { return now },
	})
	for range 2 {
		if claimed, err := p.claimWatched(t.Context(), 1); len(claimed) != 1 || err != nil {
			t.Errorf("at %v: claimed %v, %v; want the one that is due", now, claimed, err)
		}
		now = now.Add(-time.Hour)
		store.set("cs_watched", now)
	}
}

// Late checks use only their own slots, and are claimed once a second while there are none.
func TestLateChecksKeepNoOtherWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		store := &rows{due: map[string]time.Time{}, late: map[string]bool{}}
		for i := range 1000 {
			id := fmt.Sprint("cs_late_", i)
			store.late[id] = true
			store.set(id, start.Add(-time.Hour))
		}
		store.set("cs_paid", start.Add(2*time.Second))
		var mu sync.Mutex
		var most, late int
		var paid time.Duration
		p := NewPoller(PollerConfig{
			Store:       store,
			Concurrency: 8,
			Process: func(ctx context.Context, s StoredSession) error {
				if s.ID == "cs_paid" {
					paid = time.Since(start)
					return nil
				}
				mu.Lock()
				late++
				most = max(most, late)
				mu.Unlock()
				defer func() {
					mu.Lock()
					late--
					mu.Unlock()
				}()
				return wait(ctx, 10*time.Second)
			}})
		ctx, stop := context.WithTimeout(t.Context(), 9*time.Second)
		defer stop()
		fortest.OK(t, p.Run(ctx))
		if most != 2 {
			t.Errorf("%d late checks at once; want a quarter of the 8 places", most)
		}
		if paid < 2*time.Second || paid > 2*time.Second+p.Interval {
			t.Errorf("the payment was checked at %v; want 2 s", paid)
		}
	})
}

// A late check is claimed within a second, also after others.
func TestLateChecksAreFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		store := &rows{
			due:  map[string]time.Time{},
			late: map[string]bool{"cs_a": true, "cs_b": true},
		}
		store.set("cs_a", start)
		store.set("cs_b", start.Add(5*time.Second))
		at := map[string]time.Duration{}
		p := NewPoller(PollerConfig{
			Store: store,
			Process: func(_ context.Context, s StoredSession) error {
				at[s.ID] = time.Since(start)
				return nil
			}})
		ctx, stop := context.WithTimeout(t.Context(), 8*time.Second)
		defer stop()
		fortest.OK(t, p.Run(ctx))
		if at["cs_a"] > p.Interval || at["cs_b"] > 5*time.Second+latePause+p.Interval ||
			len(at) != 2 {
			t.Errorf("checked at %v; want at once, and at 5 s to 6 s", at)
		}
	})
}

// wait waits for d. Errors: ctx's.
func wait(ctx context.Context, d time.Duration) error {
	background.Sleep(ctx, d)
	return ctx.Err()
}

// Due times are capped at start, until it succeeds, and when the clock went back.
func TestDueTimesAreCapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls, offset atomic.Int64
		p := NewPoller(PollerConfig{
			Store:   &rows{due: map[string]time.Time{}},
			Process: func(context.Context, StoredSession) error { return nil },
			Now:     func() time.Time { return time.Now().Add(time.Duration(offset.Load())) },
			CapDue: func(context.Context, time.Time) (int, error) {
				if calls.Add(1) == 1 {
					return 0, errors.New("database is away")
				}
				return 0, nil
			},
		})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.Run(ctx) }()
		for _, c := range []struct {
			name string
			back time.Duration
			want int64
		}{
			{"start", 0, 2}, {"steady clock", 0, 2}, {"a little back", time.Second, 2},
			{"back", time.Hour, 3}, {"forward", -time.Hour, 3},
		} {
			offset.Add(-int64(c.back))
			time.Sleep(time.Second)
			synctest.Wait()
			fortest.Equal(t, calls.Load(), c.want, "%s: due times were capped times", c.name)
		}
		stop()
		<-ended
	})
}
