package payment

import (
	"testing"
	"time"

	"coinslot/bff/fortest"

	"github.com/shopspring/decimal"
)

// A payment is of the time that the gateway states, and until it states one, of when it was seen.
func TestReceivedAt(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }
	one := decimal.NewFromInt(1)
	for _, c := range []struct {
		name string
		a    Attempt
		want time.Time
	}{
		{"no money", Attempt{State: Expired, EndedAt: day(1), TxID: "0x1"}, time.Time{}},
		{"absent", Attempt{State: InReview, Reason: reasonTxAbsent, EndedAt: day(1)}, time.Time{}},
		{"a part", Attempt{State: Expired, Paid: one, MoneyAt: day(2), EndedAt: day(3)}, day(2)},
		{"paid", Attempt{State: Confirmed, Paid: one, PaidAt: day(1), MoneyAt: day(2)}, day(1)},
		{"by an operator", Attempt{State: Confirmed, EndedAt: day(4)}, day(4)},
		{"unreadable", Attempt{State: InReview, Reason: reasonPaidText, StartedAt: day(5)}, day(5)},
	} {
		fortest.Equal(t, c.a.ReceivedAt(), c.want, "%s", c.name)
	}
}

// A change that brings money keeps when it was seen, and a later one does not move that.
func TestMoneyIsSeenOnce(t *testing.T) {
	first := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	s := Session{Attempts: []Attempt{{Number: 1, State: Waiting}}}
	s.Events(s.Snapshot(), first.Add(-time.Hour), EventOptions{})
	fortest.Equal(t, len(s.MoneyTimes()), 0, "times without money")

	before := s.Snapshot()
	s.Attempts[0].Paid = decimal.NewFromInt(1)
	s.Events(before, first, EventOptions{})
	before = s.Snapshot()
	s.Attempts[0].Paid = decimal.NewFromInt(2)
	s.Events(before, first.Add(time.Hour), EventOptions{})
	fortest.Diff(t, s.MoneyTimes(), []time.Time{first}, "times of two payments to one address")

	s.Refunds = []Refund{{RecordedAt: first}, {RecordedAt: first.Add(-time.Minute)}}
	fortest.Diff(t, s.MoneyTimes(), []time.Time{first.Add(-time.Minute), first}, "with refunds")
}
