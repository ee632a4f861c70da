package admin

import (
	"net/url"
	"strings"
	"time"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/admin/page"
	"coinslot/bff/payment"
	"coinslot/bff/records"
)

const (
	paymentsPath = "/admin/payments"
	rowsOfAPage  = 50
)

// payments is GET /admin/payments.
func (s *console) payments(v *visit) (page.Page, error) {
	q, form, err := search(v.query())
	if err != nil {
		return page.Page{}, err
	}
	q.Limit = rowsOfAPage
	found, err := s.Records.Search(v.r.Context(), q)
	if err != nil {
		return page.Page{}, err
	}
	if only := soleMatch(q, found); only != "" {
		return s.told(v, only)
	}
	export := page.With("/admin/payments.csv", without(form, "cursor"), "", "")
	return page.Page{
		Title: "Payments", Section: paymentsPath,
		Tools: []node.Node{
			page.El("a").Class("button").Attr("href", export).Attr("download", "").
				Attr("data-part", "export").Text("Export as CSV"),
		},
		Body: []node.Node{
			s.filter(form),
			page.Table{
				Caption: "Payments, the newest first", Columns: []page.Column{
					{Name: "Order"}, {Name: "Made (UTC)", Whole: true},
					{Name: "Amount", Number: true}, {Name: "Status"}, {Name: "Coin"},
					{Name: "Received", Number: true}, {Name: "E-mail"}},
				Rows: s.rows(found.Sessions), Empty: nothingFound(form),
			}.Draw(),
			page.Pager(paymentsPath, form, found.Next, len(found.Sessions)),
		},
	}, nil
}

// anyStatus is the filter that leaves all: go-app writes no attribute that is
// empty, and the value of an option without one is its label.
const anyStatus = "all"

// soleMatch is the id of the only session that a text names, "" if it is not
// so: who pastes an address wants its payment, not a list of one.
func soleMatch(q records.Query, found payment.Page) string {
	if q.Text == "" || q.Cursor != "" || len(found.Sessions) != 1 || found.Next != "" ||
		q.Text == found.Sessions[0].Order.Email {
		return ""
	}
	return found.Sessions[0].ID
}

// told shows the one payment that a search has found.
func (s *console) told(v *visit, id string) (page.Page, error) {
	v.r.SetPathValue("session", id)
	return s.payment(v)
}

func nothingFound(form url.Values) string {
	switch {
	case form.Get("q") != "":
		return "Nothing is known by that. Ids, addresses, transaction ids and e-mail addresses " +
			"have to be whole; of an order's reference the beginning is enough."
	case len(without(form, "cursor")) > 0:
		return "No payment is like that."
	}
	return "No order has come yet."
}

// without returns a copy of form without a field, and without empty ones.
func without(form url.Values, name string) url.Values {
	kept := url.Values{}
	for n, values := range form {
		if n != name && len(values) > 0 && values[0] != "" {
			kept.Set(n, values[0])
		}
	}
	return kept
}

// search reads the filters of a list of payments, and returns those of them that
// are known as the form has them. Dates are days of UTC, both inclusive.
func search(values url.Values) (q records.Query, form url.Values, err error) {
	form = url.Values{}
	for _, name := range []string{"q", "status", "coin", "network", "from", "to", "cursor"} {
		form.Set(name, strings.TrimSpace(values.Get(name)))
	}
	if form.Get("status") == anyStatus {
		form.Del("status")
	}
	q = records.Query{
		Text: form.Get("q"), Status: form.Get("status"), Coin: form.Get("coin"),
		Network: form.Get("network"), Cursor: form.Get("cursor"),
	}
	if q.Status != "" && !wire.Status(q.Status).Known() {
		return q, form, &wire.Error{Code: wire.CodeInvalid, Param: "status"}
	}
	if q.From, err = day(form.Get("from")); err != nil {
		return q, form, err
	}
	if q.To, err = day(form.Get("to")); err == nil && !q.To.IsZero() {
		q.To = q.To.AddDate(0, 0, 1)
	}
	return q, form, err
}

// day reads a date as browsers send it; "" is the zero time.
func day(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() < 2000 || t.Year() > 2200 {
		return t, &wire.Error{Code: wire.CodeInvalid, Param: "date"}
	}
	return t, nil
}

// filter is the form above the list.
func (s *console) filter(form url.Values) node.Node {
	statuses := []page.Option{{Value: anyStatus, Label: "All"}}
	for _, status := range []wire.Status{
		wire.Review, wire.Pending, wire.Preparing, wire.Open, wire.Confirmed, wire.Expired,
		wire.Cancelled,
	} {
		statuses = append(statuses, page.Option{
			Value: string(status), Label: titled(string(status)),
		})
	}
	return page.Filter(paymentsPath, len(without(form, "cursor")) > 0,
		page.Field{
			Name: "q", Label: "Search", Type: "search", Value: form.Get("q"), Wide: true,
			Placeholder: "order, e-mail, address, transaction, tracking code",
		},
		page.Field{
			Name: "status", Label: "Status", Type: "select", Value: form.Get("status"),
			Options: statuses,
		},
		page.Field{
			Name: "coin", Label: "Coin", Value: form.Get("coin"), Placeholder: "USDT", Max: 20,
		},
		page.Field{
			Name: "network", Label: "Network", Value: form.Get("network"), Placeholder: "trc20",
			Max: 32,
		},
		page.Field{Name: "from", Label: "From", Type: "date", Value: form.Get("from")},
		page.Field{Name: "to", Label: "To", Type: "date", Value: form.Get("to")},
	)
}

func titled(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

func (s *console) rows(list []payment.Session) (rows [][]node.Node) {
	for _, session := range list {
		rows = append(rows, s.row(session))
	}
	return rows
}

// row is one payment in a list.
func (s *console) row(session payment.Session) []node.Node {
	o := s.Checkout.Object(session)
	coin, received := page.None(), page.None()
	if a := session.Current(); a != nil {
		told := o.Attempts[a.Number-1]
		coin = s.coin(*a)
		received = page.Amount(told.PaidAmount, a.CurrencySymbol)
	}
	return []node.Node{
		order(session), page.Time(session.CreatedAt), page.USD(o.AmountUSD),
		page.Join(page.Status(session.Status),
			node.If(
				o.MissingAmount != "" && session.Status == wire.Pending,
				func() node.Node { return page.Badge("warn", "part paid") },
			),
			node.If(
				o.OverpaidAmount != "", func() node.Node { return page.Badge("warn", "overpaid") },
			), node.If(o.Late, func() node.Node { return page.Badge("warn", "late") })),
		coin, received, page.Email(o.Email),
	}
}

// order names a payment, as the shop does if it can, and leads to it.
func order(session payment.Session) node.Node {
	name := page.Foreign(session.Order.Ref)
	if session.Order.Ref == "" {
		name = page.Short(session.ID)
	}
	return page.El("div").Class("order").Body(
		page.El("a").Attr("href", paymentPath(session.ID)).Attr("data-part", "payment").Body(name),
		node.If(session.Order.Title != "", func() node.Node {
			return page.El("small").Body(page.Foreign(session.Order.Title))
		}))
}

// paymentPath is the address of a payment's page.
func paymentPath(id string) string { return paymentsPath + "/" + url.PathEscape(id) }

// coin is what an attempt is paid with.
func (s *console) coin(a payment.Attempt) node.Node {
	network, _ := s.Tokens.Network(a.NetworkCode)
	name := a.NetworkName
	if name == "" {
		name = a.NetworkCode
	}
	return page.Coin(a.CurrencySymbol, name, network.Mark())
}
