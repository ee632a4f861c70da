package api

import (
	"encoding/json"
	"net/http"
	"net/url"

	"coinslot/bff/order"
	"coinslot/bff/payment"
	"coinslot/bff/web"
	"coinslot/bff/webhook"
)

// eventObject is the body of a webhook, with its id.
type eventObject struct {
	ID   string            `json:"id"`
	Type string            `json:"type"`
	At   payment.Timestamp `json:"timestamp"`
	Data json.RawMessage   `json:"data"`
}

// listEvents is GET /v1/events: all events, the oldest first.
func (s *server) listEvents(w http.ResponseWriter, r *http.Request) error {
	q, err := parseQuery(r, "after", "session", "limit")
	if err != nil {
		return err
	}

	query := webhook.EventQuery{After: q.Get("after"), Session: q.Get("session")}
	query.Limit, err = parsePositive(q, "limit", 0, 100)
	if err != nil {
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
		"object":      "list",
		"data":        data,
		"next_cursor": page.Next,
		"has_more":    page.More,
	})
}

// replayEvents is POST /v1/events/replay: it resends the webhooks of a range, with the same ids.
func (s *server) replayEvents(w http.ResponseWriter, r *http.Request) error {
	raw, err := web.ReadBody(r)
	if err != nil {
		return err
	}

	var body webhook.ReplayRequest
	if err := order.Strict(raw, &body); err != nil {
		return err
	}

	again, err := s.Events.Resend(r.Context(), body)
	if err != nil {
		return web.StorageError(err)
	}

	answer := map[string]any{
		"object":     "replay",
		"events":     again.Events,
		"deliveries": again.Deliveries,
		"has_more":   again.More,
	}
	if !again.Last.IsZero() {
		answer["last"] = payment.FormatTime(again.Last)
	}

	return web.Respond(w, http.StatusOK, answer)
}

type endpointResult struct {
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

// testWebhooks is POST /v1/webhooks/test: it sends a test message to each endpoint and answers with
// the results. It changes nothing; the same key sends the same message.
func (s *server) testWebhooks(w http.ResponseWriter, r *http.Request) error {
	if err := web.ReadEmpty(r); err != nil {
		return err
	}

	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}

	tested, err := s.TestWebhooks(r.Context(), key)
	if err != nil {
		return err
	}

	results := make([]endpointResult, 0, len(tested.Deliveries))
	for i, t := range tested.Deliveries {
		results = append(results, endpointResult{
			Number:   i + 1,
			Endpoint: hostOf(t.Endpoint),
			Taken:    t.Delivered,
			Status:   t.Status,
			Took:     t.Took.Milliseconds(),
			Answer:   t.Note,
			Reason:   t.Failure.Code,
			Detail:   t.Failure.Meaning,
			Way:      t.Failure.Fix,
		})
	}

	return web.Respond(w, http.StatusOK, map[string]any{
		"object":    "webhook_test",
		"event":     tested.Event,
		"taken":     tested.Delivered(),
		"endpoints": results,
	})
}

// hostOf omits the path and query, which may hold a key.
func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Host
}
