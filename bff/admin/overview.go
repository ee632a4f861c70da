package admin

import (
	"context"
	"slices"
	"time"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/admin/chart"
	"coinslot/bff/admin/page"
	"coinslot/bff/records"
)

// overview is GET /admin: what needs attention now, and how the last days were.
func (s *console) overview(v *visit) (page.Page, error) {
	today := v.now().Truncate(24 * time.Hour)
	from := today.AddDate(0, 0, 1-chart.Days)
	counts, err := s.figures.of(v.r.Context(), s.Records, from, today.AddDate(0, 0, 1), v.now())
	if err != nil {
		return page.Page{}, err
	}
	needs, err := s.needs(v)
	if err != nil {
		return page.Page{}, err
	}
	body := []node.Node{attention(needs)}
	if len(counts) == 0 {
		body = append(
			body, page.El("p").Class("empty").Text("No order has come in the last 30 days."),
		)
	} else {
		body = append(body, chart.Figures(counts), chart.Draw(counts, from))
	}
	return page.Page{Title: "Overview", Section: "/admin", Body: body}, nil
}

// need is one thing that somebody should look at.
type need struct {
	kind  string // of a badge: how urgent it is
	title string
	words string
	to    string
	label string // of the link
	list  []node.Node
}

// mostNamed is how many things of a kind are named one by one.
const mostNamed = 5

// needs are what somebody should look at now, the gravest first.
func (s *console) needs(v *visit) (list []need, err error) {
	for _, find := range []func(context.Context, time.Time) ([]need, error){
		s.reviews, s.gatewayDown, s.stuck, s.unroutedNeed, s.backlogs, s.origins,
	} {
		found, err := find(v.r.Context(), v.now())
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// reviews are the payments that a human has to settle.
func (s *console) reviews(ctx context.Context, now time.Time) ([]need, error) {
	n, err := s.Count(ctx, string(wire.Review))
	if err != nil || n == 0 {
		return nil, err
	}
	found, err := s.Records.Search(ctx, records.Query{
		Status: string(wire.Review), Limit: mostNamed,
	})
	if err != nil {
		return nil, err
	}
	var list []node.Node
	for _, session := range found.Sessions {
		list = append(list,
			page.El("li").Body(order(session),
				page.El("span").Body(page.USD(session.Order.AmountUSD.StringFixed(2))),
				page.El("span").Class("soft").Text(
					reviewed(s.Checkout.Object(session).ReviewReason).what,
				), page.El("span").Class("soft").Text(page.Apart(session.CreatedAt, now))))
	}
	return []need{
		{
			"bad", page.Plural(n, "payment") + " in review",
			"Reported as paid, but not proven: nothing ships until you settle them.",
			paymentsPath + "?status=review", "All of them", list,
		},
	}, nil
}

// gatewayPatience is how long the overview waits for the gateway.
const gatewayPatience = 2 * time.Second

// gatewayDown says that the gateway does not answer. It is asked, if that was not
// just done, so that a quiet night does not hide it.
func (s *console) gatewayDown(ctx context.Context, now time.Time) ([]need, error) {
	asking, cancel := context.WithTimeout(ctx, gatewayPatience)
	defer cancel()
	_, err := s.Checkout.Currencies(asking)
	since := s.Checkout.GatewayDown()
	switch {
	case err != nil && since.IsZero():
		since = now.Add(-gatewayPatience)
	case since.IsZero():
		return nil, nil
	}
	return []need{
		{
			kind: "bad", title: "The gateway does not answer",
			words: "For " + page.Span(now.Sub(since)) +
				", so no new payment can begin. It is tried again by itself, and payments that " +
				"have begun are looked at as soon as it is back. The log of the server says what " +
				"it answers: with 401 or 403, correct COINSLOT_GATEWAY_KEY and start the server " +
				"again. The command “coinslot check” tries the key.",
		},
	}, nil
}

// stuck are payments whose create is not answered for; a few are normal.
func (s *console) stuck(ctx context.Context, _ time.Time) ([]need, error) {
	n, err := s.Count(ctx, string(wire.Preparing))
	if err != nil || n < 3 {
		return nil, err
	}
	return []need{
		{
			kind: "warn", title: page.Plural(n, "payment") + " being prepared",
			words: "They wait for the gateway to give an address. More than a few for more than " +
				"a minute mean that it is slow.",
			to: paymentsPath + "?status=preparing", label: "Look at them",
		},
	}, nil
}

// backlogs are endpoints of the merchant that do not take webhooks.
func (s *console) backlogs(ctx context.Context, now time.Time) (list []need, err error) {
	endpoints, err := s.Records.Backlogs(ctx)
	if err != nil {
		return nil, err
	}
	gone := s.gone()
	for _, b := range endpoints {
		late := !b.OldestAt.IsZero() && now.Sub(b.OldestAt) > 5*time.Minute
		switch {
		case slices.Contains(gone, b.Endpoint):
			list = append(list, need{
				kind: "bad", title: "An endpoint is off",
				words: host(b.Endpoint) +
					" has answered 410, so nothing is sent to it until the server is restarted. " +
					"Mend it, or take it out of COINSLOT_WEBHOOK_URL.",
				to: "/admin/webhooks", label: "Webhooks",
			})
		case b.Abandoned > 0:
			list = append(list, need{
				kind: "bad", title: page.Plural(b.Abandoned, "webhook") + " given up",
				words: host(b.Endpoint) +
					" did not take them for 30 days, or said 410. Send them again, or take the " +
					"endpoint out of COINSLOT_WEBHOOK_URL.",
				to: "/admin/webhooks?state=abandoned", label: "Look at them",
			})
		case late:
			list = append(list, need{
				kind: "warn", title: page.Plural(b.Waiting, "webhook") + " waiting",
				words: host(b.Endpoint) + " has not taken the oldest for " +
					page.Span(now.Sub(b.OldestAt)) + ".",
				to: "/admin/webhooks?state=retrying", label: "Look at them",
			})
		}
	}
	return list, nil
}

// origins are host pages that wanted to show a payment in the last day. Without one,
// anybody can pretend to be any: those are on a page of their own only.
func (s *console) origins(ctx context.Context, now time.Time) ([]need, error) {
	refused, err := s.Records.RefusedOrigins(ctx)
	if err != nil {
		return nil, err
	}
	var list []node.Node
	for _, o := range refused {
		if o.Sessions > 0 && now.Sub(o.LastAt) < 24*time.Hour {
			list = append(
				list,
				page.El("li").Body(
					page.Foreign(o.Origin),
					page.El("span").Class("soft").Text(page.Plural(o.Times, "time")),
					page.El("span").Class("soft").Text(page.Apart(o.LastAt, now)),
				),
			)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	return []need{
		{
			"warn", page.Plural(len(list), "host page") + " refused today",
			"They wanted to show the checkout and are not in COINSLOT_ORIGINS. If one is yours, " +
				"add it.",
			"/admin/origins", "All of them", list[:min(len(list), mostNamed)],
		},
	}, nil
}

// attention lists needs, or says that there are none.
func attention(needs []need) node.Node {
	if len(needs) == 0 {
		return page.El("section").Class("calm").Attr("data-part", "calm").Body(
			page.El("h2").Text("Nothing needs you now"),
			page.El("p").Class("soft").Text(
				"No payment is in review, no webhook is late, and the gateway answers.",
			))
	}
	var list []node.Node
	for _, n := range needs {
		list = append(list, page.El("li").Attr("data-kind", n.kind).Attr("data-part", "need").Body(
			page.El("h3").Text(n.title), page.El("p").Text(n.words),
			node.If(
				len(n.list) > 0,
				func() node.Node { return page.El("ul").Class("named").Body(n.list...) },
			),
			node.If(
				n.to != "",
				func() node.Node { return page.El("p").Body(page.Link(n.to, page.Text(n.label))) },
			),
		))
	}
	return page.El("section").Class("needs").Body(
		page.El("h2").Text("Needs somebody"), page.El("ul").Body(list...),
	)
}
