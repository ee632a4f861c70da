package admin

import (
	"errors"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"time"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/admin/page"
	"coinslot/bff/payment"
	"coinslot/bff/reconcile"
)

const (
	transactionsPath = "/admin/transactions"
	withdrawalsPath  = "/admin/withdrawals"
	// pagesOfAnExport bounds how often an export asks the gateway.
	pagesOfAnExport = 40
)

// ledgerForm is what the gateway's lists can be asked for, and what is wrong with it.
type ledgerForm struct {
	values   url.Values // as the form shows them
	from, to time.Time
	status   string
	number   int    // of the page
	wrong    string // empty = nothing
}

// ledgerQuery reads the filters. What the gateway would refuse is said, and not asked.
func ledgerQuery(q url.Values, statuses []string) ledgerForm {
	f := ledgerForm{values: url.Values{}, number: 1}
	for _, name := range []string{"status", "from", "to", "page"} {
		f.values.Set(name, strings.TrimSpace(q.Get(name)))
	}
	for _, status := range statuses {
		if f.values.Get("status") == status {
			f.status = status
		}
	}
	if f.status == "" {
		f.values.Del("status")
	}
	if n, err := strconv.Atoi(f.values.Get("page")); err == nil && n > 0 && n < 1<<31 {
		f.number = n
	}
	var err error
	if f.from, f.to, err = reconcile.ListDates(f.values.Get("from"), f.values.Get("to")); err !=
		nil {
		f.wrong = "The gateway takes both dates or none, at most 30 days apart, the earlier one " +
			"first."
	}
	return f
}

func (f ledgerForm) filter(path string, statuses []string) node.Node {
	options := []page.Option{{Value: anyStatus, Label: "All"}}
	for _, status := range statuses {
		options = append(options, page.Option{Value: status, Label: titled(status)})
	}
	return page.Filter(path, len(without(f.values, "page")) > 0,
		page.Field{
			Name: "status", Label: "Status", Type: "select", Value: f.status, Options: options,
		},
		page.Field{Name: "from", Label: "From", Type: "date", Value: f.values.Get("from")},
		page.Field{Name: "to", Label: "To", Type: "date", Value: f.values.Get("to")},
	)
}

// ledgerList is one of the gateway's lists as a page.
type ledgerList struct {
	title, lead, path string
	statuses          []string
	columns           []page.Column
	caption           string
	// read returns the rows of a page.
	read func(v *visit, f ledgerForm) ([][]node.Node, reconcile.Paging, error)
}

// draw returns the page. A gateway that does not answer leaves the form where it is.
func (l ledgerList) draw(v *visit) (page.Page, error) {
	f := ledgerQuery(v.query(), l.statuses)
	p := page.Page{
		Title: l.title, Section: l.path, Lead: l.lead,
		Body: []node.Node{f.filter(l.path, l.statuses)},
	}
	if f.wrong != "" {
		p.Status, p.Body = 422, append(p.Body, page.Note("bad", f.wrong))
		return p, nil
	}
	rows, at, err := l.read(v, f)
	if away(err) {
		p.Status, p.Body = 503, append(
			p.Body, page.Note("bad", "The gateway does not answer now. Try again in a minute."),
		)
		v.Log.Warn("the gateway's list cannot be shown", "path", l.path, "error", err)
		return p, nil
	}
	if err != nil {
		return p, err
	}
	p.Tools = []node.Node{page.Export(l.path+".csv", without(f.values, "page"))}
	p.Body = append(p.Body,
		page.Table{
			Caption: l.caption, Columns: l.columns, Rows: rows,
			Empty: "The gateway has nothing like that.",
		}.Draw(),
		page.Numbered(l.path, f.values, max(at.Page, f.number), at.LastPage, at.Total, len(rows)))
	return p, nil
}

// away reports whether err says that the gateway cannot be asked.
func away(err error) bool {
	var known *wire.Error
	return errors.As(err, &known) && known.Code == wire.CodeGatewayUnavailable
}

var transactionStatuses = []string{"pending", "confirmed", "expired", "cancelled"}

// transactions is GET /admin/transactions: what the gateway lists.
func (s *console) transactions(v *visit) (page.Page, error) {
	return ledgerList{
		title: "Gateway transactions", path: transactionsPath, statuses: transactionStatuses,
		caption: "Transactions at the gateway, as it lists them",
		lead: "What the gateway says, read just now. It proves nothing here: the payment's " +
			"own page does.",
		columns: []page.Column{{Name: "Payment"}, {Name: "Made (UTC)", Whole: true},
			{Name: "Status"}, {Name: "Price", Number: true}, {Name: "Coin", Whole: true},
			{Name: "Asked", Number: true}, {Name: "Received", Number: true}, {Name: "Transaction"}},
		read: func(v *visit, f ledgerForm) (rows [][]node.Node, at reconcile.Paging, err error) {
			found, err := s.Gateway.Entries(v.r.Context(), f.entries())
			for _, e := range found.Items {
				rows = append(rows, entry(e))
			}
			return rows, found.Paging, err
		},
	}.draw(v)
}

func (f ledgerForm) entries() payment.ListQuery {
	return payment.ListQuery{
		Limit: rowsOfAPage, Page: f.number, From: f.from, To: f.to, Status: f.status,
	}
}

// entry is a transaction of the gateway in one row.
func entry(e reconcile.LedgerEntry) []node.Node {
	whose := page.El("span").Body(page.Badge("", "not ours"),
		node.If(e.Comment != "", func() node.Node {
			return page.El("small").Class("below").Body(page.Foreign(e.Comment))
		}))
	if e.Session != "" {
		whose = page.El("span").Body(page.El("a").Attr("href", paymentPath(e.Session)).
			Attr("data-part", "payment").Body(page.Short(e.Session)),
			page.El("small").Class("below").Text("attempt "+page.Plain(e.Attempt)))
	}
	symbol, _, _ := strings.Cut(strings.ToUpper(e.CurrencyCode), "_")
	proof := page.Short(e.TxID)
	if e.TxURL != "" && e.TxID != "" {
		proof = page.Away(e.TxURL, proof)
	}
	return []node.Node{
		whose, page.Time(e.CreatedAt), gatewayStatus(e.Status), page.USD(least(e.AmountUSD, 2)),
		page.Coin(symbol, e.NetworkCode, ""),
		page.Amount(least(e.PayAmount, 0), symbol), page.Amount(least(e.PaidAmount, 0), symbol),
		page.El("span").Body(
			page.Short(e.TrackingCode),
			node.If(
				e.TxID != "",
				func() node.Node { return page.El("small").Class("below").Body(proof) },
			),
		),
	}
}

// least is exact digits without the zeroes at their end, but for that many places.
func least(digits string, places int) string {
	whole, fraction, pointed := strings.Cut(digits, ".")
	if !pointed || len(fraction) <= places {
		return digits
	}
	if fraction = fraction[:places] + strings.TrimRight(fraction[places:], "0"); fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// gatewayStatus is the gateway's word for how something stands.
func gatewayStatus(status string) node.Node {
	kind := map[string]string{"confirmed": "good", "pending": "wait", "processing": "wait"}[status]
	if status == "" {
		return page.None()
	}
	return page.El("span").Class("badge").Attr("data-kind", kind).Attr("data-status", status).Text(
		page.Harmless(titled(status)),
	)
}

// transactionsFile is GET /admin/transactions.csv.
func (s *console) transactionsFile(v *visit, q url.Values) (sheet, error) {
	pages, err := ledgerQuery(q, transactionStatuses).
		every(func(f ledgerForm) (rows [][]string, at reconcile.Paging, err error) {
			found, err := s.Gateway.Entries(v.r.Context(), f.entries())
			for _, e := range found.Items {
				number := ""
				if e.Session != "" {
					number = page.Plain(e.Attempt)
				}
				rows = append(rows, []string{e.Session, number, e.TrackingCode, e.OrderID,
					e.Status, e.CurrencyCode, e.NetworkName, e.AmountUSD, e.PayAmount, e.PaidAmount,
					e.MerchantShare, e.PlatformShare, e.FeePercent, e.TolerancePercent, e.TxID,
					e.Email, e.Comment, yes(e.CancelledByUser), stamp(e.CreatedAt),
					stamp(e.ExpiresAt), stamp(e.PaidAt)})
			}
			return rows, found.Paging, err
		})
	return sheet{[]string{
		"session", "attempt", "tracking_code", "order_id", "status", "currency_code", "network",
		"amount_usd", "pay_amount", "paid_amount",
		"merchant_share", "platform_share", "fee_percent", "tolerance_percent", "tx_id", "email",
		"comment", "cancelled_by_user", "created", "expires", "paid"}, pages}, err
}

// every reads page after page until the list ends; a last row says what is not read.
func (f ledgerForm) every(
	read func(ledgerForm) (rows [][]string, at reconcile.Paging, err error),
) (iter.Seq2[[][]string, error], error) {
	if f.wrong != "" {
		return nil, &wire.Error{Code: wire.CodeInvalid, Param: "from"}
	}
	return func(yield func([][]string, error) bool) {
		for f.number = 1; f.number <= pagesOfAnExport; f.number++ {
			rows, at, err := read(f)
			if !yield(rows, err) || err != nil || len(rows) == 0 ||
				at.LastPage > 0 && f.number >= at.LastPage {
				return
			}
		}
		yield(
			[][]string{
				{
					"There are more than " + page.Count(pagesOfAnExport*rowsOfAPage) +
						": narrow the dates.",
				},
			},
			nil,
		)
	}, nil
}

// stamp is a time in a file; empty if it is not known.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

var withdrawalStatuses = []string{"pending", "processing", "confirmed"}

// withdrawals is GET /admin/withdrawals: what the gateway has paid out.
func (s *console) withdrawals(v *visit) (page.Page, error) {
	return ledgerList{
		title: "Withdrawals", path: withdrawalsPath, statuses: withdrawalStatuses,
		caption: "Withdrawals, as the gateway lists them",
		lead:    "What the gateway pays out to you. It is asked for in the gateway's own panel.",
		columns: []page.Column{
			{Name: "Withdrawal"}, {Name: "Made (UTC)", Whole: true}, {Name: "Status"},
			{Name: "Amount", Number: true}, {Name: "Coin"}, {Name: "To"}, {Name: "Transaction"},
		},
		read: func(v *visit, f ledgerForm) (rows [][]node.Node, at reconcile.Paging, err error) {
			found, err := s.Gateway.Withdrawals(v.r.Context(), f.withdrawals())
			for _, w := range found.Items {
				rows = append(rows, payout(w))
			}
			return rows, found.Paging, err
		},
	}.draw(v)
}

func (f ledgerForm) withdrawals() reconcile.WithdrawalQuery {
	return reconcile.WithdrawalQuery{
		Limit: rowsOfAPage, Page: f.number, From: f.from, To: f.to, Status: f.status,
	}
}

// payout is a withdrawal in one row. An amount that is none is shown as it came.
func payout(w reconcile.Withdrawal) []node.Node {
	amount := page.Foreign(w.AmountText)
	if w.AmountKnown {
		amount = page.USD(w.Amount())
	}
	proof := page.Short(w.TxID)
	if w.TxURL != "" && w.TxID != "" {
		proof = page.Away(w.TxURL, proof)
	}
	return []node.Node{page.Code(w.TrackingCode), page.Time(w.CreatedAt), gatewayStatus(w.Status),
		amount,
		page.El("span").Body(
			page.Foreign(w.CurrencyName),
			page.El("small").Class("below").Body(page.Foreign(w.NetworkName)),
		), page.Code(w.Destination), proof}
}

// withdrawalsFile is GET /admin/withdrawals.csv.
func (s *console) withdrawalsFile(v *visit, q url.Values) (sheet, error) {
	pages, err := ledgerQuery(q, withdrawalStatuses).
		every(func(f ledgerForm) (rows [][]string, at reconcile.Paging, err error) {
			found, err := s.Gateway.Withdrawals(v.r.Context(), f.withdrawals())
			for _, w := range found.Items {
				rows = append(rows, []string{
					w.TrackingCode, w.Status, w.Amount(), w.CurrencyName, w.NetworkName,
					w.Destination, w.TxID, stamp(w.CreatedAt),
				})
			}
			return rows, found.Paging, err
		})
	return sheet{
		[]string{
			"tracking_code", "status", "amount_usd", "currency", "network", "destination", "tx_id",
			"created",
		},
		pages,
	}, err
}
