package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/attention"
	"coinslot/bff/console"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

// Damaged is a backend whose rows a test can change by hand.
type Damaged struct {
	Backend
	// Execute runs a statement of the test.
	Execute func(ctx context.Context, query string, args ...any) error
	// Restore uses again what was repaired, which the backend does by itself after a while.
	Restore func(ctx context.Context) error
	Log     *fortest.Log // what the backend has logged
}

// RunUnreadable tests that a row that cannot be decoded stops nothing else. Events are checked by
// [CheckEvent].
func RunUnreadable(t *testing.T, open func(t *testing.T, endpoints []string) Damaged) {
	for name, doc := range map[string]string{
		"no JSON":      "{bad json",
		"nothing":      "",
		"empty":        "{}",
		"null":         "null",
		"a wrong type": `{"id":"` + fresh(1).ID + `","version":"1"}`,
		"another's":    `{"id":"` + fresh(2).ID + `","version":1}`,
	} {
		t.Run("session: "+name, func(t *testing.T) {
			unreadableSession(t, open(t, []string{endA}), doc)
		})
	}

	for name, body := range map[string]string{"no JSON": "{bad json", "nothing": ""} {
		t.Run("event: "+name, func(t *testing.T) {
			unreadableEvent(t, open(t, []string{endA}), body)
		})
	}

	t.Run("reconciliation run", func(t *testing.T) { unreadableRun(t, open(t, nil)) })
	t.Run("money", func(t *testing.T) { unreadableMoney(t, open(t, nil)) })
}

// CheckEvent is the check of events for [RunUnreadable].
func CheckEvent(e payment.Event) error {
	if !bytes.HasPrefix(e.Body, []byte(`{"n"`)) {
		return errors.New("not one of these tests")
	}
	return nil
}

const setDoc = `UPDATE sessions SET doc = $2 WHERE id = $1`

func unreadableSession(t *testing.T, b Damaged, doc string) {
	ctx := t.Context()
	for n := range 4 {
		s := fresh(n)
		s.Status = wire.Pending
		s.DueAt = epoch().Add(time.Duration(n) * time.Second)
		if n == 1 {
			s.DueAt = epoch().Add(-time.Hour) // is claimed first
		}
		a := attempt(1, payment.Waiting, s.ID)
		a.TrackingCode = "T" + s.ID
		s.Attempts = []payment.Attempt{a}
		inserted(t, b.Backend, s)
	}

	bad := fresh(1).ID
	fortest.OK(t, b.Execute(ctx, setDoc, bad, doc))
	now := epoch().Add(time.Hour)

	first := fortest.Must(b.Claim(ctx, now, time.Minute, 1, false))(t)
	wantClaimed(t, "claimed", first, 0)
	rest := fortest.Must(b.ClaimOf(ctx, []string{bad, fresh(2).ID}, now, time.Minute, 5))(t)
	wantClaimed(t, "claimed of those", rest, 2)
	wantClaimed(t, "claimed after", fortest.Must(b.Claim(ctx, now, time.Minute, 5, false))(t), 3)
	wantClaimed(t, "claimed later",
		fortest.Must(b.Claim(ctx, now.Add(time.Hour), time.Minute, 5, false))(t), 0, 2, 3)

	list := allPages(func(cursor string) ([]payment.Session, string) {
		page := fortest.Must(b.List(ctx, payment.Filter{Cursor: cursor, Limit: 1}))(t)
		return page.Sessions, page.Next
	})
	wantSessions(t, "list", list, 3, 2, 0)
	for _, q := range []console.Query{{}, {Status: "pending"}, {Text: "order"}} {
		page := fortest.Must(b.Search(ctx, q))(t)
		wantSessions(t, "search", page.Sessions, 3, 2, 0)
	}

	codes := []string{"T" + fresh(0).ID, "T" + bad}
	var tracked []payment.Session
	for _, s := range fortest.Must(b.Tracked(ctx, codes))(t) {
		tracked = append(tracked, s.Session)
	}
	wantSessions(t, "tracked", tracked, 0)
	fortest.Must(b.Tally(ctx, epoch().Add(-time.Hour), now))(t)
	fortest.OK(t, b.Watch(ctx, []string{bad, fresh(0).ID}, now, now))

	again := fresh(9)
	again.Order.Ref = fresh(1).Order.Ref
	for what, act := range map[string]func() error{
		"Session": func() error {
			_, err := b.Load(ctx, bad)
			return err
		},
		"Lookup": func() error {
			_, err := lookUp(ctx, b, "T"+bad)
			return err
		},
		"Hold": func() error {
			_, err := b.Hold(ctx, bad, now, time.Minute)
			return err
		},
		"Insert": func() error {
			_, err := b.Insert(ctx, again)
			return err
		},
		"Update": func() error {
			_, err := b.Update(ctx, bad, 0, func(*payment.Session) ([]payment.Event, error) {
				return nil, nil
			})
			return err
		},
		"Erase": func() error {
			_, err := b.Erase(ctx, bad, now, func(payment.Session, bool) payment.Erasure {
				return payment.EraseAll
			})
			return err
		},
	} {
		err := act()
		if !errors.Is(err, payment.ErrUnreadable) ||
			errors.Is(err, payment.ErrExists) {
			t.Errorf("%s = %v; want %v", what, err, payment.ErrUnreadable)
		}
	}

	fortest.OK(t, b.Execute(ctx, `UPDATE sessions SET status = 'expired' WHERE id = $1`, bad))
	for cursor, first := "", true; first || cursor != ""; first = false {
		ids, next, err := b.Erasable(ctx, now.Add(time.Hour), cursor, 10)
		fortest.OK(t, err)
		same(t, "erasable", ids, []string(nil))
		cursor = next
	}

	wantUnreadable(t, b, bad)
	good := fortest.Must(json.Marshal(fresh(1)))(t)
	fortest.OK(t, b.Execute(ctx, setDoc, bad, string(good)))
	fortest.OK(t, b.Restore(ctx))
	wantClaimed(t, "claimed after the repair",
		fortest.Must(b.Claim(ctx, now.Add(time.Hour), time.Minute, 1, false))(t), 1)
	same(t, "unreadable after the repair",
		fortest.Must(b.Unreadable(ctx, 10))(t), []attention.UnreadableRow(nil))
}

func unreadableEvent(t *testing.T, b Damaged, body string) {
	ctx := t.Context()
	s := inserted(t, b.Backend, fresh(1))
	one := event(s.ID, 1)
	bad := event(s.ID, 2)
	three := event(s.ID, 3)
	updated(t, b.Backend, s.ID, nothing, one, bad, three)
	const setBody = `UPDATE events SET body = $2 WHERE id = $1`
	fortest.OK(t, b.Execute(ctx, setBody, bad.ID, []byte(body)))
	good := []string{one.ID, three.ID}

	var claimed []string
	for range 2 {
		claimed = append(claimed, eventIDs(claimTo(t, b.Backend, later(), 1, endA))...)
	}

	same(t, "claimed", claimed, good)
	same(t, "claimed later",
		eventIDs(claimTo(t, b.Backend, later().Add(time.Hour), 10, endA)), good)
	for _, session := range []string{"", s.ID} {
		read := allPages(func(cursor string) ([]payment.Event, string) {
			page := events(t, b.Backend, webhook.EventQuery{
				After:   cursor,
				Session: session,
				Limit:   1,
			})
			if !page.More {
				page.Next = ""
			}
			return page.Events, page.Next
		})
		same(t, "log", idsOf(read), good)
	}

	fortest.Must(b.Deliveries(ctx, webhook.DeliveryQuery{}))(t)
	fortest.Must(b.Replay(ctx, webhook.Range{From: epoch(), To: later()}, later()))(t)

	wantUnreadable(t, b, bad.ID)
	fortest.OK(t, b.Execute(ctx, setBody, bad.ID, bad.Body))
	fortest.OK(t, b.Restore(ctx))
	same(t, "claimed after the repair",
		eventIDs(claimTo(t, b.Backend, later().Add(2*time.Hour), 10, endA)),
		[]string{one.ID, bad.ID, three.ID})
	same(t, "unreadable after the repair",
		fortest.Must(b.Unreadable(ctx, 10))(t), []attention.UnreadableRow(nil))

	// What is erased is readable again.
	fortest.OK(t, b.Execute(ctx, setBody, bad.ID, []byte(body)))
	events(t, b.Backend, webhook.EventQuery{})
	_, err := b.Erase(ctx, s.ID, later(), func(payment.Session, bool) payment.Erasure {
		return payment.ErasePersonal
	})
	fortest.OK(t, err)
	same(t, "unreadable after an erasure",
		fortest.Must(b.Unreadable(ctx, 10))(t), []attention.UnreadableRow(nil))
}

func unreadableRun(t *testing.T, b Damaged) {
	ctx := t.Context()
	run := gatewaylist.Run{Kind: gatewaylist.Daily, By: "daily", Began: epoch()}
	epochOf := fortest.Must(b.BeginRun(ctx, run, epoch(), time.Minute))(t)
	fortest.OK(t, b.EndRun(ctx, epochOf, run, &gatewaylist.Report{}, epoch().Add(24*time.Hour)))
	for _, column := range []string{"report", "run"} {
		fortest.OK(t, b.Execute(ctx, `UPDATE list_runs SET `+column+` = $1`, "{bad json"))
		last := fortest.Must(b.LastRun(ctx, gatewaylist.Daily))(t)
		fortest.Equal(t, last.Report == nil && last.Last.Ended.IsZero(), true, "last run %+v", last)
		fortest.Must(b.LastRun(ctx, gatewaylist.Daily))(t)
	}

	fortest.Must(b.BeginRun(ctx, run, epoch().Add(time.Hour), time.Minute))(t)
	fortest.Equal(t, strings.Count(b.Log.String(), "\n"), 2, "log lines:\n%s", b.Log)
}

// wantUnreadable fails unless exactly the row of that id is set aside, and was logged once.
func wantUnreadable(t *testing.T, b Damaged, id string) {
	t.Helper()
	list := fortest.Must(b.Unreadable(t.Context(), 10))(t)
	if len(list) != 1 || list[0].ID != id || list[0].Error == "" || list[0].Since.IsZero() {
		t.Errorf("unreadable is %+v; want %s", list, id)
	}
	log := b.Log.String()
	if strings.Count(log, "\n") != 1 || !strings.Contains(log, id) {
		t.Errorf("logged %q; want one line about %s", log, id)
	}
}
