package alert

import (
	"fmt"
	"testing"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// inReview is a condition with payments of these orders.
func inReview(refs ...string) attention.Condition {
	c := attention.Condition{Kind: attention.Review, Grave: true, Count: len(refs)}
	for _, ref := range refs {
		s := payment.Session{ID: "cs_" + ref}
		s.Order.Ref = ref
		s.Order.AmountUSD = decimal.NewFromInt(25)
		c.Items = append(c.Items, attention.Item{ID: s.ID, Session: s})
	}
	return c
}

func away(since time.Time) attention.Condition {
	return attention.Condition{Kind: attention.Gateway, Grave: true, Since: since}
}

func endpoint(kind attention.Kind) attention.Condition {
	return attention.Condition{Kind: kind, Endpoint: "https://shop.example/hooks?key=s3cr3t"}
}

// step is what is found some minutes after noon, and what is then reported.
type step struct {
	after int
	found []attention.Condition
	want  string // "+" and a key that begins, "-" and one that ends
}

// What begins is reported once, and its end; no two messages come within a quarter of an hour.
func TestNext(t *testing.T) {
	type list = []attention.Condition
	many := inReview("1", "2")
	many.Count = 150

	for name, steps := range map[string][]step{
		"begin and end": {
			{0, list{inReview("1")}, "+review "},
			{1, list{inReview("1")}, ""},
			{60, list{inReview("1")}, ""},
			{61, nil, "-review "},
			{62, nil, ""},
		},
		"one after the other is reported together": {
			{0, list{inReview("1")}, "+review "},
			{1, list{inReview("1", "2")}, ""},
			{14, list{inReview("1", "2", "3")}, ""},
			{15, list{inReview("2", "3")}, "-review +review +review "},
			{40, list{inReview("2", "3")}, ""},
		},
		"over before it could be reported": {
			{0, list{inReview("1")}, "+review "},
			{1, list{inReview("1", "2")}, ""},
			{2, list{inReview("1")}, ""},
			{20, list{inReview("1")}, ""},
		},
		"again before its end was reported": {
			{0, list{inReview("1")}, "+review "},
			{5, nil, ""},
			{10, list{inReview("1")}, ""},
			{20, list{inReview("1")}, ""},
		},
		"again after its end was reported": {
			{0, list{inReview("1")}, "+review "},
			{20, nil, "-review "},
			{40, list{inReview("1")}, "+review "},
		},
		"a gateway that is away for a moment": {
			{0, list{away(noon)}, ""},
			{9, list{away(noon)}, ""},
			{10, nil, ""},
			{20, list{away(noon.Add(20 * time.Minute))}, ""},
			{29, list{away(noon.Add(20 * time.Minute))}, ""},
			{30, list{away(noon.Add(20 * time.Minute))}, "+gateway "},
			{50, nil, "-gateway "},
		},
		"a restart does not begin the ten minutes anew": {
			{0, list{away(noon)}, ""},
			{5, list{away(noon.Add(5 * time.Minute))}, ""},
			{10, list{away(noon.Add(5 * time.Minute))}, "+gateway "},
		},
		"an endpoint that gets worse": {
			{0, list{endpoint(attention.Waiting)}, ""},
			{59, list{endpoint(attention.Waiting)}, ""},
			{60, list{endpoint(attention.Waiting)}, "+waiting "},
			{90, list{endpoint(attention.Gone)}, "+gone "},
			{120, nil, "-gone "},
		},
		"of a list that is cut, what is not named may still be there": {
			{0, list{inReview("1", "3")}, "+review +review "},
			{20, list{many}, "+review "},
			{40, list{inReview("1")}, "-review -review "},
		},
		"what only the console shows": {
			{0, list{{Kind: attention.Origins, Count: 1, Items: []attention.Item{{ID: "x"}}}}, ""},
			{0, list{{Kind: attention.Preparing, Count: 9}}, ""},
			{0, list{{Kind: attention.Alerts, Count: 9, Endpoint: "x"}}, ""},
		},
		"a clock that was set back": {
			{60, list{inReview("1")}, "+review "},
			{0, list{inReview("1", "2")}, "+review "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s State
			for _, step := range steps {
				var due report
				s, due = s.next(step.found, noon.Add(time.Duration(step.after)*time.Minute))
				fortest.Equal(t, kinds(due), step.want, "reported after %d min", step.after)
			}
		})
	}
}

// kinds returns what is reported: ends first.
func kinds(r report) (text string) {
	for _, a := range r.ended {
		text += "-" + string(a.Said) + " "
	}
	for _, a := range r.begun {
		text += "+" + string(a.Kind) + " "
	}
	return text
}

// The rule changes no state that it was given: a state that cannot be stored is not lost.
func TestNextLeavesTheStateAlone(t *testing.T) {
	before, _ := State{}.next([]attention.Condition{inReview("1")}, noon)
	after, due := before.next(nil, noon.Add(time.Hour))
	fortest.Equal(t, len(due.ended), 1, "what is over")
	fortest.Equal(t, len(after.Alarms), 0, "alarms after")
	fortest.Equal(t, len(before.Alarms), 1, "alarms before")
	fortest.Equal(t, before.Alarms["review cs_1"].EndedAt.IsZero(), true, "the alarm before")
}

// A try that failed is repeated sooner at first, for three days.
func TestRetryAfter(t *testing.T) {
	var whole time.Duration
	for tries := 1; ; tries++ {
		wait, again := retryAfter(tries)
		if !again {
			break
		}
		whole += wait
	}
	fortest.Equal(t, whole.Round(24*time.Hour), 72*time.Hour, "the time to the last try")
}

// Only so many messages wait; the newest are kept.
func TestTooManyMessages(t *testing.T) {
	var s State
	given := 0
	for n := range maxMessages + 3 {
		var dropped []Message
		s, dropped = s.send(Message{ID: fmt.Sprint(n)}, []Target{{to: "a@b.example"}}, noon)
		given += len(dropped)
	}
	fortest.Equal(t, given, 3, "messages given up")
	fortest.Equal(t, s.Messages[0].ID, "3", "the oldest that waits")
}

// The summary comes once a day, at a time of the shop's clock, also on the days on which that is
// moved, and not for the days before the first start.
func TestSummaryIsDue(t *testing.T) {
	berlin := fortest.Must(time.LoadLocation("Europe/Berlin"))(t)
	at := fortest.Must(ParseTimeOfDay("08:00"))(t)
	moment := func(text string) time.Time {
		return fortest.Must(time.ParseInLocation("2006-01-02 15:04", text, berlin))(t)
	}
	var s State
	for _, c := range []struct{ now, want string }{
		{"2026-03-27 12:00", ""}, // the first start
		{"2026-03-28 07:59", ""},
		{"2026-03-28 08:00", "2026-03-27"},
		{"2026-03-28 08:01", ""},
		{"2026-03-29 07:59", ""}, // the clock was put forward in the night
		{"2026-03-29 08:00", "2026-03-28"},
		{"2026-03-30 08:00", "2026-03-29"},
		{"2026-04-03 23:00", "2026-04-02"}, // the server was down for days
		{"2026-04-04 00:00", ""},
	} {
		after, about, isDue := s.summaryOf(at, berlin, moment(c.now))
		got := ""
		if isDue {
			got = about.In(berlin).Format(time.DateOnly)
		}
		fortest.Equal(t, got, c.want, "the day that is summarized at %s", c.now)
		s = after
	}
	_, _, isDue := s.summaryOf(TimeOfDay{}, berlin, moment("2026-05-01 12:00"))
	fortest.Equal(t, isDue, false, "a summary without a time")
}
