package payment

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"coinslot/app/wire"
)

// The events that merchants receive, those of the statuses as in [wire.Status.Event].
// Source: the public contract, section 6.
const (
	EventPending   EventType = "checkout.pending"
	EventPartial   EventType = "checkout.partial"
	EventConfirmed EventType = "checkout.confirmed"
	EventExpired   EventType = "checkout.expired"
	EventCancelled EventType = "checkout.cancelled"
	EventReview    EventType = "checkout.review"
	EventRefund    EventType = "checkout.refund" // one was recorded
)

// EventType is the type of a webhook.
type EventType string

// Urgent reports whether events of the type report payments: they are delivered first.
func (t EventType) Urgent() bool { return t == EventConfirmed || t == EventReview }

// Event is one message to the merchant, written to the outbox in the transaction of its change.
type Event struct {
	ID      string // "evt_…", equal for the same change
	Type    EventType
	Session string
	At      time.Time
	// Body is the same in every delivery, unless personal data was erased.
	Body []byte
}

// newEvent describes s in the version that the store is about to write. suffix distinguishes
// events of one type and session: the attempt's number, an amount.
func newEvent(s *Session, opts EventOptions, t EventType, at time.Time, suffix string) Event {
	next := *s
	next.Version++
	body, err := json.Marshal(struct {
		Type      EventType `json:"type"`
		Timestamp Timestamp `json:"timestamp"`
		Data      Object    `json:"data"`
	}{t, Timestamp{at}, next.Object(opts)})
	if err != nil {
		panic(fmt.Sprintf("encoding event %s: %v", t, err)) // plain data: cannot fail
	}

	return Event{
		ID:      eventID(s.ID, t, suffix),
		Type:    t,
		Session: s.ID,
		At:      at.UTC(),
		Body:    body,
	}
}

// Check fails if the body cannot be read as that of e.
func (e Event) Check() error {
	var message struct {
		Type      EventType `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      Object    `json:"data"`
	}
	if err := json.Unmarshal(e.Body, &message); err != nil {
		return fmt.Errorf("decoding its body: %w", err)
	}
	if message.Type != e.Type {
		return fmt.Errorf("its body is of type %q", message.Type)
	}

	id := message.Data.ID
	if id != "" && id != e.Session { // "" = its data was erased
		return fmt.Errorf("its body is about session %q", id)
	}

	return nil
}

// eventID derives an id from what the event is about, so that the same change stored twice (a
// retried transaction, a crash between commit and answer) is one event.
func eventID(session string, t EventType, suffix string) string {
	sum := sha256.Sum256([]byte(session + "\n" + string(t) + "\n" + suffix))
	return "evt_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:26])
}

// Events finishes a change: it derives Status, notes when money was first seen, and returns the
// events for the differences from before, a Snapshot.
func (s *Session) Events(before Session, now time.Time, opts EventOptions) []Event {
	s.Status = s.status()
	s.noteMoney(before, now)
	var events []Event
	for i := range s.Attempts {
		a := &s.Attempts[i]
		old := Attempt{}
		if known := before.Attempt(a.Number); known != nil {
			old = *known
		}

		more := a.Paid.GreaterThan(old.Paid)
		suffix := strconv.Itoa(a.Number) + " " + a.Paid.String()
		switch {
		case a.State == InReview && (more || a.reviewIsNew(old)):
			suffix += a.resolutionSuffix()
			events = append(events, newEvent(s, opts, EventReview, now, suffix))
		case a.State == Confirmed && a.Alert != "" && (more || a.Alert != old.Alert):
			events = append(events, newEvent(s, opts, EventReview, now, suffix+" "+a.Alert))
		case a.hasUncountedMoney() && (more || old.State == Waiting && !old.underpaid()):
			events = append(events, newEvent(s, opts, EventPartial, now, suffix))
		}
	}

	t := EventType(s.Status.Event())
	current := s.Current()
	old := before.Current()
	another := current != nil && (old == nil || current.Number != old.Number)
	// reviews are reported above, for each attempt and amount
	if t != "" && t != EventReview && (s.Status != before.Status || another) {
		events = append(events, newEvent(s, opts, t, now, s.eventSuffix()))
	}

	for _, r := range s.Refunds[len(before.Refunds):] {
		events = append(events, newEvent(s, opts, EventRefund, now, r.TxID))
	}

	return events
}

// reviewIsNew reports whether a review must be reported that was old before the change.
func (a *Attempt) reviewIsNew(old Attempt) bool {
	return old.State != InReview ||
		old.Reason != a.Reason && (a.Reason == reasonResolved || old.Reason == reasonTxAbsent)
}

// resolutionSuffix distinguishes reviews before and after a resolution, and those of an absent
// transaction.
func (a *Attempt) resolutionSuffix() string {
	if a.Reason == reasonTxAbsent {
		return " " + a.Reason + " " + strconv.Itoa(a.ResolvedCount) + " " +
			strconv.Itoa(a.Reappeared)
	}
	if a.ResolvedCount == 0 && a.Reason != reasonResolved {
		return ""
	}
	return " " + strconv.Itoa(a.ResolvedCount) + " " + a.Reason
}

// eventSuffix distinguishes events of one type: a session can expire with each of its attempts,
// but it is confirmed once.
func (s *Session) eventSuffix() string {
	a := s.Current()
	if s.Status == wire.Confirmed {
		return ""
	}

	which := ""
	if a != nil { // it may reuse the number of one never sent
		which = strconv.Itoa(a.Number) + " " + a.Marker
	}
	if s.Reopened > 0 {
		which += " reopened " + strconv.Itoa(s.Reopened)
	}
	if a == nil {
		return which
	}
	if a.Reappeared > 0 {
		which += " reappeared " + strconv.Itoa(a.Reappeared)
	}

	resolved := s.resolvedCount()
	switch {
	case resolved > 1:
		return which + " after review " + strconv.Itoa(resolved)
	case resolved == 1 || !a.ReviewedAt.IsZero():
		return which + " after review" // resolved, perhaps to its former status
	}

	return which
}
