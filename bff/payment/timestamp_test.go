package payment

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// Times with no, few and many digits, and of other zones, have one form.
func TestTimestamps(t *testing.T) {
	east := time.FixedZone("east", 3600)
	for text, at := range map[string]time.Time{
		"2026-11-21T07:48:00.000Z": time.Date(2026, 11, 21, 8, 48, 0, 0, east),
		"2026-11-21T07:48:00.100Z": time.Date(2026, 11, 21, 7, 48, 0, 100_000_000, time.UTC),
		"2026-11-21T07:48:00.123Z": time.Date(2026, 11, 21, 7, 48, 0, 123_999_999, time.UTC),
	} {
		fortest.Equal(t, FormatTime(at), text, "time")
		s := Session{
			ID: "cs_1", CreatedAt: at, ExpiresAt: at, CheckedAt: at, ErasedAt: at,
			Attempts: []Attempt{{Number: 1, StartedAt: at, ExpiresAt: at, PaidAt: at}},
			Timeline: []TimelineEntry{{At: at, By: "merchant", What: "session.created"}},
			Refunds:  []Refund{{TxID: "1", RecordedAt: at}},
		}
		event := newEvent(&s, EventOptions{}, EventPending, at, "")
		fortest.Equal(t, strings.Count(string(event.Body), `"`+text+`"`), 10, "times in %s",
			event.Body)
		erased := event.Erased(ErasePersonal, at)
		fortest.Equal(t, strings.Count(string(erased.Body), `"`+text+`"`), 10, "times in %s",
			erased.Body)

		var again Object
		body, err := json.Marshal(s.Object(EventOptions{}))
		fortest.OK(t, err)
		fortest.OK(t, json.Unmarshal(body, &again))
		if d := again.CreatedAt.Sub(at).Abs(); d >= time.Millisecond || len(again.Attempts) != 1 {
			t.Errorf("read again: %+v", again)
		}
	}
}
