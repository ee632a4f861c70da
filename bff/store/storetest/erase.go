package storetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/console"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"

	"github.com/shopspring/decimal"
)

var eraseTests = cases{
	"erasing personal data": on(func(t *testing.T, b Backend) {
		s := storeWithTraces(t, b, personal(1, payment.Confirmed))
		other := storeWithTraces(t, b,
			personal(2, payment.Confirmed))
		holders, err := b.SessionsWithEmail(t.Context(), " ANN@canary.example ")
		same(t, "SessionsWithEmail", holders, []string{s.ID, other.ID})
		if err != nil {
			t.Fatal(err)
		}

		erased(t, b, s.ID, payment.ErasePersonal)
		wantErased(t, b, s.ID)
		want := s
		want.Version = s.Version + 1
		want.ErasedAt = later()
		want.Order.Email = ""
		want.Order.Description = ""
		want.Attempts = slices.Clone(s.Attempts)
		want.Attempts[0].Email = ""
		want.Attempts[0].Comment = ""
		want.Timeline = slices.Clone(s.Timeline)
		want.Timeline[0].Detail = ""
		want.Refunds = []payment.Refund{{TxID: "back1"}}
		check(t, b, want)
		same(t, "those that are left", found(t, b, secret), []string{other.ID})
		same(t, "those of the address", found(t, b, "T1"), []string{s.ID})
		for _, d := range claimTo(t, b, later(), 100, endA) {
			if d.Session == s.ID &&
				(bytes.Contains(d.Body, []byte("canary")) ||
					!bytes.Contains(d.Body, []byte(`"order_ref":"order 1"`))) {
				t.Errorf("the delivery holds %s", d.Body)
			}
		}
	}, endA),
	"erasing all but a tombstone": on(func(t *testing.T, b Backend) {
		s := storeWithTraces(t, b, personal(1, payment.Expired))
		storeWithTraces(t, b, personal(2, payment.Confirmed)) // has the newest event
		erased(t, b, s.ID, payment.EraseAll)
		wantErased(t, b, s.ID)
		for what, query := range map[string]payment.Filter{
			"all":          {},
			"expired ones": {Status: string(wire.Expired)},
		} {
			if slices.Contains(ids(list(t, b, query).Sessions), s.ID) {
				t.Errorf("the list of %s has the tombstone", what)
			}
		}
		if slices.Contains(found(t, b, ""), s.ID) {
			t.Error("the search for all finds the tombstone")
		}

		for _, text := range []string{s.ID, s.Order.Ref, "CODE1"} {
			same(t, "search for "+text, found(t, b, text), []string{s.ID})
		}

		same(t, "those of the order", ids(list(t, b,
			payment.Filter{OrderRef: s.Order.Ref}).Sessions),
			[]string{s.ID})
		for _, known := range []string{"CODE1", "marker 1"} {
			got, err := lookUp(t.Context(), b, known)
			if err != nil || got.ID != s.ID ||
				!got.Deleted ||
				got.Order.Ref != s.Order.Ref {
				t.Errorf("Lookup(%s) = %+v, %v; want the tombstone", known, got, err)
			}
		}

		again := fresh(9)
		again.Order.Ref = s.Order.Ref
		got, err := b.Insert(t.Context(), again)
		if !errors.Is(err, payment.ErrExists) ||
			got.ID != s.ID || got.Digest != s.Digest {
			t.Errorf("Insert of the same order = %+v, %v; want the tombstone", got, err)
		}

		events, err := b.Events(t.Context(), webhook.EventQuery{Session: s.ID})
		if err != nil || len(events.Events) != 0 {
			t.Errorf("events = %+v, %v; want none", events, err)
		}

		counts, err := b.Tally(t.Context(), epoch().Add(-time.Hour), epoch().Add(time.Hour))
		n := 0
		for _, c := range counts {
			n += c.Sessions
		}
		if err != nil || n != 2 {
			t.Errorf("the figures count %d sessions, %v; want 2", n, err)
		}
	}, endA),
	"late money for a tombstone": on(func(t *testing.T, b Backend) {
		s := storeWithTraces(t, b, personal(1, payment.Expired))
		erased(t, b, s.ID, payment.EraseAll)
		updated(t, b, s.ID, func(s *payment.Session) {
			s.Status = wire.Confirmed
			s.Attempts[0].State = payment.Confirmed
			s.Attempts[0].TxID = "tx"
		}, event(s.ID, 9))
		same(t, "the list", ids(list(t, b,
			payment.Filter{Status: string(wire.Confirmed)}).Sessions),
			[]string{s.ID})
		same(t, "the list of all", ids(list(t, b, payment.Filter{}).Sessions), []string{s.ID})
	}),
	"erasing events leaves the end of the log": on(func(t *testing.T, b Backend) {
		one := storeWithTraces(t, b, personal(1, payment.Expired))
		two := storeWithTraces(t, b,
			personal(2, payment.Expired))
		all, err := b.Events(t.Context(), webhook.EventQuery{})
		if err != nil || len(all.Events) != 2 {
			t.Fatalf("Events = %+v, %v", all, err)
		}

		first := fortest.Must(b.Events(t.Context(), webhook.EventQuery{Limit: 1}))(t)
		erased(t, b, two.ID, payment.EraseAll)
		erased(t, b, one.ID, payment.EraseAll)
		wantErased(t, b, two.ID)
		three := storeWithTraces(t, b, personal(3, payment.Expired))
		for what, c := range map[string]struct {
			after string
			want  []string
		}{
			// the newest was left, without its data
			"the start":        {"", []string{two.ID, three.ID}},
			"the end that was": {all.Next, []string{three.ID}},
		} {
			page, err := b.Events(t.Context(), webhook.EventQuery{After: c.after})
			var got []string
			for _, e := range page.Events {
				got = append(got, e.Session)
			}
			same(t, "events after "+what, got, c.want)
			if err != nil {
				t.Error(err)
			}
		}

		// What has followed an event that is not there cannot be known: see checkout.ErrCursorGone.
		page, err := b.Events(t.Context(), webhook.EventQuery{After: first.Next})
		if !errors.Is(err, webhook.ErrCursorGone) {
			t.Errorf("Events after one that is deleted = %+v, %v; want ErrCursorGone", page, err)
		}
	}, endA),
	"erasing nothing": on(func(t *testing.T, b Backend) {
		s := storeWithTraces(t, b, personal(1, payment.Expired))
		for _, want := range []bool{true, false} {
			fortest.Must(b.Erase(t.Context(), s.ID, later(),
				func(got payment.Session, undelivered bool) payment.Erasure {
					same(t, "the session", got, s)
					fortest.Equal(t, undelivered, want, "undelivered")
					return payment.EraseNothing
				}))(t)
			check(t, b, s)
			for _, d := range claimTo(t, b, later(), 1, endA) {
				recordResult(t, b, d, webhook.DeliveryResult{Delivered: true})
			}
		}

		_, err := b.Erase(t.Context(), "cs_none", later(),
			func(payment.Session, bool) payment.Erasure { return payment.EraseAll })
		fortest.Is(t, err, payment.ErrNotFound, "Erase of nothing")
	}, endA),
	"erasing twice": on(func(t *testing.T, b Backend) {
		s := storeWithTraces(t, b, personal(1, payment.Expired))
		for _, e := range []payment.Erasure{
			payment.ErasePersonal, payment.ErasePersonal, payment.EraseAll, payment.EraseAll,
			payment.ErasePersonal,
		} {
			erased(t, b, s.ID, e)
			wantErased(t, b, s.ID)
		}

		got, err := lookUp(t.Context(), b, "CODE1")
		if err != nil || !got.Deleted || !got.ErasedAt.Equal(later()) {
			t.Errorf("the tombstone = %+v, %v", got, err)
		}
	}, endA),
	"what can be erased": on(func(t *testing.T, b Backend) {
		var want []string
		for n, state := range []payment.State{
			payment.Confirmed, payment.Confirmed, payment.Expired, payment.Expired, payment.Expired,
			payment.Confirmed,
		} {
			s := inserted(t, b, personal(n+1, state))
			switch n {
			case 1:
				erased(t, b, s.ID, payment.ErasePersonal)
			case 3:
				erased(t, b, s.ID, payment.EraseAll)
			case 4:
				erased(t, b, s.ID, payment.ErasePersonal) // by hand: it is still to be deleted
				want = append(want, s.ID)
			case 5: // too young
			default:
				want = append(want, s.ID)
			}
		}

		inserted(t, b, fresh(7)) // open
		for _, limit := range []int{1, 2, 100} {
			got := allPages(func(cursor string) ([]string, string) {
				list, next, err := b.Erasable(t.Context(), epoch().Add(6*time.Second), cursor,
					limit)
				fortest.OK(t, err)
				return list, next
			})
			same(t, fmt.Sprintf("%d at a time", limit), got, want)
		}

		_, _, err := b.Erasable(t.Context(), epoch(), "x", 1)
		if err == nil {
			t.Error("Erasable takes any cursor")
		}
	}),
	"erasing console actions": on(func(t *testing.T, b Backend) {
		for n := range 3 {
			at := epoch().Add(time.Duration(n) * time.Hour)
			record(t, b, console.Action{
				At:   at,
				By:   "eve",
				From: "192.0.2.1",
				What: "login",
			})
			record(t, b, console.Action{
				At:      at,
				By:      "eve",
				From:    "192.0.2.1",
				What:    "session.cancel",
				Session: "cs_1",
				Detail:  "why",
			})
		}

		for rounds := 0; ; rounds++ {
			n, err := b.EraseActions(t.Context(), epoch().Add(2*time.Hour), 3)
			if err != nil || rounds > 3 {
				t.Fatalf("EraseActions = %d, %v in round %d", n, err, rounds)
			}
			if n == 0 {
				break
			}
		}

		page := fortest.Must(b.Actions(t.Context(), console.ActionQuery{}))(t)
		done := console.Action{By: "eve", What: "session.cancel", Session: "cs_1"}
		old := done
		older := done
		old.At = epoch().Add(time.Hour)
		older.At = epoch()
		same(t, "actions", page.Actions[2:], []console.Action{old, older})
		if page.Actions[0].From == "" || page.Actions[1].From == "" {
			t.Errorf("young actions were erased: %+v", page.Actions[:2])
		}
	}),
	"an e-mail that is replaced is not kept": on(func(t *testing.T, b Backend) {
		s := fresh(1)
		s.Attempts = []payment.Attempt{attempt(1, payment.Refused, "m")}
		s.Attempts[0].Email = secret
		s = inserted(t, b, s)
		updated(t, b, s.ID, func(s *payment.Session) { s.Attempts[0].Email = "bob@shop.example" })
		same(t, "those of the old e-mail", len(found(t, b, secret)), 0)
		same(t, "those of the new one", found(t, b, "bob@shop.example"), []string{s.ID})
	}),
}

// secret is in every personal text of these tests.
const secret = "ann@canary.example"

// personal is a session that has ended, with the secret wherever it can be.
func personal(n int, state payment.State) payment.Session {
	s := fresh(n)
	s.Order.Email = secret
	s.Order.Description = "for " + secret
	s.Order.Title = "Two tickets"
	s.Order.Metadata = map[string]string{"cart": "C-7"}
	s.Order.SuccessURL = "https://shop.example/thanks"
	a := attempt(1, state, fmt.Sprintf("marker %d", n))
	a.Email = secret
	a.Comment = "hello from " +
		secret
	a.TrackingCode = fmt.Sprintf("CODE%d", n)
	a.Address = fmt.Sprintf("T%d", n)
	a.CurrencySymbol = "USDT"
	a.NetworkCode = "trc20"
	a.PayAmount = decimal.RequireFromString("25.03")
	a.EndedAt = epoch()
	s.Status = wire.Expired
	if state == payment.Confirmed {
		a.TxID = fmt.Sprintf("tx%d", n)
		a.Paid = a.PayAmount
		s.Status = wire.Confirmed
	}

	s.Attempts = []payment.Attempt{a}
	s.Refunds = []payment.Refund{{TxID: fmt.Sprintf("back%d", n), Reason: "wrote to " + secret}}
	s.Timeline = []payment.TimelineEntry{
		{
			At:     epoch(),
			By:     "gateway",
			What:   "attempt.refused",
			Detail: "no mail to " + secret,
		},
		{
			At:     epoch(),
			By:     "gateway",
			What:   "attempt.pending",
			Detail: a.TrackingCode,
		},
	}
	return s
}

// eventOf is an event whose body is that of s.
func eventOf(t *testing.T, s payment.Session, n int) payment.Event {
	t.Helper()
	e := event(s.ID, n)
	body := fortest.Must(json.Marshal(map[string]any{
		"type":      e.Type,
		"timestamp": e.At,
		"data":      s.Object(payment.EventOptions{}),
	}))(t)
	if !bytes.Contains(body, []byte(secret)) {
		t.Fatalf("the event holds no personal data: %s", body)
	}

	e.Body = body
	return e
}

// storeWithTraces stores s with an event, a delivery that has failed and a console action.
func storeWithTraces(t *testing.T, b Backend, s payment.Session) payment.Session {
	t.Helper()
	s = inserted(t, b, s)
	e := eventOf(t, s, 1)
	s = updated(t, b, s.ID, nothing, e)
	for _, d := range claimTo(t, b, later(), 100, endA) {
		if d.Session == s.ID {
			recordResult(t, b, d, webhook.DeliveryResult{
				NextAt: later(),
				Status: 500,
				Note:   "no such customer: " + secret,
			})
		}
	}

	record(t, b, console.Action{
		At:      epoch(),
		By:      "eve",
		From:    "192.0.2.1",
		What:    "session.confirm",
		Session: s.ID,
		Detail:  "called " + secret,
	})
	return s
}

func record(t *testing.T, b Backend, a console.Action) {
	t.Helper()
	fortest.OK(t, b.Record(t.Context(), a))
}

// erased erases so much of a session.
func erased(t *testing.T, b Backend, id string, e payment.Erasure) {
	t.Helper()
	got, err := b.Erase(t.Context(), id, later(),
		func(payment.Session, bool) payment.Erasure { return e })
	if err != nil || got != e {
		t.Fatalf("Erase(%s) = %d, %v; want %d", id, got, err, e)
	}
}

// wantErased fails if anything that can be read of a session holds the secret.
func wantErased(t *testing.T, b Backend, id string) {
	t.Helper()
	s := fortest.Must(b.Session(t.Context(), id))(t)
	events := fortest.Must(b.Events(t.Context(), webhook.EventQuery{Limit: 100}))(t)
	actions := fortest.Must(b.Actions(t.Context(), console.ActionQuery{Session: id}))(t)
	deliveries := fortest.Must(b.Deliveries(t.Context(), webhook.DeliveryQuery{Session: id}))(t)
	bodies := ""
	for _, e := range events.Events {
		if e.Session == id {
			bodies += string(e.Body)
		}
	}

	for what, text := range map[string]string{
		"session":    fmt.Sprintf("%+v", s),
		"events":     bodies,
		"actions":    fmt.Sprintf("%+v", actions),
		"deliveries": fmt.Sprintf("%+v", deliveries),
	} {
		if strings.Contains(text, "canary") {
			t.Errorf("the %s of %s hold personal data: %s", what, id, text)
		}
	}

	holders, err := b.SessionsWithEmail(t.Context(), secret)
	if err != nil ||
		slices.Contains(holders, id) {
		t.Errorf("SessionsWithEmail = %v, %v; want nothing of %s", holders, err, id)
	}
}

// found searches for text, "" for all.
func found(t *testing.T, b Backend, text string) []string {
	t.Helper()
	return ids(fortest.Must(b.Search(t.Context(), console.Query{Text: text}))(t).Sessions)
}
