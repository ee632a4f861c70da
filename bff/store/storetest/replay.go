package storetest

import (
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/webhook"
)

var replayTests = cases{
	"replay makes due what was settled": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		updated(t, b, s.ID, nothing, event(s.ID, 0), event(s.ID, 1), event(s.ID, 2))
		list := claimTo(t, b, later(), 10, endA)
		recordResult(t, b, list[0], webhook.DeliveryResult{Delivered: true, Status: 200})
		recordResult(t, b, list[1], webhook.DeliveryResult{Abandoned: true, Status: 410})
		recordResult(t, b, list[2], webhook.DeliveryResult{NextAt: later().AddDate(0, 0, 1),
			Status: 503})
		now := later().Add(time.Hour)
		same(t, "Replay", replay(t, b, all(), now), webhook.Replayed{
			Events:     3,
			Deliveries: 3,
			Last:       event(s.ID, 2).At,
		})
		var want []webhook.Delivery
		for n := range 3 {
			e := event(s.ID, n)
			want = append(want, webhook.Delivery{
				EventID:   e.ID,
				Endpoint:  endA,
				Type:      e.Type,
				Session:   s.ID,
				Body:      e.Body,
				CreatedAt: now,
			})
		}

		same(t, "before it", claimTo(t, b, now.Add(-time.Microsecond), 10, endA),
			[]webhook.Delivery(nil))
		again := claimTo(t, b, now, 10, endA)
		same(t, "deliveries", again, want)
		recordResult(t, b, again[0], webhook.DeliveryResult{NextAt: now.Add(time.Hour)})
		recordResult(t, b, again[1], webhook.DeliveryResult{Delivered: true})
		recordResult(t, b, again[2], webhook.DeliveryResult{Delivered: true})
		want[0].Tries = 1
		same(t, "the next try", claimTo(t, b, now.Add(time.Hour), 10, endA), want[:1])
		same(t, "Events", idsOf(events(t, b, webhook.EventQuery{}).Events), eventIDs(list))
	}, endA),
	"replay is of a range": on(func(t *testing.T, b Backend) {
		one := inserted(t, b, fresh(1))
		two := inserted(t, b, fresh(2))
		for n := range 6 {
			s := one
			if n%2 == 1 {
				s = two
			}
			updated(t, b, s.ID, nothing, event(s.ID, n))
		}

		for _, d := range claimTo(t, b, later(), 20, endA, endB) {
			recordResult(t, b, d, webhook.DeliveryResult{Delivered: true})
		}

		from := event("", 1).At
		to := event("", 4).At
		same(t, "Replay", replay(t, b, webhook.Range{From: from, To: to}, later()), webhook.Replayed{
			Events:     3,
			Deliveries: 6,
			Last:       event("", 3).At,
		})
		same(t, "deliveries to b", eventIDs(claimTo(t, b, later(), 10, endB)), []string{
			event(two.ID, 1).ID, event(one.ID, 2).ID, event(two.ID, 3).ID,
		})
		of := webhook.Range{From: from, To: to, Session: one.ID}
		same(t, "Replay of a session", replay(t, b, of, later()), webhook.Replayed{
			Events:     1,
			Deliveries: 2,
			Last:       event("", 2).At,
		})
		for _, r := range []webhook.Range{{From: to, To: from}, {From: from, To: from},
			{From: later(), To: later().Add(time.Hour)},
			{To: later(), Session: "cs_none"}, {To: later(), Session: "a\x00b"},
			{From: from.Add(1), To: event("", 2).At}} {
			same(t, "Replay of nothing", replay(t, b, r, later()), webhook.Replayed{})
		}
	}, endA, endB),
	"replay is limited": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		for n := range 5 {
			updated(t, b, s.ID, nothing, event(s.ID, n))
		}

		for _, d := range claimTo(t, b, later(), 20, endA) {
			recordResult(t, b, d, webhook.DeliveryResult{Delivered: true})
		}

		r := all()
		r.Limit = 2
		for rounds := 0; ; rounds++ {
			done := replay(t, b, r, later().Add(time.Duration(rounds)*time.Second))
			if !done.More || rounds > 5 {
				same(t, "the last round", done, webhook.Replayed{
					Events:     2,
					Deliveries: 2,
					Last:       event("", 4).At,
				})
				break
			}
			r.From = done.Last
		}

		same(t, "deliveries", len(claimTo(t, b, later().Add(time.Hour), 20, endA)), 5)
	}, endA),
	"replay of an instant is never split": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		for n := range 4 {
			e := event(s.ID, n)
			e.At = epoch()
			updated(t, b, s.ID, nothing, e)
		}

		updated(t, b, s.ID, nothing, event(s.ID, 9))
		r := all()
		r.Limit = 2
		same(t, "Replay", replay(t, b, r, later()), webhook.Replayed{
			Events:     4,
			Deliveries: 4,
			More:       true,
			Last:       epoch(),
		})
		r.From = epoch().Add(time.Microsecond)
		same(t, "the rest", replay(t, b, r, later()), webhook.Replayed{
			Events:     1,
			Deliveries: 1,
			Last:       event("", 9).At,
		})
	}, endA),
	// What one endpoint has accepted is sent again to the other alone.
	"replay of what was not accepted": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		updated(t, b, s.ID, nothing, event(s.ID, 0), event(s.ID, 1), event(s.ID, 2))
		for _, d := range claimTo(t, b, later(), 10, endA, endB) {
			result := webhook.DeliveryResult{Delivered: true, Status: 200}
			switch {
			case d.EventID == event(s.ID, 0).ID && d.Endpoint == endB:
				result = webhook.DeliveryResult{NextAt: later().AddDate(0, 0, 1), Status: 503}
			case d.EventID == event(s.ID, 1).ID:
				result = webhook.DeliveryResult{Abandoned: true, Status: 410}
			}
			recordResult(t, b, d, result)
		}

		r := all()
		now := later().Add(time.Hour)
		r.Undelivered = true
		same(t, "Replay", replay(t, b, r, now), webhook.Replayed{
			Events:     3,
			Deliveries: 3,
			Last:       event(s.ID, 2).At,
		})
		got := map[string]int{}
		for _, d := range claimTo(t, b, now, 10, endA, endB) {
			got[d.EventID+" "+d.Endpoint]++
			recordResult(t, b, d, webhook.DeliveryResult{Delivered: true, Status: 200})
		}

		same(t, "deliveries", got, map[string]int{
			event(s.ID, 0).ID + " " + endB: 1,
			event(s.ID, 1).ID + " " + endA: 1,
			event(s.ID,
				1).ID + " " + endB: 1,
		})
		same(t, "Replay once all is accepted", replay(t, b, r, now), webhook.Replayed{Events: 3,
			Last: event(s.ID, 2).At})
	}, endA, endB),
	// A try that began before the replay says nothing about it.
	"replay of a delivery under way": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		updated(t, b, s.ID, nothing, event(s.ID, 0))
		old := claimTo(t, b, epoch(), 1, endA)[0]
		now := epoch().Add(time.Second)
		replay(t, b, all(), now)
		recordResult(t, b, old, webhook.DeliveryResult{Delivered: true})
		list := claimTo(t, b, now, 1, endA)
		if len(list) != 1 || list[0].Tries != 0 || !list[0].CreatedAt.Equal(now) {
			t.Errorf("deliveries after the replay = %+v; want one, new", list)
		}
	}, endA),
}

func replay(t *testing.T, b Backend, r webhook.Range, now time.Time) webhook.Replayed {
	return fortest.Must(b.Replay(t.Context(), r, now))(t)
}

// all is a range that leaves nothing out.
func all() webhook.Range { return webhook.Range{To: later()} }
