package console

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/currency"
	"coinslot/bff/locale"
	"coinslot/bff/statement"
	"coinslot/static"
	"coinslot/static/stylesheet"

	"github.com/shopspring/decimal"
)

const (
	statementsPath = "/admin/statements"
	// maxStatementRows bounds the rows of the page; the files have all.
	maxStatementRows = 2000
	// statementTimeout is how long the page waits for the gateway's lists.
	statementTimeout = 25 * time.Second
)

// statementView is a month.
type statementView struct {
	Month          string // "2026-11"
	Previous, Next link
	State          note
	Figures        []figure
	Reasons        []statementReason
	Coins, Days    []statementSum
	Rows           []statementRow
	More           string // about rows that are not shown; empty = all are
	Files          []tool
	Regions        []option // of the file for spreadsheets
	Assumptions    []string
	Read           time.Time
	Paper          bool // it is a document of its own
}

// statementReason is what differs for one reason.
type statementReason struct {
	Why      string
	Findings []statement.Finding
}

// statementSum is the sum of a day or a coin.
type statementSum struct {
	Name                                 string
	Payments                             int
	Gross, Fees, Refunded, Net, Withdraw string
	Received, Returned                   amount // in the coin
}

// statementRow is one payment, refund or withdrawal. Amounts are as people write them.
type statementRow struct {
	At                   time.Time
	Name, Path           string // of the order, and its page
	Kind                 badge
	Late                 bool
	Gross, Shop          string // in dollars, and in the shop's currency if it is another one
	Rate                 string // dollars for one unit of that
	Fee, Percent, Shares string
	Net                  string
	Withdrawn            string
	Coin                 string
	Amount               amount
	TrackingCode         string
	Session, To          string
	Transactions         []string
}

// statement is GET /admin/statements and GET /admin/statements/{month}.
func (c *console) statement(r *request) (page, error) {
	month, err := r.month()
	if err != nil {
		return page{}, err
	}

	source := c.Statements
	source.Patience = statementTimeout
	s, err := source.Read(r.r.Context(), month)
	if err != nil {
		return page{}, err
	}

	view := newStatementView(s)
	for _, name := range []string{"csv", "hledger", "beancount"} {
		view.Files = append(view.Files, tool{
			To:    statementPath(month) + "/" + name,
			Label: statementFiles()[name].label,
			Part:  "statement-" + name,
		})
	}
	for _, tag := range statement.Regions() {
		view.Regions = append(view.Regions, option{tag, tag})
	}
	for i := range view.Rows {
		if id := view.Rows[i].Session; id != "" {
			view.Rows[i].Path = paymentPath(id)
		}
	}

	view.Previous = link{statementPath(month.Add(-1)), month.Add(-1).Name()}
	if month.Add(1).Start(r.Zone).Before(r.now()) {
		view.Next = link{statementPath(month.Add(1)), month.Add(1).Name()}
	}
	return page{
		Title:    s.Title(),
		Lead:     statementLead(s),
		Section:  statementsPath,
		template: "statement",
		View:     view,
	}, nil
}

func statementPath(m statement.Month) string { return statementsPath + "/" + m.String() }

// month is the month of the path, else that of the form, else the current one.
func (r *request) month() (statement.Month, error) {
	text := cmp.Or(r.r.PathValue("month"), r.r.URL.Query().Get("month"))
	if text == "" {
		return statement.MonthOf(r.now()), nil
	}
	m, err := statement.ParseMonth(text)
	if err != nil {
		return m, &wire.Error{Code: wire.CodeInvalid, Param: "month"}
	}
	return m, nil
}

func statementLead(s statement.Statement) string {
	return "Every payment by the day on which it was paid, refunds and withdrawals. Days begin in " +
		s.Zone.String() + "; all sums are in dollars."
}

func newStatementView(s statement.Statement) statementView {
	v := statementView{
		Month:       s.Month.String(),
		State:       note{stateKind(s), s.Sentence()},
		Figures:     statementFigures(s.Total),
		Assumptions: statement.Assumptions(),
		Read:        s.Read,
	}
	for _, f := range s.Findings {
		n := len(v.Reasons)
		if n == 0 || v.Reasons[n-1].Why != f.Why {
			v.Reasons = append(v.Reasons, statementReason{Why: f.Why})
			n++
		}
		v.Reasons[n-1].Findings = append(v.Reasons[n-1].Findings, f)
	}
	for _, c := range s.Coins {
		sum := newStatementSum(c.Coin(), c.Sum)
		sum.Received = amount{payment0(c.Received), c.Symbol}
		sum.Returned = amount{payment0(c.Refunded), c.Symbol}
		v.Coins = append(v.Coins, sum)
	}
	for _, d := range s.Days {
		v.Days = append(v.Days, newStatementSum(d.Day.Format(time.DateOnly), d.Sum))
	}
	for _, r := range s.Rows[:min(len(s.Rows), maxStatementRows)] {
		v.Rows = append(v.Rows, newStatementRow(r))
	}
	if more := len(s.Rows) - len(v.Rows); more > 0 {
		v.More = "The files, and coinslot statement -format html, have " +
			formatPlural(more, "more row") + "."
	}
	return v
}

// payment0 is an amount of a coin; "" if it is zero.
func payment0(d decimal.Decimal) string {
	if d.IsZero() {
		return ""
	}
	return d.String()
}

func stateKind(s statement.Statement) string {
	switch {
	case s.State == statement.Closed:
		return "good"
	case s.State == statement.Open && len(s.Findings) == 0:
		return "wait"
	}
	return "warn"
}

func statementFigures(sum statement.Sum) []figure {
	var gross []string
	for _, m := range sum.Gross {
		if m.Currency != currency.USD {
			gross = append(gross, locale.FormatPrice("en", m.Currency,
				currency.Text(m.Amount, m.Currency)))
		}
	}
	unknown := ""
	if sum.FeeUnknown > 0 {
		unknown = "not known of " + formatPlural(sum.FeeUnknown, "payment")
	}
	return []figure{
		{
			Name: "Received", Value: formatExactDollars(sum.GrossUSD),
			Change: formatPlural(sum.Payments, "payment"), Below: strings.Join(gross, ", "),
		},
		{Name: "Gateway's fees", Value: formatExactDollars(sum.FeeUSD), Below: unknown},
		{
			Name: "Refunded", Value: formatExactDollars(sum.RefundedUSD),
			Change: formatPlural(sum.Refunds, "refund"),
		},
		{Name: "What is left", Value: formatExactDollars(sum.NetUSD())},
		{
			Name: "Withdrawn", Value: formatExactDollars(sum.WithdrawnUSD),
			Change: formatPlural(sum.Withdrawals, "withdrawal"),
		},
	}
}

// formatExactDollars is an amount in US dollars with all of its digits, "$1,234.50".
func formatExactDollars(usd decimal.Decimal) string {
	return locale.FormatPrice("en", currency.USD, statement.Text(usd))
}

// dollarsUnlessZero is formatExactDollars; "" for zero.
func dollarsUnlessZero(usd decimal.Decimal) string {
	if usd.IsZero() {
		return ""
	}
	return formatExactDollars(usd)
}

func newStatementSum(name string, s statement.Sum) statementSum {
	return statementSum{
		Name:     name,
		Payments: s.Payments,
		Gross:    dollarsUnlessZero(s.GrossUSD),
		Fees:     dollarsUnlessZero(s.FeeUSD),
		Refunded: dollarsUnlessZero(s.RefundedUSD),
		Net:      dollarsUnlessZero(s.NetUSD()),
		Withdraw: dollarsUnlessZero(s.WithdrawnUSD),
	}
}

func newStatementRow(r statement.Row) statementRow {
	row := statementRow{
		At:           r.At,
		Name:         cmp.Or(r.OrderRef, r.Session),
		Kind:         statementBadge(r),
		Late:         r.Late && r.Kind != statement.Late,
		Percent:      r.FeePercent,
		Coin:         r.Coin(),
		TrackingCode: r.TrackingCode,
		Session:      r.Session,
		To:           r.Destination,
		Transactions: r.TxIDs,
	}
	if r.PlatformShare != "" && !r.FeeKnown {
		row.Shares = r.PlatformShare + " and " + r.MerchantShare
	}
	if r.Kind == statement.Withdrawal {
		row.Name = "Withdrawal"
		row.Withdrawn = "?"
		if r.Valued {
			row.Withdrawn = formatExactDollars(r.GrossUSD)
		}
		return row
	}

	sign := decimal.NewFromInt(1)
	if r.Kind == statement.Refund {
		sign = sign.Neg()
	}
	row.Amount = amount{r.Amount.Mul(sign).String(), r.Symbol}
	if r.Valued {
		row.Gross = formatExactDollars(r.GrossUSD.Mul(sign))
		row.Net = formatExactDollars(r.NetUSD().Mul(sign))
	}
	if r.GrossKnown && r.Currency != currency.USD {
		row.Shop = locale.FormatPrice("en", r.Currency,
			currency.Text(r.Gross.Mul(sign), r.Currency))
		row.Rate = r.Rate
	}
	if r.FeeKnown {
		row.Fee = formatExactDollars(r.FeeUSD)
	} else if r.Kind.IsPayment() {
		row.Net = "" // not known
	}
	return row
}

func statementBadge(r statement.Row) badge {
	b := badge{Word: capitalize(r.Kind.Words()), Status: string(r.Kind)}
	switch r.Kind {
	case statement.Paid:
		b.Kind = "good"
	case statement.Late, statement.Over, statement.Partial, statement.Double:
		b.Kind = "warn"
	case statement.Review:
		b.Kind = "bad"
	case statement.Withdrawal:
		b.Word = cleanText(capitalize(cmp.Or(r.Status, "withdrawal")))
		b.Kind = gatewayBadge(r.Status).Kind
	}
	return b
}

// statementFile is one of the files of a month.
type statementFile struct {
	label, contentType, extension string
	write                         func(s statement.Statement, w io.Writer, r *request) error
}

// statementFiles are the files, by the last part of their paths.
func statementFiles() map[string]statementFile {
	journal := func(format statement.JournalFormat) func(
		statement.Statement, io.Writer, *request,
	) error {
		return func(s statement.Statement, w io.Writer, _ *request) error {
			return s.WriteJournal(w, format)
		}
	}
	const csvType = "text/csv; charset=utf-8; header=present"
	const textType = "text/plain; charset=utf-8"
	return map[string]statementFile{
		"csv": {"CSV", csvType, ".csv", func(
			s statement.Statement, w io.Writer, _ *request,
		) error {
			return s.WriteCSV(w)
		}},
		"excel": {"Spreadsheet", csvType, ".csv", func(
			s statement.Statement, w io.Writer, r *request,
		) error {
			region, err := statement.FindRegion(r.region())
			if err != nil {
				return &wire.Error{Code: wire.CodeInvalid, Param: "locale"}
			}
			return s.WriteExcel(w, region)
		}},
		"hledger":   {"Journal for hledger", textType, ".journal", journal(statement.HLedger)},
		"beancount": {"Journal for Beancount", textType, ".beancount", journal(statement.Beancount)},
	}
}

func (r *request) region() string {
	return cmp.Or(r.r.URL.Query().Get("locale"), statement.DefaultRegion)
}

// statementFile is GET /admin/statements/{month}/{file}. Other sites cannot make the browser of an
// operator whom a proxy signs in ask for it: it is recorded, and takes pages of the gateway.
func (c *console) statementFile(r *request) error {
	if err := r.site.SameOrigin(r.r); err != nil {
		return err
	}
	file, known := statementFiles()[r.r.PathValue("file")]
	if !known {
		return errNoPage
	}
	month, err := r.month()
	if err != nil {
		return err
	}
	if err := r.record("statement.export", "", month.String()+" "+file.label); err != nil {
		return err
	}

	conn := http.NewResponseController(r.w)
	_ = conn.SetReadDeadline(time.Now().Add(exportTimeout)) // not all can
	_ = conn.SetWriteDeadline(time.Now().Add(exportTimeout))
	source := c.Statements
	source.Patience = exportTimeout - exportPageTimeout
	s, err := source.Read(r.r.Context(), month)
	if err != nil {
		return err
	}

	var out strings.Builder // an error becomes a page
	if err := file.write(s, &out, r); err != nil {
		return err
	}
	name := "statement-" + month.String() + "-" + string(s.State) + file.extension
	r.w.Header().Set("Content-Type", file.contentType)
	r.w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s"`, name))
	_, _ = io.WriteString(r.w, out.String()) // a client that has gone is not our error
	return nil
}

// document is a statement as a file of its own.
type document struct {
	Title, Lead string
	CSS         template.CSS
	View        statementView
}

// WriteStatement writes a statement as one HTML file to print, with all rows. Errors: w's.
func WriteStatement(w io.Writer, s statement.Statement) error {
	css, err := stylesheet.Join(static.Files, "console.css")
	if err != nil {
		return err
	}

	view := newStatementView(s)
	view.Paper = true
	view.More = ""
	for _, r := range s.Rows[len(view.Rows):] {
		view.Rows = append(view.Rows, newStatementRow(r))
	}
	view.Rows = slices.Clip(view.Rows)
	return templates(s.Zone)["statement"].ExecuteTemplate(w, "document", document{
		Title: s.Title(),
		Lead:  statementLead(s),
		CSS:   template.CSS(css), // our own
		View:  view,
	})
}
