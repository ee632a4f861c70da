package payment

import (
	"testing"
	"time"

	"coinslot/app/wire"
)

// The gateway and operators move the end; shoppers do not.
func TestFinishedAt(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 20, 12, minute, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		s    Session
		want time.Time
	}{
		"open":     {Session{Status: wire.Open, ExpiresAt: at(9)}, time.Time{}},
		"review":   {Session{Status: wire.Review, Attempts: []Attempt{{EndedAt: at(1)}}}, time.Time{}},
		"paid":     {Session{Status: wire.Confirmed, Attempts: []Attempt{{EndedAt: at(1)}, {EndedAt: at(3)}}}, at(3)},
		"resolved": {Session{Status: wire.Cancelled, Attempts: []Attempt{{EndedAt: at(1)}}, Timeline: []TimelineEntry{{At: at(5), What: "session.resolved"}}}, at(5)},
		"looked":   {Session{Status: wire.Expired, Attempts: []Attempt{{EndedAt: at(1), RecheckAskedAt: at(8)}}, Timeline: []TimelineEntry{{At: at(7), What: "attempt.found"}}}, at(1)},
		"unused":   {Session{Status: wire.Expired, ExpiresAt: at(9)}, at(9)},
	} {
		if got := c.s.FinishedAt(); !got.Equal(c.want) {
			t.Errorf("%s: FinishedAt = %v; want %v", name, got, c.want)
		}
		if c.s.FinishedFor(0, at(59)) {
			t.Errorf("%s: finished forever", name)
		}
		if got, want := c.s.FinishedFor(time.Minute, c.want.Add(time.Minute)), !c.want.IsZero(); got != want {
			t.Errorf("%s: FinishedFor a minute = %t; want %t", name, got, want)
		}
	}
}
