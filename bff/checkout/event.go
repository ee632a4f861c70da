package checkout

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// EventType is the type of a webhook.
type EventType string

// The events that a merchant hears of. Source: the public contract, section 6.
const (
	EventPending   EventType = "checkout.pending"
	EventPartial   EventType = "checkout.partial"
	EventConfirmed EventType = "checkout.confirmed"
	EventExpired   EventType = "checkout.expired"
	EventCancelled EventType = "checkout.cancelled"
	EventReview    EventType = "checkout.review"
)

// Urgent reports whether events of the type tell of money, so that their deliveries go
// before others; see [Outbox].
func (t EventType) Urgent() bool { return t == EventConfirmed || t == EventReview }

// Event is one message to the merchant, written to the outbox in the
// transaction of the change that it tells of.
type Event struct {
	ID      string // "evt_…", the same for the same change, without "."
	Type    EventType
	Session string
	At      time.Time
	// Body is what is sent, the same on every delivery, unless personal data was erased
	// meanwhile.
	Body []byte
}

// newEvent tells of s as it is now, as the version that the store is about to
// write. distinct tells events of one type and session apart: the attempt's
// number, an amount.
func newEvent(s *Session, telling Telling, t EventType, at time.Time, distinct string) Event {
	told := *s
	told.Version++
	body, err := json.Marshal(struct {
		Type      EventType `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      Object    `json:"data"`
	}{t, at.UTC(), told.Object(telling)})
	if err != nil {
		panic(fmt.Sprintf("encoding event %s: %v", t, err)) // plain data: cannot fail
	}
	return Event{ID: eventID(s.ID, t, distinct), Type: t, Session: s.ID, At: at.UTC(), Body: body}
}

// eventID derives an id from what the event is about, so that the same change
// told twice (a repeated transaction, a crash between commit and answer) is one
// event.
func eventID(session string, t EventType, distinct string) string {
	sum := sha256.Sum256([]byte(session + "\n" + string(t) + "\n" + distinct))
	return "evt_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:26])
}
