package admin

import (
	"net/url"

	"coinslot/app/widget/node"
	"coinslot/bff/admin/page"
	"coinslot/bff/records"
)

const auditPath = "/admin/audit"

// audit is GET /admin/audit: who has done what.
func (s *console) audit(v *visit) (page.Page, error) {
	form := url.Values{}
	for _, name := range []string{"session", "from", "to", "cursor"} {
		form.Set(name, v.r.URL.Query().Get(name))
	}
	q := records.ActionQuery{
		Session: form.Get("session"), Cursor: form.Get("cursor"), Limit: rowsOfAPage,
	}
	var err error
	if q.From, err = day(form.Get("from")); err != nil {
		return page.Page{}, err
	}
	if q.To, err = day(form.Get("to")); err != nil {
		return page.Page{}, err
	}
	if !q.To.IsZero() {
		q.To = q.To.AddDate(0, 0, 1)
	}
	found, err := s.Records.Actions(v.r.Context(), q)
	if err != nil {
		return page.Page{}, err
	}
	var rows [][]node.Node
	for _, a := range found.Actions {
		rows = append(rows, action(a))
	}
	return page.Page{
		Title: "Audit", Section: auditPath,
		Lead: "Who has signed in and what was done here. " +
			"COINSLOT_RETENTION erases the details of old entries, or deletes them.",
		Body: []node.Node{
			page.Filter(auditPath, len(without(form, "cursor")) > 0,
				page.Field{
					Name: "session", Label: "Payment", Value: form.Get("session"), Wide: true,
					Placeholder: "cs_…",
				},
				page.Field{Name: "from", Label: "From", Type: "date", Value: form.Get("from")},
				page.Field{Name: "to", Label: "To", Type: "date", Value: form.Get("to")}),
			page.Table{
				Caption: "What was done, the last thing first", Rows: rows,
				Columns: []page.Column{
					{Name: "Time (UTC)", Whole: true}, {Name: "Who"}, {Name: "What"},
					{Name: "Payment"}, {Name: "Details"}, {Name: "From"},
				},
			}.Draw(),
			page.Pager(auditPath, form, found.Next, len(found.Actions)),
		},
	}, nil
}

// action is one line of the audit.
func action(a records.Action) []node.Node {
	session := page.None()
	if a.Session != "" {
		session = page.Link(paymentPath(a.Session), page.Short(a.Session))
	}
	what := page.Text(did(a.What))
	if a.What == "login.failed" || a.What == "refused" {
		what = page.Badge("warn", did(a.What))
	}
	return []node.Node{
		page.Time(a.At), page.Foreign(a.By), what, session, page.Foreign(a.Detail),
		page.Code(a.From),
	}
}
