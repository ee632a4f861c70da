package admin

import (
	"net/url"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
	"coinslot/bff/admin/page"
	"coinslot/bff/checkout"
)

const reconciliationPath = "/admin/reconciliation"

// findings say what a kind of disagreement is called; what becomes of it is the
// kind's own word.
var findings = map[checkout.FindingKind]struct{ kind, name string }{
	checkout.FindingPaidThere:    {"bad", "Paid at the gateway, not confirmed here"},
	checkout.FindingPaidHere:     {"bad", "Confirmed here, not paid at the gateway"},
	checkout.FindingMoney:        {"bad", "Amounts differ"},
	checkout.FindingUnknownHere:  {"bad", "Ours by its mark, and not known here"},
	checkout.FindingOrphan:       {"warn", "Opened, and the answer was lost"},
	checkout.FindingSecond:       {"warn", "Opened twice"},
	checkout.FindingUnknownThere: {"warn", "Here, and not at the gateway"},
	checkout.FindingEnded:        {"warn", "Over on one side only"},
}

// reconciliation is GET /admin/reconciliation: the last comparison of gateway and
// database. While one is under way, the page looks again by itself.
func (s *console) reconciliation(v *visit) (page.Page, error) {
	last := s.Checkout.Comparing()
	p := page.Page{
		Title: "Reconciliation", Section: reconciliationPath,
		Lead: "Holds the gateway's transactions of some days against the payments here, and changes nothing.",
		Body: []app.UI{s.comparisonForm(v, last)},
	}
	switch {
	case last.Began.IsZero():
		p.Body = append(p.Body, page.Note("", "Nothing was compared since the server began; of several instances each knows its own comparison only. `coinslot reconcile` does the same on the command line."))
	case last.Ended.IsZero():
		v.w.Header().Set("Refresh", "2; url="+reconciliationPath)
		p.Body = append(p.Body, page.Note("wait", "Comparing "+days(last.From, last.To)+", for "+page.Span(v.now().Sub(last.Began))+". The gateway's list is read behind all that payments need; this page looks again by itself."))
	case last.Err != nil:
		v.Log.Warn("a comparison has failed", "request_id", v.request(), "error", last.Err)
		p.Body = append(p.Body, page.Note("bad", "Comparing "+days(last.From, last.To)+" broke off: the gateway or the database did not answer. Nothing was changed; try again in a minute."))
	default:
		p.Tools = []app.UI{page.Export(reconciliationPath+".csv", nil)}
		p.Body = append(p.Body, compared(v, last)...)
	}
	return p, nil
}

// comparisonForm asks for the days; it proposes those of the last comparison.
func (s *console) comparisonForm(v *visit, last checkout.Comparing) app.UI {
	from, to := last.From, last.To
	if from.IsZero() {
		from, to = v.now().AddDate(0, 0, -7), v.now()
	}
	return page.Block("compare", "Days to compare", page.Form{Path: reconciliationPath, Token: v.token(), Button: "Compare", Part: "compare", Fields: []page.Field{
		{Name: "from", Label: "First day", Type: "date", Value: from.Format(time.DateOnly), Required: true},
		{Name: "to", Label: "Last day", Type: "date", Value: to.Format(time.DateOnly), Required: true, Hint: "At most 92 days later."},
	}}.Draw())
}

// compare is POST /admin/reconciliation.
func (s *console) compare(v *visit) (to, done string, err error) {
	first, err := day(v.r.PostFormValue("from"))
	if err != nil {
		return "", "", err
	}
	last, err := day(v.r.PostFormValue("to"))
	if err != nil {
		return "", "", err
	}
	if err := v.record("reconcile", "", days(first, last)); err != nil {
		return "", "", err
	}
	begun, err := s.Checkout.StartComparing(v.r.Context(), first, last)
	if err != nil {
		return "", "", err
	}
	if !begun {
		return reconciliationPath, "comparing", nil
	}
	return reconciliationPath, "", nil
}

// days names a range of days.
func days(from, to time.Time) string {
	return from.Format(time.DateOnly) + " to " + to.Format(time.DateOnly)
}

// compared is what has come of a comparison: the numbers, then the findings by
// their kind, the gravest first, each with what to do.
func compared(v *visit, c checkout.Comparing) []app.UI {
	counts := c.Result.Counts()
	list := []app.UI{page.Block("result", "What was compared", page.Facts(
		page.Fact{Name: "Days", Value: page.Text(days(c.From, c.To))},
		page.Fact{Name: "Compared", Value: page.Ago(c.Ended, v.now())},
		page.Fact{Name: "Gateway", Value: page.Text(page.Plural(c.Result.Transactions, "transaction") + ", " + page.Count(c.Result.Foreign) + " not ours")},
		page.Fact{Name: "Here", Value: page.Text(page.Plural(c.Result.Attempts, "attempt"))},
		page.Fact{Name: "Findings", Value: page.Text(page.Count(len(c.Result.Findings)))},
	))}
	if len(c.Result.Findings) == 0 {
		return append(list, page.El("p").Class("note").DataSet("kind", "good").DataSet("part", "agree").Text("They agree."))
	}
	for _, kind := range checkout.FindingKinds() {
		if counts[kind] > 0 {
			list = append(list, found(kind, c.Result.Findings))
		}
	}
	return list
}

// mostFindings is how many of one kind the page shows; the file has all.
const mostFindings = 200

// found is all findings of one kind.
func found(kind checkout.FindingKind, all []checkout.Finding) app.UI {
	var rows [][]app.UI
	n := 0
	for _, f := range all {
		if f.Kind != kind {
			continue
		}
		if n++; n <= mostFindings {
			rows = append(rows, finding(f))
		}
	}
	body := []app.UI{page.Note(findings[kind].kind, sentence(kind.Why())), page.Table{
		Caption: findings[kind].name, Rows: rows, Columns: []page.Column{{Name: "Payment"}, {Name: "Order"}, {Name: "Tracking code"}, {Name: "Gateway says"}, {Name: "Here"}}}.Draw()}
	if n > mostFindings {
		body = append(body, page.Note("", "The first "+page.Count(mostFindings)+" of "+page.Count(n)+" are shown; the file has all."))
	}
	return page.Block(string(kind), findings[kind].name+" ("+page.Count(n)+")", body...)
}

func finding(f checkout.Finding) []app.UI {
	session := page.None()
	if f.Session != "" {
		session = page.El("span").Body(page.Link(paymentPath(f.Session), page.Short(f.Session)), page.El("small").Class("below").Text("attempt "+page.Plain(f.Attempt)))
	}
	said := func(text string) app.UI {
		if text == "" {
			return page.Text("not there")
		}
		return page.Foreign(text)
	}
	return []app.UI{session, page.Foreign(f.OrderRef), page.Code(f.TrackingCode), said(f.There), said(f.Here)}
}

// sentence is words as a sentence.
func sentence(words string) string {
	if words == "" {
		return ""
	}
	return titled(words) + "."
}

// reconciliationFile is GET /admin/reconciliation.csv: the findings of the last
// comparison.
func (s *console) reconciliationFile(*visit, url.Values) (sheet, error) {
	last := s.Checkout.Comparing()
	if last.Ended.IsZero() || last.Err != nil {
		return sheet{}, &wire.Error{Code: wire.CodeNotPossible}
	}
	var rows [][]string
	for _, f := range last.Result.Findings {
		number := ""
		if f.Session != "" {
			number = page.Plain(f.Attempt)
		}
		rows = append(rows, []string{string(f.Kind), f.Session, number, f.OrderRef, f.TrackingCode, f.There, f.Here, f.Kind.Why()})
	}
	return sheet{[]string{"kind", "session", "attempt", "order_ref", "tracking_code", "gateway", "here", "what_to_do"}, whole(rows)}, nil
}
