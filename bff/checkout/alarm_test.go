package checkout

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"coinslot/bff/payment"
)

// A payment that needs review is logged once, without text of the gateway or the shopper.
func TestReviewIsLogged(t *testing.T) {
	with := func(states ...payment.State) (s payment.Session) {
		s.ID = "cs_a"
		for i, state := range states {
			s.Attempts = append(s.Attempts,
				payment.Attempt{Number: i + 1, State: state, Reason: "canary", Address: "canary"})
		}
		return s
	}
	for _, c := range []struct {
		name    string
		was, is payment.Session
		want    string // attempts and states
	}{
		{"paid", with(payment.Waiting), with(payment.Confirmed), ""},
		{"to review", with(payment.Waiting), with(payment.InReview), "attempt=1 state=review"},
		{"still in review", with(payment.InReview), with(payment.InReview), ""},
		{"rejected", with(payment.Creating), with(payment.Rejected), "attempt=1 state=rejected"},
		{
			"a duplicate beside it",
			with(payment.Waiting),
			with(payment.Waiting, payment.Duplicate),
			"attempt=2 state=duplicate",
		},
		{"given up", with(payment.Unknown), with(payment.Abandoned), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			service := &Service{Config: Config{Log: slog.New(slog.NewTextHandler(&out, nil))}}
			service.logReviews(t.Context(), c.was, c.is)
			got := out.String()
			if (got != "") != (c.want != "") || !strings.Contains(got, c.want) ||
				strings.Contains(got, "canary") ||
				c.want != "" && !strings.Contains(got, "level=WARN") {
				t.Errorf("logged %q; want %q", got, c.want)
			}
		})
	}
}
