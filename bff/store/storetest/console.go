package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/attention"
	"coinslot/bff/console"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"

	"github.com/shopspring/decimal"
)

var consoleTests = cases{
	"unsettled money": on(unsettledMoney),
	"deliveries":      on(deliveries, siteA, siteB),
	"deliveries by pages": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		for n := range 3 {
			updated(t, b, s.ID, nothing, eventWithID(s.ID, fmt.Sprint("evt_", n), epoch()))
		}

		for _, size := range []int{1, 2, 4, 9} {
			for _, session := range []string{"", s.ID} {
				got := allPages(func(cursor string) ([]string, string) {
					page := listDeliveries(t, b, webhook.DeliveryQuery{
						Limit:   size,
						Session: session,
						Cursor:  cursor,
					})
					return brief(page.Rows), page.Next
				})
				same(t, fmt.Sprintf("all pages of %d", size), got,
					brief(listDeliveries(t, b, webhook.DeliveryQuery{}).Rows))
			}
		}
	}, siteA, siteB, endA),
	"backlogs and sending again": on(func(t *testing.T, b Backend) {
		now := epoch()
		s := inserted(t, b, fresh(1))
		updated(t, b, s.ID, nothing, eventWithID(s.ID, "evt_1", now),
			eventWithID(s.ID, "evt_2", now.Add(time.Second)))
		sent(t, b, now, siteA, webhook.DeliveryResult{Abandoned: true, Status: 410})
		sent(t, b, now, siteB, webhook.DeliveryResult{Delivered: true, Status: 200})
		backlogs := func() (list []string) {
			all := fortest.Must(b.Backlogs(t.Context()))(t)
			for _, l := range all {
				list = append(list,
					fmt.Sprintf("%s %d %d %d %t", l.Endpoint, l.Waiting, l.Retrying, l.Abandoned,
						l.OldestAt.Equal(now.Add(time.Second))))
			}
			return list
		}
		same(t, "Backlogs", backlogs(), []string{
			"https://a.example/ 1 0 1 true", "https://b.example/ 1 0 0 true",
		})
		sent(t, b, now.Add(time.Minute), siteB, webhook.DeliveryResult{
			Status: 500,
			NextAt: now.Add(time.Second),
		})
		same(t, "Backlogs after a failure", backlogs(), []string{
			"https://a.example/ 1 0 1 true", "https://b.example/ 1 1 0 true",
		})
		for _, c := range []struct {
			event, endpoint string
			want            error
		}{
			{"evt_3", siteA, webhook.ErrEventUnknown}, {"\x00", "", webhook.ErrEventUnknown},
			{"evt_1", endA, webhook.ErrEndpoint}, {"evt_1", "\xff", webhook.ErrEndpoint},
			{"evt_1", siteA, nil},
		} {
			fortest.Is(t, b.Redeliver(t.Context(), c.event, c.endpoint), c.want,
				"Redeliver(%q, %q)", c.event, c.endpoint)
		}

		fortest.Equal(t, fortest.Must(b.SessionOf(t.Context(), "evt_2"))(t), s.ID, "SessionOf")
		for _, event := range []string{"evt_3", "", "\x00"} {
			of, err := b.SessionOf(t.Context(), event)
			if !errors.Is(err, webhook.ErrEventUnknown) {
				t.Errorf("SessionOf(%q) = %q, %v; want ErrEventUnknown", event, of, err)
			}
		}

		same(t, "Deliveries after", brief(listDeliveries(t, b, webhook.DeliveryQuery{}).Rows),
			[]string{
				"evt_2 https://b.example/ retrying 1 500 ", "evt_2 https://a.example/ waiting 0 0 ",
				"evt_1 https://b.example/ delivered 1 200 ",
				"evt_1 https://a.example/ waiting 0 410 ",
			})
		fortest.OK(t, b.Redeliver(t.Context(), "evt_1", ""))
		far := time.Now().Add(100 * 365 * 24 * time.Hour)
		due, err := b.ClaimDeliveries(t.Context(), far, time.Minute, 9, []string{siteA, siteB})
		if err != nil || len(due) != 4 {
			t.Errorf("%d deliveries are due, %v; want 4", len(due), err)
		}
	}, siteA, siteB),
	"audit log": on(func(t *testing.T, b Backend) {
		var want []console.Action
		for n := range 5 {
			a := console.Action{
				At:     epoch().Add(time.Duration(n/2) * time.Second),
				By:     "ann",
				From:   "192.0.2.1",
				What:   fmt.Sprint("did.", n),
				Detail: "so",
			}
			if n%2 == 0 {
				a.Session = fresh(n).ID
				a.Detail = ""
				a.From = ""
			}

			fortest.OK(t, b.Record(t.Context(), a))
			want = append([]console.Action{a}, want...)
		}

		got := allPages(func(cursor string) ([]console.Action, string) {
			q := console.ActionQuery{Limit: 2, Cursor: cursor}
			page := fortest.Must(b.Actions(t.Context(), q))(t)
			return page.Actions, page.Next
		})
		same(t, "all actions", got, want)
		for _, c := range []struct {
			query console.ActionQuery
			want  []console.Action
		}{
			{console.ActionQuery{Session: fresh(2).ID}, want[2:3]},
			{console.ActionQuery{Session: "\xff"}, nil},
			{
				console.ActionQuery{From: epoch().Add(time.Second),
					To: epoch().Add(2 * time.Second)},
				want[1:3],
			},
		} {
			page := fortest.Must(b.Actions(t.Context(), c.query))(t)
			same(t, fmt.Sprintf("Actions(%+v)", c.query), page.Actions, c.want)
		}
		if err := b.Record(t.Context(), console.Action{
			By:      "a\x00\xff",
			From:    "\xff",
			What:    "x\x00",
			Session: "\xff",
			Detail:  "\x00",
		}); err != nil {
			t.Errorf("recording what no text holds = %v", err)
		}

		page, err := b.Actions(t.Context(), console.ActionQuery{Session: "\xff"})
		if err != nil || len(page.Actions) != 1 ||
			time.Since(page.Actions[0].At).Abs() > time.Minute {
			t.Errorf("an action without a time = %+v, %v; want one of now", page.Actions, err)
		}
	}),
	// What was signed out of stays so, and is forgotten when it would have run out.
	"ended logins": on(func(t *testing.T, b Backend) {
		ended := func(login string) bool {
			t.Helper()
			return fortest.Must(b.LoginEnded(t.Context(), login))(t)
		}
		end := func(login string, until time.Duration) {
			t.Helper()
			fortest.OK(t, b.EndLogin(t.Context(), login, time.Now().Add(until)))
		}
		if ended("a") {
			t.Error("a login that was not ended is ended")
		}

		end("a", time.Hour)
		end("a", time.Hour)
		end("gone", -time.Hour)
		end("\xff\x00", time.Hour)
		if !ended("a") || !ended("\xff\x00") || ended("b") || ended("A") || ended("gone") {
			t.Errorf("ended: a %t, bytes %t, b %t, A %t, what has run out %t; want the first two",
				ended("a"), ended("\xff\x00"), ended("b"), ended("A"), ended("gone"))
		}
	}),
	"refused origins": on(func(t *testing.T, b Backend) {
		same(t, "RefusedOrigins of nothing", originList(t, b), []attention.RefusedOrigin(nil))
		refuse(t, b, "https://a.example", "cs_1", 2)
		refuse(t, b, "https://b.example", "", 1)
		refuse(t, b, "https://a.example", "", 3)
		for n := range 20 {
			refuse(t, b, "https://b.example", fmt.Sprint("cs_", n%3), 1)
			refuse(t, b, "https://c.example", fmt.Sprint("cs_", n), 1)
		}

		refuse(t, b, "\xff\x00", "\xff", 1)
		byOrigin := map[string]attention.RefusedOrigin{}
		for _, o := range originList(t, b) {
			byOrigin[o.Origin] = o
		}

		a := byOrigin["https://a.example"]
		one := a.Sessions
		three := byOrigin["https://b.example"].Sessions
		many := byOrigin["https://c.example"].Sessions
		if one != 1 || three != 3 || many != 8 {
			t.Errorf("sessions = %d, %d, %d; want 1, 3, 8", one, three, many)
		}
		if len(byOrigin) != 4 || a.Session != "cs_1" || a.Times != 5 ||
			a.LastAt.Before(a.FirstAt) ||
			time.Since(a.FirstAt).Abs() > time.Minute {
			t.Errorf("RefusedOrigins = %+v", byOrigin)
		}
	}),
	// Strangers who make up hosts take places from one another, not from the shop that
	// the operator has forgotten to list: neither while it is new nor once it was seen by
	// two shoppers, however often they come.
	"refused origins are not many": on(func(t *testing.T, b Backend) {
		has := func(origin string) bool {
			return slices.ContainsFunc(originList(t, b),
				func(o attention.RefusedOrigin) bool { return o.Origin == origin })
		}
		refuse(t, b, "https://old.example", "cs_1", 1)
		refuse(t, b, "https://old.example", "cs_2", 1)
		for n := range 199 {
			refuse(t, b, fmt.Sprintf("https://%d.example", n), "", 9)
		}

		refuse(t, b, "https://shop.example", "", 1)
		refuse(t, b, "https://200.example", "cs_stranger", 9)
		if !has("https://shop.example") {
			t.Error("a new host was forgotten as soon as another came")
		}

		refuse(t, b, "https://shop.example", "cs_1", 1)
		refuse(t, b, "https://shop.example", "cs_2", 1)
		for n := range 150 {
			refuse(t, b, fmt.Sprintf("https://%d.example", 201+n), "cs_stranger", 9)
		}

		list := originList(t, b)
		if len(list) != 200 || !has("https://shop.example") ||
			!has("https://old.example") || !has("https://350.example") {
			t.Errorf(
				"%d origins are kept, the shop's %t, an old one %t, the last %t; want 200, and all",
				len(list), has("https://shop.example"), has("https://old.example"),
				has("https://350.example"),
			)
		}
	}),
	"cursors of people that are not": on(func(t *testing.T, b Backend) {
		for _, cursor := range []string{
			"x", "1", ".", "-.", "1.x", "1.-1", "+1.1", "1.01", "1.99999", "99999999999999999999.1",
			"\xff.\x00",
		} {
			_, err1 := b.Deliveries(t.Context(), webhook.DeliveryQuery{Cursor: cursor})
			_, err2 := b.Actions(t.Context(), console.ActionQuery{Cursor: cursor})
			_, err3 := b.Search(t.Context(), console.Query{Cursor: cursor, Text: "order"})
			var known *wire.Error
			if cursor == "1.x" || cursor == "1.-1" || cursor == "1.01" || cursor == "1.99999" ||
				cursor == "\xff.\x00" {
				err3 = &wire.Error{} // an id may be anything
			}
			if cursor == "1.-1" || cursor == "1.99999" {
				err2 = &wire.Error{}
			}
			if !errors.As(err1, &known) || !errors.As(err2, &known) || !errors.As(err3, &known) {
				t.Errorf("cursor %q gives %v, %v, %v; want errors about it", cursor, err1, err2,
					err3)
			}
		}
	}),
}

// eventWithID is an event of that id.
func eventWithID(session, id string, at time.Time) payment.Event {
	return payment.Event{
		ID:      id,
		Type:    payment.EventPending,
		Session: session,
		At:      at,
		Body:    []byte("{}"),
	}
}

// sent settles the next delivery to an endpoint.
func sent(
	t *testing.T, b Backend, now time.Time, endpoint string, r webhook.DeliveryResult,
) webhook.Delivery {
	t.Helper()
	due, err := b.ClaimDeliveries(t.Context(), now, time.Minute, 1, []string{endpoint})
	if err != nil || len(due) != 1 {
		t.Fatalf("ClaimDeliveries = %v, %v; want one", due, err)
	}
	fortest.OK(t, b.RecordResult(t.Context(), due[0], r))
	return due[0]
}

func listDeliveries(t *testing.T, b Backend, q webhook.DeliveryQuery) webhook.DeliveryPage {
	return fortest.Must(b.Deliveries(t.Context(), q))(t)
}

// brief is a row in one line.
func brief(rows []webhook.DeliveryRow) (list []string) {
	for _, r := range rows {
		list = append(list, fmt.Sprintf("%s %s %s %d %d %s", r.Event, r.Endpoint, r.State, r.Tries,
			r.Status, r.Note))
	}
	return list
}

func deliveries(t *testing.T, b Backend) {
	now := epoch()
	for n := range 2 {
		s := inserted(t, b, fresh(n))
		updated(t, b, s.ID, nothing, eventWithID(s.ID, fmt.Sprint("evt_", n), now))
	}

	next := now.Add(time.Minute)
	sent(t, b, now, siteA, webhook.DeliveryResult{Status: 500, Note: "oops", NextAt: next})
	sent(t, b, now, siteA, webhook.DeliveryResult{Delivered: true, Status: 204})
	sent(t, b, now, siteB, webhook.DeliveryResult{Abandoned: true, Status: 410, Note: "gone"})
	page := listDeliveries(t, b, webhook.DeliveryQuery{})
	same(t, "Deliveries", brief(page.Rows), []string{
		"evt_1 https://b.example/ waiting 0 0 ", "evt_1 https://a.example/ delivered 1 204 ",
		"evt_0 https://b.example/ abandoned 1 410 gone",
		"evt_0 https://a.example/ retrying 1 500 oops",
	})
	waits := page.Rows[0]
	failed := page.Rows[3]
	if !waits.NextAt.Equal(now) || !waits.At.Equal(now) || !waits.TriedAt.IsZero() ||
		waits.Session != fresh(1).ID || waits.Type != payment.EventPending {
		t.Errorf("what waits = %+v", waits)
	}
	if !failed.NextAt.Equal(next) || failed.TriedAt.IsZero() || !page.Rows[1].NextAt.IsZero() ||
		!page.Rows[2].NextAt.IsZero() {
		t.Errorf("next try of what failed = %+v; of what was settled %s, %s", failed,
			page.Rows[1].NextAt, page.Rows[2].NextAt)
	}

	for _, c := range []struct {
		query webhook.DeliveryQuery
		want  []webhook.DeliveryRow
	}{
		{webhook.DeliveryQuery{State: webhook.DeliveryRetrying}, page.Rows[3:]},
		{webhook.DeliveryQuery{State: webhook.DeliveryAbandoned}, page.Rows[2:3]},
		{
			webhook.DeliveryQuery{State: webhook.DeliveryAbandoned, Session: fresh(0).ID},
			page.Rows[2:3],
		},
		{webhook.DeliveryQuery{State: webhook.DeliveryAbandoned, Session: fresh(1).ID}, nil},
		{webhook.DeliveryQuery{State: "x"}, nil},
		{webhook.DeliveryQuery{Session: fresh(0).ID}, page.Rows[2:]},
		{webhook.DeliveryQuery{Session: "\xff"}, nil},
	} {
		same(t, fmt.Sprintf("Deliveries(%+v)", c.query), listDeliveries(t, b, c.query).Rows, c.want)
	}
}

func refuse(t *testing.T, b Backend, origin, session string, times int) {
	t.Helper()
	fortest.OK(t, b.RefuseOrigin(t.Context(), origin, session, times))
}

func originList(t *testing.T, b Backend) []attention.RefusedOrigin {
	return fortest.Must(b.RefusedOrigins(t.Context()))(t)
}

// unsettledMoney: what was paid too much is listed, newest first, until an operator has dealt with
// it.
func unsettledMoney(t *testing.T, b Backend) {
	for n := range 4 {
		s := fresh(n)
		a := attempt(1, payment.Confirmed, fmt.Sprint("m", n))
		a.PayAmount = decimal.NewFromInt(25)
		a.Paid = a.PayAmount
		if n != 1 {
			a.Paid = decimal.NewFromInt(30)
		}
		s.Attempts = []payment.Attempt{a}
		inserted(t, b, s)
	}
	want := func(limit, count int, numbers ...int) {
		t.Helper()
		list, n, err := b.Unsettled(t.Context(), limit)
		fortest.OK(t, err)
		fortest.Equal(t, n, count, "how many are unsettled")
		wantSessions(t, "Unsettled", list, numbers...)
	}
	want(9, 3, 3, 2, 0)
	want(2, 3, 3, 2)

	updated(t, b, fresh(2).ID, func(s *payment.Session) {
		s.Attempts[0].Settled = s.Attempts[0].Paid
	})
	want(9, 2, 3, 0)
}
