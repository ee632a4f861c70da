package console

import (
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/outbox"
	"coinslot/bff/payment"
	"coinslot/bff/records"
)

// paymentView is everything that is known of one payment.
type paymentView struct {
	Now        time.Time
	Object     payment.Object
	Status     badge
	Unusual    []badge
	Review     *reviewReason // why an operator is needed; nil = none is
	Attempts   []attemptView // the latest first
	Deliveries []deliveryRow
	Timeline   []timelineEntry // the oldest first
	Coins      string          // empty = all
	ClosedBy   string          // empty = it is not
	Links      []link          // to what the shopper sees
	Actions    []timelineEntry // of operators, the latest first
}

// attemptView is one attempt and what the API says of it.
type attemptView struct {
	payment.Attempt
	Object      payment.AttemptObject
	State       attemptState
	Coin        coin
	Asked, Unit string
	Tx          tx
	Ended       bool  // EndedAt is worth showing
	PaymentPage *link // nil = it may not be shown
}

// timelineEntry is something that has happened, in words.
type timelineEntry struct {
	At                      time.Time
	By, What, Words, Detail string // Detail is in somebody else's words; empty = none
}

// payment is GET /admin/payments/{session}.
func (c *console) payment(r *request) (page, error) {
	ctx := r.r.Context()
	session, err := c.Checkout.Session(ctx, r.r.PathValue("session"))
	if err != nil {
		return page{}, err
	}
	sent, err := c.Records.Deliveries(ctx, outbox.DeliveryQuery{Session: session.ID, Limit: 100})
	if err != nil {
		return page{}, err
	}
	done, err := c.Records.Actions(ctx, records.ActionQuery{Session: session.ID, Limit: 100})
	if err != nil {
		return page{}, err
	}
	o := c.Checkout.Object(session)
	view := paymentView{
		Now: r.now(), Object: o, Status: statusBadge(o.Status), Unusual: unusual(o),
		Coins: strings.Join(o.Currencies, ", "), ClosedBy: string(session.ClosedBy),
		Links: shopperLinks(o),
	}
	if o.ReviewReason != "" {
		reason := explainReview(o.ReviewReason)
		view.Review = &reason
	}
	for i := len(session.Attempts) - 1; i >= 0; i-- {
		view.Attempts = append(view.Attempts, c.attempt(session.Attempts[i], o.Attempts[i]))
	}
	for _, d := range sent.Rows {
		view.Deliveries = append(view.Deliveries, r.delivery(d, false))
	}
	for _, e := range session.Trail {
		view.Timeline = append(view.Timeline,
			timelineEntry{e.At, e.By, e.What, happened(e), e.Detail})
	}
	for _, a := range done.Actions {
		view.Actions = append(view.Actions,
			timelineEntry{a.At, a.By, a.What, describeAction(a.What), a.Detail})
	}
	title := "Payment"
	for _, name := range []string{o.Title, o.OrderRef} {
		if name != "" {
			title = name
		}
	}
	return page{
		Title: title, Section: paymentsPath, Back: link{paymentsPath, "Payments"},
		Tools: possibleActions(session), template: "payment", View: view,
	}, nil
}

// unusual is what an operator should notice beside the status.
func unusual(o payment.Object) (list []badge) {
	for _, b := range []struct {
		so   bool
		kind string
		word string
	}{
		{o.Late, "warn", "paid late"},
		{o.OverpaidAmount != "", "warn", "overpaid"},
		{o.MissingAmount != "", "warn", "something is missing"},
		{o.Test, "", "test"},
	} {
		if b.so {
			list = append(list, badge{Kind: b.kind, Word: b.word})
		}
	}
	return list
}

// possibleActions lead to what can be done now.
func possibleActions(session payment.Session) (list []tool) {
	for _, a := range actions() {
		if a.possible(session) {
			list = append(list, tool{
				To: paymentPath(session.ID) + "/" + a.path, Label: a.name, Part: a.part,
				Primary: a.first,
			})
		}
	}
	return list
}

// shopperLinks lead to what the shopper sees.
func shopperLinks(o payment.Object) []link {
	list := []link{{o.URL, "The shopper's checkout page"}}
	if o.Status == wire.Confirmed {
		list = append(list, link{o.URL + "/receipt", "Receipt, to be printed"})
	}
	if o.SuccessURL != "" {
		list = append(list, link{o.SuccessURL, "Where the shop sends who has paid"})
	}
	if o.CancelURL != "" {
		list = append(list, link{o.CancelURL, "Where the shop sends who has not"})
	}
	return list
}

func (c *console) attempt(a payment.Attempt, o payment.AttemptObject) attemptView {
	v := attemptView{
		Attempt: a, Object: o, State: stateOf(a), Coin: c.coin(a),
		Asked: trimZeros(o.PayAmount, 0), Unit: a.CurrencySymbol,
		Tx:    tx{ID: o.TxID, URL: o.TxURL, Whole: true},
		Ended: !a.EndedAt.IsZero() && a.State != payment.Confirmed,
	}
	if a.PaymentURL != "" {
		v.PaymentPage = &link{a.PaymentURL, "Open"}
	}
	return v
}
