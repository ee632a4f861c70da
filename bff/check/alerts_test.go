package check_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"coinslot/bff/check"
	"coinslot/bff/fortest"
)

func alertFaults() []fault {
	byMail := func(server string) func(*testing.T, *rig) {
		return func(_ *testing.T, w *rig) {
			w.env["COINSLOT_ALERTS"] = "owner@shop.example"
			w.env["COINSLOT_SMTP"] = server
		}
	}
	return []fault{
		{"no targets", set("COINSLOT_ALERTS", ""), check.OK, "alerts", "no alerts are sent"},
		{
			"a target that the DNS does not know",
			set("COINSLOT_ALERTS", "https://nowhere.example/x"), check.Fail, "alerts",
			"the DNS has no name nowhere.example",
		},
		{
			"mail without a server", set("COINSLOT_ALERTS", "owner@shop.example"), check.Fail,
			"settings", "COINSLOT_SMTP",
		},
		{
			"a mail server that the DNS does not know",
			byMail("smtps://nowhere.example?from=shop@shop.example"), check.Fail, "alerts",
			"the DNS has no name nowhere.example",
		},
		{
			"nobody there", byMail("smtp://127.0.0.1:1?from=shop@shop.example"), check.Fail,
			"alerts", "connection refused",
		},
	}
}

// A test is sent only if it is asked for, and its result is a finding.
func TestTestAlerts(t *testing.T) {
	status := http.StatusOK
	tests := 0
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tests++
		w.WriteHeader(status)
	}))
	defer target.Close()
	checkout, database := checkoutServer(t)
	w := newRig(t, checkout, database)
	w.env["COINSLOT_ALERTS"] = target.URL
	w.env["COINSLOT_ALLOW_PRIVATE_WEBHOOKS"] = "true"
	find := func() (text string) {
		for _, f := range w.setup().Findings(t.Context()) {
			if f.ID == "alerts" {
				text += string(f.Status) + " " + f.Text + "\n"
			}
		}
		return text
	}
	fortest.Has(t, "the findings", find(), "ok 127.0.0.1", "is reachable")
	fortest.Equal(t, tests, 0, "tests that nobody has asked for")

	w.testAlerts = true
	fortest.Has(t, "the findings with a test", find(), "accepted a test")
	status = http.StatusForbidden
	fortest.Has(t, "the findings of a refusal", find(), "fail 127.0.0.1", "403 Forbidden")
}
