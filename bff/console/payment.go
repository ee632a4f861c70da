package console

import (
	"cmp"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

// paymentView is everything that is known of one payment.
type paymentView struct {
	Now        time.Time
	Object     payment.Object
	Price      price
	Rate       *rateView // nil = the price is in dollars
	Status     badge
	Review     *reviewReason // why an operator is needed; nil = none is
	Attempts   []attemptView // the latest first
	Deliveries []deliveryRow
	Timeline   []timelineEntry // the oldest first
	Overpaid   bool            // the excess was not sent back
	Refunds    []refundRow     // the oldest first
	Coins      string          // empty = all
	ClosedBy   string          // empty = it is not
	Actions    []timelineEntry // of operators, the latest first
	Tools      []tool          // what can be done now
}

// rateView is the rate at which a price was converted.
type rateView struct {
	wire.Rate
	Price    price
	Currency string
	Source   string // in words
	AsOf     time.Time
}

// attemptView is one attempt in the console and in the API.
type attemptView struct {
	payment.Attempt
	Object      payment.AttemptObject
	State       attemptState
	Coin        coin
	Asked, Unit string
}

// timelineEntry is something that has happened, in words.
type timelineEntry struct {
	At                      time.Time
	By, What, Words, Detail string // Detail is a quoted text; empty = none
}

// payment is GET /admin/payments/{session}.
func (c *console) payment(r *request) (page, error) {
	ctx := r.r.Context()
	session, err := c.Checkout.Session(ctx, r.r.PathValue("session"))
	if err != nil {
		return page{}, err
	}
	sent, err := c.Records.Deliveries(ctx, webhook.DeliveryQuery{Session: session.ID, Limit: 100})
	if err != nil {
		return page{}, err
	}
	done, err := c.Records.Actions(ctx, ActionQuery{Session: session.ID, Limit: 100})
	if err != nil {
		return page{}, err
	}
	o := c.Checkout.Object(session)
	view := paymentView{
		Now:      r.now(),
		Object:   o,
		Price:    priceOf(session.Order),
		Rate:     rateOf(session.Order),
		Status:   statusBadge(o.Status),
		Coins:    strings.Join(o.Currencies, ", "),
		ClosedBy: string(session.ClosedBy),
		Overpaid: session.Excess(c.Tokens).IsPositive(),
		Refunds:  c.refundRows(session),
		Tools:    possibleActions(session),
	}
	if o.ReviewReason != "" {
		reason := explainReview(o.ReviewReason)
		view.Review = &reason
	}
	for i := len(session.Attempts) - 1; i >= 0; i-- {
		a := c.attempt(session.Attempts[i], o.Attempts[i])
		if a.Email == o.Email { // says it once, with the order
			a.Email = ""
		}
		view.Attempts = append(view.Attempts, a)
	}
	for _, d := range sent.Rows {
		view.Deliveries = append(view.Deliveries, r.delivery(d, false))
	}
	for _, e := range session.Timeline {
		view.Timeline = append(view.Timeline,
			timelineEntry{e.At, e.By, e.What, describeEvent(e), e.Detail})
	}
	for _, a := range done.Actions {
		view.Actions = append(view.Actions,
			timelineEntry{a.At, a.By, a.What, describeAction(a.What), a.Detail})
	}
	return page{
		Title:    cmp.Or(o.OrderRef, o.Title, "Payment"),
		Section:  paymentsPath,
		Back:     link{paymentsPath, "Payments"},
		template: "payment",
		View:     view,
	}, nil
}

// rateOf is the rate of an order; nil = its price is in dollars.
func rateOf(o payment.Order) *rateView {
	if o.Rate == nil {
		return nil
	}
	asOf, _ := time.Parse(time.RFC3339, o.Rate.AsOf) // it was written here
	return &rateView{
		Rate:     *o.Rate,
		Price:    priceOf(o),
		Currency: o.Currency,
		Source:   describeSource(o.Rate.Source),
		AsOf:     asOf,
	}
}

// possibleActions lead to what can be done now.
func possibleActions(session payment.Session) (list []tool) {
	for i, a := range actions() {
		if a.possible(session) {
			list = append(list, tool{
				To: paymentPath(session.ID) + "/" + a.path, Part: a.part, Primary: i == 0,
				Label: words().Confirmations[a.path].Name,
			})
		}
	}
	return list
}

func (c *console) attempt(a payment.Attempt, o payment.AttemptObject) attemptView {
	return attemptView{
		Attempt: a,
		Object:  o,
		State:   stateOf(a),
		Coin:    c.coin(a),
		Asked:   trimZeros(o.PayAmount, 0),
		Unit:    a.CurrencySymbol,
	}
}
