package console

import (
	"fmt"

	"coinslot/bff/webhook"
)

const testPath = webhooksPath + "/test"

// testView is what test_message.html gets.
type testView struct {
	Event, Type string
	Endpoints   []testedEndpoint
	Form        form
}

// testedEndpoint is what has come of a test at one endpoint.
type testedEndpoint webhook.TestDelivery

// Host is the part of the endpoint that may be shown.
func (t testedEndpoint) Host() string { return endpointHost(t.Endpoint) }

// Answer is its HTTP status in words.
func (t testedEndpoint) Answer() string {
	if t.Status == 0 {
		return "none"
	}
	return formatStatus(t.Status)
}

// Duration is how long the try took.
func (t testedEndpoint) Duration() string {
	if t.Took.Milliseconds() < 1000 {
		return fmt.Sprintf("%d ms", t.Took.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", t.Took.Seconds())
}

// confirmTest is GET /admin/webhooks/test: what a test is.
func (c *console) confirmTest(r *request) (page, error) {
	return r.confirmPage("test", nil, link{webhooksPath, "Webhooks"}, form{
		Path: testPath,
		Part: "do-test",
	}), nil
}

// test is POST /admin/webhooks/test: it waits for what endpoints answer. A reload sends another
// message, which does no harm.
func (c *console) test(r *request) error {
	err := r.record("webhook.test", "", "")
	if err != nil {
		return err
	}

	tested, err := c.TestWebhooks(r.r.Context(), "")
	r.recordResult("webhook.test", "", err)
	if err != nil {
		return err
	}

	view := testView{
		Event: tested.Event,
		Type:  string(webhook.EventTest),
		Form: form{
			Path:   testPath,
			Token:  r.FormToken(),
			Button: "Send another",
			Part:   "do-test",
			Cancel: webhooksPath,
		},
	}
	for _, t := range tested.Deliveries {
		view.Endpoints = append(view.Endpoints, testedEndpoint(t))
	}

	p := page{
		Section:  webhooksPath,
		Back:     link{webhooksPath, "Webhooks"},
		template: "test_message",
		View:     view,
	}
	p.Title, p.Lead = testResult(tested.Deliveries)
	r.show(p)
	return nil
}

// testResult is what has come of a test in all.
func testResult(deliveries []webhook.TestDelivery) (title, lead string) {
	taken := 0
	for _, t := range deliveries {
		if t.Delivered {
			taken++
		}
	}

	switch taken {
	case len(deliveries):
		return "Test accepted", "Your server is ready for webhooks."
	case 0:
		title = "Test not accepted"
	default:
		title = fmt.Sprintf(
			"%d of %s accepted the test", taken, formatPlural(len(deliveries), "endpoint"),
		)
	}

	return title, "These endpoints would not accept a payment's webhook either; it would be " +
		"retried for 30 days."
}
