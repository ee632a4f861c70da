package admin

import (
	"context"
	"fmt"
	"time"

	"coinslot/app/widget/node"
	"coinslot/bff/admin/page"
	"coinslot/bff/outbox"
)

// reroutePath is where webhooks to a URL that is not configured are moved from.
const reroutePath = webhooksPath + "/move"

// unrouted shows the URLs that are not configured and have open webhooks; nil if there
// are none. configured reports whether there is a URL to move them to.
func (s *console) unrouted(v *visit, configured bool) (node.Node, error) {
	list, err := s.Rerouting.Unrouted(v.r.Context())
	if err != nil || len(list) == 0 {
		return nil, err
	}
	var rows [][]node.Node
	for _, b := range list {
		action := page.Text("Set COINSLOT_WEBHOOK_URL first")
		if configured {
			action = page.Form{
				Path: reroutePath, Token: v.token(), Button: "Send to the configured URL",
				Part: "reroute", Quiet: true,
				Hidden: []page.Option{{Value: "endpoint", Label: marked(b.Endpoint)}},
			}.Draw()
		}
		rows = append(rows, []node.Node{
			page.Foreign(host(b.Endpoint)), page.Badge("bad", "Not configured"),
			page.Text(most(b.Waiting)), page.Ago(b.OldestAt, v.now()), action,
		})
	}
	return page.Block("unrouted", "URLs that are not configured",
		page.El("p").Text("No running server has these URLs in COINSLOT_WEBHOOK_URL, so nobody "+
			"sends these webhooks. You can send them to the configured URLs: each gets the events "+
			"that it does not have. What all of them have is closed."),
		page.Table{
			Caption: "URLs that are not configured", Rows: rows,
			Columns: []page.Column{
				{Name: "URL"}, {Name: "State"}, {Name: "Waiting", Number: true},
				{Name: "Oldest due"}, {Name: ""},
			},
		}.Draw()), nil
}

// reroute is POST /admin/webhooks/move: it moves what is open to a URL that is not
// configured.
func (s *console) reroute(v *visit) (to, done string, err error) {
	list, err := s.Rerouting.Unrouted(v.r.Context())
	if err != nil {
		return "", "", err
	}
	mark := v.r.PostFormValue("endpoint")
	for _, b := range list {
		if marked(b.Endpoint) == mark {
			return s.rerouteFrom(v, b)
		}
	}
	return "", "", outbox.ErrEndpoint
}

func (s *console) rerouteFrom(v *visit, b outbox.Backlog) (to, done string, err error) {
	var moved outbox.Rerouted
	detail := most(b.Waiting) + " to " + host(b.Endpoint)
	err = v.attempt("webhook.reroute", "", detail, func() (err error) {
		// Half of the way is no harm, but the operator has asked for all of it.
		ctx := context.WithoutCancel(v.r.Context())
		moved, err = s.Rerouting.Reroute(ctx, b.Endpoint)
		return err
	})
	if err != nil {
		return "", "", err
	}
	s.Deliver()
	v.Log.Info("open webhooks moved by an operator", "from", host(b.Endpoint),
		"moved", moved.Moved, "closed", moved.Closed, "more", moved.More)
	switch {
	case moved.More:
		return webhooksPath, "rerouted-some", nil
	case moved.Moved == 0:
		return webhooksPath, "rerouted-none", nil
	}
	return webhooksPath, "rerouted", nil
}

// unroutedNeed says on the overview that webhooks are open to a URL that is not
// configured.
func (s *console) unroutedNeed(ctx context.Context, _ time.Time) (list []need, err error) {
	endpoints, err := s.Rerouting.Unrouted(ctx)
	for _, b := range endpoints {
		list = append(list, need{
			kind:  "bad",
			title: page.Plural(b.Waiting, "webhook") + " to a URL that is not configured",
			words: fmt.Sprintf("Nobody sends them: no running server has %s in "+
				"COINSLOT_WEBHOOK_URL. Add it again, or send them to the configured URL.",
				host(b.Endpoint)),
			to: webhooksPath, label: "Webhooks",
		})
	}
	return list, err
}
