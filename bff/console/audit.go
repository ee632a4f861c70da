package console

const auditPath = "/admin/audit"

type auditView struct {
	Filter filter
	Rows   []auditRow
	Pager  pager
}

type auditRow struct {
	Action
	Words  string
	Failed bool
}

// audit is GET /admin/audit: who has done what.
func (c *console) audit(r *request) (page, error) {
	form := parseFilters(r.r.URL.Query(), "session", "from", "to", "cursor")
	q := ActionQuery{
		Session: form.Get("session"),
		Cursor:  form.Get("cursor"),
		Limit:   pageSize,
	}
	var err error
	if q.From, q.To, err = parseDays(form, c.Zone); err != nil {
		return page{}, err
	}
	found, err := c.Records.Actions(r.r.Context(), q)
	if err != nil {
		return page{}, err
	}
	view := auditView{
		Filter: filterOf(auditPath, form, append([]field{sessionField(form)}, dateFields(form)...)),
		Pager:  pagerOf(auditPath, form, found.Next, len(found.Actions)),
	}
	for _, a := range found.Actions {
		view.Rows = append(view.Rows, auditRow{
			a, describeAction(a.What), a.What == "login.failed" || a.What == "refused",
		})
	}
	return page{
		Title:   "Audit",
		Section: auditPath,
		Lead: "Sign-ins and operator actions. " +
			"COINSLOT_RETENTION erases the details of old entries, or deletes them.",
		template: "audit",
		View:     view,
	}, nil
}
