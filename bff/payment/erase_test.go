package payment

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/shopspring/decimal"
)

// Nothing is erased by default or too early, and sessions with payments are never deleted.
func TestRetain(t *testing.T) {
	end := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	unpaid := Session{Status: wire.Expired, Attempts: []Attempt{{State: Expired, EndedAt: end}}}
	paid := Session{Status: wire.Confirmed, Attempts: []Attempt{{State: Confirmed, EndedAt: end}}}
	part := Session{
		Status:   wire.Expired,
		Attempts: []Attempt{{State: Expired, EndedAt: end, Paid: decimal.NewFromInt(1)}},
	}
	doubted := Session{
		Status: wire.Cancelled,
		Attempts: []Attempt{
			{State: Cancelled, EndedAt: end, ReviewedAt: end, Reason: "paid_amount_unreadable"},
		},
	}
	absent := Session{
		Status: wire.Cancelled,
		Attempts: []Attempt{
			{State: Cancelled, EndedAt: end, ReviewedAt: end, Reason: reasonTxAbsent},
		},
	}
	done, gone, late := paid, unpaid, unpaid
	done.ErasedAt, gone.ErasedAt, gone.Deleted, late.ErasedAt = end, end, true, end
	for name, c := range map[string]struct {
		s           Session
		keep, after time.Duration
		undelivered bool
		want        Erasure
	}{
		"unpaid":                       {unpaid, 30 * day, 30 * day, false, EraseAll},
		"unpaid, a moment before":      {unpaid, 30 * day, 30*day - 1, false, EraseNothing},
		"unpaid, kept forever":         {unpaid, 0, 3650 * day, false, EraseNothing},
		"undelivered":                  {unpaid, 30 * day, 59 * day, true, EraseNothing},
		"undelivered forever":          {unpaid, 30 * day, 60 * day, true, EraseAll},
		"paid":                         {paid, 30 * day, 30 * day, false, ErasePersonal},
		"paid in part":                 {part, 30 * day, 30 * day, false, ErasePersonal},
		"resolved as unpaid":           {doubted, 30 * day, 30 * day, false, ErasePersonal},
		"resolved, transaction absent": {absent, 30 * day, 30 * day, false, EraseAll},
		"paid and erased":              {done, 30 * day, 60 * day, false, EraseNothing},
		"a tombstone":                  {gone, 30 * day, 60 * day, false, EraseNothing},
		"erased by hand, not paid":     {late, 30 * day, 30 * day, false, EraseAll},
		"in review": {
			Session{Status: wire.Review},
			day,
			3650 * day,
			false,
			EraseNothing,
		},
		"pending": {
			Session{Status: wire.Pending},
			day,
			3650 * day,
			false,
			EraseNothing,
		},
		"expired without an attempt": {
			Session{Status: wire.Expired, ExpiresAt: end},
			day,
			day,
			false,
			EraseAll,
		},
	} {
		fortest.Equal(t, c.s.Retain(c.keep, 30*day, c.undelivered, end.Add(c.after)), c.want,
			"%s: retain", name)
	}
}

// Late payments for a tombstone pass the confirm gate and reach the order; shoppers cannot
// restart it.
func TestTombstoneTakesLateMoney(t *testing.T) {
	s, r, now := waiting(), paid(), noon.Add(90*24*time.Hour)
	s.Attempts[0].State, s.Attempts[0].EndedAt = Expired, noon.Add(time.Hour)
	s.Status = wire.Expired
	s.Order.Ref = "1001"
	s.Erase(EraseAll, now)
	raw := fortest.Must(json.Marshal(s))(t)
	var stored Session
	fortest.OK(t, json.Unmarshal(raw, &stored))
	fortest.Fails(t, stored.mayOpen(now), "a coin can be chosen for a tombstone")
	before := stored.Snapshot()
	fortest.OK(t, stored.Apply(1, r, stored.Environment, now))
	events := stored.Events(before, now, EventOptions{})
	if stored.Status != wire.Confirmed || len(events) != 1 || events[0].Type != EventConfirmed ||
		!bytes.Contains(events[0].Body, []byte(`"order_ref":"1001"`)) {
		t.Errorf("late money = %s, %+v; want confirmed, and reported with its order", stored.Status,
			events)
	}
}

// Erasing an event removes personal data and nothing else.
func TestErasedEvent(t *testing.T) {
	s, now := waiting(), noon
	s.Attempts[0].State, s.Status = Confirmed, wire.Confirmed
	s.ID = "cs_1"
	s.Order.Email = "ann@canary.example"
	s.Order.Description = "canary"
	s.Order.Metadata = map[string]string{"cart": "C-7"}
	s.Order.SuccessURL, s.Order.Title = "https://shop.example/thanks", "Two tickets"
	s.Timeline = []TimelineEntry{
		{At: now, By: "gateway", What: "attempt.unknown", Detail: "canary"},
		{At: now, By: "console:eve", What: "session.resolved", Detail: "confirmed: canary"},
	}
	e := newEvent(s, EventOptions{Page: "https://pay.shop.example/checkout/"}, EventConfirmed, now,
		"")
	got := e.Erased(ErasePersonal, now)
	if bytes.Contains(got.Body, []byte("canary")) {
		t.Errorf("the event holds personal data: %s", got.Body)
	}
	clean := *s
	clean.Erase(ErasePersonal, now)
	want := newEvent(&clean, EventOptions{Page: "https://pay.shop.example/checkout/"},
		EventConfirmed, now, "")
	fortest.Diff(t, string(got.Body), string(want.Body), "the event")
	all := string(e.Erased(EraseAll, now).Body)
	fortest.Lacks(t, "the event of a deleted session", all, "canary", "C-7", "thanks", "tickets")
	for _, body := range []string{
		"", "{", "[]", `{"data":{"id":"cs_2","email":"canary"}}`, "canary",
	} {
		e.Body = []byte(body)
		got := string(e.Erased(ErasePersonal, now).Body)
		if !json.Valid([]byte(got)) ||
			got != `{"type":"checkout.confirmed","timestamp":"`+FormatTime(now)+`","data":{}}` {
			t.Errorf("%s became %s", body, got)
		}
	}
}

// Personal data added after an erasure is erased again.
func TestDataAfterErasure(t *testing.T) {
	again := waiting()
	again.Attempts[0].State, again.Attempts[0].EndedAt, again.Status = Expired, noon, wire.Expired
	again.Erase(ErasePersonal, noon)
	fortest.OK(t,
		again.AddIntent(Desired{Choice: wire.Choice{Email: "bob@shop.example"}, Minutes: 30}, noon))
	again.Attempts[1].State = Confirmed
	again.Attempts[1].EndedAt = noon
	again.Status = wire.Confirmed

	late := waiting()
	late.Attempts[0].State, late.Attempts[0].EndedAt, late.Status = Expired, noon, wire.Expired
	late.Erase(EraseAll, noon)
	late.Attempts[0].State, late.Status = InReview, wire.Review
	fortest.OK(t,
		late.Resolve(Resolution{As: wire.Cancelled, Reason: "called Ann", By: ByMerchant}, noon))
	late.Status = wire.Cancelled
	for name, s := range map[string]*Session{"a new attempt": again, "a settlement": late} {
		got := s.Retain(time.Hour, 30*24*time.Hour, false, noon.Add(48*time.Hour))
		if got == EraseNothing || s.Tombstone() {
			t.Errorf("after %s: retain = %d, tombstone %t; want it erased again", name, got,
				s.Tombstone())
		}
	}
}
