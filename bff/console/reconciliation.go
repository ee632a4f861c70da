package console

import (
	"net/url"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/gatewaylist"
)

const reconciliationPath = "/admin/reconciliation"

type reconciliationView struct {
	Now              time.Time
	Form             form // asks for the days
	Requested, Daily runView
	Total            int            // of the findings of the last report
	Kinds            []findingsView // the gravest first
}

// runView is where the runs of one kind stand.
type runView struct {
	gatewaylist.RunStatus
	State    string // of Last: "never", "running", "done", "failed", "aborted"
	Progress string // of Last
	Began    string // Last has, in words
}

// findingsView is the kept findings of one kind.
type findingsView struct {
	Kind     gatewaylist.FindingKind
	Name     string
	Count    int // of all, kept or not
	Advice   note
	Findings []gatewaylist.Finding
	More     string // where those are that are not kept; empty = all are
}

// reconciliation is GET /admin/reconciliation: where the last run stands, and the last
// report, of whichever instance. While one is under way, the page reloads.
func (c *console) reconciliation(r *request) (page, error) {
	requested, err := c.Gateway.Status(r.r.Context(), gatewaylist.Requested)
	if err != nil {
		return page{}, err
	}

	daily, err := c.Gateway.Status(r.r.Context(), gatewaylist.Daily)
	if err != nil {
		return page{}, err
	}

	p := page{
		Title:    "Reconciliation",
		Section:  reconciliationPath,
		template: "reconciliation",
		Lead:     "Compares the gateway's transactions with the payments here. It is read-only.",
	}
	view := reconciliationView{
		Now:       r.now(),
		Form:      r.daysForm(requested.Last),
		Requested: runOf(requested, r.now()),
		Daily:     runOf(daily, r.now()),
	}
	if view.Requested.State == "running" {
		r.w.Header().Set("Refresh", "2; url="+reconciliationPath)
	}
	if requested.Report != nil {
		view.addFindings(*requested.Report)
		p.Tools = []tool{exportTool(reconciliationPath, nil)}
	}

	p.View = view
	return p, nil
}

func runOf(s gatewaylist.RunStatus, now time.Time) runView {
	return runView{s, map[gatewaylist.RunState]string{
		gatewaylist.NeverRun: "never",
		gatewaylist.Running:  "running",
		gatewaylist.Done:     "done",
		gatewaylist.Failed:   "failed",
		gatewaylist.Aborted:  "aborted",
	}[s.State(now)], progress(s.Last.Progress), formatRelative(s.Last.Began, now)}
}

// addFindings fills in what the report has found, by kind.
func (v *reconciliationView) addFindings(r gatewaylist.Report) {
	for _, kind := range gatewaylist.FindingKinds() {
		if r.Counts[kind] == 0 {
			continue
		}

		v.Total += r.Counts[kind]
		name := words().Findings[kind]
		found := findingsView{
			Kind:   kind,
			Name:   name.Word,
			Count:  r.Counts[kind],
			More:   omittedFindings(r, kind),
			Advice: note{name.Kind, capitalize(kind.Explanation()) + "."},
		}
		for _, f := range r.Findings {
			if f.Kind == kind {
				found.Findings = append(found.Findings, f)
			}
		}

		v.Kinds = append(v.Kinds, found)
	}
}

// progress is how far a run is.
func progress(p gatewaylist.Progress) string {
	switch {
	case p.Page == 0:
		return "waiting for the gateway."
	case p.Payments > 0:
		return "the gateway's list is read; " + formatPlural(p.Payments, "payment") +
			" checked."
	}

	of := ""
	if p.Pages > 0 {
		of = " of " + formatCount(p.Pages)
	}

	return "page " + formatCount(p.Page) + of + " of the gateway's list up to " +
		p.Day.Format(time.DateOnly) + " is read."
}

// daysForm is the form for the days, filled with those of the last run.
func (r *request) daysForm(last gatewaylist.Run) form {
	from := last.From
	to := last.To
	if from.IsZero() {
		from = r.now().AddDate(0, 0, -7)
		to = r.now()
	}

	day := func(name, label string, at time.Time, hint string) field {
		return field{
			Name:     name,
			Label:    label,
			Type:     "date",
			Required: true,
			Value:    at.Format(time.DateOnly),
			Hint:     hint,
		}
	}
	return form{
		Path:   reconciliationPath,
		Token:  r.FormToken(),
		Button: "Reconcile",
		Part:   "compare",
		Fields: []field{
			day("from", "First day", from, ""),
			day("to", "Last day", to, "At most 92 days later."),
		},
	}
}

// startReconciliation is POST /admin/reconciliation.
func (c *console) startReconciliation(r *request) error {
	first, err := parseDay(r.r.PostFormValue("from"), c.Zone)
	if err != nil {
		return err
	}

	last, err := parseDay(r.r.PostFormValue("to"), c.Zone)
	if err != nil {
		return err
	}

	err = r.record("reconcile", "", days(first, last))
	if err != nil {
		return err
	}

	begun, err := c.Gateway.Start(r.r.Context(), r.by(), first, last)
	if err != nil {
		return err
	}
	if !begun {
		return r.redirect(reconciliationPath, "comparing")
	}
	return r.redirect(reconciliationPath, "")
}

// days names a range of days.
func days(from, to time.Time) string {
	return from.Format(time.DateOnly) + " to " + to.Format(time.DateOnly)
}

// omittedFindings is the note about findings of a kind that are not shown; "" = all are.
func omittedFindings(r gatewaylist.Report, kind gatewaylist.FindingKind) string {
	if r.Counts[kind] <= gatewaylist.MaxFindings {
		return ""
	}
	return "The first " + formatCount(gatewaylist.MaxFindings) + " of " +
		formatCount(r.Counts[kind]) + " are kept. All of them: coinslot reconcile -from " +
		r.From.Format(time.DateOnly) + " -to " + r.To.Format(time.DateOnly)
}

// exportReconciliation is GET /admin/reconciliation.csv: the findings of the last
// report.
func (c *console) exportReconciliation(r *request, _ url.Values) (exportFile, error) {
	known, err := c.Gateway.Status(r.r.Context(), gatewaylist.Requested)
	if err != nil {
		return exportFile{}, err
	}
	if known.Report == nil {
		return exportFile{}, &wire.Error{Code: wire.CodeNotPossible}
	}

	var rows [][]string
	for _, f := range known.Report.Findings {
		rows = append(rows, []string{
			string(f.Kind), f.Session, exportNumber(f.Attempt), f.OrderRef, f.TrackingCode,
			f.AtGateway, f.InDatabase, f.Kind.Explanation(),
		})
	}

	for _, kind := range gatewaylist.FindingKinds() {
		if more := omittedFindings(*known.Report, kind); more != "" {
			rows = append(rows, []string{string(kind), "", "", "", "", "", "", more})
		}
	}

	return exportFile{
		Columns: []string{
			"kind", "session", "attempt", "order_ref", "tracking_code", "gateway", "here",
			"what_to_do",
		},
		Pages: rowsAtOnce(rows),
	}, nil
}
