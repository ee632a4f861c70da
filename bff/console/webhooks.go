package console

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"coinslot/bff/webhook"
)

const webhooksPath = "/admin/webhooks"

type webhooksView struct {
	Endpoints, Unrouted []endpointRow // Unrouted are URLs that are not configured any more
	Filter              filter
	Deliveries          []deliveryRow
	Pager               pager
}

// endpointRow is what waits for one URL.
type endpointRow struct {
	Host               string
	State              badge
	Gone               bool // nothing is sent to it
	Waiting, Abandoned string
	Oldest             moment
	Move               form // sends what waits to the configured URLs
}

// deliveryRow is one webhook to one endpoint.
type deliveryRow struct {
	Type, Session, Host string
	At                  time.Time // of the event
	State               badge
	Answer              string // of the last try; empty = none
	Tries               int
	TriedAt, NextAt     moment
	Due                 bool   // NextAt has come
	Resend              string // address of the page that asks
}

// webhooks is GET /admin/webhooks: the merchant's endpoints, what waits for them,
// and what was sent.
func (c *console) webhooks(r *request) (page, error) {
	q, form := deliveryQuery(r.r.URL.Query())
	q.Limit = pageSize
	found, err := c.Records.Deliveries(r.r.Context(), q)
	if err != nil {
		return page{}, err
	}

	endpoints, err := c.Records.Backlogs(r.r.Context())
	if err != nil {
		return page{}, err
	}

	unrouted, err := c.Rerouting.Unrouted(r.r.Context())
	if err != nil {
		return page{}, err
	}

	view := webhooksView{
		Filter: filterOf(webhooksPath, form, []field{
			choiceField("state", "State", form, []string{"retrying", "abandoned"}),
			sessionField(form),
		}),
		Pager: pagerOf(webhooksPath, form, found.Next, len(found.Rows)),
	}
	for _, b := range endpoints {
		view.Endpoints = append(view.Endpoints, r.endpoint(b))
	}

	for _, b := range unrouted {
		view.Unrouted = append(view.Unrouted, r.unrouted(b))
	}

	for _, d := range found.Rows {
		view.Deliveries = append(view.Deliveries, r.delivery(d, true))
	}

	return page{
		Title:   "Webhooks",
		Section: webhooksPath,
		Lead:    "Events for your server, and whether it has accepted them.",
		Tools: []tool{
			{To: testPath, Label: "Send a test", Part: "test"},
			{To: replayPath, Label: "Resend a period", Part: "replay"},
			exportTool(webhooksPath, form),
		},
		template: "webhooks",
		View:     view,
	}, nil
}

// deliveryQuery reads the filters.
func deliveryQuery(values url.Values) (webhook.DeliveryQuery, url.Values) {
	form := parseFilters(values, "state", "session", "cursor")
	return webhook.DeliveryQuery{
		State:   webhook.DeliveryState(form.Get("state")),
		Session: form.Get("session"),
		Cursor:  form.Get("cursor"),
	}, form
}

func (r *request) endpoint(b webhook.Backlog) endpointRow {
	row := endpointRow{
		Host:      endpointHost(b.Endpoint),
		State:     badge{Kind: "good", Word: "Up to date"},
		Gone:      slices.Contains(r.Gone(), b.Endpoint),
		Waiting:   formatCappedCount(b.Waiting),
		Abandoned: formatCappedCount(b.Abandoned),
		Oldest:    moment{b.OldestAt, r.now()},
	}
	switch {
	case row.Gone:
		row.State = badge{Kind: "bad", Word: "Disabled: answered 410"}
	case b.Retrying > 0:
		row.State = badge{Kind: "warn", Word: "Failing"}
	case !b.OldestAt.IsZero() && r.now().Sub(b.OldestAt) > time.Minute:
		row.State = badge{Kind: "warn", Word: "Behind"}
	}

	return row
}

func (r *request) unrouted(b webhook.Backlog) endpointRow {
	return endpointRow{
		Host:    endpointHost(b.Endpoint),
		Waiting: formatCappedCount(b.Waiting),
		Oldest:  moment{b.OldestAt, r.now()},
		Move: form{
			Path:   reroutePath,
			Token:  r.FormToken(),
			Button: "Send to the configured URL",
			Part:   "reroute",
			Quiet:  true,
			Hidden: []hidden{{"endpoint", endpointID(b.Endpoint)}},
		},
	}
}

// delivery is a webhook in one row. inList: its button returns to the list of all webhooks.
func (r *request) delivery(d webhook.DeliveryRow, inList bool) deliveryRow {
	now := r.now()
	row := deliveryRow{
		Type:    string(d.Type),
		Session: d.Session,
		Host:    endpointHost(d.Endpoint),
		At:      d.At,
		State:   deliveryStates[d.State],
		Answer:  withoutMarkup(d.Note),
		Tries:   d.Tries,
		TriedAt: moment{d.TriedAt, now},
		NextAt:  moment{d.NextAt, now},
		Due:     !d.NextAt.After(now),
	}
	values := url.Values{"event": {d.Event}, "endpoint": {endpointID(d.Endpoint)}}
	if inList {
		values.Set("back", "list")
	}

	row.Resend = redeliverPath + "?" + values.Encode()
	switch {
	case isSending(d, now) && !slices.Contains(r.Gone(), d.Endpoint):
		row.State.Word = "Sending…"
	case d.Status != 0:
		row.State.Word += " · " + strconv.Itoa(d.Status)
	}

	return row
}

// isSending reports whether the next try of a delivery is due or under way.
func isSending(d webhook.DeliveryRow, now time.Time) bool {
	return d.State == webhook.DeliveryWaiting && !d.NextAt.After(now)
}

var deliveryStates = map[webhook.DeliveryState]badge{
	webhook.DeliveryDone:      {Kind: "good", Word: "Delivered"},
	webhook.DeliveryWaiting:   {Kind: "wait", Word: "Waiting"},
	webhook.DeliveryRetrying:  {Kind: "warn", Word: "Retrying"},
	webhook.DeliveryAbandoned: {Kind: "bad", Word: "Abandoned"},
}

// exportWebhooks is GET /admin/webhooks.csv.
func (c *console) exportWebhooks(r *request, values url.Values) (exportFile, error) {
	q, _ := deliveryQuery(values)
	q.Limit = exportReadSize
	return exportFile{
		Columns: []string{
			"event", "type", "session", "at", "endpoint", "state", "tries", "status", "answer",
			"last_try", "next_try",
		},
		Pages: rowsByCursor(func(cursor string) (rows [][]string, next string, err error) {
			q.Cursor = cursor
			found, err := c.Records.Deliveries(r.r.Context(), q)
			for _, d := range found.Rows {
				rows = append(rows, []string{
					d.Event, string(d.Type), d.Session,
					formatTimestamp(d.At), endpointHost(d.Endpoint),
					string(d.State), strconv.Itoa(d.Tries), exportNumber(d.Status), d.Note,
					formatTimestamp(d.TriedAt), formatTimestamp(d.NextAt),
				})
			}
			return rows, found.Next, err
		}),
	}, nil
}
