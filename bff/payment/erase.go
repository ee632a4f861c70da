package payment

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
)

// Erasure is how much of a session is erased.
type Erasure int

const (
	// EraseNothing changes nothing.
	EraseNothing Erasure = iota
	// ErasePersonal erases emails, comments, the description, and free text in the timeline.
	// What bookkeeping and finding the order need stays.
	ErasePersonal
	// EraseAll reduces the session to a tombstone: what identifies late payments and repeated
	// orders.
	EraseAll
)

// FinishedAt returns when s finished; zero = it has not. Later decisions of the gateway or an
// operator move it; a shopper's recheck does not.
func (s *Session) FinishedAt() time.Time {
	if !s.Status.Final() {
		return time.Time{}
	}

	var end time.Time
	for i := range s.Attempts {
		if at := s.Attempts[i].EndedAt; at.After(end) {
			end = at
		}
	}

	for _, e := range s.Timeline {
		if strings.HasPrefix(e.What, "session.") && e.At.After(end) {
			end = e.At
		}
	}
	if end.IsZero() { // the timeline was full
		end = s.ExpiresAt
	}

	return end
}

// FinishedFor reports whether s finished at least d before now; never if d is zero or less.
func (s *Session) FinishedFor(d time.Duration, now time.Time) bool {
	end := s.FinishedAt()
	return d > 0 && !end.IsZero() && !now.Before(end.Add(d))
}

// Tombstone reports whether s was deleted and has not changed since.
func (s *Session) Tombstone() bool {
	return s.Deleted && !s.ErasedAt.IsZero() && s.Status.Outcome() == wire.Unpaid
}

// EverPaid reports whether any payment for s was seen, in full, in part or unproven.
func (s *Session) EverPaid() bool { return len(s.paidAttempts()) > 0 }

// everPaid reports the same for one attempt.
func (a *Attempt) everPaid() bool {
	doubted := !a.ReviewedAt.IsZero() && a.Reason != reasonTxAbsent
	return a.State == Confirmed || a.Paid.IsPositive() || a.TxID != "" || doubted
}

// Erase applies e to s. Nothing that decides about payments changes.
func (s *Session) Erase(e Erasure, now time.Time) {
	if e == EraseNothing {
		return
	}
	s.erasePersonal(now)
	if e == EraseAll {
		s.makeTombstone()
	}
}

func (s *Session) erasePersonal(now time.Time) {
	if s.ErasedAt.IsZero() {
		s.ErasedAt = now.UTC()
	}
	s.Order.Email = ""
	s.Order.Description = ""
	for i := range s.Attempts {
		s.Attempts[i].Email = ""
		s.Attempts[i].Comment = ""
	}
	s.Refunds = slices.Clone(s.Refunds)
	for i := range s.Refunds {
		s.Refunds[i].Reason = ""
	}
	s.Timeline = erasedTimeline(s.Timeline)
}

// makeTombstone keeps what identifies the order of a late payment, what the confirm gate
// compares, and what prevents the order from being started again.
func (s *Session) makeTombstone() {
	s.Deleted = true
	s.Notice = Notice{}
	s.Timeline = nil
	s.Order = Order{
		AmountUSD: s.Order.AmountUSD,
		Amount:    s.Order.Amount,
		Currency:  s.Order.Currency,
		Rate:      s.Order.Rate,
		Ref:       s.Order.Ref,
		OrderID:   s.Order.OrderID,
	}
	for i, a := range s.Attempts {
		if a.State == Refused { // nothing exists at the gateway
			s.Attempts[i] = Attempt{
				Number: a.Number,
				State:  Refused,
				Reason: a.Reason,
				Marker: a.Marker,
			}
			continue
		}

		a.CurrencyName = ""
		a.NetworkName = ""
		a.Trace = ""
		a.Address = ""
		a.PaymentURL = ""
		a.TxURL = ""
		a.Txs = slices.Clone(a.Txs)
		for j := range a.Txs {
			a.Txs[j].URL = ""
		}

		s.Attempts[i] = a
	}
}

// erasedTimeline returns a timeline without free text: the gateway's answers may quote an
// email, and an operator's reason may name a person.
func erasedTimeline(list []TimelineEntry) []TimelineEntry {
	var kept []TimelineEntry
	for _, e := range list {
		switch e.What {
		case "attempt.intended", "attempt.pending", "attempt.late_answer", "attempt.found",
			"attempt.duplicate", "attempt.handed_over", "attempt.abandoned", "attempt.replaced",
			"attempt.confirmed",
			"attempt.expired", "attempt.cancelled", "attempt.review", "attempt.paid_more",
			"attempt.regressed", "attempt.shares_transaction", "session.refunded":
		case "session.resolved":
			e.Detail, _, _ = strings.Cut(e.Detail, ":")
		default:
			e.Detail = ""
		}

		kept = append(kept, e)
	}

	return kept
}

// Erased returns e with its id, without the personal data that is erased of its session. A
// body that cannot be read loses all of its data.
func (e Event) Erased(much Erasure, now time.Time) Event {
	var message struct {
		Type      EventType       `json:"type"`
		Timestamp Timestamp       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}
	var o Object
	data := []byte(`{}`)
	if json.Unmarshal(e.Body, &message) == nil &&
		json.Unmarshal(message.Data, &o) == nil && o.ID == e.Session {
		o.Email = ""
		o.Descr = ""
		if much == EraseAll {
			o.ShopName = ""
			o.Title = ""
			o.Metadata = nil
			o.SuccessURL = ""
			o.CancelURL = ""
		}

		for i := range o.Refunds {
			o.Refunds[i].Reason = ""
		}
		o.Timeline = erasedTimeline(o.Timeline)
		if o.ErasedAt == nil {
			o.ErasedAt = utcOrNil(now)
		}

		data, _ = json.Marshal(o.withoutNil()) // plain data: cannot fail
	}

	message.Type = e.Type
	message.Timestamp = Timestamp{e.At}
	message.Data = data
	e.Body, _ = json.Marshal(message) // likewise
	return e
}

// Retain returns how much of s to erase if personal data is kept for keep after the end.
// Undelivered webhooks delay that by at most delivery.
func (s *Session) Retain(keep, delivery time.Duration, undelivered bool, now time.Time) Erasure {
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
