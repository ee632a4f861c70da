package payment

import (
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A withdrawn confirmation stays and is reported once, after three answers over ten minutes.
func TestConfirmationTakenBack(t *testing.T) {
	s := waiting()
	s.Status = wire.Pending
	s.Apply(1, paid(), env, noon)
	s.Status = s.status()
	was := s.Attempts[0]
	reported := 0
	for _, step := range []struct {
		after    time.Duration
		status   string
		reported int
	}{
		{1 * time.Minute, "expired", 0},
		{2 * time.Minute, "confirmed", 0}, // a copy that lagged behind
		{20 * time.Minute, "pending", 0},
		{21 * time.Minute, "refunded", 0}, // not a status that is documented
		{24 * time.Minute, "expired", 0},
		{27 * time.Minute, "cancelled", 0}, // the third, but seven minutes after the first
		{30 * time.Minute, "cancelled", 1},
		{40 * time.Minute, "cancelled", 0},
		{50 * time.Minute, "confirmed", 0},
	} {
		before := s.Snapshot()
		r := paid()
		r.Status = step.status
		s.Apply(1, r, env, noon.Add(step.after))
		events := s.Events(before, noon.Add(step.after), EventOptions{})
		fortest.Equal(t, len(events), step.reported, "after %v events", step.after)
		for _, e := range events {
			reported++
			if e.Type != EventReview || s.Object(EventOptions{}).ReviewReason != reasonRegressed {
				t.Errorf("reported %s because of %q", e.Type, s.Object(EventOptions{}).ReviewReason)
			}
		}
	}
	fortest.Equal(t, s.Attempts[0].IsTakenBack(), false, "taken back after it was confirmed again")
	s.Attempts[0].Alert = was.Alert
	if diff := cmp.Diff(was, s.Attempts[0]); diff != "" || s.Status != wire.Confirmed {
		t.Errorf("the payment is %s and has changed: (-was +is)\n%s", s.Status, diff)
	}
}

// An operator who has looked into a confirmation that was taken back has dealt with it, until the
// gateway confirms it and takes it back once more.
func TestSettleWhatWasTakenBack(t *testing.T) {
	s := waiting()
	s.Apply(1, paid(), env, noon)
	now := noon
	says := func(status string, times int) {
		for range times {
			now = now.Add(6 * time.Minute)
			r := paid()
			r.Status = status
			s.Apply(1, r, env, now)
		}
	}
	want := func(count int, amount, when string) {
		t.Helper()
		fortest.Equal(t, len(s.Unsettled(nil)), count, "unsettled %s", when)
		if count > 0 {
			fortest.Equal(t, s.UnsettledAmount(1, nil), amount, "the amount %s", when)
		}
	}

	says("expired", 2)
	want(0, "", "after two answers")
	says("expired", 1)
	want(1, "25.03", "after three")

	fortest.OK(t, s.Settle("it is in block 7", "console:ann", nil, now))
	want(0, "", "once it is settled")
	says("expired", 3)
	want(0, "", "after the same answers")

	s.Attempts[0].Paid = dec("40")
	want(1, "14.97", "after more money")
	fortest.OK(t, s.Settle("sent back", "console:ann", nil, now))
	want(0, "", "once that is settled, too")
	says("confirmed", 1)
	says("expired", 3)
	want(1, "40", "after it was confirmed and taken back again")
}

// What is settled because it was not there is owed again once the gateway says that it is.
func TestSettledDoubtIsOwedAgain(t *testing.T) {
	s := waiting()
	s.Apply(1, paid(), env, noon)
	a := &s.Attempts[0]
	a.Paid = dec("40")
	a.Alert = reasonRegressed
	a.Regressions = minRegressions
	fortest.OK(t, s.Settle("nothing is there", "console:ann", nil, noon))
	fortest.Equal(t, len(s.Unsettled(nil)), 0, "unsettled")

	r := paid()
	r.Paid = dec("40")
	s.Apply(1, r, env, noon.Add(time.Hour))
	fortest.Equal(t, s.UnsettledAmount(1, nil), "14.97", "the excess")
}

// Every payment after the confirmation is reported.
func TestPaidAfterConfirmation(t *testing.T) {
	s := waiting()
	s.Apply(1, paid(), env, noon)
	s.Status = s.status()
	was := s.Attempts[0]
	seen := map[string]bool{}
	for _, step := range []struct {
		paid     string
		reported int
	}{{"25.03", 0}, {"50", 1}, {"50", 0}, {"49", 0}, {"75", 1}} {
		before := s.Snapshot()
		r := paid()
		r.Paid = dec(step.paid)
		s.Apply(1, r, env, noon.Add(time.Hour))
		events := s.Events(before, noon.Add(time.Hour), EventOptions{})
		fortest.Equal(t, len(events), step.reported, "%s paid events", step.paid)
		for _, e := range events {
			if e.Type != EventReview || seen[e.ID] ||
				s.Object(EventOptions{}).ReviewReason != reasonPaidMore {
				t.Errorf("%s paid: reported %s %s because of %q", step.paid, e.Type, e.ID,
					s.Object(EventOptions{}).ReviewReason)
			}
			seen[e.ID] = true
		}
	}
	fortest.Equal(t, s.Object(EventOptions{}).OverpaidAmount, "49.97", "overpaid_amount")
	diff := cmp.Diff(was, s.Attempts[0], cmpopts.IgnoreFields(Attempt{}, "Paid", "Alert"))
	if diff != "" || s.Status != wire.Confirmed {
		t.Errorf("the payment is %s and has changed: (-was +is)\n%s", s.Status, diff)
	}
}

// A wrong gateway clock does not change the payment window.
func TestWindowByItsLength(t *testing.T) {
	for _, off := range []time.Duration{
		0, 10 * time.Minute, -10 * time.Minute, 26 * time.Hour, -26 * time.Hour,
	} {
		s := waiting()
		a := &s.Attempts[0]
		a.StartedAt, a.TTLMinutes = noon, 30
		a.ExpiresAt = expiry(noon.Add(off+30*time.Minute), noon, a.TTLMinutes)
		r := Record{
			TrackingCode: "T1",
			Status:       "pending",
			CreatedAt:    noon.Add(off),
			ExpiresAt:    noon.Add(off + 30*time.Minute),
		}
		s.Apply(1, r, env, noon.Add(3*time.Second))
		if want := noon.Add(30 * time.Minute); a.ExpiresAt.Sub(want).Abs() > time.Minute {
			t.Errorf("a clock that is %v off: to be paid until %v; want %v", off, a.ExpiresAt, want)
		}
	}
}

// The gateway and operators move the end; shoppers do not.
func TestFinishedAt(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 20, 12, minute, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		s    Session
		want time.Time
	}{
		"open": {Session{Status: wire.Open, ExpiresAt: at(9)}, time.Time{}},
		"review": {
			Session{Status: wire.Review, Attempts: []Attempt{{EndedAt: at(1)}}},
			time.Time{},
		},
		"paid": {
			Session{
				Status:   wire.Confirmed,
				Attempts: []Attempt{{EndedAt: at(1)}, {EndedAt: at(3)}},
			},
			at(3),
		},
		"resolved": {
			Session{
				Status:   wire.Cancelled,
				Attempts: []Attempt{{EndedAt: at(1)}},
				Timeline: []TimelineEntry{{At: at(5), What: "session.resolved"}},
			},
			at(5),
		},
		"looked": {
			Session{
				Status:   wire.Expired,
				Attempts: []Attempt{{EndedAt: at(1), RecheckAskedAt: at(8)}},
				Timeline: []TimelineEntry{{At: at(7), What: "attempt.found"}},
			},
			at(1),
		},
		"unused": {Session{Status: wire.Expired, ExpiresAt: at(9)}, at(9)},
	} {
		if got := c.s.FinishedAt(); !got.Equal(c.want) {
			t.Errorf("%s: FinishedAt = %v; want %v", name, got, c.want)
		}
		if c.s.FinishedFor(0, at(59)) {
			t.Errorf("%s: finished forever", name)
		}
		fortest.Equal(t, c.s.FinishedFor(time.Minute, c.want.Add(time.Minute)), !c.want.IsZero(),
			"%s: FinishedFor a minute", name)
	}
}
