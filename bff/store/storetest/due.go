package storetest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

var dueTests = cases{
	"touch sets times only": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		other := inserted(t, b, fresh(2))
		s.CheckedAt = epoch().Add(1 * time.Microsecond)
		s.DueAt = epoch().Add(time.Hour)
		touch(t, b, s, 1, s.CheckedAt, s.DueAt)
		check(t, b, s)
		check(t, b, other)
		s.CheckedAt = time.Time{}
		s.DueAt = time.Time{}
		touch(t, b, s, 1, s.CheckedAt, s.DueAt)
		check(t, b, s)
	}),
	"touch of an old version does nothing": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		s = updated(t, b, s.ID, nothing)
		for _, version := range []int64{0, 1, 3} {
			touch(t, b, s, version, epoch(), epoch())
		}
		touch(t, b, fresh(2), 1, epoch(), epoch()) // unknown
		check(t, b, s)
	}),
	"update sees what touch wrote": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		touch(t, b, s, 1, epoch(), epoch().Add(time.Hour))
		s.Version = 2
		s.CheckedAt = epoch()
		s.DueAt = epoch().Add(time.Hour)
		same(t, "Update", updated(t, b, s.ID, nothing), s)
		check(t, b, s)
	}),
	"claim returns the due": on(func(t *testing.T, b Backend) {
		now := epoch()
		for n, due := range []time.Time{
			{}, now.Add(-time.Hour), now, now.Add(time.Microsecond), time.Unix(0, 0),
		} {
			s := fresh(n)
			s.DueAt = due
			inserted(t, b, s)
		}

		claimed := claim(t, b, now, time.Minute, 10)
		wantClaimed(t, "claimed", claimed, 4, 1, 2)
		if !claimed[1].DueAt.Equal(now.Add(-time.Hour)) {
			t.Errorf("DueAt of a claimed session = %v; want the old one", claimed[1].DueAt)
		}

		never := claim(t, b, now.AddDate(1000, 0, 0), time.Minute, 10)
		if slices.Contains(claimedIDs(never), fresh(0).ID) {
			t.Error("a session without DueAt was claimed")
		}
	}),
	"claim leases": on(func(t *testing.T, b Backend) {
		now := epoch()
		s := fresh(1)
		s.DueAt = now
		s = inserted(t, b, s)
		same(t, "first claim", claim(t, b, now, time.Minute, 10),
			[]checkout.StoredSession{{Session: s, Epoch: 1}})
		same(t, "claim within the lease",
			claim(t, b, now.Add(time.Minute-time.Microsecond), time.Minute, 10),
			[]checkout.StoredSession(nil))
		check(t, b, s) // DueAt stays
		same(t, "claim after the lease", claim(t, b, now.Add(time.Minute), time.Minute, 10),
			[]checkout.StoredSession{{Session: s, Epoch: 2}})
	}),
	"claim takes the earliest": on(func(t *testing.T, b Backend) {
		now := epoch()
		for n := range 6 {
			s := fresh(n)
			s.DueAt = now.Add(-time.Duration(n) * time.Second)
			inserted(t, b, s)
		}
		wantClaimed(t, "of none", claim(t, b, now, time.Minute, 0))
		wantClaimed(t, "first four", claim(t, b, now, time.Minute, 4), 5, 4, 3, 2)
		wantClaimed(t, "the rest", claim(t, b, now, time.Minute, 4), 1, 0)
	}),
	"claim gives each to one": alone(raceForClaims),
	// A claimed session is changed as any other; its change says when it is due next
	// and keeps the lease.
	"claim leaves version and change": on(func(t *testing.T, b Backend) {
		s := fresh(1)
		s.DueAt = epoch()
		s = inserted(t, b, s)
		claim(t, b, epoch(), time.Minute, 1)
		next := epoch().Add(10 * time.Second)
		got := updated(t, b, s.ID, func(s *payment.Session) { s.DueAt = next })
		s.Version = 2
		s.DueAt = next
		same(t, "Update", got, s)
		check(t, b, s)
		wantClaimed(t, "claim within the lease", claim(t, b, next, time.Minute, 1))
		same(t, "claim after the lease", claim(t, b, epoch().Add(time.Minute), time.Minute, 1),
			[]checkout.StoredSession{{Session: s, Epoch: 2}})
		touch(t, b, s, 2, epoch(), time.Time{})
		wantClaimed(t, "claim after a touch", claim(t, b, next.Add(time.Hour), time.Minute, 1))
	}),
	// Whether a check is late depends on when it is due: what is due before LateFrom is not.
	"late checks are claimed apart": on(func(t *testing.T, b Backend) {
		now := epoch()
		for n, from := range []time.Time{
			{}, now.Add(-time.Hour), now.Add(-time.Minute), now.Add(time.Hour),
		} {
			s := fresh(n)
			s.DueAt = now.Add(-time.Minute - time.Duration(n)*time.Millisecond)
			s.LateFrom = from
			s = inserted(t, b, s)
			check(t, b, s)
		}

		late := fresh(4)
		late.DueAt = now.Add(-2 * time.Minute)
		late = inserted(t, b, late)
		late = updated(t, b, late.ID, func(s *payment.Session) { s.LateFrom = s.DueAt })
		check(t, b, late)

		wantClaimed(t, "of none", claimLate(t, b, now, 0))
		wantClaimed(t, "late", claimLate(t, b, now, 10), 4, 1)
		wantClaimed(t, "late, leased", claimLate(t, b, now, 10))
		wantClaimed(t, "others", claim(t, b, now, time.Minute, 10), 3, 2, 0)

		// A session that is made due sooner, or later, changes sides.
		touch(t, b, fresh(2), 1, now, now.Add(-time.Minute))
		touch(t, b, late, 2, now, now.Add(-time.Hour))
		after := now.Add(time.Minute)
		wantClaimed(t, "late, after touching", claimLate(t, b, after, 10), 1, 2)
		wantClaimed(t, "others, after touching", claim(t, b, after, time.Minute, 10), 4, 3, 0)
	}),
	"late checks are claimed by id too": on(func(t *testing.T, b Backend) {
		s := fresh(1)
		s.DueAt = epoch()
		s.LateFrom = epoch()
		inserted(t, b, s)
		claimed, err := b.ClaimOf(t.Context(), []string{s.ID}, epoch(), time.Minute, 1)
		if err != nil || len(claimed) != 1 {
			t.Errorf("ClaimOf = %v, %v; want the session", claimedIDs(claimed), err)
		}
	}),
	"watch": on(watch),
	"watch keeps what is further": on(func(t *testing.T, b Backend) {
		s := fresh(1)
		s.Status = wire.Pending
		s.DueAt = epoch().Add(time.Second)
		s = inserted(t, b, s)
		claimed := claim(t, b, later(), time.Minute, 1)[0]
		until := epoch().Add(time.Minute)
		watchAll(t, b, until, epoch().Add(time.Hour), s.ID)
		wantWatched(t, b, s, until) // is due earlier
		watchAll(t, b, until.Add(-time.Second), epoch(), s.ID)
		s.DueAt = epoch()
		wantWatched(t, b, s, until) // is watched for longer
		wantClaimed(t, "claim of a leased one", claim(t, b, later(), time.Minute, 1))
		touch(t, b, claimed.Session, 1, epoch(), time.Time{})
		s.CheckedAt = epoch()
		s.DueAt = time.Time{}
		wantWatched(t, b, s, until)
		s = updated(t, b, s.ID, nothing)
		wantWatched(t, b, s, until) // is still watched
		watchAll(t, b, epoch(), later(), s.ID)
		s.DueAt = later()
		wantWatched(t, b, s, until) // was never due
	}),
	"watch of many": on(func(t *testing.T, b Backend) {
		var all []string
		for n := range 450 {
			s := fresh(n)
			if n%10 == 0 {
				s.Status = wire.Pending
				inserted(t, b, s)
			}
			all = append(all, s.ID)
		}

		watchAll(t, b, later(), epoch(), all...)
		if n := len(claim(t, b, epoch(), time.Minute, 100)); n != 45 {
			t.Errorf("%d sessions are due; want 45", n)
		}
	}),
}

func touch(t *testing.T, b Backend, s payment.Session, version int64, checkedAt, dueAt time.Time) {
	t.Helper()
	read := checkout.StoredSession{Session: payment.Session{ID: s.ID, Version: version}}
	fortest.OK(t, b.Touch(t.Context(), read, checkedAt, dueAt))
}

func claim(
	t *testing.T, b Backend, now time.Time, lease time.Duration, limit int,
) []checkout.StoredSession {
	return fortest.Must(b.Claim(t.Context(), now, lease, limit, false))(t)
}

func claimLate(t *testing.T, b Backend, now time.Time, limit int) []checkout.StoredSession {
	t.Helper()
	sessions := fortest.Must(b.Claim(t.Context(), now, time.Minute, limit, true))(t)
	for _, s := range sessions {
		if s.Epoch == 0 || !s.DueForLateCheck() {
			t.Errorf("%s has epoch %d, late %t; want both", s.ID, s.Epoch, s.DueForLateCheck())
		}
	}
	return sessions
}

// race lets n goroutines claim until nothing is left, and fails unless each of total items
// is claimed once. last claims once more at the end, for what every claimer has
// passed over because another one had it.
func race(t *testing.T, n, total int, take func(g int) []string, last func() []string) {
	t.Helper()
	var all sync.WaitGroup
	claimed := make(chan string, 2*total)
	for g := range n {
		all.Go(func() {
			for list := take(g); len(list) > 0; list = take(g) {
				for _, item := range list {
					claimed <- item
				}
			}
		})
	}

	all.Wait()
	for _, item := range last() {
		claimed <- item
	}

	close(claimed)
	times := map[string]int{}
	for item := range claimed {
		times[item]++
		if times[item] > 1 {
			t.Errorf("%s was claimed twice", item)
		}
	}
	if len(times) != total {
		t.Errorf("%d of %d were claimed", len(times), total)
	}
}

// raceForClaims lets 64 claimers have all sessions, with each of the backends.
func raceForClaims(t *testing.T, backends ...Backend) {
	t.Helper()
	const sessions = 100
	for n := range sessions {
		due(t, backends[0], n)
	}

	race(t, 64, sessions, func(g int) []string {
		list, err := backends[g%len(backends)].Claim(t.Context(), epoch(), time.Minute, 3, false)
		if err != nil {
			t.Errorf("Claim = %v", err)
		}
		for _, s := range list {
			if s.Epoch != 1 {
				t.Errorf("%s has epoch %d; want the first", s.ID, s.Epoch)
			}
		}
		return claimedIDs(list)
	}, func() []string {
		return claimedIDs(claim(t, backends[0], epoch(), time.Minute, sessions))
	})
}

// wantClaimed is wantSessions of what was claimed.
func wantClaimed(t *testing.T, what string, got []checkout.StoredSession, numbers ...int) {
	t.Helper()
	wantSessions(t, what, sessionsOf(got), numbers...)
}

func claimedIDs(claimed []checkout.StoredSession) []string { return ids(sessionsOf(claimed)) }

func sessionsOf(claimed []checkout.StoredSession) (list []payment.Session) {
	for _, c := range claimed {
		list = append(list, c.Session)
	}
	return list
}

func watchAll(t *testing.T, b Backend, until, dueBy time.Time, ids ...string) {
	t.Helper()
	fortest.OK(t, b.Watch(t.Context(), ids, until, dueBy))
}

func watch(t *testing.T, b Backend) {
	var all []payment.Session
	for n, status := range []wire.Status{
		wire.Pending, wire.Preparing, wire.Open, wire.Confirmed, wire.Expired, wire.Cancelled,
		wire.Review, wire.Pending,
	} {
		s := fresh(n)
		s.Status = status
		s.DueAt = later()
		all = append(all, inserted(t, b, s))
	}

	until := epoch().Add(time.Minute)
	dueBy := epoch().Add(3 * time.Second)
	watchAll(t, b, until, dueBy, all[0].ID, all[1].ID, all[2].ID, all[3].ID, all[4].ID, all[5].ID,
		all[6].ID, all[0].ID, "cs_unknown", "", "a\x00b", "\xff")
	watchAll(t, b, until, dueBy)
	for i, s := range all {
		if i >= 2 {
			wantWatched(t, b, s, time.Time{})
			continue
		}
		s.DueAt = dueBy
		wantWatched(t, b, s, until)
	}

	claimed := claim(t, b, dueBy, time.Minute, 10)
	wantClaimed(t, "claimed", claimed, 0, 1)
	for _, s := range claimed {
		same(t, "WatchedUntil of a claimed session", s.WatchedUntil, until)
	}
}
