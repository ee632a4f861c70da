package console

import (
	"context"
	"slices"
	"strings"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/payment"
)

// need is a condition in words; overview.html has its sentences, by Name.
type need struct {
	Name   attention.Kind
	Kind   string // of a badge: how urgent it is
	Count  int    // of payments, webhooks, rows, rates or host pages
	Host   string // of the endpoint that it is about
	Since  string // how long it has been so; empty = not for long
	Tried  int    // how many, of Count or in a row, have failed
	Answer string // the last answer to those, or error; empty = none
	Items  []needItem
}

// needItem is one payment, origin, currency or row of a need.
type needItem struct {
	Payment orderName // zero = it is an origin or a code
	Price   price     // of Payment
	Code    string    // of a currency, or the id of what is stored and unreadable
	Origin  string
	Facts   []string
	Note    *Action // the latest of an operator; nil = none
	Steps   []tool  // what can be done about Payment, the likeliest first
}

// maxItems is how many things of a need are in sight; the others are below "Show more".
const maxItems = 5

// Shown are the items in sight, and Folded the others.
func (n need) Shown() []needItem  { return n.Items[:min(len(n.Items), maxItems)] }
func (n need) Folded() []needItem { return n.Items[len(n.Shown()):] }

// needs returns what needs attention, the gravest first.
func (c *console) needs(ctx context.Context, now time.Time) (list []need, err error) {
	found, err := c.Attention(ctx, now)
	if err != nil {
		return nil, err
	}

	for _, condition := range found {
		n := c.need(condition, now)
		for i := range n.Items {
			n.Items[i].Note, err = c.lastNote(ctx, n.Items[i].Payment.ID)
			if err != nil {
				return nil, err
			}
		}
		list = append(list, n)
	}
	return list, nil
}

// lastNote returns the latest note about a payment; nil = there is none among its last actions.
func (c *console) lastNote(ctx context.Context, session string) (*Action, error) {
	if session == "" {
		return nil, nil
	}
	done, err := c.Records.Actions(ctx, ActionQuery{Session: session, Limit: 100})
	for _, a := range done.Actions {
		if a.What == noteRecord {
			return &a, err
		}
	}
	return nil, err
}

func (c *console) need(a attention.Condition, now time.Time) need {
	n := need{
		Name:   a.Kind,
		Kind:   "warn",
		Count:  a.Count,
		Tried:  a.Tried,
		Answer: a.Error,
	}
	if a.Grave {
		n.Kind = "bad"
	}
	if !a.Since.IsZero() {
		n.Since = formatDuration(now.Sub(a.Since))
	}
	if strings.Contains(a.Endpoint, "://") {
		n.Host = endpointHost(a.Endpoint)
	} else {
		n.Host = a.Endpoint
	}
	for _, item := range a.Items {
		n.Items = append(n.Items, c.needItem(a.Kind, item, now))
	}
	return n
}

func (c *console) needItem(kind attention.Kind, item attention.Item, now time.Time) needItem {
	since := formatRelative(item.Since, now)
	switch kind {
	case attention.Unreadable:
		return needItem{Code: item.ID, Facts: []string{item.Row, item.Error, since}}
	case attention.HeldRates:
		return needItem{Code: item.ID, Facts: []string{
			formatChange(item.Rate.Change()),
			"from $" + item.Rate.Rate.USDPerUnit() + " to $" + item.Rate.Held.USDPerUnit(),
		}}
	case attention.Origins:
		return needItem{Origin: item.ID, Facts: []string{formatPlural(item.Times, "time"), since}}
	}
	return needItem{
		Payment: nameOf(item.Session),
		Price:   priceOf(item.Session.Order),
		Facts:   []string{c.paymentFact(kind, item), since},
		Steps:   nextSteps(item.Session),
	}
}

// nextSteps lead to what can be done about a payment that needs attention.
func nextSteps(session payment.Session) (list []tool) {
	for _, t := range possibleActions(session) {
		if slices.Contains([]string{"cancel", "erase"}, t.Part) {
			continue // they finish nothing
		}
		t.Primary = false
		list = append(list, t)
	}
	return list
}

// paymentFact says why a payment needs attention.
func (c *console) paymentFact(kind attention.Kind, item attention.Item) string {
	money := formatSum(item.Amount) + " " + item.Coin
	switch {
	case kind == attention.Review:
		return explainReview(c.Checkout.Object(item.Session).ReviewReason).What
	case kind == attention.Overpaid:
		return money + " too much"
	case kind == attention.TakenBack:
		return money + " taken back"
	case item.Session.ClosedBy == payment.ClosedByMerchant:
		return money + " for a canceled order"
	}
	return money + " arrived"
}
