package storetest

import (
	"testing"
	"time"

	"coinslot/bff/alert"
	"coinslot/bff/attention"
	"coinslot/bff/fortest"
)

// alertTests are the contract of alert.Store.
var alertTests = cases{
	"no alerts at first":   on(noAlerts),
	"alerts of the latest": on(latestAlerts),
	"alerts of one of two": on(alertsConflict),
}

// alerts is a state in which every field is set.
func alerts(title string) alert.State {
	return alert.State{
		Alarms: map[string]alert.Alarm{"review cs_1": {
			Kind:    attention.Review,
			Since:   epoch(),
			Said:    attention.Review,
			Line:    "order \x00 “1”",
			EndedAt: epoch().Add(time.Minute),
		}},
		ReportedAt: epoch(),
		Summarized: "2026-11-20",
		Messages: []alert.Message{{
			ID:     "a",
			At:     epoch(),
			Title:  title,
			Text:   "two\nlines",
			Link:   "https://pay.shop.example/admin",
			Urgent: true,
			Deliveries: []alert.Delivery{{
				Target: "t",
				Tries:  2,
				NextAt: epoch(),
				Error:  "away",
			}},
		}},
		Holder: "one",
		Until:  epoch(),
	}
}

func noAlerts(t *testing.T, b Backend) {
	state, version, err := b.LoadAlerts(t.Context())
	fortest.OK(t, err)
	same(t, "the alerts of an empty database", state, alert.State{})
	fortest.Equal(t, version, 0, "their version")
}

func latestAlerts(t *testing.T, b Backend) {
	for _, title := range []string{"first", "second", "third"} {
		_, version, err := b.LoadAlerts(t.Context())
		fortest.OK(t, err)
		fortest.OK(t, b.SaveAlerts(t.Context(), alerts(title), version))

		got, next, err := b.LoadAlerts(t.Context())
		fortest.OK(t, err)
		same(t, "the stored alerts", got, alerts(title))
		fortest.Equal(t, next, version+1, "their version")
	}
}

// alertsConflict: an instance that has not read the latest state does not overwrite it.
func alertsConflict(t *testing.T, b Backend) {
	fortest.OK(t, b.SaveAlerts(t.Context(), alerts("first"), 0))
	err := b.SaveAlerts(t.Context(), alerts("another first"), 0)
	fortest.Is(t, err, alert.ErrConflict, "a second first state")

	fortest.OK(t, b.SaveAlerts(t.Context(), alerts("second"), 1))
	err = b.SaveAlerts(t.Context(), alerts("late"), 1)
	fortest.Is(t, err, alert.ErrConflict, "a state of an old version")
	got, _, err := b.LoadAlerts(t.Context())
	fortest.OK(t, err)
	same(t, "the stored alerts", got, alerts("second"))
}
