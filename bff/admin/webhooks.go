package admin

import (
	"cmp"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/admin/page"
	"coinslot/bff/outbox"
)

const (
	webhooksPath = "/admin/webhooks"
	replayPath   = webhooksPath + "/replay"
	// mostReplayed is how many events one replay sends again.
	mostReplayed = 10_000
)

// webhooks is GET /admin/webhooks: the merchant's endpoints, what waits for them,
// and what was sent.
func (s *console) webhooks(v *visit) (page.Page, error) {
	q, form := deliveryQuery(v.query())
	q.Limit = rowsOfAPage
	found, err := s.Records.Deliveries(v.r.Context(), q)
	if err != nil {
		return page.Page{}, err
	}
	endpoints, err := s.endpoints(v)
	if err != nil {
		return page.Page{}, err
	}
	var rows [][]node.Node
	for _, d := range found.Rows {
		rows = append(rows, s.sent(v, d))
	}
	return page.Page{
		Title: "Webhooks", Section: webhooksPath,
		Lead: "What your server is told, and whether it has taken it.",
		Tools: []node.Node{
			page.El("a").Class("button").Attr("href", testPath).Attr("data-part", "test").
				Text("Send a test"),
			page.El("a").Class("button").Attr("href", replayPath).Attr("data-part", "replay").
				Text("Send a range again"),
			page.Export(webhooksPath+".csv", without(form, "cursor")),
		},
		Body: append(endpoints,
			page.Block("deliveries", "Deliveries",
				page.Filter(webhooksPath, len(without(form, "cursor")) > 0,
					page.Field{
						Name: "state", Label: "State", Type: "select", Value: form.Get("state"),
						Options: []page.Option{
							{Value: anyStatus, Label: "All"},
							{Value: "retrying", Label: "Retrying"},
							{Value: "abandoned", Label: "Given up"},
						},
					},
					page.Field{
						Name: "session", Label: "Payment", Value: form.Get("session"), Wide: true,
						Placeholder: "cs_…",
					}),
				page.Table{Caption: "Webhooks, those of the newest event first", Rows: rows,
					Empty: "No webhook is like that.",
					Columns: []page.Column{
						{Name: "Event", Whole: true}, {Name: "Payment", Whole: true}, {Name: "To"},
						{Name: "Last answer"}, {Name: "Tries"}, {Name: "Next try"}, {Name: ""},
					}}.Draw(),
				page.Pager(webhooksPath, form, found.Next, len(rows)))),
	}, nil
}

// deliveryQuery reads the filters.
func deliveryQuery(values url.Values) (outbox.DeliveryQuery, url.Values) {
	form := url.Values{}
	for _, name := range []string{"state", "session", "cursor"} {
		form.Set(name, strings.TrimSpace(values.Get(name)))
	}
	if strings.EqualFold(form.Get("state"), anyStatus) {
		form.Del("state")
	}
	return outbox.DeliveryQuery{
		State: outbox.DeliveryState(form.Get("state")), Session: form.Get("session"),
		Cursor: form.Get("cursor"),
	}, form
}

// endpoints is what waits for each of them, and for URLs that are none any more.
func (s *console) endpoints(v *visit) ([]node.Node, error) {
	list, err := s.Records.Backlogs(v.r.Context())
	if err != nil {
		return nil, err
	}
	gone := s.gone()
	var rows [][]node.Node
	for _, b := range list {
		state := page.Badge("good", "Up to date")
		switch {
		case slices.Contains(gone, b.Endpoint):
			state = page.El("span").Body(
				page.Badge("bad", "Off: has said 410"),
				page.El("small").Class("below").Text(
					"Nothing is sent to it until the server is restarted.",
				),
			)
		case b.Retrying > 0:
			state = page.Badge("warn", "Failing")
		case !b.OldestAt.IsZero() && v.now().Sub(b.OldestAt) > time.Minute:
			state = page.Badge("warn", "Behind")
		}
		rows = append(rows, []node.Node{
			page.Foreign(host(b.Endpoint)), state, page.Text(most(b.Waiting)),
			page.Ago(b.OldestAt, v.now()), page.Text(most(b.Abandoned)),
		})
	}
	unrouted, err := s.unrouted(v, len(list) > 0)
	if err != nil {
		return nil, err
	}
	blocks := []node.Node{page.Block("endpoints", "Endpoints", page.Table{
		Caption: "Endpoints of COINSLOT_WEBHOOK_URL", Rows: rows,
		Empty: "None is set: COINSLOT_WEBHOOK_URL says where webhooks go.",
		Columns: []page.Column{
			{Name: "Endpoint"}, {Name: "State"}, {Name: "Waiting", Number: true},
			{Name: "Oldest due"},
			{Name: "Given up", Number: true},
		},
	}.Draw())}
	if unrouted != nil {
		blocks = append(blocks, unrouted)
	}
	return blocks, nil
}

// gone are the endpoints to which nothing is sent any more.
func (s *console) gone() []string {
	if s.Gone == nil {
		return nil
	}
	return s.Gone()
}

// most is a count that ends at 10,000.
func most(n int) string {
	if n >= 10_000 {
		return "10,000 or more"
	}
	return page.Count(n)
}

// sent is one delivery in a row.
func (s *console) sent(v *visit, d outbox.DeliveryRow) []node.Node {
	return []node.Node{
		page.El("span").Body(
			page.Code(string(d.Type)), page.El("small").Class("below").Body(page.Time(d.At)),
		),
		page.Link(paymentPath(d.Session), page.Short(d.Session)), page.Foreign(host(d.Endpoint)),
		answered(d),
		tries(d, v.now()), soon(d.NextAt, v.now()),
		v.sendAgain(d, true),
	}
}

// answered is how a delivery stands, and what the endpoint has said.
func answered(d outbox.DeliveryRow) node.Node {
	return page.El("span").Body(delivered(d), node.If(d.Note != "", func() node.Node {
		return page.El("small").Class("below").Body(page.Foreign(worded(d.Note)))
	}))
}

// markup is what the page of an error has around its words.
var markup = regexp.MustCompile(`(?is)<style.*?(</style>|$)|<[^>]*(>|$)`)

// worded is an endpoint's answer without markup: of a page's beginning, which is
// all that is kept, the words are what helps. An answer without words is left as it is.
func worded(answer string) string {
	if !strings.HasPrefix(answer, "<") {
		return answer
	}
	words := strings.Join(
		strings.Fields(html.UnescapeString(markup.ReplaceAllString(answer, " "))), " ",
	)
	return cmp.Or(words, answer)
}

// tries is how often it was tried, and when last.
func tries(d outbox.DeliveryRow, now time.Time) node.Node {
	if d.TriedAt.IsZero() {
		return page.Text(page.Count(d.Tries))
	}
	return page.El("span").Body(
		page.Text(page.Count(d.Tries)),
		page.El("small").Class("below").Attr("title", stamp(d.TriedAt)).Text(
			"last "+page.Apart(d.TriedAt, now),
		),
	)
}

// soon is how soon something is due.
func soon(t, now time.Time) node.Node {
	switch {
	case t.IsZero():
		return page.None()
	case !t.After(now):
		return page.Text("now")
	}
	return page.El("span").Attr("title", stamp(t)).Text(page.Apart(t, now))
}

// webhooksFile is GET /admin/webhooks.csv.
func (s *console) webhooksFile(v *visit, values url.Values) (sheet, error) {
	q, _ := deliveryQuery(values)
	q.Limit = rowsOfARead
	pages := pagewise(func(cursor string) (rows [][]string, next string, err error) {
		q.Cursor = cursor
		found, err := s.Records.Deliveries(v.r.Context(), q)
		for _, d := range found.Rows {
			status := ""
			if d.Status != 0 {
				status = page.Plain(d.Status)
			}
			rows = append(rows, []string{
				d.Event, string(d.Type), d.Session, stamp(d.At), host(d.Endpoint), string(d.State),
				page.Plain(d.Tries), status, d.Note, stamp(d.TriedAt), stamp(d.NextAt),
			})
		}
		return rows, found.Next, err
	})
	return sheet{
		[]string{
			"event", "type", "session", "at", "endpoint", "state", "tries", "status", "answer",
			"last_try", "next_try",
		},
		pages,
	}, nil
}

// asksReplay is GET /admin/webhooks/replay: which time is to be told again.
func (s *console) asksReplay(v *visit) (page.Page, error) {
	now := v.now()
	field := func(name, label string, at time.Time) page.Field {
		return page.Field{
			Name: name, Label: label, Type: "datetime-local", Value: at.Format(minuteForm),
			Required: true,
		}
	}
	return page.Page{
		Title: "Send the webhooks of a time again?", Section: webhooksPath,
		Back: page.Back{To: webhooksPath, Label: "Webhooks"},
		Body: []node.Node{page.Confirm(page.El("p").Text(
			"For a server that was down or has lost something. Payments are not touched.",
		), []string{
			"Every event of that time is sent to every endpoint that is set now, delivered " +
				"before or not.",
			"Each has the id and the body that it had: a server that keeps ids takes nothing " +
				"twice.",
			"At most " + page.Count(mostReplayed) +
				" events are sent; you are told if there are more.",
		}, nil, page.Form{Path: replayPath, Token: v.token(), Button: "Send again",
			Part: "do-replay", Cancel: webhooksPath, Fields: []page.Field{
				field("from", "From (UTC)", now.Add(-24*time.Hour)),
				field("to", "Until (UTC)", now.Add(time.Minute)),
			}})},
	}, nil
}

// minuteForm is how browsers send a date with a time.
const minuteForm = "2006-01-02T15:04"

// replay is POST /admin/webhooks/replay.
func (s *console) replay(v *visit) (to, done string, err error) {
	from, err := minute(v.r.PostFormValue("from"))
	if err != nil {
		return "", "", err
	}
	until, err := minute(v.r.PostFormValue("to"))
	if err != nil {
		return "", "", err
	}
	if !until.After(from) || from.After(v.now()) {
		return "", "", &wire.Error{Code: wire.CodeInvalid, Param: "to"}
	}
	var again outbox.Replayed
	err = v.attempt("webhook.replay", "", stamp(from)+" to "+stamp(until), func() (err error) {
		again, err = s.Events.Replay(
			v.r.Context(), outbox.Range{From: from, To: until, Limit: mostReplayed}, v.now(),
		)
		return err
	})
	if err != nil {
		return "", "", err
	}
	s.Deliver()
	v.Log.Info(
		"webhooks are sent again", "events", again.Events, "deliveries", again.Deliveries, "more",
		again.More,
	)
	switch {
	case again.Events == 0:
		return webhooksPath, "replayed-none", nil
	case again.More:
		return webhooksPath, "replayed-some", nil
	}
	return webhooksPath, "replayed", nil
}

// minute reads a date with a time, of UTC.
func minute(text string) (time.Time, error) {
	for _, form := range []string{minuteForm, minuteForm + ":05"} {
		if t, err := time.Parse(form, text); err == nil && t.Year() >= 2000 && t.Year() <= 2200 {
			return t, nil
		}
	}
	return time.Time{}, &wire.Error{Code: wire.CodeInvalid, Param: "from"}
}
