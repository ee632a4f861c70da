package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

var listedTests = cases{
	"touch all": on(func(t *testing.T, b Backend) {
		touchMany(t, b, epoch())
		var list []gatewaylist.Touched
		for n := range 60 {
			at := epoch().Add(time.Duration(n) * time.Second)
			list = append(list, gatewaylist.Touched{
				Session: due(t, b, 60-n),
				At:      at,
				Due:     at.Add(time.Minute),
			})
		}

		other := due(t, b, 100)
		touchMany(t, b, epoch(), list...)
		for _, x := range list {
			x.Session.CheckedAt = x.At
			x.Session.DueAt = x.Due
			check(t, b, x.Session)
		}

		check(t, b, other)
	}),
	// What was changed, hastened or claimed since it was read is passed over, and
	// the others are touched.
	"touch all passes over": on(func(t *testing.T, b Backend) {
		changed := due(t, b, 1)
		hastened := due(t, b, 2)
		leased := due(t, b, 3)
		calm := due(t, b, 4)
		undue := inserted(t, b, fresh(5)) // is never due
		var list []gatewaylist.Touched
		for _, s := range []payment.Session{changed, hastened, leased, calm, undue, fresh(6)} {
			list = append(list, gatewaylist.Touched{
				Session: s,
				At:      epoch().Add(time.Second),
				Due:     later(),
			})
		}

		changed = updated(t, b, changed.ID, nothing)
		touch(t, b, hastened, 1, epoch(), epoch().Add(-time.Second))
		hastened.CheckedAt = epoch()
		hastened.DueAt = epoch().Add(-time.Second)
		leased = hold(t, b, leased.ID, epoch()).Session
		touchMany(t, b, epoch().Add(time.Minute-time.Microsecond), list...)
		calm.CheckedAt = epoch().Add(time.Second)
		calm.DueAt = later()
		for _, s := range []payment.Session{changed, hastened, leased, calm, undue} {
			check(t, b, s)
		}
	}),
	"touch all of a lease that ended": on(func(t *testing.T, b Backend) {
		s := claimed(t, b, 1).Session
		touchMany(t, b, epoch().Add(time.Minute), gatewaylist.Touched{
			Session: s,
			At:      epoch(),
			Due:     later(),
		})
		s.CheckedAt = epoch()
		s.DueAt = later()
		check(t, b, s)
	}),
	"tracked": on(tracked),
	"count":   on(count),
	// Of those that are asked for, what is due and not leased is claimed, as by Claim.
	"claim of some": on(func(t *testing.T, b Backend) {
		one := due(t, b, 1)
		two := due(t, b, 2)
		leased := due(t, b, 3)
		due(t, b, 4) // is not asked for
		hold(t, b, leased.ID, epoch())
		early := fresh(5)
		early.DueAt = epoch().Add(time.Microsecond)
		early = inserted(t, b, early)
		asked := []string{two.ID, one.ID, leased.ID, early.ID, one.ID, "", "cs_unknown", "\xff"}
		take := func(limit int) []checkout.StoredSession {
			return fortest.Must(b.ClaimOf(t.Context(), asked, epoch(), time.Minute, limit))(t)
		}
		wantClaimed(t, "of none", take(0))
		first := take(1)
		all := append(first, take(10)...)
		slices.SortFunc(all, func(a, b checkout.StoredSession) int {
			return strings.Compare(a.ID, b.ID)
		})
		same(t, "claimed", all, []checkout.StoredSession{
			{Session: one, Epoch: 1}, {Session: two, Epoch: 1},
		})
		wantClaimed(t, "again", take(10))
	}),
}

func touchMany(t *testing.T, b Backend, now time.Time, list ...gatewaylist.Touched) {
	t.Helper()
	fortest.OK(t, b.TouchAll(t.Context(), now, list))
}

// due is a session of that number that is due at the epoch.
func due(t *testing.T, b Backend, n int) payment.Session {
	t.Helper()
	s := fresh(n)
	s.DueAt = epoch()
	return inserted(t, b, s)
}

func tracked(t *testing.T, b Backend) {
	one := fresh(1)
	one.Attempts = []payment.Attempt{
		attempt(1, payment.Expired, "m1"), attempt(2, payment.Waiting, "m2"),
		attempt(3, payment.Creating, "m3"),
	}
	one.Attempts[0].TrackingCode = "t1"
	one.Attempts[1].TrackingCode = "t2"
	one = inserted(t, b, one)
	two := fresh(2)
	two.Attempts = []payment.Attempt{attempt(1, payment.Waiting, "m4")}
	two.Attempts[0].TrackingCode = "t4"
	two.Status = wire.Pending
	two.DueAt = epoch()
	two = inserted(t, b, two)
	until := epoch().Add(time.Minute)
	watchAll(t, b, until, later(), two.ID)
	codes := []string{"t1", "", "m3", "unknown", "a\x00b", "\xff"}
	for range 450 {
		codes = append(codes, "t2")
	}

	for n := range 450 {
		codes = append(codes, fresh(n).ID)
	}

	for _, tt := range []struct {
		codes []string
		want  []gatewaylist.TrackedSession
	}{
		{nil, nil}, {[]string{""}, nil}, {[]string{"m4"}, nil},
		{codes, []gatewaylist.TrackedSession{{Session: one}}},
		{append(codes, "t4"), []gatewaylist.TrackedSession{
			{Session: one}, {Session: two, WatchedUntil: until},
		}},
	} {
		got := fortest.Must(b.Tracked(t.Context(), tt.codes))(t)
		same(t, "Tracked", got, tt.want)
	}
}

func count(t *testing.T, b Backend) {
	for n, status := range []wire.Status{wire.Pending, wire.Open, wire.Pending} {
		s := fresh(n)
		s.Status = status
		inserted(t, b, s)
	}

	for status, want := range map[string]int{
		"pending":   2,
		"open":      1,
		"confirmed": 0,
		"":          0,
		"\xff":      0,
	} {
		got, err := b.Count(t.Context(), status)
		if got != want || err != nil {
			t.Errorf("Count(%q) = %d, %v; want %d", status, got, err, want)
		}
	}
}
