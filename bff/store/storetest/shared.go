package storetest

import (
	"errors"
	"testing"
	"time"

	"coinslot/bff/payment"
)

// RunShared holds two handles of one database, as two instances have them, to
// keeping out of each other's way. open returns them; the database is empty.
func RunShared(t *testing.T, open func(t *testing.T, endpoints []string) (one, other Backend)) {
	for name, test := range map[string]func(t *testing.T, one, other Backend){
		"claims go to one instance":        sharedClaims,
		"deliveries go to one instance":    sharedDeliveries,
		"an instance that slept is fenced": sharedFence,
		"updates of both lose nothing": func(t *testing.T, one, other Backend) {
			raceOfUpdates(t, one, other)
		},
		"one reads what the other wrote": sharedRead,
		"one reference, one order":       sharedInsert,
		"the log misses nothing of another": func(t *testing.T, one, other Backend) {
			readUnderWriters(t, one, other)
		},
		"numbers and codes are unique everywhere": sharedUnique,
		"one comparison at a time":                sharedComparison,
	} {
		t.Run(name, func(t *testing.T) {
			one, other := open(t, []string{endA, endB})
			test(t, one, other)
		})
	}
}

func sharedClaims(t *testing.T, one, other Backend) { raceForClaims(t, one, other) }

func sharedDeliveries(t *testing.T, one, other Backend) { raceForDeliveries(t, one, other) }

// One claims and sleeps; the other takes over after the lease. What the first
// writes then is refused, and does not end the other's lease.
func sharedFence(t *testing.T, one, other Backend) {
	slept := claimed(t, one, 1)
	now := epoch().Add(time.Minute)
	awake := claim(t, other, now, time.Minute, 1)[0]
	_, err := one.Update(t.Context(), slept.ID, func(s *payment.Session) ([]payment.Event, error) {
		if s.Epoch != slept.Epoch {
			return nil, payment.ErrFenced
		}
		return []payment.Event{event(s.ID, 1)}, nil
	})
	if !errors.Is(err, payment.ErrFenced) {
		t.Errorf("Update of the one that slept = %v; want ErrFenced", err)
	}
	ok(t, one.Touch(t.Context(), slept, epoch(), epoch()))
	release(t, one, slept, epoch())
	check(t, one, stored(awake))
	wantDeliveries(t, other, nil)
	wantLeased(t, one, now.Add(time.Second), true)
}

func sharedRead(t *testing.T, one, other Backend) {
	s := inserted(t, one, fresh(1))
	check(t, other, s)
	s = updated(t, other, s.ID, with(attempt(1, payment.Waiting, "m")), event(s.ID, 1))
	check(t, one, s)
	wantDeliveries(t, one, []string{event(s.ID, 1).ID, event(s.ID, 1).ID})
}

func sharedInsert(t *testing.T, one, other Backend) {
	first := inserted(t, one, fresh(1))
	second := fresh(2)
	second.Order.Ref = first.Order.Ref
	wantHolder(t, other, second, first)
}

func sharedUnique(t *testing.T, one, other Backend) {
	first, second := inserted(t, one, fresh(1)), inserted(t, other, fresh(2))
	updated(t, one, first.ID, with(drawn(1, payment.Waiting, "m1", 100_001)))
	refused(t, other, second.ID, payment.ErrTaken, with(drawn(1, payment.Creating, "m2", 100_001)))
}
