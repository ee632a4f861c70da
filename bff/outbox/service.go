package outbox

import (
	"context"
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Service reads the log of events and has them sent again.
type Service struct {
	Log
	// Kick makes the sender check for due deliveries now; nil = it waits for its next poll.
	Kick func()
	Now  func() time.Time // nil = time.Now
}

// maxReplay is how many events one request sends again at most.
const maxReplay = 10_000

// ReplayRequest says what is to be sent again: events with From <= At < To.
type ReplayRequest struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Session string    `json:"session"` // empty = all
	Limit   *int      `json:"limit"`   // 1…10,000; nil = 1,000
	// Undelivered leaves out what an endpoint has accepted.
	Undelivered bool `json:"undelivered"`
}

// Resend makes every delivery of a range due now; see [Log]. Errors: *wire.Error with
// CodeInvalid and the name of the member that is wrong; the log's.
func (s *Service) Resend(ctx context.Context, r ReplayRequest) (Replayed, error) {
	now, limit := time.Now(), 0
	if s.Now != nil {
		now = s.Now()
	}
	if r.Limit != nil {
		limit = *r.Limit
	}
	wrong := ""
	switch {
	case r.From.IsZero() || r.From.After(now):
		wrong = "from"
	case !r.To.After(r.From):
		wrong = "to"
	case r.Limit != nil && limit < 1 || limit > maxReplay:
		wrong = "limit"
	}
	if wrong != "" {
		return Replayed{}, &wire.Error{
			Code: wire.CodeInvalid, Param: wrong, Detail: string(wire.CodeInvalid),
		}
	}
	again, err := s.Replay(ctx, Range{
		From: r.From, To: r.To, Session: r.Session, Limit: limit, Undelivered: r.Undelivered,
	}, now)
	if err == nil && s.Kick != nil {
		s.Kick()
	}
	return again, err
}

// Why no test is sent.
var (
	ErrNoEndpoint error = &wire.Error{
		Code: wire.CodeWebhookUnset, Detail: "no webhook endpoint is configured",
	}
	ErrTooManyTests error = &wire.Error{
		Code: wire.CodeRateLimited, Detail: "too many test webhooks in a minute",
	}
)

// EventTest is the type of a test message, which is about no payment. It is sent once, on
// request, and is in no log.
const EventTest payment.EventType = "checkout.test"

// TestResult is the result of sending one message of [EventTest].
type TestResult struct {
	Event      string         // its "evt_…"
	Deliveries []TestDelivery // one for each endpoint, as they are configured
}

// Delivered reports whether every endpoint has accepted it.
func (t TestResult) Delivered() bool {
	return !slices.ContainsFunc(t.Deliveries, func(d TestDelivery) bool { return !d.Delivered })
}

// TestDelivery is the result at one endpoint.
type TestDelivery struct {
	Endpoint  string        // URL, whose path and query may hold a key
	Delivered bool          // answered with 2xx
	Status    int           // HTTP status; zero = none was read
	Took      time.Duration // from the begin of the try to the end of its answer
	// at most 200 characters of what was answered or went wrong, on one line
	Note    string
	Failure Failure // why it was not taken; the zero Fault if it was
}

// Failure is why an endpoint has not accepted a message, in the words of docs/errors.md.
type Failure struct {
	Code         string // "signature_refused"
	Meaning, Fix string // what it means, and what to do
}
