package console

import (
	"context"
	"slices"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/records"
)

const overviewPath = "/admin"

type overviewView struct {
	Needs []need // the gravest first
	Chart *chart // nil = there were no orders
}

// need is one thing that needs attention.
type need struct {
	Kind, Title, Text string // Kind is that of a badge: how urgent it is
	More              link   // zero = none
	Items             []needItem
}

// needItem is one payment or one origin of a need.
type needItem struct {
	Payment           orderName // zero = it is an origin
	AmountUSD, Origin string
	Notes             []string
}

// maxItems is how many things of a need are named one by one.
const maxItems = 5

// overview is GET /admin: what needs attention now, and how the last days were.
func (c *console) overview(r *request) (page, error) {
	var view overviewView
	for _, find := range []func(context.Context, time.Time) ([]need, error){
		c.reviewNeeds, c.gatewayNeeds, c.preparingNeeds, c.unroutedNeeds, c.endpointNeeds,
		c.originNeeds,
	} {
		found, err := find(r.r.Context(), r.now())
		if err != nil {
			return page{}, err
		}
		view.Needs = append(view.Needs, found...)
	}
	tomorrow := r.now().Truncate(24*time.Hour).AddDate(0, 0, 1)
	from := tomorrow.AddDate(0, 0, -chartDays)
	counts, err := c.tally.of(r.r.Context(), c.Records, from, tomorrow, r.now())
	if err != nil {
		return page{}, err
	}
	if len(counts) > 0 {
		view.Chart = newChart(counts, from)
	}
	return page{Title: "Overview", Section: overviewPath, template: "overview", View: view}, nil
}

// reviewNeeds are the payments that an operator has to resolve.
func (c *console) reviewNeeds(ctx context.Context, now time.Time) ([]need, error) {
	n, err := c.Count(ctx, string(wire.Review))
	if err != nil || n == 0 {
		return nil, err
	}
	found, err := c.Records.Search(ctx, records.Query{
		Status: string(wire.Review), Limit: maxItems,
	})
	if err != nil {
		return nil, err
	}
	reviews := need{
		Kind: "bad", Title: plural(n, "payment") + " in review",
		Text: "Reported as paid, but not proven: nothing ships until you settle them.",
		More: link{paymentsPath + "?status=review", "All of them"},
	}
	for _, s := range found.Sessions {
		why := explainReview(c.Checkout.Object(s).ReviewReason).What
		reviews.Items = append(reviews.Items, needItem{
			Payment: nameOf(s), AmountUSD: s.Order.AmountUSD.StringFixed(2),
			Notes: []string{why, relative(s.CreatedAt, now)},
		})
	}
	return []need{reviews}, nil
}

// gatewayTimeout is how long the overview waits for the gateway.
const gatewayTimeout = 2 * time.Second

// gatewayNeeds says that the gateway does not answer. It is asked, if that was not
// just done, so that a quiet night does not hide it.
func (c *console) gatewayNeeds(ctx context.Context, now time.Time) ([]need, error) {
	asking, cancel := context.WithTimeout(ctx, gatewayTimeout)
	defer cancel()
	_, err := c.Checkout.Currencies(asking)
	since := c.Checkout.GatewayDown()
	switch {
	case err != nil && since.IsZero():
		since = now.Add(-gatewayTimeout)
	case since.IsZero():
		return nil, nil
	}
	return []need{{
		Kind: "bad", Title: "The gateway does not answer",
		Text: "For " + formatDuration(now.Sub(since)) +
			", so no new payment can begin. It is tried again by itself, and payments that " +
			"have begun are looked at as soon as it is back. The log of the server says what " +
			"it answers: with 401 or 403, correct COINSLOT_GATEWAY_KEY and start the server " +
			"again. The command “coinslot check” tries the key.",
	}}, nil
}

// preparingNeeds are payments for which the gateway has not given an address yet; a few are
// normal.
func (c *console) preparingNeeds(ctx context.Context, _ time.Time) ([]need, error) {
	n, err := c.Count(ctx, string(wire.Preparing))
	if err != nil || n < 3 {
		return nil, err
	}
	return []need{{
		Kind: "warn", Title: plural(n, "payment") + " being prepared",
		Text: "They wait for the gateway to give an address. More than a few for more than " +
			"a minute mean that it is slow.",
		More: link{paymentsPath + "?status=preparing", "Look at them"},
	}}, nil
}

// unroutedNeeds are webhooks that are open to a URL that is not configured.
func (c *console) unroutedNeeds(ctx context.Context, _ time.Time) (list []need, err error) {
	endpoints, err := c.Rerouting.Unrouted(ctx)
	for _, b := range endpoints {
		list = append(list, need{
			Kind: "bad", Title: plural(b.Waiting, "webhook") + " to a URL that is not configured",
			Text: "Nobody sends them: no running server has " + host(b.Endpoint) +
				" in COINSLOT_WEBHOOK_URL. Add it again, or send them to the configured URL.",
			More: link{webhooksPath, "Webhooks"},
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
		late := !b.OldestAt.IsZero() && now.Sub(b.OldestAt) > 5*time.Minute
		switch {
		case slices.Contains(gone, b.Endpoint):
			list = append(list, need{
				Kind: "bad", Title: "An endpoint is off",
				Text: host(b.Endpoint) +
					" has answered 410, so nothing is sent to it until the server is restarted. " +
					"Mend it, or take it out of COINSLOT_WEBHOOK_URL.",
				More: link{webhooksPath, "Webhooks"},
			})
		case b.Abandoned > 0:
			list = append(list, need{
				Kind: "bad", Title: plural(b.Abandoned, "webhook") + " given up",
				Text: host(b.Endpoint) +
					" did not take them for 30 days, or said 410. Send them again, or take the " +
					"endpoint out of COINSLOT_WEBHOOK_URL.",
				More: link{webhooksPath + "?state=abandoned", "Look at them"},
			})
		case late:
			list = append(list, need{
				Kind: "warn", Title: plural(b.Waiting, "webhook") + " waiting",
				Text: host(b.Endpoint) + " has not taken the oldest for " +
					formatDuration(now.Sub(b.OldestAt)) + ".",
				More: link{webhooksPath + "?state=retrying", "Look at them"},
			})
		}
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
				Origin: o.Origin, Notes: []string{plural(o.Times, "time"), relative(o.LastAt, now)},
			})
		}
	}
	if len(items) == 0 {
		return nil, nil
	}
	return []need{{
		Kind: "warn", Title: plural(len(items), "host page") + " refused today",
		Text: "They wanted to show the checkout and are not in COINSLOT_ORIGINS. If one is " +
			"yours, add it.",
		More: link{originsPath, "All of them"}, Items: items[:min(len(items), maxItems)],
	}}, nil
}

// maxTallyAge is how old the overview's figures may be: counting reads a row of each
// session of 30 days, seconds for a million.
const maxTallyAge = 30 * time.Second

// tally is the overview's figures, counted once for all operators. The zero value has none.
type tally struct {
	mu     sync.Mutex // guards the fields below, and is held while it is counted
	from   time.Time
	at     time.Time // when counting began
	counts []records.Count
}

// of returns the counts of the days from…to, as they were 30 seconds ago at the
// earliest. The list is not the caller's to change. Errors: the database's.
func (t *tally) of(
	ctx context.Context, r records.Searcher, from, to, now time.Time,
) ([]records.Count, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if age := now.Sub(t.at); t.from.Equal(from) && age >= 0 && age < maxTallyAge {
		return t.counts, nil
	}
	counts, err := r.Tally(ctx, from, to)
	if err != nil {
		return nil, err
	}
	t.from, t.at, t.counts = from, now, counts
	return counts, nil
}
