package payment

import (
	"testing"
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// Checks are late only if nothing was paid and no recheck was requested.
func TestLateChecksFrom(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	p := DefaultSchedule()
	waiting := Attempt{State: Waiting, TrackingCode: "A", ExpiresAt: noon}
	expired := Attempt{State: Expired, TrackingCode: "B", EndedAt: noon.Add(time.Minute)}
	with := func(a Attempt, change func(*Attempt)) []Attempt {
		change(&a)
		return []Attempt{a}
	}
	never := time.Time{}
	for name, c := range map[string]struct {
		status   wire.Status
		attempts []Attempt
		want     time.Time
	}{
		"before a choice":          {wire.Open, nil, never},
		"waiting":                  {wire.Pending, []Attempt{waiting}, noon},
		"waiting, end not known":   {wire.Pending, with(waiting, func(a *Attempt) { a.ExpiresAt = never }), never},
		"waiting, partly paid":     {wire.Pending, with(waiting, func(a *Attempt) { a.Paid = decimal.NewFromInt(1) }), never},
		"waiting, seen":            {wire.Pending, with(waiting, func(a *Attempt) { a.TxID = "0xa" }), never},
		"waiting, paid at":         {wire.Pending, with(waiting, func(a *Attempt) { a.PaidAt = noon }), never},
		"waiting, absent":          {wire.Pending, with(waiting, func(a *Attempt) { a.Absences = 1 }), never},
		"to be cancelled":          {wire.Cancelled, []Attempt{waiting}, never},
		"expired":                  {wire.Expired, []Attempt{expired}, noon.Add(time.Minute)},
		"expired, partly paid":     {wire.Expired, with(expired, func(a *Attempt) { a.Paid = decimal.NewFromInt(1) }), never},
		"expired, asked about":     {wire.Expired, with(expired, func(a *Attempt) { a.RecheckAskedAt = noon }), never},
		"expired, follow is over":  {wire.Expired, with(expired, func(a *Attempt) { a.RecheckAskedAt, a.FollowUps = noon, len(p.FollowUps) }), noon.Add(time.Minute)},
		"expired, was in review":   {wire.Expired, with(expired, func(a *Attempt) { a.ReviewedAt = noon }), never},
		"cancelled":                {wire.Cancelled, with(expired, func(a *Attempt) { a.State = Cancelled }), noon.Add(time.Minute)},
		"another coin chosen":      {wire.Pending, []Attempt{expired, waiting}, noon.Add(time.Minute)},
		"another coin, longer":     {wire.Pending, []Attempt{expired, with(waiting, func(a *Attempt) { a.ExpiresAt = noon.Add(time.Hour) })[0]}, noon.Add(time.Hour)},
		"another coin, first paid": {wire.Pending, []Attempt{with(expired, func(a *Attempt) { a.TxID = "0xa" })[0], waiting}, never},
		"confirmed":                {wire.Confirmed, []Attempt{{State: Confirmed, EndedAt: noon}}, never},
		"in review":                {wire.Review, []Attempt{{State: InReview, ReviewedAt: noon}}, never},
		"preparing":                {wire.Preparing, []Attempt{expired, {State: Creating}}, never},
		"refused before":           {wire.Expired, []Attempt{{State: Refused, StartedAt: noon}, expired}, noon.Add(time.Minute)},
		"orphan to be found":       {wire.Expired, []Attempt{{State: Abandoned, StartedAt: noon}, expired}, never},
		"orphan not found":         {wire.Expired, []Attempt{{State: Abandoned, StartedAt: noon, ChecksDone: 3, TTLMinutes: 30}, expired}, noon.Add(time.Minute)},
		"orphan to be ended":       {wire.Expired, []Attempt{{State: Duplicate, TrackingCode: "C"}, expired}, never},
		"orphan ended":             {wire.Expired, []Attempt{{State: Duplicate, TrackingCode: "C", EndedAt: noon}, expired}, noon.Add(time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			s := Session{Status: c.status, Attempts: c.attempts}
			if got := s.LateChecksFrom(p); !got.Equal(c.want) {
				t.Errorf("lateFrom = %v; want %v", got, c.want)
			}
		})
	}
}

func TestDueLate(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		due, from time.Time
		want      bool
	}{
		{noon, noon, true}, {noon.Add(-time.Microsecond), noon, false}, {noon.Add(time.Hour), noon, true},
		{noon, time.Time{}, false}, {time.Time{}, noon, false},
	} {
		s := Session{DueAt: c.due, LateFrom: c.from}
		if got := s.DueForLateCheck(); got != c.want {
			t.Errorf("due %v, late from %v: %t; want %t", c.due, c.from, got, c.want)
		}
	}
}
