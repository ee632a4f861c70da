package webhook

import (
	"context"
	"errors"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Delivery is one event on its way to one endpoint. Each has a row of its
// own, so that a dead endpoint delays no other.
type Delivery struct {
	EventID   string
	Endpoint  string // URL
	Type      payment.EventType
	Session   string
	Body      []byte    // the same bytes on every try, unless personal data was erased meanwhile
	CreatedAt time.Time // or, if it was replayed, when: the days to be tried count from here
	Tries     int       // made so far, since then
}

// DeliveryResult is how one try ended.
type DeliveryResult struct {
	Delivered bool      // 2xx
	Abandoned bool      // no further try: 410, or the last of the schedule
	NextAt    time.Time // of the next try unless Delivered or Abandoned
	Status    int       // HTTP status; zero = none was read
	Note      string    // at most 1 KiB of what was answered or went wrong
}

// HeadStart is how far urgent deliveries go before others: a backlog never delays news of
// money, and delays everything else by a day at most.
const HeadStart = 24 * time.Hour

// Outbox is the durable queue of deliveries. The store fills it in Update, one
// row for each event and configured endpoint; storetest.Run is the contract.
type Outbox interface {
	// ClaimDeliveries returns up to limit deliveries due at now to any of the endpoints,
	// oldest due first, and hides them until now+lease. Urgent ones count as due [HeadStart]
	// earlier, and with them the open deliveries of their sessions.
	ClaimDeliveries(
		ctx context.Context, now time.Time, lease time.Duration, limit int, endpoints []string,
	) ([]Delivery, error)
	// RecordResult records the end of one try and counts it in Tries.
	RecordResult(ctx context.Context, d Delivery, r DeliveryResult) error
}

// Rerouting is about deliveries that are open to a URL that no running instance has
// configured. The store moves those of the last 30 days by itself to the configured URLs:
// each gets a delivery of every event of which it has none, with the same id and body and
// the full time to be tried. Where every URL has one already, the URL was removed, not
// replaced: then the delivery stays, and an operator decides.
type Rerouting interface {
	// Unrouted returns those URLs, with what is open to each.
	Unrouted(ctx context.Context) ([]Backlog, error)
	// Reroute moves everything that is open to one of those URLs, however old, and closes
	// what every configured URL has already. It moves at most 10,000 deliveries. Kick the
	// sender afterwards. Errors: ErrNoEndpoint if no URL is configured here; ErrEndpoint if
	// the URL is configured, or nothing is open to it.
	Reroute(ctx context.Context, endpoint string) (Rerouted, error)
}

// Rerouted is what came of a Reroute.
type Rerouted struct {
	Moved  int  // deliveries that are now open to configured URLs
	Closed int  // deliveries that no URL needs any more
	More   bool // the limit has left some out
}

// Log is the record of all events, for those who read it again.
type Log interface {
	// Events returns events in the order in which they became visible, from after a cursor on: a
	// reader that continues from the Next of each page misses none and sees none twice. Errors:
	// *wire.Error with CodeInvalid and Param "after" if the cursor is not valid; ErrCursorGone.
	Events(ctx context.Context, q EventQuery) (EventPage, error)
	// Replay makes every delivery in the range due at now, with the same event id and body
	// and the full time to be tried: also delivered and abandoned ones, and those to an
	// endpoint that was not configured when the event was written.
	Replay(ctx context.Context, r Range, now time.Time) (Replayed, error)
}

// ErrCursorGone means that the event at a cursor is not in the log, or is another one: the
// database was restored from a backup since, is another one, or the event was deleted. Only
// reading from the beginning misses nothing.
var ErrCursorGone error = &wire.Error{
	Code:   wire.CodeCursorGone,
	Param:  "after",
	Detail: "the event at the cursor is gone",
}

// Latest as EventQuery.After is behind the last event: an empty page, whose Next leads to later
// events.
const Latest = "latest"

// EventQuery selects events; zero fields do not restrict.
type EventQuery struct {
	After   string // Next of the page before, or Latest; empty = from the first event
	Session string // id; empty = of all
	Limit   int    // 1…100; zero = 20
}

// EventPage is one page of the log. Next is never empty once there is an event:
// at the end of the log it is where later ones will follow.
type EventPage struct {
	Events []payment.Event // oldest first
	Next   string          // opaque; for EventQuery.After
	More   bool            // further events are there already
}

// Range selects what is sent again: events with From <= At < To.
type Range struct {
	From, To time.Time
	Session  string // empty = all
	Limit    int    // events, 1…10,000; zero = 1,000
	// Undelivered leaves out what an endpoint has accepted.
	Undelivered bool
}

// Replayed is what came of a Replay.
type Replayed struct {
	Events     int       // events of the range that were taken
	Deliveries int       // that are due now, at all endpoints
	More       bool      // the limit has left some out
	Last       time.Time // At of the last event of the range that was taken; zero = none was
}

// ErrEndpoint is an endpoint that is not configured.
var ErrEndpoint = errors.New("endpoint not configured")

// ErrEventUnknown is an event that is not there.
var ErrEventUnknown = errors.New("event not found")

// Deliveries is the state of webhooks, for operators.
type Deliveries interface {
	// Deliveries returns the deliveries of events, newest event first, one for each endpoint.
	Deliveries(ctx context.Context, q DeliveryQuery) (DeliveryPage, error)
	// Backlogs returns what waits for each endpoint that is configured, in that order.
	Backlogs(ctx context.Context) ([]Backlog, error)
	// SessionOf returns the id of an event's session. Errors: ErrEventUnknown.
	SessionOf(ctx context.Context, event string) (string, error)
	// Redeliver makes the delivery of an event to an endpoint due now, as Replay does,
	// whatever its state; endpoint "" means all that are configured. Kick the sender
	// afterwards. Errors: ErrEventUnknown; ErrEndpoint if the endpoint is not configured.
	Redeliver(ctx context.Context, event, endpoint string) error
}

// The states of a delivery.
const (
	DeliveryWaiting   DeliveryState = "waiting"   // not tried since it was opened
	DeliveryRetrying  DeliveryState = "retrying"  // has failed, and is tried again
	DeliveryDone      DeliveryState = "delivered" // 2xx
	DeliveryAbandoned DeliveryState = "abandoned" // 410, or the last of the schedule
)

// DeliveryState is where a delivery stands.
type DeliveryState string

// DeliveryQuery selects deliveries; zero fields do not restrict.
type DeliveryQuery struct {
	State   DeliveryState // DeliveryRetrying, DeliveryAbandoned or empty; others find nothing
	Session string
	Cursor  string
	Limit   int // 1…100; zero = 20
}

// DeliveryRow is one delivery as operators see it.
type DeliveryRow struct {
	Event    string // id
	Type     payment.EventType
	Session  string
	At       time.Time // of the event
	Endpoint string    // URL; may hold a secret in its query
	State    DeliveryState
	Tries    int       // since it was opened; zero = none yet
	Status   int       // HTTP status of the last try; zero = none was read
	Note     string    // what was answered or went wrong; empty = nothing, or it went well
	TriedAt  time.Time // when it was tried last; zero = never
	NextAt   time.Time // when it is tried next; zero = never
}

// DeliveryPage is one page of deliveries; Next is empty on the last one.
type DeliveryPage struct {
	Rows []DeliveryRow
	Next string
}

// Backlog is what waits for one endpoint. Counts end at 10,000, which then means that many or more.
type Backlog struct {
	Endpoint  string    // URL; may hold a secret in its query
	Waiting   int       // neither delivered nor abandoned
	Retrying  int       // how many of those have failed already
	Abandoned int       // not replayed since
	OldestAt  time.Time // when the first of Waiting is or was due; zero = none waits
}
