package api

import (
	"encoding/json"
	"net/http"
	"time"

	"coinslot/bff/order"
	"coinslot/bff/outbox"
	"coinslot/bff/web"
)

// eventObject is the body of a webhook, with its id.
type eventObject struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	At   time.Time       `json:"timestamp"`
	Data json.RawMessage `json:"data"`
}

// listEvents is GET /v1/events: all events, the oldest first.
func (s *server) listEvents(w http.ResponseWriter, r *http.Request) error {
	q, err := parseQuery(r, "after", "session", "limit")
	if err != nil {
		return err
	}
	query := outbox.EventQuery{After: q.Get("after"), Session: q.Get("session")}
	if query.Limit, err = parsePositive(q, "limit", 0, 100); err != nil {
		return err
	}
	page, err := s.Events.Events(r.Context(), query)
	if err != nil {
		return web.StorageError(err)
	}
	data := make([]eventObject, 0, len(page.Events))
	for _, e := range page.Events {
		t := eventObject{ID: e.ID}
		if err := json.Unmarshal(e.Body, &t); err != nil {
			return web.StorageError(err)
		}
		data = append(data, t)
	}
	return web.Respond(w, http.StatusOK, map[string]any{
		"object": "list", "data": data, "next_cursor": page.Next, "has_more": page.More,
	})
}

// replayEvents is POST /v1/events/replay: it resends the webhooks of a range, with the same ids.
func (s *server) replayEvents(w http.ResponseWriter, r *http.Request) error {
	raw, err := web.ReadBody(r)
	if err != nil {
		return err
	}
	var body outbox.ReplayRequest
	if err := order.Strict(raw, &body); err != nil {
		return err
	}
	again, err := s.Events.Resend(r.Context(), body)
	if err != nil {
		return web.StorageError(err)
	}
	answer := map[string]any{
		"object": "replay", "events": again.Events, "deliveries": again.Deliveries,
		"has_more": again.More,
	}
	if !again.Last.IsZero() {
		answer["last"] = again.Last.UTC()
	}
	return web.Respond(w, http.StatusOK, answer)
}
