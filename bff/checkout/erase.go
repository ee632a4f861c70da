package checkout

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"coinslot/app/wire"
)

// Erasure is how much of a session is erased.
type Erasure int

const (
	// EraseNothing leaves it as it is.
	EraseNothing Erasure = iota
	// ErasePersonal erases e-mails, comments, the description, and free text in the
	// timeline. What the merchant needs for the books and to find the order stays.
	ErasePersonal
	// EraseAll reduces the session to a tombstone: what late money and a repeated
	// order are recognized by.
	EraseAll
)

// Eraser erases sessions; storetest.Run is the contract. Its errors are the database's
// unless they are named.
type Eraser interface {
	// Erasable returns ids of finished sessions that were created before a time, the
	// oldest of each status first, from after a cursor on: without those that are
	// deleted, or paid and erased. It looks at no more than limit of them, and may return
	// fewer ids. next is empty at the end.
	Erasable(
		ctx context.Context, before time.Time, cursor string, limit int,
	) (ids []string, next string, err error)
	// Erase asks decide how much of a session to erase, with whether webhooks of it are
	// still to be delivered, and does that in one transaction: in the session, its
	// events, deliveries, search index and console actions. The newest event of the
	// log is never deleted, since its position must not be used again. decide may run
	// more than once. Errors: ErrNotFound.
	Erase(
		ctx context.Context, id string, now time.Time,
		decide func(s Session, undelivered bool) Erasure,
	) (Erasure, error)
	// HoldersOf returns the ids of the sessions with an e-mail, in any case.
	HoldersOf(ctx context.Context, email string) ([]string, error)
	// EraseActions erases addresses and details of console actions before a time, and
	// deletes those that are about no session. It reports how many, at most limit.
	EraseActions(ctx context.Context, before time.Time, limit int) (int, error)
	// Truncate removes what was erased from the files of the database. Errors: readers
	// keep it from being done now.
	Truncate(ctx context.Context) error
}

// Tombstone reports whether s was deleted, and nothing has come of it since.
func (s *Session) Tombstone() bool {
	unpaid := s.Status == wire.Expired || s.Status == wire.Cancelled
	return s.Deleted && !s.ErasedAt.IsZero() && unpaid
}

// EverPaid reports whether money was seen for s, in full or in part, or was in doubt.
func (s *Session) EverPaid() bool {
	for i := range s.Attempts {
		a := &s.Attempts[i]
		doubted := !a.DoubtedAt.IsZero() && a.Reason != reasonTxAbsent
		if a.State == Confirmed || a.Paid.IsPositive() || a.TxID != "" || doubted {
			return true
		}
	}
	return false
}

// Erase applies e to s. Nothing that decides about money changes.
func (s *Session) Erase(e Erasure, now time.Time) {
	switch e {
	case ErasePersonal:
		s.erasePersonal(now)
	case EraseAll:
		s.reduce(now)
	}
}

func (s *Session) erasePersonal(now time.Time) {
	if s.ErasedAt.IsZero() {
		s.ErasedAt = now.UTC()
	}
	s.Order.Email, s.Order.Description = "", ""
	for i := range s.Attempts {
		s.Attempts[i].Email, s.Attempts[i].Comment = "", ""
	}
	s.Trail = erasedTimeline(s.Trail)
}

// reduce leaves a tombstone: what finds the order of late money, what the confirm gate
// compares, and what keeps an order from being started anew.
func (s *Session) reduce(now time.Time) {
	s.erasePersonal(now)
	s.Deleted, s.Notice, s.Trail = true, Notice{}, nil
	s.Order = Order{AmountUSD: s.Order.AmountUSD, Ref: s.Order.Ref, OrderID: s.Order.OrderID}
	for i, a := range s.Attempts {
		if a.State == Refused { // nothing exists at the gateway
			s.Attempts[i] = Attempt{
				Number: a.Number, State: Refused, Reason: a.Reason, Marker: a.Marker,
			}
			continue
		}
		a.CurrencyName, a.NetworkName, a.Trace = "", "", ""
		a.Address, a.PaymentURL, a.TxURL = "", "", ""
		s.Attempts[i] = a
	}
}

// erasedTimeline returns a timeline without free text: what the gateway answered may
// quote an e-mail, and an operator's reason may name a person.
func erasedTimeline(list []Entry) []Entry {
	var kept []Entry
	for _, e := range list {
		switch e.What {
		case "attempt.intended", "attempt.pending", "attempt.late_answer", "attempt.found",
			"attempt.stray", "attempt.handed_over", "attempt.lost", "attempt.confirmed",
			"attempt.expired", "attempt.cancelled", "attempt.review", "attempt.paid_more",
			"attempt.regressed", "attempt.shares_transaction":
		case "session.resolved":
			e.Detail, _, _ = strings.Cut(e.Detail, ":")
		default:
			e.Detail = ""
		}
		kept = append(kept, e)
	}
	return kept
}

// erasedBody returns the body of an event without personal data. A body that cannot be
// read loses all of its data.
func erasedBody(e Event, much Erasure, now time.Time) []byte {
	var message struct {
		Type      EventType       `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}
	var o Object
	data := []byte(`{}`)
	if json.Unmarshal(e.Body, &message) == nil &&
		json.Unmarshal(message.Data, &o) == nil && o.ID == e.Session {
		o.Email, o.Descr = "", ""
		if much == EraseAll {
			o.Title, o.Metadata, o.SuccessURL, o.CancelURL = "", nil, "", ""
		}
		o.Trail = erasedTimeline(o.Trail)
		if o.ErasedAt == nil {
			o.ErasedAt = set(now)
		}
		data, _ = json.Marshal(o.filled()) // plain data: cannot fail
	}
	message.Type, message.Timestamp, message.Data = e.Type, e.At.UTC(), data
	body, _ := json.Marshal(message) // likewise
	return body
}

// Erased returns e without what is erased of its session, with the same id.
func (e Event) Erased(much Erasure, now time.Time) Event {
	e.Body = erasedBody(e, much, now)
	return e
}

// retain returns how much of s to erase when personal data is kept for a time after
// the end. Undelivered webhooks delay that by another time at most.
func (s *Session) retain(keep, delivery time.Duration, undelivered bool, now time.Time) Erasure {
	switch {
	case s.Tombstone(), s.EverPaid() && !s.ErasedAt.IsZero():
		return EraseNothing
	case !s.FinishedFor(keep, now),
		undelivered && !s.FinishedFor(keep+delivery, now):
		return EraseNothing
	case s.EverPaid():
		return ErasePersonal
	}
	return EraseAll
}
