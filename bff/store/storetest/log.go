package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

var logTests = cases{
	"log of nothing": on(func(t *testing.T, b Backend) {
		inserted(t, b, fresh(1))
		same(t, "Events", events(t, b, webhook.EventQuery{}), webhook.EventPage{})
		same(t, "Events of a session", events(t, b, webhook.EventQuery{Session: fresh(1).ID}),
			webhook.EventPage{})
	}),
	"log in the order of writing": on(func(t *testing.T, b Backend) {
		one := inserted(t, b, fresh(1))
		two := inserted(t, b, fresh(2))
		want := []payment.Event{event(one.ID, 5), event(one.ID, 3), event(two.ID, 9), event(one.ID,
			1)}
		updated(t, b, one.ID, nothing, want[0], want[1])
		updated(t, b, two.ID, nothing, want[2], want[0])
		updated(t, b, one.ID, nothing, want[3])
		page := events(t, b, webhook.EventQuery{})
		same(t, "Events", page.Events, want)
		if page.More || page.Next == "" {
			t.Errorf("the only page has next %q, more %t; want where later events follow",
				page.Next,
				page.More)
		}
	}, endA, endB),
	"log of a session": on(func(t *testing.T, b Backend) {
		var want []string
		for n := range 3 {
			inserted(t, b, fresh(n))
		}

		for n := range 6 {
			updated(t, b, fresh(n%3).ID, nothing, event(fresh(n%3).ID, n))
			if n%3 == 1 {
				want = append(want, event(fresh(1).ID, n).ID)
			}
		}

		q := webhook.EventQuery{Session: fresh(1).ID, Limit: 1}
		first := events(t, b, q)
		same(t, "first page", idsOf(first.Events), want[:1])
		q.After = first.Next
		second := events(t, b, q)
		same(t, "second page", idsOf(second.Events), want[1:])
		if !first.More || second.More {
			t.Errorf("more = %t, %t; want true, false", first.More, second.More)
		}

		for _, id := range []string{"cs_none", "a\x00b", "\xff"} {
			same(t, "of an unknown session", events(t, b, webhook.EventQuery{Session: id}),
				webhook.EventPage{})
		}
	}),
	"log continues where it ended": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		var got, want []string
		q := webhook.EventQuery{Limit: 2}
		for n := range 7 {
			e := event(s.ID, 100-n)
			updated(t, b, s.ID, nothing, e)
			want = append(want, e.ID)
			if n%3 == 0 {
				continue
			}

			page := events(t, b, q)
			got = append(got, idsOf(page.Events)...)
			q.After = page.Next
			again := events(t, b, webhook.EventQuery{After: page.Next, Limit: 1})
			if page.More != (len(again.Events) > 0) {
				t.Errorf("more = %t, and there are %d", page.More, len(again.Events))
			}
		}

		for {
			page := events(t, b, q)
			if len(page.Events) == 0 {
				same(t, "a page at the end", page, webhook.EventPage{Next: q.After})
				break
			}
			got = append(got, idsOf(page.Events)...)
			q.After = page.Next
		}

		same(t, "all pages", got, want)
	}),
	"log limits": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		var all []payment.Event
		for n := range 120 {
			all = append(all, event(s.ID, n))
		}

		updated(t, b, s.ID, nothing, all...)
		for _, c := range []struct{ limit, want int }{
			{0, 20}, {-1, 20}, {1, 1}, {100, 100}, {1000, 100},
		} {
			page := events(t, b, webhook.EventQuery{Limit: c.limit})
			if len(page.Events) != c.want || !page.More {
				t.Errorf("Events with limit %d has %d, more %t; want %d and more", c.limit,
					len(page.Events), page.More, c.want)
			}
		}
	}),
	"log from its end on": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		latest := webhook.EventQuery{After: webhook.Latest}
		same(t, "the end of an empty log", events(t, b, latest), webhook.EventPage{})
		updated(t, b, s.ID, nothing, event(s.ID, 1), event(s.ID, 2))
		end := events(t, b, latest)
		same(t, "the end", end, webhook.EventPage{Next: events(t, b, webhook.EventQuery{}).Next})
		updated(t, b, s.ID, nothing, event(s.ID, 3))
		same(t, "what came since", idsOf(events(t, b, webhook.EventQuery{After: end.Next}).Events),
			[]string{event(s.ID, 3).ID})
	}, endA, endB),
	"log of an unknown cursor": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		updated(t, b, s.ID, nothing, event(s.ID, 1))
		for _, after := range []string{
			"x", "1", "1.", ".1", "1.1.1", "1.1.", "1.1.0123456789AB", "1.1.0123456789ab.1", "-1.1",
			"1.-1", "0.0", "01.1", "+1.1", "1.1 ", "1.99999999999999999999", "1e9.1", "\x00",
			"\xff",
		} {
			_, err := b.Events(t.Context(), webhook.EventQuery{After: after})
			problem, ok := errors.AsType[*wire.Error](err)
			if !ok ||
				problem.Code != wire.CodeInvalid || problem.Param != "after" {
				t.Errorf("Events after %q = %v; want a *wire.Error about it", after, err)
			}
		}
	}),
	"log of another database":       logOfAnother,
	"log under writers misses none": alone(readUnderWriters),
}

func events(t *testing.T, b Backend, q webhook.EventQuery) webhook.EventPage {
	return fortest.Must(b.Events(t.Context(), q))(t)
}

func idsOf(list []payment.Event) []string {
	var all []string
	for _, e := range list {
		all = append(all, e.ID)
	}
	return all
}

// A cursor belongs to the events that it was issued for.
func logOfAnother(t *testing.T, open Opener) {
	b := open(t, nil)
	other := open(t, nil)
	for n, backend := range []Backend{b, other} {
		s := inserted(t, backend, fresh(n))
		updated(t, backend, s.ID, nothing, event(s.ID, 1), event(s.ID, 2))
	}
	cursor := events(t, other, webhook.EventQuery{}).Next
	page, err := b.Events(t.Context(), webhook.EventQuery{After: cursor})
	fortest.Is(t, err, webhook.ErrCursorGone,
		"Events after a cursor of another database = %+v", page)
}

// A reader that continues from where it was finds every event once, whatever the
// order in which writers end.
func readUnderWriters(t *testing.T, instances ...Backend) {
	t.Helper()
	writer := instances[0]
	reader := instances[1]
	const writers, each = 8, 25
	var all sync.WaitGroup
	for w := range writers {
		s := inserted(t, writer, fresh(w))
		all.Go(func() {
			for n := range each {
				_, err := writer.Update(t.Context(), s.ID, 0,
					func(*payment.Session) ([]payment.Event, error) {
						return []payment.Event{event(s.ID, 2*n), event(s.ID, 2*n+1)}, nil
					})
				if err != nil {
					t.Errorf("Update = %v", err)
				}
			}
		})
	}

	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	seen := map[string]bool{}
	last := map[string]int{}
	q := webhook.EventQuery{Limit: 7}
	read := func() {
		page := events(t, reader, q)
		q.After = page.Next
		for _, e := range page.Events {
			n := int(e.At.Sub(epoch()) / time.Second)
			if seen[e.ID] || n != last[e.Session] {
				t.Errorf("%s comes twice (%t) or before its time", e.ID, seen[e.ID])
			}
			seen[e.ID] = true
			last[e.Session] = n + 1
		}
	}
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		read()
	}

	fortest.Until(t, fmt.Sprintf("all %d events are read", writers*each*2),
		func() bool {
			read()
			return len(seen) == writers*each*2
		})
}
