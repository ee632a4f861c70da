package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

var findTests = cases{
	"lookup by tracking code and marker": on(lookup),
	"list newest first": on(func(t *testing.T, b Backend) {
		same(t, "List of nothing", list(t, b, payment.Filter{}), payment.Page{})
		for _, n := range []int{2, 1, 3} {
			inserted(t, b, fresh(n))
		}
		page := list(t, b, payment.Filter{})
		wantSessions(t, "List", page.Sessions, 3, 2, 1)
		fortest.Equal(t, page.Next, "", "Next of the only page")
		check(t, b, page.Sessions[0])
	}),
	"list filters": on(func(t *testing.T, b Backend) {
		for n := range 6 {
			s := fresh(n)
			if n%2 == 0 {
				s.Status = wire.Review
			}
			if n == 3 {
				s.IdempotencyKey = "key of 3"
			}
			inserted(t, b, s)
		}

		for _, c := range []struct {
			filter payment.Filter
			want   []int
		}{
			{payment.Filter{Status: string(wire.Review)}, []int{4, 2, 0}},
			{payment.Filter{Status: string(wire.Confirmed)}, nil},
			{payment.Filter{OrderRef: fresh(3).Order.Ref}, []int{3}},
			{payment.Filter{OrderRef: "order"}, nil},
			{payment.Filter{IdempotencyKey: "key of 3"}, []int{3}},
			{payment.Filter{IdempotencyKey: "key"}, nil},
			{payment.Filter{OrderRef: "' OR 1=1 --"}, nil},
			{payment.Filter{OrderRef: "a\x00b"}, nil},
			{payment.Filter{OrderRef: "\xff"}, nil},
			{payment.Filter{Status: "\xc0\x80"}, nil},
			{payment.Filter{OrderRef: "order 2", Status: string(wire.Review)}, []int{2}},
			{payment.Filter{OrderRef: "order 2", Status: string(wire.Open)}, nil},
			{payment.Filter{To: fresh(2).CreatedAt}, []int{1, 0}},
			{payment.Filter{To: fresh(2).CreatedAt.Add(1), Status: "review"}, []int{2, 0}},
			{payment.Filter{To: fresh(0).CreatedAt}, nil},
		} {
			got := list(t, b, c.filter).Sessions
			wantSessions(t, fmt.Sprintf("List(%+v)", c.filter), got, c.want...)
		}

		first := list(t, b, payment.Filter{Status: string(wire.Review), Limit: 2})
		rest := list(t, b, payment.Filter{
			Status: string(wire.Review),
			Limit:  2,
			Cursor: first.Next,
		})
		wantSessions(t, "second page of a status", rest.Sessions, 0)
		first = list(t, b, payment.Filter{To: fresh(4).CreatedAt, Limit: 3})
		rest = list(t, b, payment.Filter{To: fresh(4).CreatedAt, Limit: 3, Cursor: first.Next})
		wantSessions(t, "second page before a time", rest.Sessions, 0)
	}),
	// A reader of page after page sees every session that was there at the
	// beginning, once, whatever comes in meanwhile.
	"list pages under inserts": on(func(t *testing.T, b Backend) {
		var want []string
		for n := range 25 {
			inserted(t, b, fresh(n))
			want = append(want, fresh(n).ID)
		}

		slices.Reverse(want)
		pages := 0
		same(t, "all pages", allPages(func(cursor string) ([]string, string) {
			page := list(t, b, payment.Filter{Limit: 10, Cursor: cursor})
			pages++
			inserted(t, b, fresh(100+pages))
			updated(t, b, fresh(pages).ID, nothing)
			return ids(page.Sessions), page.Next
		}), want)
	}),
	"list limits": on(func(t *testing.T, b Backend) {
		for n := range 120 {
			inserted(t, b, fresh(n))
		}

		for _, c := range []struct{ limit, want int }{{0, 20}, {1, 1}, {100, 100}, {99, 99}} {
			page := list(t, b, payment.Filter{Limit: c.limit})
			if len(page.Sessions) != c.want || page.Next == "" {
				t.Errorf("List of %d has %d sessions, next %q; want %d and a next page", c.limit,
					len(page.Sessions), page.Next, c.want)
			}
		}

		page := list(t, b, payment.Filter{Limit: 60})
		page = list(t, b, payment.Filter{Limit: 60, Cursor: page.Next})
		if len(page.Sessions) != 60 || page.Next != "" {
			t.Errorf("the last page has %d sessions, next %q; want 60 and none", len(page.Sessions),
				page.Next)
		}
	}),
	"list of one instant": on(func(t *testing.T, b Backend) {
		var want []string
		for n := range 9 {
			s := fresh(n)
			s.CreatedAt = epoch()
			want = append(want, inserted(t, b, s).ID)
		}

		got := allPages(func(cursor string) ([]string, string) {
			page := list(t, b, payment.Filter{Limit: 2, Cursor: cursor})
			return ids(page.Sessions), page.Next
		})
		slices.Sort(got)
		same(t, "all pages", got, want)
	}),
	"list of an unknown cursor": on(func(t *testing.T, b Backend) {
		inserted(t, b, fresh(1))
		for _, cursor := range []string{
			"x", "1", "-.", ".cs_1", "1e9.cs_1", "99999999999999999999.cs_1",
		} {
			page, err := b.List(t.Context(), payment.Filter{Cursor: cursor})
			if err == nil {
				t.Errorf("List from cursor %q = %v; want an error", cursor, ids(page.Sessions))
			}
		}
	}),
}

// lookUp returns the session that has an attempt of that tracking code or marker. Errors:
// payment.ErrNotFound; those of b.
func lookUp(ctx context.Context, b Backend, key string) (payment.Session, error) {
	found, err := b.FindAttempts(ctx, []string{key})
	if err != nil {
		return payment.Session{}, err
	}
	if len(found) == 0 {
		return payment.Session{}, payment.ErrNotFound
	}
	return b.Session(ctx, found[0].Session)
}

func lookup(t *testing.T, b Backend) {
	first := inserted(t, b, fresh(1))
	second := inserted(t, b, fresh(2))
	a := attempt(1, payment.Expired, "marker-1")
	a.TrackingCode = "TRK-1"
	updated(t, b, first.ID, with(a))
	first = updated(t, b, first.ID, with(attempt(2, payment.Creating, "marker-2")))
	second = updated(t, b, second.ID, with(attempt(1, payment.Abandoned, "marker-3")))
	for key, want := range map[string]payment.Session{
		"TRK-1":    first,
		"marker-1": first,
		"marker-2": first,
		"marker-3": second,
	} {
		got, err := lookUp(t.Context(), b, key)
		if err != nil {
			t.Errorf("Lookup(%q) = %v", key, err)
		}
		same(t, "Lookup("+key+")", got, want)
	}

	for _, key := range []string{
		"", "trk-1", "TRK", "marker-4", first.ID, "TRK-1\x00", "\xff", "\x01",
	} {
		s, err := lookUp(t.Context(), b, key)
		if !errors.Is(err, payment.ErrNotFound) {
			t.Errorf("Lookup(%q) = %v, %v; want ErrNotFound", key, s.ID, err)
		}
	}

	updated(t, b, second.ID, func(s *payment.Session) { s.Attempts[0].TrackingCode = "TRK-3" })
	s, err := lookUp(t.Context(), b, "TRK-3")
	if err != nil || s.ID != second.ID {
		t.Errorf("Lookup of a code that came later = %v, %v", s.ID, err)
	}
}

func list(t *testing.T, b Backend, f payment.Filter) payment.Page {
	return fortest.Must(b.List(t.Context(), f))(t)
}
