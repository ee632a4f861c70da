package admin

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"coinslot/app/widget/node"
	"coinslot/bff/admin/page"
	"coinslot/bff/outbox"
)

const testPath = webhooksPath + "/test"

// asksTest is GET /admin/webhooks/test: what a test is.
func (s *console) asksTest(v *visit) (page.Page, error) {
	p := testPage()
	p.Title = "Send a test?"
	p.Body = []node.Node{page.Confirm(page.El("p").Text(
		"Before the first order, and after a change of your server's address or secret: does it "+
			"take webhooks?",
	), []string{
		"A message of the type checkout.test is sent to every endpoint, signed as all are.",
		"It tells of no payment: it has no session, no order and no amount. Your server answers " +
			"2xx and does nothing.",
		"What comes back is shown here. The message is in no list and is not tried again.",
	}, nil, page.Form{
		Path: testPath, Token: v.token(), Button: "Send a test", Part: "do-test",
		Cancel: webhooksPath,
	})}
	return p, nil
}

// test is POST /admin/webhooks/test: it waits for what endpoints answer.
func (s *console) test(v *visit) (page.Page, error) {
	var tested outbox.Tested
	err := v.attempt("webhook.test", "", "", func() (err error) {
		tested, err = s.TestWebhooks(v.r.Context(), "")
		return err
	})
	if err != nil {
		return page.Page{}, err
	}
	p := testPage()
	p.Title, p.Lead = outcome(tested)
	for _, t := range tested.Trials {
		p.Body = append(p.Body, tried(t))
	}
	p.Body = append(p.Body, page.Block("", "The message",
		page.Facts(page.Fact{Name: "Event", Value: page.Code(tested.Event)}, page.Fact{
			Name: "Type", Value: page.Code(string(outbox.EventTest)),
		}),
		page.Form{
			Path: testPath, Token: v.token(), Button: "Send another", Part: "do-test",
			Cancel: webhooksPath,
		}.Draw()))
	return p, nil
}

// outcome is what has come of a test in all.
func outcome(tested outbox.Tested) (title, lead string) {
	taken := 0
	for _, t := range tested.Trials {
		if t.Taken {
			taken++
		}
	}
	switch {
	case taken == len(tested.Trials):
		return "The test was taken", "Your server is ready for webhooks."
	case taken == 0:
		title = "The test was not taken"
	default:
		title = fmt.Sprintf(
			"%d of %s took the test", taken, page.Plural(len(tested.Trials), "endpoint"),
		)
	}
	return title, "Where it was not, a payment's webhook would not be taken either; it would be " +
		"tried again for 30 days."
}

// testPage is what both have in common.
func testPage() page.Page {
	return page.Page{Section: webhooksPath, Back: page.Back{To: webhooksPath, Label: "Webhooks"}}
}

// tried is what has come of a test at one endpoint.
func tried(t outbox.Trial) node.Node {
	verdict, facts := page.Note("good", "Taken."), []page.Fact(nil)
	if !t.Taken {
		verdict, facts = page.Note("bad", t.Fault.Means), []page.Fact{
			{Name: "What to do", Value: page.Text(t.Fault.Way)},
		}
	}
	facts = append(facts, page.Fact{Name: "Answer", Value: page.Text(status(t.Status))}, page.Fact{
		Name: "Took", Value: page.Text(lasted(t.Took)),
	})
	if name := "It said"; t.Note != "" {
		if t.Status == 0 {
			name = "What happened"
		}
		facts = append(facts, page.Fact{Name: name, Value: page.Foreign(t.Note)})
	}
	return page.Block("", host(t.Endpoint), verdict, page.Facts(facts...))
}

// status is an HTTP status in words.
func status(code int) string {
	if code == 0 {
		return "none"
	}
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// lasted is how long a try took.
func lasted(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
