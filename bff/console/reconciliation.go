package console

import (
	"net/url"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/reconcile"
)

const reconciliationPath = "/admin/reconciliation"

type reconciliationView struct {
	Now      time.Time
	Form     form              // asks for the days
	Standing note              // of the last run; zero = its report says it
	Report   *reconcile.Report // nil = there is none
	Days     string            // of the report
	Total    int               // of its findings
	Kinds    []findingsView    // the gravest first
	Daily    dailyView
}

// findingsView is the kept findings of one kind.
type findingsView struct {
	Kind     reconcile.FindingKind
	Name     string
	Count    int // of all, kept or not
	Advice   note
	Findings []reconcile.Finding
	More     string // where those are that are not kept; empty = all are
}

// dailyView is the daily run.
type dailyView struct {
	State  string
	Next   time.Time         // zero = not known
	Report *reconcile.Report // nil = none has ended
	Days   string
}

// findingNames say what a kind of disagreement is called; what becomes of it is the
// kind's own word.
var findingNames = map[reconcile.FindingKind]struct{ kind, name string }{
	reconcile.FindingPaidThere:    {"bad", "Paid at the gateway, not confirmed here"},
	reconcile.FindingPaidHere:     {"bad", "Confirmed here, not paid at the gateway"},
	reconcile.FindingMoney:        {"bad", "Amounts differ"},
	reconcile.FindingUnknownHere:  {"bad", "Ours by its mark, and not known here"},
	reconcile.FindingOrphan:       {"warn", "Opened, and the answer was lost"},
	reconcile.FindingSecond:       {"warn", "Opened twice"},
	reconcile.FindingUnknownThere: {"warn", "Here, and not at the gateway"},
	reconcile.FindingEnded:        {"warn", "Over on one side only"},
}

// reconciliation is GET /admin/reconciliation: where the last run stands, and the last
// report, of whichever instance. While one is under way, the page reloads.
func (c *console) reconciliation(r *request) (page, error) {
	requested, err := c.Gateway.Status(r.r.Context(), reconcile.Requested)
	if err != nil {
		return page{}, err
	}
	daily, err := c.Gateway.Status(r.r.Context(), reconcile.Daily)
	if err != nil {
		return page{}, err
	}
	state := requested.State(r.now())
	if state == reconcile.Running {
		r.w.Header().Set("Refresh", "2; url="+reconciliationPath)
	}
	p := page{
		Title: "Reconciliation", Section: reconciliationPath, template: "reconciliation",
		Lead: "Holds the gateway's transactions of some days against the payments here, and " +
			"changes nothing.",
	}
	view := reconciliationView{
		Now: r.now(), Form: r.daysForm(requested.Last), Report: requested.Report,
		Standing: standing(requested.Last, state, r.now()), Daily: dailyOf(daily, r.now()),
	}
	if requested.Report != nil {
		view.addFindings(*requested.Report)
		p.Tools = []tool{exportTool(reconciliationPath, nil)}
	}
	p.View = view
	return p, nil
}

// addFindings fills in what the report has found, by kind.
func (v *reconciliationView) addFindings(r reconcile.Report) {
	v.Days = days(r.From, r.To)
	for _, kind := range reconcile.FindingKinds() {
		if r.Counts[kind] == 0 {
			continue
		}
		v.Total += r.Counts[kind]
		name := findingNames[kind]
		found := findingsView{
			Kind: kind, Name: name.name, Count: r.Counts[kind], More: notKept(r, kind),
			Advice: note{name.kind, capitalized(kind.Why()) + "."},
		}
		for _, f := range r.Findings {
			if f.Kind == kind {
				found.Findings = append(found.Findings, f)
			}
		}
		v.Kinds = append(v.Kinds, found)
	}
}

// dailyOf is what there is to know of the daily run.
func dailyOf(daily reconcile.Status, now time.Time) dailyView {
	v := dailyView{Next: daily.Next, Report: daily.Report}
	v.State = map[reconcile.RunState]string{
		reconcile.NeverRun: "The first one begins within minutes of the start.",
		reconcile.Running:  "Running: " + progress(daily.Last.Progress),
		reconcile.Failed: "Failed: the gateway or the database did not answer. " +
			"It continues by itself.",
		reconcile.Aborted: "Interrupted by the end of its instance. It continues by itself.",
		reconcile.Done:    "Waiting for the next one.",
	}[daily.State(now)]
	if r := daily.Report; r != nil {
		v.Days = days(r.From, r.To)
	}
	return v
}

// standing says where a run stands; nothing if that is what its report says.
func standing(run reconcile.Run, state reconcile.RunState, now time.Time) note {
	this := "Comparing " + days(run.From, run.To) + ", begun by " + clean(run.By) + " " +
		relative(run.Began, now)
	switch state {
	case reconcile.NeverRun:
		return note{
			"", "Nothing was ever compared here. The command coinslot reconcile does the same.",
		}
	case reconcile.Running:
		return note{"wait", this + ": " + progress(run.Progress) +
			" The gateway's list is read behind all that payments need; this page looks again by " +
			"itself."}
	case reconcile.Failed:
		return note{"bad", this +
			", broke off: the gateway or the database did not answer. Nothing was changed; try " +
			"again in a minute."}
	case reconcile.Aborted:
		return note{"bad", this +
			", broke off: the instance that was at it has ended, or has lost the database. " +
			"Nothing was changed; begin again."}
	}
	return note{}
}

// progress says how far a run is.
func progress(p reconcile.Progress) string {
	switch {
	case p.Page == 0:
		return "the gateway is being asked."
	case p.Payments > 0:
		return "the gateway's list is read, " + plural(p.Payments, "payment") + " here looked at."
	}
	of := ""
	if p.Pages > 0 {
		of = " of " + count(p.Pages)
	}
	return "page " + count(p.Page) + of + " of the gateway's list up to " +
		p.Day.Format(time.DateOnly) + " is read."
}

// daysForm asks for the days; it proposes those of the last run.
func (r *request) daysForm(last reconcile.Run) form {
	from, to := last.From, last.To
	if from.IsZero() {
		from, to = r.now().AddDate(0, 0, -7), r.now()
	}
	return form{
		Path: reconciliationPath, Token: r.FormToken(), Button: "Compare", Part: "compare",
		Fields: []field{
			{
				Name: "from", Label: "First day", Type: "date", Required: true,
				Value: from.Format(time.DateOnly),
			},
			{
				Name: "to", Label: "Last day", Type: "date", Required: true,
				Value: to.Format(time.DateOnly), Hint: "At most 92 days later.",
			},
		},
	}
}

// startReconciliation is POST /admin/reconciliation.
func (c *console) startReconciliation(r *request) (to, done string, err error) {
	first, err := parseDay(r.r.PostFormValue("from"))
	if err != nil {
		return "", "", err
	}
	last, err := parseDay(r.r.PostFormValue("to"))
	if err != nil {
		return "", "", err
	}
	if err := r.record("reconcile", "", days(first, last)); err != nil {
		return "", "", err
	}
	begun, err := c.Gateway.Start(r.r.Context(), r.by(), first, last)
	if err == nil && !begun {
		done = "comparing"
	}
	return reconciliationPath, done, err
}

// days names a range of days.
func days(from, to time.Time) string {
	return from.Format(time.DateOnly) + " to " + to.Format(time.DateOnly)
}

// notKept says where the findings of a kind are that are not kept; "" = all are.
func notKept(r reconcile.Report, kind reconcile.FindingKind) string {
	if r.Counts[kind] <= reconcile.MostFindings {
		return ""
	}
	return "The first " + count(reconcile.MostFindings) + " of " + count(r.Counts[kind]) +
		" are kept. All of them: coinslot reconcile -from " +
		r.From.Format(time.DateOnly) + " -to " + r.To.Format(time.DateOnly)
}

// exportReconciliation is GET /admin/reconciliation.csv: the findings of the last
// report.
func (c *console) exportReconciliation(r *request, _ url.Values) (export, error) {
	known, err := c.Gateway.Status(r.r.Context(), reconcile.Requested)
	if err != nil {
		return export{}, err
	}
	if known.Report == nil {
		return export{}, &wire.Error{Code: wire.CodeNotPossible}
	}
	var rows [][]string
	for _, f := range known.Report.Findings {
		rows = append(rows, []string{
			string(f.Kind), f.Session, number(f.Attempt), f.OrderRef, f.TrackingCode, f.There,
			f.Here, f.Kind.Why(),
		})
	}
	for _, kind := range reconcile.FindingKinds() {
		if more := notKept(*known.Report, kind); more != "" {
			rows = append(rows, []string{string(kind), "", "", "", "", "", "", more})
		}
	}
	return export{
		[]string{
			"kind", "session", "attempt", "order_ref", "tracking_code", "gateway", "here",
			"what_to_do",
		},
		allAtOnce(rows),
	}, nil
}
