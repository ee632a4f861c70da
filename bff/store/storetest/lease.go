package storetest

import (
	"errors"
	"testing"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

var leaseTests = cases{
	"touch ends the lease of its claim": on(func(t *testing.T, b Backend) {
		s := claimed(t, b, 1)
		s.CheckedAt = epoch()
		s.DueAt = epoch().Add(time.Second)
		fortest.OK(t, b.Touch(t.Context(), s, s.CheckedAt, s.DueAt))
		check(t, b, s.Session)
		wantLeased(t, b, s.DueAt, false)

		s = claimed(t, b, 2)
		s.DueAt = time.Time{}
		fortest.OK(t, b.Touch(t.Context(), s, s.CheckedAt, s.DueAt))
		check(t, b, s.Session)
	}),
	// What makes a leased session due sooner, as a shopper's page does, gives it to no other
	// instance.
	"a lease outlives being due sooner": on(func(t *testing.T, b Backend) {
		s := claimed(t, b, 1)
		touch(t, b, s.Session, s.Version, epoch(), epoch().Add(-time.Hour))
		wantLeased(t, b, epoch(), true)
		updated(t, b, s.ID, func(s *payment.Session) { s.DueAt = epoch().Add(-2 * time.Hour) })
		wantLeased(t, b, epoch(), true)
		release(t, b, s, later())
		wantLeased(t, b, epoch(), false)
	}),
	"release ends the lease": on(func(t *testing.T, b Backend) {
		s := claimed(t, b, 1)
		next := epoch().Add(10 * time.Second)
		release(t, b, s, next)
		release(t, b, s, later()) // has nothing to release any more
		want := s.Session
		want.DueAt = next
		check(t, b, want)
		wantLeased(t, b, next.Add(-time.Microsecond), true) // is not due
		wantLeased(t, b, next, false)

		s = claimed(t, b, 2)
		release(t, b, s, time.Time{})
		want = s.Session
		want.DueAt = time.Time{}
		check(t, b, want)
	}),
	"release leaves what has moved DueAt": on(func(t *testing.T, b Backend) {
		s := claimed(t, b, 1)
		next := epoch().Add(10 * time.Second)
		want := updated(t, b, s.ID, func(s *payment.Session) { s.DueAt = next })
		release(t, b, s, later())
		check(t, b, want)
		wantLeased(t, b, next, false)
	}),
	"hold takes over": on(func(t *testing.T, b Backend) {
		old := claimed(t, b, 1)
		now := epoch().Add(time.Second)
		held := hold(t, b, old.ID, now)
		want := old
		want.Epoch++
		same(t, "Hold", held, want)
		wantFenced(t, b, old)
		release(t, b, old, epoch())
		fortest.OK(t, b.Touch(t.Context(), old, epoch(), epoch()))
		check(t, b, held.Session)
		wantLeased(t, b, epoch().Add(time.Minute), true) // the end of the old lease
		wantLeased(t, b, now.Add(time.Minute), false)
	}),
	// An epoch fences the holders of earlier claims only.
	"update under a claim": on(func(t *testing.T, b Backend) {
		s := claimed(t, b, 1)
		for version, epoch := range []int64{s.Epoch, 0, s.Epoch} {
			got := fortest.Must(b.Update(t.Context(), s.ID, epoch,
				func(s *payment.Session) ([]payment.Event, error) { return nil, nil }))(t)
			fortest.Equal(t, got.Version, int64(version+2), "version")
		}
		release(t, b, s, later())
		fortest.Must(b.Update(t.Context(), s.ID, s.Epoch,
			func(s *payment.Session) ([]payment.Event, error) { return nil, nil }))(t)
	}),
	"hold of a session that is not due": on(func(t *testing.T, b Backend) {
		for n, due := range []time.Time{{}, later()} {
			s := fresh(n)
			s.DueAt = due
			s = inserted(t, b, s)
			held := hold(t, b, s.ID, epoch())
			same(t, "Hold", held, checkout.StoredSession{Session: s, Epoch: 1})
			release(t, b, held, epoch().Add(time.Second))
			s.DueAt = epoch().Add(time.Second)
			check(t, b, s)
		}
	}),
	"hold of an unknown session": on(func(t *testing.T, b Backend) {
		for _, id := range []string{"", "cs_unknown", "a\x00b", "\xff"} {
			_, err := b.Hold(t.Context(), id, epoch(), time.Minute)
			if !errors.Is(
				err, payment.ErrNotFound,
			) {
				t.Errorf("Hold(%q) = %v; want ErrNotFound", id, err)
			}
		}
	}),
}

// claimed is a session of the given number that was due at the epoch and has
// been claimed for a minute.
func claimed(t *testing.T, b Backend, n int) checkout.StoredSession {
	t.Helper()
	s := fresh(n)
	s.DueAt = epoch()
	inserted(t, b, s)
	return claim(t, b, epoch(), time.Minute, 1)[0]
}

func release(t *testing.T, b Backend, s checkout.StoredSession, dueAt time.Time) {
	t.Helper()
	fortest.OK(t, b.Release(t.Context(), s, dueAt))
}

func hold(t *testing.T, b Backend, id string, now time.Time) checkout.StoredSession {
	return fortest.Must(b.Hold(t.Context(), id, now, time.Minute))(t)
}

// wantFenced fails unless the store rejects a change by the holder of an old claim.
func wantFenced(t *testing.T, b Backend, old checkout.StoredSession) {
	t.Helper()
	_, err := b.Update(t.Context(), old.ID, old.Epoch,
		func(s *payment.Session) ([]payment.Event, error) {
			t.Error("change was called")
			return []payment.Event{event(s.ID, 1)}, nil
		})
	fortest.Is(t, err, payment.ErrFenced, "Update by the holder of the old claim")
}

// wantLeased fails unless the sessions are all that is not to be claimed at now.
func wantLeased(t *testing.T, b Backend, now time.Time, leased bool) {
	t.Helper()
	n := len(claim(t, b, now, time.Minute, 1))
	if leased != (n == 0) {
		t.Errorf("claim has %d sessions; leased is %t", n, leased)
	}
}
