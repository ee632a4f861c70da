package admin

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/bff/admin/page"
	"coinslot/bff/checkout"
)

const testPath = webhooksPath + "/test"

// asksTest is GET /admin/webhooks/test: what a test is.
func (s *console) asksTest(v *visit) (page.Page, error) {
	p := testPage()
	p.Title = "Send a test?"
	p.Body = []app.UI{page.Confirm(page.El("p").Text("Before the first order, and after a change of your server's address or secret: does it take webhooks?"), []string{
		"A message of the type checkout.test is sent to every endpoint, signed as all are.",
		"It tells of no payment: it has no session, no order and no amount. Your server answers 2xx and does nothing.",
		"What comes back is shown here. The message is in no list and is not tried again.",
	}, nil, page.Form{Path: testPath, Token: v.token(), Button: "Send a test", Part: "do-test", Cancel: webhooksPath})}
	return p, nil
}

// test is POST /admin/webhooks/test: it waits for what endpoints answer.
func (s *console) test(v *visit) (page.Page, error) {
	var tested checkout.Tested
	err := v.attempt("webhook.test", "", "", func() (err error) {
		tested, err = s.TestWebhooks(v.r.Context(), "")
		return err
	})
	if err != nil {
		return page.Page{}, err
	}
	p := testPage()
	p.Title, p.Lead = "A test was sent", "Your server has taken it: it is ready for webhooks."
	if !tested.Taken() {
		p.Title, p.Lead = "The test was not taken", "It would have missed a payment's webhook just the same; those are tried again for 30 days."
	}
	for _, t := range tested.Trials {
		p.Body = append(p.Body, tried(t))
	}
	p.Body = append(p.Body, page.Facts(page.Fact{Name: "Event", Value: page.Code(tested.Event)}, page.Fact{Name: "Type", Value: page.Code(string(checkout.EventTest))}),
		page.Form{Path: testPath, Token: v.token(), Button: "Send another", Part: "do-test", Cancel: webhooksPath}.Draw())
	return p, nil
}

// testPage is what both have in common.
func testPage() page.Page {
	return page.Page{Section: webhooksPath, Back: page.Back{To: webhooksPath, Label: "Webhooks"}}
}

// tried is what has come of a test at one endpoint.
func tried(t checkout.Trial) app.UI {
	verdict := page.Note("good", "Taken.")
	if !t.Taken {
		verdict = page.Note("bad", t.Fault.Means+" "+t.Fault.Way)
	}
	facts := []page.Fact{{Name: "Answer", Value: page.Text(status(t.Status))}, {Name: "After", Value: page.Text(lasted(t.Took))}}
	if name := "It said"; t.Note != "" {
		if t.Status == 0 {
			name = "What happened"
		}
		facts = append(facts, page.Fact{Name: name, Value: page.Foreign(clipped(t.Note, mostExcerpt))})
	}
	return page.Block("", host(t.Endpoint), verdict, page.Facts(facts...))
}

// mostExcerpt is how many characters of an answer are shown.
const mostExcerpt = 200

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
