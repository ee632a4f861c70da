package payment

import (
	"slices"
	"time"
)

// HasMoney reports whether money came for a: an amount was seen, or the gateway or an operator says
// that it was paid.
func (a *Attempt) HasMoney() bool {
	reported := a.State == InReview && !a.IsAbsent()
	return a.Paid.IsPositive() || a.State == Confirmed || reported
}

// ReceivedAt returns when the money of a came: what the gateway says, or when it was first seen here
// as long as it says nothing, as for a part of the amount. Zero = none came.
func (a *Attempt) ReceivedAt() time.Time {
	if !a.HasMoney() {
		return time.Time{}
	}
	for _, t := range []time.Time{a.PaidAt, a.MoneyAt, a.EndedAt} {
		if !t.IsZero() {
			return t
		}
	}
	return a.StartedAt
}

// noteMoney keeps when money was first seen that before does not have.
func (s *Session) noteMoney(before Session, now time.Time) {
	for i := range s.Attempts {
		a := &s.Attempts[i]
		old := before.Attempt(a.Number)
		if a.HasMoney() && a.MoneyAt.IsZero() && (old == nil || !old.HasMoney()) {
			a.MoneyAt = now.UTC()
		}
	}
}

// MoneyTimes returns when money of s came or went, without duplicates, the earliest first: the
// ReceivedAt of its attempts and the RecordedAt of its refunds.
func (s *Session) MoneyTimes() []time.Time {
	var times []time.Time
	for i := range s.Attempts {
		if at := s.Attempts[i].ReceivedAt(); !at.IsZero() {
			times = append(times, at)
		}
	}
	for _, r := range s.Refunds {
		times = append(times, r.RecordedAt)
	}

	slices.SortFunc(times, time.Time.Compare)
	return slices.CompactFunc(times, time.Time.Equal)
}
