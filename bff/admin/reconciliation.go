package admin

import (
	"net/url"
	"time"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/admin/page"
	"coinslot/bff/reconcile"
)

const reconciliationPath = "/admin/reconciliation"

// findings say what a kind of disagreement is called; what becomes of it is the
// kind's own word.
var findings = map[reconcile.FindingKind]struct{ kind, name string }{
	reconcile.FindingPaidThere:    {"bad", "Paid at the gateway, not confirmed here"},
	reconcile.FindingPaidHere:     {"bad", "Confirmed here, not paid at the gateway"},
	reconcile.FindingMoney:        {"bad", "Amounts differ"},
	reconcile.FindingUnknownHere:  {"bad", "Ours by its mark, and not known here"},
	reconcile.FindingOrphan:       {"warn", "Opened, and the answer was lost"},
	reconcile.FindingSecond:       {"warn", "Opened twice"},
	reconcile.FindingUnknownThere: {"warn", "Here, and not at the gateway"},
	reconcile.FindingEnded:        {"warn", "Over on one side only"},
}

// reconciliation is GET /admin/reconciliation: where the last comparison of gateway
// and database stands, and the last report, of whichever instance. While one is under
// way, the page looks again by itself.
func (s *console) reconciliation(v *visit) (page.Page, error) {
	known, err := s.Gateway.Status(v.r.Context(), reconcile.Requested)
	if err != nil {
		return page.Page{}, err
	}
	daily, err := s.Gateway.Status(v.r.Context(), reconcile.Daily)
	if err != nil {
		return page.Page{}, err
	}
	p := page.Page{
		Title: "Reconciliation", Section: reconciliationPath,
		Lead: "Holds the gateway's transactions of some days against the payments here, and " +
			"changes nothing.",
		Body: []node.Node{s.comparisonForm(v, known.Last)},
	}
	state := known.State(v.now())
	if state == reconcile.Running {
		v.w.Header().Set("Refresh", "2; url="+reconciliationPath)
	}
	if kind, words := standing(known.Last, state, v.now()); words != "" {
		p.Body = append(p.Body, page.Note(kind, words))
	}
	if known.Report != nil {
		p.Tools = []node.Node{page.Export(reconciliationPath+".csv", nil)}
		p.Body = append(p.Body, reported(v, *known.Report)...)
	}
	p.Body = append(p.Body, automatic(daily, v.now()))
	return p, nil
}

// automatic is what there is to know of the daily comparison.
func automatic(daily reconcile.Status, now time.Time) node.Node {
	state := map[reconcile.RunState]string{
		reconcile.NeverRun: "The first one begins within minutes of the start.",
		reconcile.Running:  "Running: " + far(daily.Last.Progress),
		reconcile.Failed: "Failed: the gateway or the database did not answer. " +
			"It continues by itself.",
		reconcile.Aborted: "Interrupted by the end of its instance. It continues by itself.",
		reconcile.Done:    "Waiting for the next one.",
	}[daily.State(now)]
	facts := []page.Fact{{Name: "State", Value: page.Text(state)}}
	if !daily.Next.IsZero() {
		facts = append(facts, page.Fact{Name: "Next", Value: page.Ago(daily.Next, now)})
	}
	if r := daily.Report; r != nil {
		read := page.Plural(r.Transactions, "transaction")
		late := page.Plural(r.Progress.Late, "payment")
		facts = append(facts,
			page.Fact{Name: "Last complete", Value: page.Ago(r.Ended, now)},
			page.Fact{Name: "Days", Value: page.Text(days(r.From, r.To))},
			page.Fact{Name: "Gateway", Value: page.Text(read)},
			page.Fact{Name: "Late money", Value: page.Text(late)},
		)
	}
	return page.Block("daily", "Every day, by itself",
		page.Note("", "Reads all that the gateway lists of your payments, and checks those for "+
			"which it lists money that is not known here."),
		page.Facts(facts...))
}

// standing says where a comparison stands; nothing if that is what its report says.
func standing(c reconcile.Run, state reconcile.RunState, now time.Time) (kind, words string) {
	this := "Comparing " + days(c.From, c.To) + ", begun by " + page.Harmless(c.By) + " " +
		page.Apart(c.Began, now)
	switch state {
	case reconcile.NeverRun:
		return "", "Nothing was ever compared here. The command coinslot reconcile does the same."
	case reconcile.Running:
		return "wait", this + ": " + far(c.Progress) +
			" The gateway's list is read behind all that payments need; this page looks again by " +
			"itself."
	case reconcile.Failed:
		return "bad", this +
			", broke off: the gateway or the database did not answer. Nothing was changed; try " +
			"again in a minute."
	case reconcile.Aborted:
		return "bad", this +
			", broke off: the instance that was at it has ended, or has lost the database. " +
			"Nothing was changed; begin again."
	}
	return "", ""
}

// far says how far a comparison is.
func far(p reconcile.Progress) string {
	switch {
	case p.Page == 0:
		return "the gateway is being asked."
	case p.Payments > 0:
		return "the gateway's list is read, " + page.Plural(p.Payments, "payment") +
			" here looked at."
	case p.Pages == 0:
		return "page " + page.Count(p.Page) + " of the gateway's list up to " +
			p.Day.Format(time.DateOnly) + " is read."
	}
	return "page " + page.Count(p.Page) + " of " + page.Count(p.Pages) +
		" of the gateway's list up to " + p.Day.Format(time.DateOnly) + " is read."
}

// comparisonForm asks for the days; it proposes those of the last comparison.
func (s *console) comparisonForm(v *visit, last reconcile.Run) node.Node {
	from, to := last.From, last.To
	if from.IsZero() {
		from, to = v.now().AddDate(0, 0, -7), v.now()
	}
	return page.Block("compare", "Days to compare",
		page.Form{Path: reconciliationPath, Token: v.token(), Button: "Compare", Part: "compare",
			Fields: []page.Field{
				{
					Name: "from", Label: "First day", Type: "date",
					Value: from.Format(time.DateOnly), Required: true,
				},
				{
					Name: "to", Label: "Last day", Type: "date", Value: to.Format(time.DateOnly),
					Required: true, Hint: "At most 92 days later.",
				},
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
	begun, err := s.Gateway.Start(v.r.Context(), v.by(), first, last)
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

// reported is what has come of a comparison: the numbers, then the findings by their
// kind, the gravest first, each with what to do.
func reported(v *visit, r reconcile.Report) []node.Node {
	total := 0
	for _, n := range r.Counts {
		total += n
	}
	list := []node.Node{page.Block("result", "What was compared last", page.Facts(
		page.Fact{Name: "Days", Value: page.Text(days(r.From, r.To))},
		page.Fact{Name: "Compared", Value: page.Ago(r.Ended, v.now())},
		page.Fact{Name: "Begun by", Value: page.Foreign(r.By)},
		page.Fact{
			Name: "Gateway",
			Value: page.Text(
				page.Plural(r.Transactions, "transaction") + ", " + page.Count(r.Foreign) +
					" not ours",
			),
		},
		page.Fact{
			Name: "Here",
			Value: page.Text(
				page.Plural(r.Attempts, "attempt") + ", the first and the last day left out",
			),
		},
		page.Fact{Name: "Findings", Value: page.Text(page.Count(total))},
	))}
	if total == 0 {
		return append(
			list,
			page.El("p").Class("note").Attr("data-kind", "good").Attr("data-part", "agree").
				Text("They agree."),
		)
	}
	for _, kind := range reconcile.FindingKinds() {
		if r.Counts[kind] > 0 {
			list = append(list, found(kind, r))
		}
	}
	return list
}

// found is all findings of one kind that are kept.
func found(kind reconcile.FindingKind, r reconcile.Report) node.Node {
	var rows [][]node.Node
	for _, f := range r.Findings {
		if f.Kind == kind {
			rows = append(rows, finding(f))
		}
	}
	body := []node.Node{page.Note(findings[kind].kind, sentence(kind.Why())), page.Table{
		Caption: findings[kind].name, Rows: rows,
		Columns: []page.Column{
			{Name: "Payment"}, {Name: "Order"}, {Name: "Tracking code"}, {Name: "Gateway says"},
			{Name: "Here"},
		}}.Draw()}
	if more := moreFound(r, kind); more != "" {
		body = append(body, page.Note("", more))
	}
	return page.Block(
		string(kind), findings[kind].name+" ("+page.Count(r.Counts[kind])+")", body...,
	)
}

// moreFound says where the findings of a kind are that are not kept; "" = all are.
func moreFound(r reconcile.Report, kind reconcile.FindingKind) string {
	if r.Counts[kind] <= reconcile.MostFindings {
		return ""
	}
	return "The first " + page.Count(reconcile.MostFindings) + " of " + page.Count(r.Counts[kind]) +
		" are kept. All of them: coinslot reconcile -from " +
		r.From.Format(time.DateOnly) + " -to " + r.To.Format(time.DateOnly)
}

func finding(f reconcile.Finding) []node.Node {
	session := page.None()
	if f.Session != "" {
		session = page.El("span").Body(
			page.Link(paymentPath(f.Session), page.Short(f.Session)),
			page.El("small").Class("below").Text("attempt "+page.Plain(f.Attempt)),
		)
	}
	said := func(text string) node.Node {
		if text == "" {
			return page.Text("not there")
		}
		return page.Foreign(text)
	}
	return []node.Node{
		session, page.Foreign(f.OrderRef), page.Code(f.TrackingCode), said(f.There), said(f.Here),
	}
}

// sentence is words as a sentence.
func sentence(words string) string {
	if words == "" {
		return ""
	}
	return titled(words) + "."
}

// reconciliationFile is GET /admin/reconciliation.csv: the findings of the last
// report.
func (s *console) reconciliationFile(v *visit, _ url.Values) (sheet, error) {
	known, err := s.Gateway.Status(v.r.Context(), reconcile.Requested)
	if err != nil {
		return sheet{}, err
	}
	if known.Report == nil {
		return sheet{}, &wire.Error{Code: wire.CodeNotPossible}
	}
	var rows [][]string
	for _, f := range known.Report.Findings {
		number := ""
		if f.Session != "" {
			number = page.Plain(f.Attempt)
		}
		rows = append(rows, []string{
			string(f.Kind), f.Session, number, f.OrderRef, f.TrackingCode, f.There, f.Here,
			f.Kind.Why(),
		})
	}
	for _, kind := range reconcile.FindingKinds() {
		if more := moreFound(*known.Report, kind); more != "" {
			rows = append(rows, []string{string(kind), "", "", "", "", "", "", more})
		}
	}
	return sheet{
		[]string{
			"kind", "session", "attempt", "order_ref", "tracking_code", "gateway", "here",
			"what_to_do",
		},
		whole(rows),
	}, nil
}
