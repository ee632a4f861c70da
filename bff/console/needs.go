package console

import (
	"context"
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
	Notes   []string
}

// maxItems is how many things of a need are named one by one.
const maxItems = 5

// needs returns what needs attention, the gravest first.
func (c *console) needs(ctx context.Context, now time.Time) (list []need, err error) {
	found, err := c.Attention(ctx, now)
	for _, condition := range found {
		list = append(list, c.need(condition, now))
	}
	return list, err
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
	for _, item := range a.Items[:min(len(a.Items), maxItems)] {
		n.Items = append(n.Items, c.needItem(a.Kind, item, now))
	}
	return n
}

func (c *console) needItem(kind attention.Kind, item attention.Item, now time.Time) needItem {
	since := formatRelative(item.Since, now)
	switch kind {
	case attention.Unreadable:
		return needItem{Code: item.ID, Notes: []string{item.Row, item.Error, since}}
	case attention.HeldRates:
		return needItem{Code: item.ID, Notes: []string{
			formatChange(item.Rate.Change()),
			"from $" + item.Rate.Rate.USDPerUnit() + " to $" + item.Rate.Held.USDPerUnit(),
		}}
	case attention.Origins:
		return needItem{Origin: item.ID, Notes: []string{formatPlural(item.Times, "time"), since}}
	}
	return needItem{
		Payment: nameOf(item.Session),
		Price:   priceOf(item.Session.Order),
		Notes:   []string{c.paymentNote(kind, item), since},
	}
}

// paymentNote says why a payment needs attention.
func (c *console) paymentNote(kind attention.Kind, item attention.Item) string {
	money := formatSum(item.Amount) + " " + item.Coin
	switch {
	case kind == attention.Review:
		return explainReview(c.Checkout.Object(item.Session).ReviewReason).What
	case kind == attention.Overpaid:
		return money + " too much"
	case item.Session.ClosedBy == payment.ClosedByMerchant:
		return money + " for a canceled order"
	}
	return money + " arrived"
}
