package console

import (
	"context"
	"slices"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/rates"
	"coinslot/bff/webhook"
)

const overviewPath = "/admin"

type overviewView struct {
	Needs []need      // the gravest first
	Chart *orderChart // nil = there were no orders in its days
}

// need is one thing that needs attention; overview.html has its words, by Name.
type need struct {
	Name   string
	Kind   string // of a badge: how urgent it is
	Count  int    // of payments, webhooks or host pages
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

// overview is GET /admin: what needs attention now, and how the last days were.
func (c *console) overview(r *request) (page, error) {
	var view overviewView
	for _, find := range []func(context.Context, time.Time) ([]need, error){
		c.unreadableNeeds,
		c.reviewNeeds,
		c.gatewayNeeds,
		c.preparingNeeds,
		c.unroutedNeeds,
		c.endpointNeeds,
		c.overpaidNeeds,
		c.rateNeeds,
		c.originNeeds,
	} {
		found, err := find(r.r.Context(), r.now())
		if err != nil {
			return page{}, err
		}
		view.Needs = append(view.Needs, found...)
	}

	year, month, day := r.now().Date()
	tomorrow := time.Date(year, month, day+1, 0, 0, 0, 0, r.Zone)
	from := tomorrow.AddDate(0, 0, -chartDays)
	counts, err := c.tally.of(
		r.r.Context(), c.Records, from.AddDate(0, 0, -chartDays), tomorrow, r.now(),
	)
	if err != nil {
		return page{}, err
	}

	view.Chart = newChart(counts, from)
	return page{
		Title:    "Overview",
		Section:  overviewPath,
		template: "overview",
		View:     view,
	}, nil
}

// maxUnreadable bounds how many unreadable rows are counted.
const maxUnreadable = 100

// unreadableNeeds is what is stored and cannot be decoded.
func (c *console) unreadableNeeds(ctx context.Context, now time.Time) ([]need, error) {
	if c.Damage == nil {
		return nil, nil
	}

	list, err := c.Damage.Unreadable(ctx, maxUnreadable)
	if err != nil || len(list) == 0 {
		return nil, err
	}

	n := need{Name: "unreadable", Kind: "bad", Count: len(list)}
	for _, u := range list[:min(len(list), maxItems)] {
		n.Items = append(n.Items, needItem{
			Code:  u.ID,
			Notes: []string{u.Kind, u.Error, formatRelative(u.Since, now)},
		})
	}

	return []need{n}, nil
}

// reviewNeeds are the payments that an operator has to resolve.
func (c *console) reviewNeeds(ctx context.Context, now time.Time) ([]need, error) {
	n, err := c.Count(ctx, string(wire.Review))
	if err != nil || n == 0 {
		return nil, err
	}

	found, err := c.Records.Search(ctx, Query{Status: string(wire.Review), Limit: maxItems})
	if err != nil {
		return nil, err
	}

	reviews := need{Name: "review", Kind: "bad", Count: n}
	for _, s := range found.Sessions {
		why := explainReview(c.Checkout.Object(s).ReviewReason).What
		reviews.Items = append(reviews.Items, needItem{
			Payment: nameOf(s),
			Price:   priceOf(s.Order),
			Notes:   []string{why, formatRelative(s.CreatedAt, now)},
		})
	}

	return []need{reviews}, nil
}

// gatewayTimeout is how long the overview waits for the gateway.
const gatewayTimeout = 2 * time.Second

// gatewayNeeds reports that the gateway does not respond. It sends a request if there was none
// recently.
func (c *console) gatewayNeeds(ctx context.Context, now time.Time) ([]need, error) {
	asking, cancel := context.WithTimeout(ctx, gatewayTimeout)
	defer cancel()
	_, err := c.Checkout.Currencies(asking)
	since := c.Checkout.GatewayDownSince()
	switch {
	case err != nil && since.IsZero():
		since = now.Add(-gatewayTimeout)
	case since.IsZero():
		return nil, nil
	}
	return []need{{Name: "gateway", Kind: "bad", Since: formatDuration(now.Sub(since))}}, nil
}

// preparingNeeds are payments for which the gateway has not given an address yet; a few are
// normal.
func (c *console) preparingNeeds(ctx context.Context, _ time.Time) ([]need, error) {
	n, err := c.Count(ctx, string(wire.Preparing))
	if err != nil || n < 3 {
		return nil, err
	}
	return []need{{Name: "preparing", Kind: "warn", Count: n}}, nil
}

// unroutedNeeds are webhooks that are open to a URL that is not configured.
func (c *console) unroutedNeeds(ctx context.Context, _ time.Time) (list []need, err error) {
	endpoints, err := c.Rerouting.Unrouted(ctx)
	for _, b := range endpoints {
		list = append(list, need{
			Name:  "unrouted",
			Kind:  "bad",
			Count: b.Waiting,
			Host:  endpointHost(b.Endpoint),
		})
	}
	return list, err
}

// endpointNeeds are endpoints of the merchant that do not take webhooks.
func (c *console) endpointNeeds(ctx context.Context, now time.Time) (list []need, err error) {
	endpoints, err := c.Records.Backlogs(ctx)
	if err != nil {
		return nil, err
	}

	gone := c.Gone()
	for _, b := range endpoints {
		n := need{Kind: "bad", Host: endpointHost(b.Endpoint), Tried: b.Retrying}
		if !b.OldestAt.IsZero() && now.Sub(b.OldestAt) > 5*time.Minute {
			n.Since = formatDuration(now.Sub(b.OldestAt))
		}

		switch {
		case slices.Contains(gone, b.Endpoint):
			n.Name = "gone"
		case b.Abandoned > 0:
			n.Name = "abandoned"
			n.Count = b.Abandoned
		case b.Retrying > 0 || n.Since != "":
			n.Name = "waiting"
			n.Kind = "warn"
			n.Count = b.Waiting
			n.Answer, err = c.lastAnswer(ctx, b.Endpoint)
			if err != nil {
				return nil, err
			}
		default:
			continue
		}

		list = append(list, n)
	}

	return list, nil
}

// lastAnswer is the HTTP status of an endpoint to the newest webhook that it has not accepted;
// empty = it gave none, or others have failed since.
func (c *console) lastAnswer(ctx context.Context, endpoint string) (string, error) {
	failed, err := c.Records.Deliveries(ctx, webhook.DeliveryQuery{
		State: webhook.DeliveryRetrying,
		Limit: pageSize,
	})
	for _, d := range failed.Rows {
		if d.Endpoint == endpoint && d.Status != 0 {
			return formatStatus(d.Status), nil
		}
	}
	return "", err
}

// overpaidNeeds are the confirmed payments of the last week, the latest 100 at most, of which
// more than asked has arrived, unless an operator has resolved or settled them.
func (c *console) overpaidNeeds(ctx context.Context, now time.Time) (list []need, err error) {
	found, err := c.Records.Search(ctx, Query{
		Status: string(wire.Confirmed),
		From:   now.AddDate(0, 0, -7),
		Limit:  100,
	})
	n := need{Name: "overpaid", Kind: "warn"}
	for _, s := range found.Sessions {
		o := c.Checkout.Object(s)
		if o.OverpaidAmount == "" || s.Current().ConfirmedByOperator() {
			continue
		}

		done, err := c.Records.Actions(ctx, ActionQuery{Session: s.ID, Limit: 100})
		if err != nil {
			return nil, err
		}
		if isSettled(done.Actions) {
			continue
		}

		more := formatSum(o.OverpaidAmount) + " " + s.Current().CurrencySymbol + " too much"
		n.Items = append(n.Items, needItem{
			Payment: nameOf(s),
			Price:   priceOf(s.Order),
			Notes:   []string{more, formatRelative(s.CreatedAt, now)},
		})
	}

	n.Count = len(n.Items)
	if n.Count > 0 {
		n.Items = n.Items[:min(n.Count, maxItems)]
		list = append(list, n)
	}

	return list, err
}

// rateNeeds are exchange rates that wait for an operator, and a source without usable ones.
func (c *console) rateNeeds(ctx context.Context, now time.Time) (list []need, err error) {
	if c.Exchange == nil {
		return nil, nil
	}
	state, err := c.Exchange.Load(ctx)
	if err != nil {
		return nil, err
	}

	tooOld := 0
	for _, entry := range state.Currencies {
		_, reason := entry.Usable(now)
		if reason == rates.TooOld {
			tooOld++
		}
	}
	failures := state.Schedule.Failures
	if tooOld > 0 || failures > 0 {
		n := need{
			Name: "rates", Kind: "warn", Count: tooOld, Tried: failures,
			Answer: state.Schedule.Failure,
		}
		if tooOld > 0 || len(state.Currencies) == 0 { // nothing can be opened
			n.Kind = "bad"
		}
		list = append(list, n)
	}

	held := heldRates(state, now)
	if len(held) > 0 {
		n := need{Name: "held", Kind: "warn", Count: len(held)}
		if slices.ContainsFunc(held, func(h heldRate) bool { return h.State.Kind == "bad" }) {
			n.Kind = "bad" // prices are refused
		}
		for _, h := range held[:min(len(held), maxItems)] {
			n.Items = append(n.Items, needItem{Code: h.Currency, Notes: []string{
				h.Change, "from $" + h.InUse.USDPerUnit() + " to $" + h.Held.USDPerUnit(),
			}})
		}
		list = append(list, n)
	}
	return list, nil
}

// originNeeds are host pages that wanted to show a payment in the last day. Without one,
// anybody can pretend to be any: those are on a page of their own only.
func (c *console) originNeeds(ctx context.Context, now time.Time) ([]need, error) {
	refused, err := c.Records.RefusedOrigins(ctx)
	if err != nil {
		return nil, err
	}

	var items []needItem
	for _, o := range refused {
		if o.Sessions > 0 && now.Sub(o.LastAt) < 24*time.Hour {
			items = append(items, needItem{
				Origin: o.Origin,
				Notes:  []string{formatPlural(o.Times, "time"), formatRelative(o.LastAt, now)},
			})
		}
	}
	if len(items) == 0 {
		return nil, nil
	}

	return []need{{
		Name:  "origins",
		Kind:  "warn",
		Count: len(items),
		Items: items[:min(len(items), maxItems)],
	}}, nil
}

// maxTallyAge is how old the overview's figures may be: counting reads a row of each
// session of 60 days, seconds for a million.
const maxTallyAge = 30 * time.Second

// tally is the overview's figures, counted once for all operators. The zero value has none.
type tally struct {
	mu     sync.Mutex // guards the fields below, and is held while it is counted
	from   time.Time
	at     time.Time // when counting began
	counts []OrderCount
}

// of returns the counts of the days from…to, as they were 30 seconds ago at the
// earliest. The list is not the caller's to change. Errors: the database's.
func (t *tally) of(
	ctx context.Context, r Searcher, from, to, now time.Time,
) ([]OrderCount, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	age := now.Sub(t.at)
	if t.from.Equal(from) && age >= 0 && age < maxTallyAge {
		return t.counts, nil
	}

	counts, err := r.Tally(ctx, from, to)
	if err != nil {
		return nil, err
	}

	t.from = from
	t.at = now
	t.counts = counts
	return counts, nil
}
