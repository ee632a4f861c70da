package storetest

import (
	"fmt"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

// Endpoints.
const (
	endA  = "https://a.example/hook?x=1"
	endB  = "https://b.example/hook"
	siteA = "https://a.example/"
	siteB = "https://b.example/"
)

var outboxTests = cases{
	"an event has a delivery for each endpoint": deliveryEach,
	"an event is stored once": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		first := event(s.ID, 1)
		second := event(s.ID, 2)
		updated(t, b, s.ID, nothing, first, first)
		again := first
		again.Body = []byte("another")
		updated(t, b, s.ID, nothing, again, second)
		list := claimTo(t, b, later(), 10, endA)
		same(t, "deliveries", eventIDs(list), []string{first.ID, second.ID})
		same(t, "body", list[0].Body, first.Body)
		recordResult(t, b, list[0], webhook.DeliveryResult{Delivered: true, Status: 204})
		fortest.Equal(t, updated(t, b, s.ID, nothing, first).Version, 4,
			"version after an event that is stored already")
		same(t, "open deliveries", eventIDs(claimTo(t, b, later().Add(time.Hour), 10, endA)),
			[]string{second.ID})
	}, endA),
	// Events of one instant are delivered in the order of writing.
	"events keep their order": on(func(t *testing.T, b Backend) {
		var want []string
		for n := range 4 {
			s := inserted(t, b, fresh(n))
			var events []payment.Event
			for i := range 3 {
				e := event(s.ID, 9-i)
				e.At = epoch()
				events = append(events, e)
				want = append(want, e.ID)
			}
			updated(t, b, s.ID, nothing, events...)
		}

		var got []string
		for len(got) < len(want) {
			list := claimTo(t, b, epoch(), 5, endA)
			if len(list) == 0 {
				break
			}
			got = append(got, eventIDs(list)...)
		}

		same(t, "deliveries", got, want)
	}, endA),
	"deliveries are leased": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		e := event(s.ID, 0)
		updated(t, b, s.ID, nothing, e)
		first := claimTo(t, b, epoch(), 10, endA)
		same(t, "first claim", eventIDs(first), []string{e.ID})
		same(t, "claim within the lease",
			claimTo(t, b, epoch().Add(time.Minute-time.Microsecond), 10, endA),
			[]webhook.Delivery(nil))
		same(t, "claim after the lease", claimTo(t, b, epoch().Add(time.Minute), 10, endA), first)
	}, endA),
	"deliveries due now, oldest first": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		for _, n := range []int{3, 1, 2} {
			updated(t, b, s.ID, nothing, event(s.ID, n))
		}

		same(t, "before they are due", claimTo(t, b, epoch(), 10, endA, endB),
			[]webhook.Delivery(nil))
		same(t, "to no endpoint", claimTo(t, b, later(), 10), []webhook.Delivery(nil))
		same(t, "of none", claimTo(t, b, later(), 0, endA), []webhook.Delivery(nil))
		one := event(s.ID, 1).ID
		two := event(s.ID, 2).ID
		three := event(s.ID, 3).ID
		same(t, "first three of both", eventIDs(claimTo(t, b, later(), 3, endB, endA, endB)),
			[]string{one, one, two})
		same(t, "the rest", eventIDs(claimTo(t, b, later(), 10, endB, endA)),
			[]string{two, three, three})
	}, endA, endB),
	"recorded results": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		updated(t, b, s.ID, nothing, event(s.ID, 0))
		d := claimTo(t, b, epoch(), 1, endA)[0]
		now := epoch()
		for tries := 1; tries <= 3; tries++ {
			now = now.Add(10 * time.Second)
			recordResult(t, b, d, webhook.DeliveryResult{
				NextAt: now,
				Status: 503,
				Note:   "down ✗ \x00 \xff",
			})
			same(t, "before the next try", claimTo(t, b, now.Add(-time.Microsecond), 1, endA),
				[]webhook.Delivery(nil))
			list := claimTo(t, b, now, 1, endA)
			if len(list) != 1 || list[0].Tries != tries {
				t.Fatalf("claim of try %d = %+v", tries+1, list)
			}

			d = list[0]
		}

		recordResult(t, b, d, webhook.DeliveryResult{Delivered: true, Status: 200})
		same(t, "once delivered", claimTo(t, b, later(), 1, endA), []webhook.Delivery(nil))

		updated(t, b, s.ID, nothing, event(s.ID, 1))
		d = claimTo(t, b, later(), 1, endA)[0]
		recordResult(t, b, d, webhook.DeliveryResult{Abandoned: true, Status: 410})
		same(t, "once abandoned", claimTo(t, b, later().AddDate(1, 0, 0), 1, endA),
			[]webhook.Delivery(nil))
	}, endA),
	// A try that outlives its lease may end after another one has delivered.
	"a late result opens nothing": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		for n, end := range []webhook.DeliveryResult{{Delivered: true}, {Abandoned: true}} {
			updated(t, b, s.ID, nothing, event(s.ID, n))
			d := claimTo(t, b, later(), 1, endA)[0]
			recordResult(t, b, d, end)
			recordResult(t, b, d, webhook.DeliveryResult{NextAt: epoch()})
			same(t, "claim", claimTo(t, b, later().AddDate(1, 0, 0), 1, endA),
				[]webhook.Delivery(nil))
		}
	}, endA),
	"a result of what is not there": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		updated(t, b, s.ID, nothing, event(s.ID, 1))
		for _, d := range []webhook.Delivery{
			{EventID: "evt_none", Endpoint: endA}, {EventID: event(s.ID, 1).ID, Endpoint: endB},
		} {
			err := b.RecordResult(t.Context(), d,
				webhook.DeliveryResult{Delivered: true})
			if err == nil {
				t.Errorf("RecordResult(%s to %s) succeeded", d.EventID, d.Endpoint)
			}
		}
	}, endA),
	"endpoints do not delay each other": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		var want []string
		for n := range 12 {
			e := event(s.ID, n)
			updated(t, b, s.ID, nothing, e)
			want = append(want, e.ID)
		}

		for _, d := range claimTo(t, b, later(), 5, endA) { // is dead
			recordResult(t, b, d, webhook.DeliveryResult{
				NextAt: later().AddDate(0, 0, 1),
				Note:   "connection refused",
			})
		}

		same(t, "deliveries to b", eventIDs(claimTo(t, b, later(), 100, endB)), want)
		same(t, "deliveries to a", eventIDs(claimTo(t, b, later(), 100, endA)), want[5:])
	}, endA, endB),
	"deliveries go to one claimer": alone(raceForDeliveries, endA, endB),
	// Behind a backlog of what strangers can cause, payments and reviews come first, the
	// oldest of them first, and what was sent about the same session before them.
	"deliveries that tell of money go first": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		other := inserted(t, b, fresh(2))
		for n := range 20 {
			updated(t, b, other.ID, nothing, event(other.ID, n))
		}

		pending := event(s.ID, 28)
		review := ofType(s.ID, 30, payment.EventReview)
		confirmed := ofType(s.ID, 31,
			payment.EventConfirmed)
		updated(t, b, s.ID, nothing, pending)
		updated(t, b, s.ID, nothing, review, confirmed)
		same(t, "first", eventIDs(claimTo(t, b, later(), 4, endA)), []string{
			pending.ID, review.ID, confirmed.ID, event(other.ID, 0).ID,
		})
	}, endA),
	// What has been due for a day goes before what is urgent.
	"urgent deliveries starve no other": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		other := inserted(t, b, fresh(2))
		old := event(other.ID, 0)
		updated(t, b, other.ID, nothing, old)
		at := func(e payment.Event, d time.Duration) payment.Event {
			e.At = old.At.Add(d)
			return e
		}
		within := at(ofType(s.ID, 1, payment.EventConfirmed), webhook.HeadStart-time.Second)
		beyond := at(ofType(s.ID, 2, payment.EventConfirmed), webhook.HeadStart+time.Second)
		updated(t, b, s.ID, nothing, within, beyond)
		same(t, "in order", eventIDs(claimTo(t, b, beyond.At, 10, endA)),
			[]string{within.ID, old.ID, beyond.ID})
	}, endA),
}

// event is the nth of a session, n seconds after the epoch.
func event(session string, n int) payment.Event {
	return payment.Event{
		ID:      fmt.Sprintf("evt_%s_%d", session, n),
		Type:    payment.EventPending,
		Session: session,
		At:      epoch().Add(time.Duration(n) * time.Second),
		Body:    []byte(fmt.Sprintf("{\"n\": %d,\x00\xff }", n)),
	}
}

// later is when everything of these tests is due.
func later() time.Time { return epoch().Add(time.Hour) }

func claimTo(
	t *testing.T, b Backend, now time.Time, limit int, endpoints ...string,
) []webhook.Delivery {
	return fortest.Must(b.ClaimDeliveries(t.Context(), now, time.Minute, limit, endpoints))(t)
}

// wantDeliveries claims everything and compares the event ids.
func wantDeliveries(t *testing.T, b Backend, want []string) {
	t.Helper()
	same(t, "deliveries", eventIDs(claimTo(t, b, later(), 100, siteA, endA, endB)),
		want)
}

func eventIDs(list []webhook.Delivery) []string {
	var all []string
	for _, d := range list {
		all = append(all, d.EventID)
	}
	return all
}

func recordResult(t *testing.T, b Backend, d webhook.Delivery, r webhook.DeliveryResult) {
	t.Helper()
	fortest.OK(t, b.RecordResult(t.Context(), d, r))
}

func deliveryEach(t *testing.T, open Opener) {
	b := open(t, []string{endA, endB})
	s := inserted(t, b, fresh(1))
	e := event(s.ID, 1)
	updated(t, b, s.ID, nothing, e)
	want := webhook.Delivery{
		EventID:   e.ID,
		Endpoint:  endA,
		Type:      e.Type,
		Session:   s.ID,
		Body:      e.Body,
		CreatedAt: e.At,
	}
	same(t, "claimed for a", claimTo(t, b, e.At, 10, endA), []webhook.Delivery{want})
	want.Endpoint = endB
	same(t, "claimed for a and b", claimTo(t, b, e.At, 10, endA, endB), []webhook.Delivery{want})

	none := open(t, nil)
	s = inserted(t, none, fresh(1))
	updated(t, none, s.ID, nothing, e)
	wantDeliveries(t, none, nil)
}

func raceForDeliveries(t *testing.T, backends ...Backend) {
	t.Helper()
	b := backends[0]
	s := inserted(t, b, fresh(1))
	const events = 20
	for n := range events {
		updated(t, b, s.ID, nothing, event(s.ID, n))
	}

	keys := func(list []webhook.Delivery) (all []string) {
		for _, d := range list {
			all = append(all, d.EventID+" "+d.Endpoint)
		}
		return all
	}
	race(t, 8, 2*events, func(g int) []string {
		list, err := backends[g%len(backends)].ClaimDeliveries(t.Context(), later(), time.Minute, 3,
			[]string{endA, endB})
		if err != nil {
			t.Errorf("ClaimDeliveries = %v", err)
		}
		return keys(list)
	}, func() []string { return keys(claimTo(t, b, later(), 2*events, endA, endB)) })
}

// ofType is event n of a session, of another type.
func ofType(session string, n int, t payment.EventType) payment.Event {
	e := event(session, n)
	e.ID += "_" + string(t)
	e.Type = t
	return e
}
