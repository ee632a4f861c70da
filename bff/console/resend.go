package console

import (
	"context"
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/webhook"
)

const (
	// redeliverPath is where a webhook is sent again from, on any page.
	redeliverPath = webhooksPath + "/send"
	// reroutePath is where webhooks to a URL that is not configured are moved from.
	reroutePath = webhooksPath + "/move"
	replayPath  = webhooksPath + "/replay"
	// maxReplayed is how many events one replay resends; words.json has it too.
	maxReplayed = 10_000
)

// findEndpoint is the one with that id among some.
func findEndpoint(id string, list []webhook.Backlog) (webhook.Backlog, error) {
	i := slices.IndexFunc(list, func(b webhook.Backlog) bool {
		return endpointID(b.Endpoint) == id
	})
	if i < 0 {
		return webhook.Backlog{}, webhook.ErrEndpoint
	}
	return list[i], nil
}

// findDelivery returns the delivery that a form or an address names; its state is empty if its
// event was never sent to that endpoint.
func (r *request) findDelivery() (d webhook.DeliveryRow, err error) {
	ctx := r.r.Context()
	d.Event = r.r.FormValue("event")
	d.Session, err = r.Records.SessionOf(ctx, d.Event)
	if err != nil {
		return d, err
	}

	configured, err := r.Records.Backlogs(ctx)
	if err != nil {
		return d, err
	}

	b, err := findEndpoint(r.r.FormValue("endpoint"), configured)
	if err != nil {
		return d, err
	}

	d.Endpoint = b.Endpoint
	found, err := r.Records.Deliveries(ctx, webhook.DeliveryQuery{Session: d.Session, Limit: 100})
	for _, row := range found.Rows {
		if row.Event == d.Event && row.Endpoint == d.Endpoint {
			return row, nil
		}
	}

	return d, err
}

// confirmRedeliver is GET /admin/webhooks/send: which webhook is to be sent again.
func (c *console) confirmRedeliver(r *request) (page, error) {
	d, err := r.findDelivery()
	if err != nil {
		return page{}, err
	}

	back := link{paymentPath(d.Session), "The payment"}
	if r.r.FormValue("back") == "list" {
		back = link{webhooksPath, "Webhooks"}
	}

	p := r.confirmPage("send", nil, back, form{
		Path: redeliverPath,
		Part: "do-redeliver",
		Hidden: []hidden{
			{"event", d.Event}, {"endpoint", endpointID(d.Endpoint)},
			{"back", r.r.FormValue("back")}, {"tried", d.TriedAt.Format(time.RFC3339Nano)},
		},
	})
	view := p.View.(confirmation)
	row := r.delivery(d, false)
	view.Webhook = &row
	p.View = view
	return p, nil
}

// redeliver is POST /admin/webhooks/send: the delivery of an event to an endpoint is due now. A
// second click sends nothing: the delivery is being sent, or was tried since the page was shown.
// It leads back to where it was requested.
func (c *console) redeliver(r *request) error {
	d, err := r.findDelivery()
	if err != nil {
		return err
	}

	tried := r.r.PostFormValue("tried")
	if !isSending(d, r.now()) && tried == d.TriedAt.Format(time.RFC3339Nano) {
		detail := d.Event + " to " + endpointHost(d.Endpoint)
		err = r.record("webhook.redeliver", d.Session, detail)
		if err != nil {
			return err
		}

		err = c.Records.Redeliver(r.r.Context(), d.Event, d.Endpoint)
		r.recordResult("webhook.redeliver", d.Session, err)
		if err != nil {
			return err
		}
	}

	c.Deliver()
	to := paymentPath(d.Session)
	if r.r.PostFormValue("back") == "list" {
		to = webhooksPath
	}
	if slices.Contains(c.Gone(), d.Endpoint) {
		return r.redirect(to, "sent-later")
	}
	return r.redirect(to, "sent-again")
}

// reroute is POST /admin/webhooks/move: it moves what is open to a URL that is not
// configured.
func (c *console) reroute(r *request) error {
	ctx := r.r.Context()
	list, err := c.Rerouting.Unrouted(ctx)
	if err != nil {
		return err
	}

	b, err := findEndpoint(r.r.PostFormValue("endpoint"), list)
	if err != nil {
		return err
	}

	detail := formatCappedCount(b.Waiting) + " to " + endpointHost(b.Endpoint)
	err = r.record("webhook.reroute", "", detail)
	if err != nil {
		return err
	}

	// Half of them moved is no harm, but the operator has asked for all.
	moved, err := c.Rerouting.Reroute(context.WithoutCancel(ctx), b.Endpoint)
	r.recordResult("webhook.reroute", "", err)
	if err != nil {
		return err
	}

	c.Deliver()
	r.Log.Info("open webhooks moved by an operator", "from", endpointHost(b.Endpoint),
		"moved", moved.Moved, "closed", moved.Closed, "more", moved.More)
	switch {
	case moved.More:
		return r.redirect(webhooksPath, "rerouted-some")
	case moved.Moved == 0:
		return r.redirect(webhooksPath, "rerouted-none")
	}

	return r.redirect(webhooksPath, "rerouted")
}

// minuteLayout is how browsers send a date with a time.
const minuteLayout = "2006-01-02T15:04"

// onlyUndelivered is the choice to resend only what was not accepted.
const onlyUndelivered = "undelivered"

// confirmReplay is GET /admin/webhooks/replay: which time is to be sent again.
func (c *console) confirmReplay(r *request) (page, error) {
	at := func(name, label string, at time.Time) field {
		return field{
			Name:     name,
			Label:    label,
			Type:     "datetime-local",
			Value:    at.Format(minuteLayout),
			Required: true,
		}
	}
	return r.confirmPage("replay", nil, link{webhooksPath, "Webhooks"}, form{
		Path: replayPath,
		Part: "do-replay",
		Fields: []field{
			at("from", "From ("+c.Zone.String()+")", r.now().Add(-24*time.Hour)),
			at("to", "Until ("+c.Zone.String()+")", r.now().Add(time.Minute)),
			{
				Name:  "only",
				Label: "Which",
				Value: onlyUndelivered,
				Options: []option{
					{onlyUndelivered, "Only those that were not accepted"}, {"", "All"},
				},
			},
		},
	}), nil
}

// replay is POST /admin/webhooks/replay.
func (c *console) replay(r *request) error {
	read := func(name string) (time.Time, error) {
		value := r.r.PostFormValue(name)
		return parseTime(name, value, c.Zone, minuteLayout, minuteLayout+":05")
	}
	from, err := read("from")
	if err != nil {
		return err
	}

	until, err := read("to")
	if err != nil {
		return err
	}
	if !until.After(from) || from.After(r.now()) {
		return &wire.Error{Code: wire.CodeInvalid, Param: "to"}
	}

	span := formatTimestamp(from) + " to " + formatTimestamp(until)
	only := r.r.PostFormValue("only")
	if only != "" {
		span += ", " + onlyUndelivered
	}

	err = r.record("webhook.replay", "", span)
	if err != nil {
		return err
	}

	which := webhook.Range{
		From:        from,
		To:          until,
		Limit:       maxReplayed,
		Undelivered: only != "",
	}
	again, err := c.Events.Replay(r.r.Context(), which, r.now())
	r.recordResult("webhook.replay", "", err)
	if err != nil {
		return err
	}

	c.Deliver()
	r.Log.Info("webhooks replayed by an operator", "events", again.Events,
		"deliveries", again.Deliveries, "more", again.More)
	switch {
	case again.Deliveries == 0:
		return r.redirect(webhooksPath, "replayed-none")
	case again.More:
		return r.redirect(webhooksPath, "replayed-some")
	}

	return r.redirect(webhooksPath, "replayed")
}
