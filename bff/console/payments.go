package console

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

const (
	paymentsPath = "/admin/payments"
	pageSize     = 50
)

// paymentPath is the address of a payment's page.
func paymentPath(id string) string { return paymentsPath + "/" + url.PathEscape(id) }

type paymentsView struct {
	Filter filter
	Rows   []paymentRow
	Empty  string // shown instead of no rows
	Pager  pager
}

// paymentRow is one payment in the list.
type paymentRow struct {
	Order     orderName
	CreatedAt time.Time
	Price     price
	Email     string
	Status    badge
	PartPaid  bool
	Overpaid  bool
	Late      bool
	Coin      coin
	Received  amount
}

// payments is GET /admin/payments.
func (c *console) payments(r *request) (page, error) {
	q, form, err := paymentQuery(r.r.URL.Query(), c.Zone)
	if err != nil {
		return page{}, err
	}

	q.Limit = pageSize
	found, err := c.Records.Search(r.r.Context(), q)
	if err != nil {
		return page{}, err
	}
	if id := onlyMatch(q, found); id != "" {
		r.r.SetPathValue("session", id)
		return c.payment(r)
	}

	choices, err := c.Records.Choices(r.r.Context())
	if err != nil {
		return page{}, err
	}

	view := paymentsView{
		Filter: paymentFilter(form, choices),
		Empty:  emptyText(form),
		Pager:  pagerOf(paymentsPath, form, found.Next, len(found.Sessions)),
	}
	for _, session := range found.Sessions {
		view.Rows = append(view.Rows, c.paymentRow(session))
	}

	return page{
		Title:    "Payments",
		Section:  paymentsPath,
		template: "payments",
		View:     view,
		Tools:    []tool{exportTool(paymentsPath, form)},
	}, nil
}

// paymentQuery reads the filters of a list of payments, and returns those of them that
// are known as the form has them. Dates are days of the zone, both inclusive.
func paymentQuery(
	values url.Values, zone *time.Location,
) (q Query, form url.Values, err error) {
	form = parseFilters(values,
		"q", "status", "coin", "network", "currency", "from", "to", "cursor")
	q = Query{
		Text:     form.Get("q"),
		Status:   form.Get("status"),
		Coin:     form.Get("coin"),
		Network:  form.Get("network"),
		Currency: form.Get("currency"),
		Cursor:   form.Get("cursor"),
	}
	if q.Status != "" && !wire.Status(q.Status).Known() {
		return q, form, &wire.Error{Code: wire.CodeInvalid, Param: "status"}
	}

	q.From, q.To, err = parseDays(form, zone)
	return q, form, err
}

// onlyMatch is the id of the only session that a text names, "" if there is none or the text
// is an e-mail address: who pastes an id wants its payment, not a list of one.
func onlyMatch(q Query, found payment.Page) string {
	if q.Text == "" || q.Cursor != "" || len(found.Sessions) != 1 || found.Next != "" ||
		q.Text == found.Sessions[0].Order.Email {
		return ""
	}
	return found.Sessions[0].ID
}

func emptyText(form url.Values) string {
	switch {
	case form.Get("q") != "":
		return "No matches. Ids, addresses, transaction ids and e-mail addresses have to be " +
			"complete; of an order reference the beginning is enough."
	case len(formWithoutPage(form)) > 0:
		return "No matching payments."
	}
	return "No orders yet."
}

// paymentFilter returns the filter of the list. A shop with prices in one currency is not asked
// for it.
func paymentFilter(form url.Values, choices Choices) filter {
	var statuses []string
	for _, s := range wire.Statuses() {
		statuses = append(statuses, string(s))
	}
	fields := []field{
		choiceField("status", "Status", form, statuses),
		choiceField("coin", "Coin", form, choices.Coins),
		choiceField("network", "Network", form, choices.Networks),
	}
	if len(choices.Currencies) > 1 || form.Get("currency") != "" {
		fields = append(fields, choiceField("currency", "Currency", form, choices.Currencies))
	}
	f := filterOf(paymentsPath, form, append(fields, dateFields(form)...))
	f.Search = form.Get("q")
	return f
}

func (c *console) paymentRow(session payment.Session) paymentRow {
	o := c.Checkout.Object(session)
	row := paymentRow{
		Order:     nameOf(session),
		CreatedAt: session.CreatedAt,
		Price:     priceOf(session.Order),
		Email:     o.Email,
		Status:    statusBadge(session.Status),
		Overpaid:  o.OverpaidAmount != "",
		PartPaid:  o.MissingAmount != "" && session.Status == wire.Pending,
		Late:      o.Late,
	}
	if a := session.Current(); a != nil {
		row.Coin = c.coin(*a)
		row.Received = amount{o.Attempts[a.Number-1].PaidAmount, a.CurrencySymbol}
	}

	return row
}

func nameOf(session payment.Session) orderName {
	return orderName{session.ID, session.Order.Ref, session.Order.Title}
}

// coin is what an attempt is paid with.
func (c *console) coin(a payment.Attempt) coin {
	network, _ := c.Tokens.Network(a.NetworkCode)
	return coin{a.CurrencySymbol, cmp.Or(a.NetworkName, a.NetworkCode), network.Mark()}
}

// exportPayments is GET /admin/payments.csv: what the list shows, from its first page on.
func (c *console) exportPayments(r *request, values url.Values) (exportFile, error) {
	q, _, err := paymentQuery(values, c.Zone)
	q.Limit = exportReadSize
	return exportFile{
		Columns: []string{
			"session", "made", "status", "order_ref", "title", "email", "amount", "currency",
			"amount_usd", "rate", "rate_source", "rate_as_of", "coin", "network", "attempts", "address", "asked", "received", "missing", "overpaid",
			"tracking_code", "order_id", "tx_id", "paid", "late", "review_reason", "test",
			"metadata", "transactions",
		},
		Pages: rowsByCursor(func(cursor string) (rows [][]string, next string, err error) {
			q.Cursor = cursor
			found, err := c.Records.Search(r.r.Context(), q)
			for i := range found.Sessions {
				rows = append(rows, c.paymentCells(&found.Sessions[i]))
			}
			return rows, found.Next, err
		}),
	}, err
}

// paymentCells are those of one payment in an export. Amounts are exact text.
func (c *console) paymentCells(session *payment.Session) []string {
	o := c.Checkout.Object(*session)
	var a payment.AttemptObject
	if current := session.Current(); current != nil {
		a = o.Attempts[current.Number-1]
	}

	var metadata []string
	for _, name := range slices.Sorted(maps.Keys(o.Metadata)) {
		metadata = append(metadata, name+"="+o.Metadata[name])
	}

	var transactions []string
	for _, tx := range a.Transactions {
		transactions = append(transactions, tx.ID)
	}

	paid := ""
	if a.PaidAt != nil {
		paid = a.PaidAt.Format(time.RFC3339)
	}

	var rate wire.Rate
	if o.Rate != nil {
		rate = *o.Rate
	}

	return []string{
		o.ID, o.CreatedAt.Format(time.RFC3339), string(o.Status), o.OrderRef, o.Title, o.Email,
		o.Amount, o.Currency, o.AmountUSD, rate.USDPerUnit, rate.Source, rate.AsOf,
		a.CurrencySymbol, a.NetworkCode, strconv.Itoa(len(o.Attempts)), a.Address,
		a.PayAmount, a.PaidAmount, a.MissingAmount, a.OverpaidAmount, a.TrackingCode,
		exportNumber(a.OrderID), a.TxID, paid, exportYes(a.Late), o.ReviewReason,
		exportYes(o.Test), strings.Join(metadata, "; "), strings.Join(transactions, "; "),
	}
}
