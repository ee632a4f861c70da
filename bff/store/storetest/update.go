package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

var updateTests = cases{
	"update stores what change leaves": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		got := updated(t, b, s.ID, func(current *payment.Session) {
			same(t, "what change is given", *current, s)
			current.Status = wire.Pending
			current.DueAt = epoch()
			current.Attempts = append(current.Attempts, attempt(1, payment.Waiting, "m1"))
		})
		s.Version = 2
		s.Status = wire.Pending
		s.DueAt = epoch()
		s.Attempts = []payment.Attempt{attempt(1, payment.Waiting, "m1")}
		same(t, "Update", got, s)
		check(t, b, s)
		page := fortest.Must(b.List(t.Context(), payment.Filter{Status: string(wire.Pending)}))(t)
		same(t, "sessions of the new status", page.Sessions, []payment.Session{s})
		if page, err := b.List(t.Context(),
			payment.Filter{Status: string(wire.Open)}); err != nil ||
			len(page.Sessions) > 0 {
			t.Errorf("sessions of the old status = %v, %v; want none", ids(page.Sessions), err)
		}
	}),
	"update keeps id and version its own": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		got := updated(t, b, s.ID,
			func(current *payment.Session) {
				current.ID = "cs_other"
				current.Version = 99
			})
		s.Version = 2
		same(t, "Update", got, s)
		check(t, b, s)
	}),
	// A change that returns an error is undone; ErrUnchanged is no error of Update.
	"update whose change fails": on(func(t *testing.T, b Backend) {
		refused := errors.New("refused")
		for n, c := range []struct{ err, want error }{
			{refused, refused}, {fmt.Errorf("no news: %w", payment.ErrUnchanged), nil},
		} {
			s := fresh(n)
			s.Order.Metadata = map[string]string{"k": "v"}
			s.Attempts = []payment.Attempt{attempt(1, payment.Waiting, fmt.Sprint("m", n))}
			s = inserted(t, b, s)
			got, err := b.Update(t.Context(), s.ID, 0,
				func(current *payment.Session) ([]payment.Event, error) {
					changeAll(current)
					return []payment.Event{event(s.ID, 1)}, c.err
				})
			if !errors.Is(err, c.want) {
				t.Errorf("Update = %v after %v; want %v", err, c.err, c.want)
			}

			same(t, "Update", got, s)
			check(t, b, s)
			wantDeliveries(t, b, nil)
		}
	}, siteA),
	"update whose change panics": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		func() {
			defer func() {
				if r := recover(); r != "a mistake" {
					t.Errorf("recovered %v; want the panic of change", r)
				}
			}()
			_, _ = b.Update(t.Context(), s.ID, 0,
				func(*payment.Session) ([]payment.Event, error) { panic("a mistake") })
		}()
		check(t, b, s)
		updated(t, b, s.ID, nothing) // the store still works
	}),
	"update of an unknown session": on(func(t *testing.T, b Backend) {
		_, err := b.Update(t.Context(), "cs_unknown", 0,
			func(*payment.Session) ([]payment.Event, error) {
				t.Error("change was called")
				return nil, nil
			})
		fortest.Is(t, err, payment.ErrNotFound, "Update")
	}),
	// No rule changes a reference, but if one did, it would be what it leaves.
	"update frees and takes references": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		updated(t, b, s.ID, func(s *payment.Session) { s.Order.Ref = "another" })
		inserted(t, b, fresh(2))
		again := fresh(3)
		again.Order.Ref = fresh(1).Order.Ref
		inserted(t, b, again)
		_, err := b.Update(t.Context(), again.ID, 0,
			func(s *payment.Session) ([]payment.Event, error) {
				s.Order.Ref = "another"
				return nil, nil
			})
		fortest.Fails(t, err, "two sessions have one reference")
	}),
	"updates at the same time lose nothing": alone(raceOfUpdates),
	"results share nothing": on(func(t *testing.T, b Backend) {
		s := fresh(1)
		s.Order.Metadata = map[string]string{"k": "v"}
		s.Attempts = []payment.Attempt{attempt(1, payment.Waiting, "m1")}
		want := inserted(t, b, s)
		for range 2 {
			got := fortest.Must(b.Session(t.Context(), s.ID))(t)
			same(t, "Session", got, want)
			changeAll(&got)
		}
		changeAll(&s)
		check(t, b, want)
	}),
}

// changeAll changes s in every way, including what is behind its references.
func changeAll(s *payment.Session) {
	s.Status = wire.Confirmed
	s.DueAt = epoch()
	s.Order.Metadata["k"] = "spoilt"
	s.Attempts[0].State = payment.Confirmed
	s.Attempts = append(s.Attempts, attempt(2, payment.Waiting, "m2"))
}

func raceOfUpdates(t *testing.T, backends ...Backend) {
	t.Helper()
	b := backends[0]
	s := inserted(t, b, fresh(1))
	const goroutines, each = 16, 8
	var all sync.WaitGroup
	versions := make(chan int64, goroutines*each)
	for g := range goroutines {
		all.Go(func() {
			for n := range each {
				got, err := backends[g%len(backends)].Update(t.Context(), s.ID, 0,
					func(s *payment.Session) ([]payment.Event, error) {
						s.Timeline = append(s.Timeline,
							payment.TimelineEntry{What: fmt.Sprint(g, " ", n)})
						return nil, nil
					})
				if err != nil {
					t.Errorf("Update = %v", err)
				}
				versions <- got.Version
			}
		})
	}

	all.Wait()
	close(versions)
	seen := map[int64]bool{}
	for v := range versions {
		seen[v] = true
	}

	got := fortest.Must(b.Session(t.Context(), s.ID))(t)
	lines := map[string]bool{}
	for _, e := range got.Timeline {
		lines[e.What] = true
	}
	if len(seen) != goroutines*each || len(lines) != goroutines*each ||
		got.Version != 1+goroutines*each {
		t.Errorf("%d versions, %d lines, version %d after %d updates", len(seen), len(lines),
			got.Version, goroutines*each)
	}
}
