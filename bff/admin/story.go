package admin

import (
	"net/url"
	"strings"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/admin/page"
	"coinslot/bff/outbox"
	"coinslot/bff/payment"
	"coinslot/bff/records"
)

// story is everything that is known of one payment.
type story struct {
	*visit
	session    payment.Session
	told       payment.Object
	deliveries outbox.DeliveryPage
	actions    records.ActionPage
}

// payment is GET /admin/payments/{session}.
func (s *console) payment(v *visit) (page.Page, error) {
	t, err := s.story(v)
	if err != nil {
		return page.Page{}, err
	}
	title := t.told.OrderRef
	if title == "" {
		title = t.told.Title
	}
	if title == "" {
		title = "Payment"
	}
	body := []node.Node{t.strip()}
	body = append(body, t.alarm()...)
	body = append(body, page.El("div").Class("story").Body(
		page.El("div").Class("stack").Body(append(t.attempts(), t.webhooks(), t.trail())...),
		page.El("div").Class("stack side").Body(t.order(), t.links(), t.done()),
	))
	return page.Page{
		Title: title, Section: paymentsPath, Back: page.Back{To: paymentsPath, Label: "Payments"},
		Tools: t.tools(), Body: body,
	}, nil
}

// story reads what there is of the session that the address names.
func (s *console) story(v *visit) (story, error) {
	session, err := s.Checkout.Session(v.r.Context(), v.r.PathValue("session"))
	if err != nil {
		return story{}, err
	}
	t := story{visit: v, session: session, told: s.Checkout.Object(session)}
	if t.deliveries, err = s.Records.Deliveries(v.r.Context(), outbox.DeliveryQuery{
		Session: session.ID, Limit: 100,
	}); err != nil {
		return t, err
	}
	t.actions, err = s.Records.Actions(v.r.Context(), records.ActionQuery{
		Session: session.ID, Limit: 100,
	})
	return t, err
}

// strip is the state in one line.
func (t story) strip() node.Node {
	o := t.told
	return page.El("div").Class("strip").Body(
		page.El("span").Class("strip-status").Attr("data-part", "status").
			Body(page.Status(o.Status)),
		page.El("strong").Class("strip-amount").Body(page.USD(o.AmountUSD)),
		node.If(o.Late, func() node.Node { return page.Badge("warn", "paid late") }),
		node.If(o.OverpaidAmount != "", func() node.Node { return page.Badge("warn", "overpaid") }),
		node.If(
			o.MissingAmount != "",
			func() node.Node { return page.Badge("warn", "something is missing") },
		),
		node.If(o.Test, func() node.Node { return page.Badge("", "test") }),
		page.El("span").Class("soft").Body(page.Text("made "), page.Ago(o.CreatedAt, t.now())),
		node.If(o.CheckedAt != nil, func() node.Node {
			return page.El("span").Class("soft").Body(
				page.Text("gateway asked "), page.Ago(*o.CheckedAt, t.now()),
			)
		}),
	)
}

// alarm says why a human is needed and what to do, nothing if none is.
func (t story) alarm() []node.Node {
	if t.told.ReviewReason == "" {
		return nil
	}
	r := reviewed(t.told.ReviewReason)
	return []node.Node{page.El("section").Class("alarmed").Attr("data-part", "review").Body(
		page.El("h2").Text(r.what), page.El("p").Text(r.todo),
		page.El("p").Class("soft").Body(page.Text("Reason: "), page.Code(t.told.ReviewReason)),
	)}
}

// tools are what can be done now.
func (t story) tools() (list []node.Node) {
	for _, d := range deeds() {
		if d.possible(t.session) {
			class := "button"
			if d.first {
				class = "button primary"
			}
			list = append(
				list,
				page.El("a").Class(class).Attr("href", paymentPath(t.session.ID)+"/"+
					d.path).Attr("data-part", d.part).Text(d.name),
			)
		}
	}
	return list
}

// order is what is sold, in the merchant's words.
func (t story) order() node.Node {
	o := t.told
	facts := []page.Fact{
		{Name: "Reference", Value: page.Foreign(o.OrderRef)},
		{Name: "Title", Value: page.Foreign(o.Title)},
		{Name: "Description", Value: unless(o.Descr == "", page.Foreign(o.Descr))},
		{Name: "Amount", Value: page.USD(o.AmountUSD)},
		{Name: "E-mail", Value: page.Foreign(o.Email)},
		{Name: "Language", Value: unless(o.Lang == "", page.Code(o.Lang))},
		{
			Name:  "Coins",
			Value: unless(len(o.Currencies) == 0, page.Code(strings.Join(o.Currencies, ", "))),
		},
		{Name: "Choice until", Value: page.Time(o.ExpiresAt)},
		{
			Name:  "Closed by",
			Value: unless(t.session.ClosedBy == "", page.Text(string(t.session.ClosedBy))),
		},
		{Name: "Session", Value: page.Code(o.ID)},
	}
	if at := t.session.ErasedAt; !at.IsZero() {
		facts = append(facts, page.Fact{Name: "Personal data erased", Value: page.Time(at)})
	}
	return page.Block(
		"order", "Order", append([]node.Node{page.Facts(facts...)}, metadata(o.Metadata)...)...,
	)
}

// unless returns ui, or nothing.
func unless(not bool, ui node.Node) node.Node {
	if not {
		return nil
	}
	return ui
}

func metadata(pairs map[string]string) []node.Node {
	if len(pairs) == 0 {
		return nil
	}
	var rows []node.Node
	for _, name := range sorted(pairs) {
		rows = append(
			rows,
			page.El("div").Body(
				page.El("dt").Body(page.Foreign(name)),
				page.El("dd").Body(page.Foreign(pairs[name])),
			),
		)
	}
	return []node.Node{page.El("h3").Text("Metadata"), page.El("dl").Class("facts").Body(rows...)}
}

// links lead to what the shopper sees.
func (t story) links() node.Node {
	list := []node.Node{
		page.El("li").Body(page.Away(t.told.URL, page.Text("The shopper's checkout page"))),
	}
	if t.told.Status == wire.Confirmed {
		list = append(
			list,
			page.El("li").Body(
				page.Away(t.told.URL+"/receipt", page.Text("Receipt, to be printed")),
			),
		)
	}
	for _, l := range []struct{ to, label string }{
		{t.told.SuccessURL, "Where the shop sends who has paid"},
		{t.told.CancelURL, "Where the shop sends who has not"},
	} {
		if l.to != "" {
			list = append(list, page.El("li").Body(page.Away(l.to, page.Text(l.label))))
		}
	}
	return page.Block("links", "Pages", page.El("ul").Class("list").Body(list...),
		page.Note(
			"",
			"Who has the address of the checkout page can choose the coin and call the payment "+
				"off: it is a private link.",
		))
}

// attempts are the gateway's transactions, the latest first.
func (t story) attempts() (list []node.Node) {
	for i := len(t.session.Attempts) - 1; i >= 0; i-- {
		list = append(list, t.attempt(t.session.Attempts[i], t.told.Attempts[i]))
	}
	if len(list) == 0 {
		list = append(
			list,
			page.Block(
				"attempts", "Attempts",
				page.Note("", "No coin was chosen yet: nothing exists at the gateway."),
			),
		)
	}
	return list
}

func (t story) attempt(a payment.Attempt, o payment.AttemptObject) node.Node {
	state := stateOf(a)
	unit := a.CurrencySymbol
	return page.El("section").Class("block").Attr("data-part", "attempt").Body(
		page.El("div").Class("block-head").Body(
			page.El("h2").Text("Attempt "+page.Count(a.Number)), t.coin(a),
			page.Badge(state.kind, state.word),
			node.If(a.Late, func() node.Node { return page.Badge("warn", "late") })),
		page.El("dl").Class("sums").Body(
			sum("Asked", page.Amount(trimmed(o.PayAmount), unit)),
			sum("Received", page.Amount(o.PaidAmount, unit)),
			sum("Missing", page.Amount(o.MissingAmount, unit)),
			sum("Too much", page.Amount(o.OverpaidAmount, unit))),
		page.Note("", state.means),
		page.Facts(
			page.Fact{Name: "Address", Value: page.Code(a.Address)},
			page.Fact{Name: "Transaction", Value: transaction(o)},
			page.Fact{Name: "Tracking code", Value: page.Code(a.TrackingCode)},
			page.Fact{
				Name: "Order id", Value: unless(a.OrderID == 0, page.Code(page.Plain(a.OrderID))),
			},
			page.Fact{
				Name:  "Tolerance",
				Value: unless(a.TrackingCode == "", page.Text(o.TolerancePercent+" %")),
			},
			page.Fact{Name: "Started", Value: page.Time(a.StartedAt)},
			page.Fact{Name: "To be paid until", Value: page.Time(a.ExpiresAt)},
			page.Fact{Name: "Paid", Value: unless(a.PaidAt.IsZero(), page.Time(a.PaidAt))},
			page.Fact{
				Name: "Ended",
				Value: unless(
					a.EndedAt.IsZero() || a.State == payment.Confirmed, page.Time(a.EndedAt),
				),
			},
			page.Fact{Name: "Reason", Value: unless(o.Reason == "", page.Foreign(o.Reason))},
			page.Fact{
				Name: "Shopper's e-mail", Value: unless(a.Email == "", page.Foreign(a.Email)),
			},
			page.Fact{
				Name: "Shopper's comment", Value: unless(a.Comment == "", page.Foreign(a.Comment)),
			},
			page.Fact{Name: "Marker", Value: page.Code(a.Marker)},
			page.Fact{
				Name:  "Gateway's page",
				Value: unless(a.PaymentURL == "", page.Away(a.PaymentURL, page.Text("Open"))),
			},
		),
	)
}

// trimmed is an exact decimal without the zeros at its end, to be compared with
// others by eye.
func trimmed(digits string) string {
	if !strings.Contains(digits, ".") {
		return digits
	}
	return strings.TrimSuffix(strings.TrimRight(digits, "0"), ".")
}

func sum(name string, value node.Node) node.Node {
	return page.El("div").Body(page.El("dt").Text(name), page.El("dd").Body(value))
}

// transaction is the id on the chain, which leads to the explorer if the gateway
// has named one.
func transaction(o payment.AttemptObject) node.Node {
	switch {
	case o.TxID == "":
		return page.None()
	case o.TxURL != "":
		return page.Away(o.TxURL, page.Code(o.TxID))
	}
	return page.Code(o.TxID)
}

// webhooks are what the merchant's server was told of this payment.
func (t story) webhooks() node.Node {
	var rows [][]node.Node
	for _, d := range t.deliveries.Rows {
		rows = append(rows, t.delivery(d))
	}
	return page.Block("webhooks", "Webhooks", page.Table{
		Caption: "Webhooks of this payment",
		Empty:   "Nothing was to be told yet, or no endpoint is set.",
		Columns: []page.Column{
			{Name: "Event"}, {Name: "To"}, {Name: "State"}, {Name: "Tries", Number: true},
			{Name: "Last", Whole: true}, {Name: "Next", Whole: true}, {Name: ""},
		},
		Rows: rows,
	}.Draw())
}

func (t story) delivery(d outbox.DeliveryRow) []node.Node {
	return []node.Node{
		page.El("span").Body(
			page.Code(string(d.Type)), page.El("small").Class("below").Body(page.Time(d.At)),
		),
		page.Foreign(host(d.Endpoint)),
		answered(d),
		page.Text(page.Count(d.Tries)), page.When(d.TriedAt, t.now()), page.When(d.NextAt, t.now()),
		t.sendAgain(d, false),
	}
}

// delivered is how a delivery stands, with the last answer.
func delivered(d outbox.DeliveryRow) node.Node {
	kind, word := map[outbox.DeliveryState]string{
		outbox.DeliveryDone: "good", outbox.DeliveryWaiting: "wait",
		outbox.DeliveryRetrying: "warn", outbox.DeliveryAbandoned: "bad",
	}[d.State],
		map[outbox.DeliveryState]string{
			outbox.DeliveryDone: "Delivered", outbox.DeliveryWaiting: "Waiting",
			outbox.DeliveryRetrying: "Retrying", outbox.DeliveryAbandoned: "Given up",
		}[d.State]
	if d.Status != 0 {
		word += " · " + page.Plain(d.Status)
	}
	return page.Badge(kind, word)
}

// host is the part of an endpoint that may be shown, and a mark by which two of a
// host are told apart: its path and its query may hold a key.
func host(endpoint string) string {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return "an endpoint"
	case u.RequestURI() == "/":
		return u.Host
	}
	return u.Host + "/… " + marked(endpoint)[:6]
}

// trail is what has happened, in words, the first thing first.
func (t story) trail() node.Node {
	var list []node.Node
	for _, e := range t.session.Trail {
		words, detail := happened(e)
		list = append(list, page.El("li").Attr("data-what", e.What).Body(
			page.Time(e.At), page.El("span").Class("event").Body(
				page.Text(words),
				node.If(
					detail != "",
					func() node.Node {
						return page.El("span").Class("detail").Body(
							page.Text(" "), page.Foreign(detail),
						)
					},
				)),
			page.El("span").Class("actor").Body(page.Foreign(e.By))))
	}
	return page.Block("trail", "What has happened", page.El("ol").Class("trail").Body(list...))
}

// done is what people have done here about this payment.
func (t story) done() node.Node {
	if len(t.actions.Actions) == 0 {
		return page.Block(
			"audit", "Done at the console", page.Note("", "Nobody has done anything here."),
		)
	}
	return page.Block("audit", "Done at the console", deedsList(t.actions.Actions))
}
