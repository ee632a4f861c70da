package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

var heldTests = cases{
	"held by marker and tracking code": on(func(t *testing.T, b Backend) {
		one := inserted(t, b, fresh(1))
		two := inserted(t, b, fresh(2))
		a := attempt(1, payment.Abandoned, "m1")
		a.TrackingCode = "T1"
		updated(t, b, one.ID, with(a))
		updated(t, b, one.ID, with(attempt(2, payment.Creating, "m2")))
		odd := attempt(1, payment.Waiting, "m3")
		odd.TrackingCode = "T\x003"
		updated(t, b, two.ID, with(odd))
		first := payment.AttemptRef{
			Session:      one.ID,
			Number:       1,
			Marker:       "m1",
			TrackingCode: "T1",
		}
		second := payment.AttemptRef{Session: one.ID, Number: 2, Marker: "m2"}
		third := payment.AttemptRef{
			Session:      two.ID,
			Number:       1,
			Marker:       "m3",
			TrackingCode: "T\x003",
		}
		wantHeld(t, b, nil)
		wantHeld(t, b, []string{"", "t1", "m4", one.ID, "a\x00b", "\xff"})
		wantHeld(t, b, []string{"m1"}, first)
		wantHeld(t, b, []string{"T1", "m1", "T1", "m1"}, first)
		wantHeld(t, b, []string{"T1", "m2", "T\x003", "no"}, first, second, third)
	}),
	"held of many": on(func(t *testing.T, b Backend) {
		var keys []string
		var want []payment.AttemptRef
		for n := range 30 {
			s := fresh(n)
			a := attempt(1, payment.Waiting, fmt.Sprintf("m%d", n))
			a.TrackingCode = fmt.Sprintf("z%d", n)
			s.Attempts = []payment.Attempt{a}
			inserted(t, b, s)
			want = append(want, payment.AttemptRef{
				Session:      s.ID,
				Number:       1,
				Marker:       a.Marker,
				TrackingCode: a.TrackingCode,
			})
			keys = append(keys, a.Marker)
		}

		for n := range 500 {
			keys = append(keys, fmt.Sprintf("n%d", n))
		}

		for _, h := range want {
			keys = append(keys, h.TrackingCode)
		}

		wantHeld(t, b, append(keys, keys...), want...)
	}),
}

// wantHeld compares what is held of keys, in any order.
func wantHeld(t *testing.T, b Backend, keys []string, want ...payment.AttemptRef) {
	t.Helper()
	got := fortest.Must(b.FindAttempts(t.Context(), keys))(t)
	for _, list := range [][]payment.AttemptRef{got, want} {
		slices.SortFunc(list, func(a, b payment.AttemptRef) int {
			return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Number, b.Number))
		})
	}
	same(t, fmt.Sprintf("Held(%.60q)", keys), got, want)
}
