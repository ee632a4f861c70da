package payment

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// TestApplyTable applies every record status to every attempt state: proven, not proven, and
// undocumented.
func TestApplyTable(t *testing.T) {
	const proven, short = "confirmed", "confirmed short"
	statuses := []string{
		"pending", proven, short, "expired", "cancelled", "canceled", "processing", "",
	}
	for state, want := range map[State][]State{
		Creating: {
			Creating, Confirmed, InReview, Expired, Cancelled, Cancelled, Creating, Creating,
		},
		Unknown: {Unknown, Confirmed, InReview, Expired, Cancelled, Cancelled, Unknown, Unknown},
		Waiting: {Waiting, Confirmed, InReview, Expired, Cancelled, Cancelled, Waiting, Waiting},
		Confirmed: {
			Confirmed, Confirmed, Confirmed, Confirmed, Confirmed, Confirmed, Confirmed, Confirmed,
		},
		Expired: {Expired, Confirmed, InReview, Expired, Expired, Expired, Expired, Expired},
		Cancelled: {
			Cancelled, Confirmed, InReview, Cancelled, Cancelled, Cancelled, Cancelled, Cancelled,
		},
		Refused: {Refused, Confirmed, InReview, Refused, Refused, Refused, Refused, Refused},
		Abandoned: {
			Abandoned, Confirmed, InReview, Abandoned, Abandoned, Abandoned, Abandoned, Abandoned,
		},
		Rejected: {Rejected, Confirmed, InReview, Rejected, Rejected, Rejected, Rejected, Rejected},
		InReview: {InReview, Confirmed, InReview, InReview, InReview, InReview, InReview, InReview},
	} {
		for i, status := range statuses {
			s, r := waiting(), paid()
			s.Attempts[0].State = state
			r.Status, _, _ = strings.Cut(status, " ")
			if status == short {
				r.Paid = dec("3")
			}
			if err := s.Apply(1, r, env, noon); err != nil {
				t.Fatalf("Apply(%s, %q) = %v", state, status, err)
			}
			fortest.Equal(t, s.Attempts[0].State, want[i], "%s and a record %q", state, status)
			if !s.CheckedAt.Equal(noon) {
				t.Errorf("%s and a record %q: CheckedAt = %v; want now", state, status, s.CheckedAt)
			}
		}
	}
}

func TestLate(t *testing.T) {
	s := waiting()
	expired := Record{TrackingCode: "T1", Status: "expired"}
	s.Apply(1, expired, env, noon)
	if got := s.Attempts[0].EndedAt; !got.Equal(noon) {
		t.Fatalf("EndedAt = %v; want noon", got)
	}
	s.Apply(1, expired, env, noon.Add(time.Hour))
	if got := s.Attempts[0].EndedAt; !got.Equal(noon) {
		t.Errorf("EndedAt = %v after a second record; want noon", got)
	}
	s.Apply(1, paid(), env, noon.Add(2*time.Hour))
	if a := s.Attempts[0]; a.State != Confirmed || !a.Late {
		t.Errorf("attempt = %s, late %v; want confirmed late", a.State, a.Late)
	}
}

func TestConfirmedNeverChanges(t *testing.T) {
	s := waiting()
	s.Apply(1, paid(), env, noon)
	was := s.Attempts[0]
	for _, status := range []string{
		"pending", "expired", "cancelled", "confirmed", "refunded", "",
	} {
		r := paid()
		r.Status, r.Paid, r.TxID = status, dec("99"), "0xb"
		s.Apply(1, r, "https://elsewhere", noon.Add(time.Hour))
		fortest.Diff(t, s.Attempts[0], was, "a record %q changed a confirmed attempt (-was +is)",
			status)
	}
}

func TestPaidOnlyGrows(t *testing.T) {
	s := waiting()
	for _, c := range []struct{ paid, want string }{
		{"3", "3"},
		{"2", "3"},
		{"-1", "3"},
		{"3.5", "3.5"},
	} {
		s.Apply(
			1,
			Record{TrackingCode: "T1", Status: "pending", Paid: dec(c.paid), PaidReadable: true},
			env,
			noon,
		)
		if got := s.Attempts[0].Paid; !got.Equal(dec(c.want)) {
			t.Errorf("Paid = %s after %s; want %s", got, c.paid, c.want)
		}
	}
	s.Apply(1, Record{TrackingCode: "T1", Status: "pending", Paid: dec("9"), PaidReadable: false},
		env, noon)
	if got := s.Attempts[0].Paid; !got.Equal(dec("3.5")) {
		t.Errorf("Paid = %s after something unreadable; want 3.5", got)
	}
}

// eventsOf applies change to s as Service.Change does and returns the types of its events.
func eventsOf(s *Session, change func()) []EventType {
	before := s.Snapshot()
	change()
	types := []EventType{}
	for _, e := range s.Events(before, noon, EventOptions{Page: "https://shop.test/checkout/"}) {
		types = append(types, e.Type)
	}
	s.Version++
	return types
}

func TestEvents(t *testing.T) {
	see := func(s *Session, n int, r Record) func() { return func() { s.Apply(n, r, env, noon) } }
	part := Record{TrackingCode: "T1", Status: "pending", Paid: dec("3"), PaidReadable: true}
	more := part
	more.Paid = dec("4")
	gone := Record{TrackingCode: "T1", Status: "cancelled"}
	short := paid()
	short.Paid = dec("5")

	s := waiting()
	s.Status, s.Attempts[0].State = wire.Preparing, Creating
	for _, c := range []struct {
		what   string
		change func()
		want   []EventType
	}{
		{"answer", func() { s.Attempts[0].State = Waiting }, []EventType{EventPending}},
		{"nothing", func() {}, []EventType{}},
		{"part", see(s, 1, part), []EventType{EventPartial}},
		{"the same part", see(s, 1, part), []EventType{}},
		{"more", see(s, 1, more), []EventType{EventPartial}},
		{
			"end",
			see(s, 1, Record{TrackingCode: "T1", Status: "expired"}),
			[]EventType{EventExpired},
		},
		{
			"late part",
			see(s, 1,
				Record{TrackingCode: "T1", Status: "expired", Paid: dec("6"), PaidReadable: true}),
			[]EventType{EventPartial},
		},
		{"late whole", see(s, 1, paid()), []EventType{EventConfirmed}},
		{"again", see(s, 1, paid()), []EventType{}},
		{"regression", see(s, 1, gone), []EventType{}},
	} {
		fortest.Diff(t, eventsOf(s, c.change), c.want, "events of %s", c.what)
	}

	s = waiting()
	change := func() { // of coin, in one change
		s.Apply(1, gone, env, noon)
		s.Attempts = append(s.Attempts, Attempt{Number: 2, State: Creating})
	}
	if got := eventsOf(s, change); len(got) != 0 || s.Status != wire.Preparing {
		t.Errorf("a change of coin is reported as %v in status %s; want nothing while preparing",
			got, s.Status)
	}
	fortest.Diff(t, eventsOf(s, func() { s.Attempts[1].State = Waiting }),
		[]EventType{EventPending}, "events of the second attempt")
	fortest.Diff(t, eventsOf(s, see(s, 1, short)), []EventType{EventReview}, "events of a review")
	fortest.Diff(t, eventsOf(s, see(s, 1, short)), []EventType{}, "events of the same review")

	s = waiting()
	s.Apply(1, paid(), env, noon)
	s.add(Attempt{State: Waiting, TrackingCode: "T2", PayAmount: dec("10")}, noon)
	whole := Record{TrackingCode: "T2", Status: "pending", Paid: dec("10"), PaidReadable: true}
	eventsOf(s, see(s, 2, whole))
	whole.Status = "expired"
	fortest.Diff(t, eventsOf(s, see(s, 2, whole)), []EventType{EventPartial}, "events of its end")
	fortest.Diff(t, eventsOf(s, see(s, 2, whole)), []EventType{}, "events of the same end")
}

func TestEventIDs(t *testing.T) {
	s := waiting()
	id := func(kind EventType, distinct string) string {
		return newEvent(s, EventOptions{}, kind, noon, distinct).ID
	}
	again := id(EventExpired, "1")
	if again != id(EventExpired, "1") || again == id(EventExpired, "2") ||
		id(EventExpired, "1") == id(EventCancelled, "1") {
		t.Error("ids do not tell events by session, type and attempt")
	}
	got := id(EventExpired, "1")
	if !strings.HasPrefix(got, "evt_") || strings.Contains(got, ".") || len(got) != 30 {
		t.Errorf("id = %q; want evt_ and 26 characters", got)
	}
	var body struct {
		Type      EventType
		Timestamp time.Time
		Data      Object
	}
	e := newEvent(s, EventOptions{Page: "https://shop.test/checkout/"}, EventPending, noon, "")
	fortest.OK(t, json.Unmarshal(e.Body, &body))
	if body.Type != EventPending || body.Data.Version != s.Version+1 ||
		body.Data.URL != "https://shop.test/checkout/cs_1" {
		t.Errorf("body = %+v; want the version that is about to be written", body)
	}
}

func TestStatusAndActions(t *testing.T) {
	late := noon.Add(2 * time.Hour)
	never := wire.Statuses()
	for _, c := range []struct {
		name    string
		states  []State
		closed  Closer
		paid    string
		now     time.Time
		status  wire.Status
		actions []wire.Action
	}{
		{"new", nil, "", "0", noon, wire.Open, []wire.Action{wire.Choose, wire.Cancel}},
		{"new, too late", nil, "", "0", late, wire.Open, []wire.Action{wire.Cancel}},
		{"timed out", nil, ClosedByTime, "0", late, wire.Expired, []wire.Action{}},
		{
			"canceled by shopper",
			nil,
			ClosedByShopper,
			"0",
			noon,
			wire.Cancelled,
			[]wire.Action{wire.Retry},
		},
		{
			"canceled by shopper, too late",
			nil,
			ClosedByShopper,
			"0",
			late,
			wire.Cancelled,
			[]wire.Action{},
		},
		{"canceled by merchant", nil, ClosedByMerchant, "0", noon, wire.Cancelled, []wire.Action{}},
		{"creating", []State{Creating}, "", "0", noon, wire.Preparing, []wire.Action{}},
		{"unknown", []State{Unknown}, "", "0", noon, wire.Preparing, []wire.Action{}},
		{
			"waiting",
			[]State{Waiting},
			"",
			"0",
			noon,
			wire.Pending,
			[]wire.Action{wire.Cancel, wire.Change, wire.Recheck},
		},
		{
			"waiting, part paid",
			[]State{Waiting},
			"",
			"3",
			noon,
			wire.Pending,
			[]wire.Action{wire.Recheck},
		},
		{"confirmed", []State{Confirmed}, "", "0", noon, wire.Confirmed, []wire.Action{}},
		{
			"expired",
			[]State{Expired},
			"",
			"0",
			noon,
			wire.Expired,
			[]wire.Action{wire.Recheck, wire.Retry},
		},
		{
			"expired, part paid",
			[]State{Expired},
			"",
			"3",
			noon,
			wire.Expired,
			[]wire.Action{wire.Recheck},
		},
		{
			"cancelled",
			[]State{Cancelled},
			"",
			"0",
			noon,
			wire.Cancelled,
			[]wire.Action{wire.Recheck, wire.Retry},
		},
		{
			"cancelled for good",
			[]State{Cancelled},
			ClosedByMerchant,
			"0",
			noon,
			wire.Cancelled,
			[]wire.Action{wire.Recheck},
		},
		{
			"refused",
			[]State{Refused},
			"",
			"0",
			noon,
			wire.Open,
			[]wire.Action{wire.Choose, wire.Cancel},
		},
		{
			"abandoned",
			[]State{Abandoned},
			"",
			"0",
			noon,
			wire.Open,
			[]wire.Action{wire.Choose, wire.Cancel},
		},
		{
			"rejected",
			[]State{Rejected},
			"",
			"0",
			noon,
			wire.Open,
			[]wire.Action{wire.Choose, wire.Cancel},
		},
		{"review", []State{InReview}, "", "0", noon, wire.Review, []wire.Action{wire.Recheck}},
		{
			"confirmed, then another",
			[]State{Confirmed, Waiting},
			"",
			"0",
			noon,
			wire.Confirmed,
			[]wire.Action{},
		},
		{
			"review, then another",
			[]State{InReview, Waiting},
			"",
			"0",
			noon,
			wire.Review,
			[]wire.Action{wire.Recheck},
		},
		{
			"confirmed though canceled",
			[]State{Confirmed},
			ClosedByMerchant,
			"0",
			noon,
			wire.Confirmed,
			[]wire.Action{},
		},
		{
			"expired, then waiting",
			[]State{Expired, Waiting},
			"",
			"0",
			noon,
			wire.Pending,
			[]wire.Action{wire.Cancel, wire.Change, wire.Recheck},
		},
		{
			"expired and paid late, then waiting",
			[]State{Expired, Waiting},
			"",
			"3",
			noon,
			wire.Pending,
			[]wire.Action{wire.Cancel, wire.Recheck},
		},
	} {
		never = slices.DeleteFunc(never, func(s wire.Status) bool { return s == c.status })
		s := waiting()
		s.Attempts, s.ClosedBy = nil, c.closed
		for i, state := range c.states {
			a := waiting().Attempts[0]
			a.Number, a.State = i+1, state
			if i == 0 {
				a.Paid = dec(c.paid)
			}
			s.Attempts = append(s.Attempts, a)
		}
		if s.Status = s.status(); s.Status != c.status {
			t.Errorf("%s: status = %s; want %s", c.name, s.Status, c.status)
		}
		fortest.Diff(t, s.Actions(c.now), c.actions, "%s: actions", c.name)
	}
	if len(never) > 0 {
		t.Errorf("no session becomes %v", never)
	}
}
