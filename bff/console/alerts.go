package console

import (
	"fmt"

	"coinslot/bff/alert"
	"coinslot/bff/attention"
)

const (
	alertsPath     = "/admin/alerts"
	testAlertsPath = alertsPath + "/test"
)

// alertsView is what alerts.html gets.
type alertsView struct {
	Targets []alertTarget
	Form    form
}

// alertTarget is who gets alerts.
type alertTarget struct {
	Name  string
	State badge
	Error string // of the last try; empty = none
}

// alerts is GET /admin/alerts: who gets alerts, and whether they arrive.
func (c *console) alerts(r *request) (page, error) {
	if c.Alerts == nil {
		return page{}, errNoPage
	}
	failing, err := c.Alerts.Failing(r.r.Context())
	if err != nil {
		return page{}, err
	}

	var targets []alertTarget
	for _, name := range c.Alerts.Names() {
		t := alertTarget{Name: name, State: badge{Kind: "good", Word: "Working"}}
		for _, f := range failing {
			if f.Endpoint == name {
				t.failed(f)
			}
		}
		targets = append(targets, t)
	}
	return r.alertsPage("Alerts", targets), nil
}

func (t *alertTarget) failed(f attention.Condition) {
	t.State = badge{Kind: "bad", Word: formatPlural(f.Count, "alert") + " waiting"}
	t.Error = f.Error
}

func (r *request) alertsPage(title string, targets []alertTarget) page {
	return page{
		Title:    title,
		Section:  alertsPath,
		Lead:     "They get a message when something needs attention, and when it is over.",
		template: "alerts",
		View: alertsView{Targets: targets, Form: form{
			Path:   testAlertsPath,
			Token:  r.FormToken(),
			Button: "Send a test",
			Part:   "do-test",
		}},
	}
}

// testAlerts is POST /admin/alerts/test: it waits for what the targets answer. A reload sends
// another message, which does no harm.
func (c *console) testAlerts(r *request) error {
	if c.Alerts == nil {
		return errNoPage
	}
	err := r.record("alerts.test", "", "")
	if err != nil {
		return err
	}

	results := c.Alerts.Test(r.r.Context())
	r.recordResult("alerts.test", "", nil)
	accepted := 0
	var targets []alertTarget
	for _, result := range results {
		t := alertTarget{Name: result.Target, State: badge{Kind: "good", Word: "Accepted"}}
		if result.Error != "" {
			t.State = badge{Kind: "bad", Word: "Not accepted"}
			t.Error = result.Error
		} else {
			accepted++
		}
		targets = append(targets, t)
	}
	r.show(r.alertsPage(alertTestTitle(accepted, results), targets))
	return nil
}

func alertTestTitle(accepted int, results []alert.TestResult) string {
	switch accepted {
	case len(results):
		return "Test accepted"
	case 0:
		return "Test not accepted"
	}
	return fmt.Sprintf("%d of %s accepted the test", accepted, formatPlural(len(results), "target"))
}
