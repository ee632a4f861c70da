package outbox

import (
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

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
