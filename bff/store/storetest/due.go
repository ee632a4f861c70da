package storetest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"coinslot/bff/checkout"
)

func dueTests() map[string]func(*testing.T, Opener) {
	return map[string]func(*testing.T, Opener){
		"touch sets times only":                touchSets,
		"touch of an old version does nothing": touchOld,
		"update sees what touch wrote":         touchThenUpdate,
		"claim returns the due":                claimDue,
		"claim leases":                         claimLeases,
		"claim takes the earliest":             claimEarliest,
		"claim gives each to one":              claimRace,
		"claim leaves version and change":      claimThenUpdate,
	}
}

func touch(t *testing.T, b Backend, s checkout.Session, version int64, checkedAt, dueAt time.Time) {
	t.Helper()
	if err := b.Touch(t.Context(), s.ID, version, checkedAt, dueAt); err != nil {
		t.Fatalf("Touch = %v", err)
	}
}

func claim(t *testing.T, b Backend, now time.Time, lease time.Duration, limit int) []checkout.Session {
	t.Helper()
	sessions, err := b.Claim(t.Context(), now, lease, limit)
	if err != nil {
		t.Fatalf("Claim = %v", err)
	}
	return sessions
}

func touchSets(t *testing.T, open Opener) {
	b := open(t, nil)
	s := inserted(t, b, fresh(1))
	other := inserted(t, b, fresh(2))
	s.CheckedAt, s.DueAt = epoch().Add(1*time.Microsecond), epoch().Add(time.Hour)
	touch(t, b, s, 1, s.CheckedAt, s.DueAt)
	check(t, b, s)
	check(t, b, other)
	s.CheckedAt, s.DueAt = time.Time{}, time.Time{}
	touch(t, b, s, 1, s.CheckedAt, s.DueAt)
	check(t, b, s)
}

func touchOld(t *testing.T, open Opener) {
	b := open(t, nil)
	s := inserted(t, b, fresh(1))
	s = updated(t, b, s.ID, nothing)
	for _, version := range []int64{0, 1, 3} {
		touch(t, b, s, version, epoch(), epoch())
	}
	touch(t, b, fresh(2), 1, epoch(), epoch()) // unknown
	check(t, b, s)
}

func touchThenUpdate(t *testing.T, open Opener) {
	b := open(t, nil)
	s := inserted(t, b, fresh(1))
	touch(t, b, s, 1, epoch(), epoch().Add(time.Hour))
	s.Version, s.CheckedAt, s.DueAt = 2, epoch(), epoch().Add(time.Hour)
	same(t, "Update", updated(t, b, s.ID, nothing), s)
	check(t, b, s)
}

func claimDue(t *testing.T, open Opener) {
	b := open(t, nil)
	now := epoch()
	for n, due := range []time.Time{{}, now.Add(-time.Hour), now, now.Add(time.Microsecond), time.Unix(0, 0)} {
		s := fresh(n)
		s.DueAt = due
		inserted(t, b, s)
	}
	claimed := claim(t, b, now, time.Minute, 10)
	same(t, "claimed", ids(claimed), []string{fresh(4).ID, fresh(1).ID, fresh(2).ID})
	if !claimed[1].DueAt.Equal(now.Add(-time.Hour)) {
		t.Errorf("DueAt of a claimed session = %v; want the old one", claimed[1].DueAt)
	}
	never := claim(t, b, now.AddDate(1000, 0, 0), time.Minute, 10)
	if slices.Contains(ids(never), fresh(0).ID) {
		t.Error("a session without DueAt was claimed")
	}
}

func claimLeases(t *testing.T, open Opener) {
	b := open(t, nil)
	now := epoch()
	s := fresh(1)
	s.DueAt = now
	s = inserted(t, b, s)
	same(t, "first claim", claim(t, b, now, time.Minute, 10), []checkout.Session{s})
	same(t, "claim within the lease", claim(t, b, now.Add(time.Minute-time.Microsecond), time.Minute, 10), []checkout.Session(nil))
	s.DueAt = now.Add(time.Minute)
	check(t, b, s)
	same(t, "claim after the lease", claim(t, b, now.Add(time.Minute), time.Minute, 10), []checkout.Session{s})
}

func claimEarliest(t *testing.T, open Opener) {
	b := open(t, nil)
	now := epoch()
	for n := range 6 {
		s := fresh(n)
		s.DueAt = now.Add(-time.Duration(n) * time.Second)
		inserted(t, b, s)
	}
	same(t, "of none", ids(claim(t, b, now, time.Minute, 0)), []string(nil))
	same(t, "first four", ids(claim(t, b, now, time.Minute, 4)), []string{fresh(5).ID, fresh(4).ID, fresh(3).ID, fresh(2).ID})
	same(t, "the rest", ids(claim(t, b, now, time.Minute, 4)), []string{fresh(1).ID, fresh(0).ID})
}

func claimRace(t *testing.T, open Opener) {
	b := open(t, nil)
	const sessions = 40
	for n := range sessions {
		s := fresh(n)
		s.DueAt = epoch()
		inserted(t, b, s)
	}
	var all sync.WaitGroup
	claimed := make(chan string, 2*sessions)
	for range 8 {
		all.Go(func() {
			for {
				list, err := b.Claim(t.Context(), epoch(), time.Minute, 3)
				if err != nil {
					t.Errorf("Claim = %v", err)
				}
				if len(list) == 0 {
					return
				}
				for _, s := range list {
					claimed <- s.ID
				}
			}
		})
	}
	all.Wait()
	close(claimed)
	times := map[string]int{} // by id
	for id := range claimed {
		times[id]++
		if times[id] > 1 {
			t.Errorf("%s was claimed twice", id)
		}
	}
	if len(times) != sessions {
		t.Errorf("%d of %d sessions were claimed", len(times), sessions)
	}
}

// A claimed session is changed as any other, and its change says when it is
// due next.
func claimThenUpdate(t *testing.T, open Opener) {
	b := open(t, nil)
	s := fresh(1)
	s.DueAt = epoch()
	s = inserted(t, b, s)
	claim(t, b, epoch(), time.Minute, 1)
	next := epoch().Add(10 * time.Second)
	got := updated(t, b, s.ID, func(s *checkout.Session) { s.DueAt = next })
	s.Version, s.DueAt = 2, next
	same(t, "Update", got, s)
	same(t, "claim", ids(claim(t, b, next, time.Minute, 1)), []string{s.ID})
	touch(t, b, s, 2, epoch(), time.Time{})
	same(t, "claim after a touch", ids(claim(t, b, next.Add(time.Hour), time.Minute, 1)), []string(nil))
}
