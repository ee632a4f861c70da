package api

import (
	"net/http"
	"net/url"

	"coinslot/bff/web"
)

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
			Number: i + 1, Endpoint: hostOf(t.Endpoint), Taken: t.Delivered, Status: t.Status,
			Took: t.Took.Milliseconds(), Answer: t.Note,
			Reason: t.Failure.Code, Detail: t.Failure.Meaning, Way: t.Failure.Fix,
		})
	}
	return web.Respond(w, http.StatusOK, map[string]any{
		"object": "webhook_test", "event": tested.Event, "taken": tested.Delivered(),
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
