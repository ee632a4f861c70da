package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/order"
	"coinslot/bff/outbox"
)

// told is an event as the API gives it: what webhooks carry, and its id.
type told struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	At   time.Time       `json:"timestamp"`
	Data json.RawMessage `json:"data"`
}

// listEvents is GET /v1/events: every event that there was, the oldest first.
func (s *server) listEvents(w http.ResponseWriter, r *http.Request) error {
	q, err := filters(r, "after", "session", "limit")
	if err != nil {
		return err
	}
	query := outbox.EventQuery{After: q.Get("after"), Session: q.Get("session")}
	if query.Limit, err = ordinal(q, "limit", 0, 100); err != nil {
		return err
	}
	page, err := s.Events.Events(r.Context(), query)
	if err != nil {
		return stored(err)
	}
	data := make([]told, 0, len(page.Events))
	for _, e := range page.Events {
		t := told{ID: e.ID}
		if err := json.Unmarshal(e.Body, &t); err != nil {
			return stored(err)
		}
		data = append(data, t)
	}
	return respond(w, http.StatusOK, map[string]any{
		"object": "list", "data": data, "next_cursor": page.Next, "has_more": page.More,
	})
}

// maxReplay is how many events one request sends again at most.
const maxReplay = 10_000

// replayEvents is POST /v1/events/replay: it sends the webhooks of a range
// again, with the same ids.
func (s *server) replayEvents(w http.ResponseWriter, r *http.Request) error {
	raw, err := jsonBody(r)
	if err != nil {
		return err
	}
	var body struct {
		From    time.Time `json:"from"`
		To      time.Time `json:"to"`
		Session string    `json:"session"`
		Limit   *int      `json:"limit"`
	}
	if err := order.Strict(raw, &body); err != nil {
		return err
	}
	now, limit := s.Now(), 0 // the store's default
	if body.Limit != nil {
		limit = *body.Limit
	}
	switch {
	case body.From.IsZero() || body.From.After(now):
		return refuse(wire.CodeInvalid, "from")
	case !body.To.After(body.From):
		return refuse(wire.CodeInvalid, "to")
	case body.Limit != nil && limit < 1 || limit > maxReplay:
		return refuse(wire.CodeInvalid, "limit")
	}
	again, err := s.Events.Replay(
		r.Context(),
		outbox.Range{From: body.From, To: body.To, Session: body.Session, Limit: limit}, now,
	)
	if err != nil {
		return stored(err)
	}
	s.Deliver()
	answer := map[string]any{
		"object": "replay", "events": again.Events, "deliveries": again.Deliveries,
		"has_more": again.More,
	}
	if !again.Last.IsZero() {
		answer["last"] = again.Last.UTC()
	}
	return respond(w, http.StatusOK, answer)
}

// trial is what has come of a test at one endpoint, as the API gives it.
type trial struct {
	Number   int    `json:"number"` // in COINSLOT_WEBHOOK_URL, from 1
	Endpoint string `json:"endpoint"`
	Taken    bool   `json:"taken"`
	Status   int    `json:"status"`
	Took     int64  `json:"took_ms"`
	Answer   string `json:"answer"`
	Reason   string `json:"reason"`
	Detail   string `json:"detail"`
	Way      string `json:"what_to_do"`
}

// testWebhooks is POST /v1/webhooks/test: it sends one message that tells of no
// payment and answers what has come of it. Nothing is changed, so that it may be
// repeated; the same key sends the same message.
func (s *server) testWebhooks(w http.ResponseWriter, r *http.Request) error {
	if err := bare(r); err != nil {
		return err
	}
	key, err := keyed(r)
	if err != nil {
		return err
	}
	tested, err := s.TestWebhooks(r.Context(), key)
	if err != nil {
		return err
	}
	trials := make([]trial, 0, len(tested.Trials))
	for i, t := range tested.Trials {
		trials = append(trials, trial{
			Number: i + 1, Endpoint: hostOf(t.Endpoint), Taken: t.Taken, Status: t.Status,
			Took: t.Took.Milliseconds(), Answer: t.Note,
			Reason: t.Fault.Code, Detail: t.Fault.Means, Way: t.Fault.Way,
		})
	}
	return respond(w, http.StatusOK, map[string]any{
		"object": "webhook_test", "event": tested.Event, "taken": tested.Taken(),
		"endpoints": trials,
	})
}

// hostOf is an endpoint without its path and query, which may hold a key.
func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Host
}
