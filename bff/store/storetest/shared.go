package storetest

import (
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// RunShared tests two handles of one database, as two instances have them. open returns
// them; the database is empty.
func RunShared(t *testing.T, open func(t *testing.T, endpoints []string) (one, other Backend)) {
	for name, test := range sharedTests {
		t.Run(name, func(t *testing.T) {
			one, other := open(t, []string{endA, endB})
			test(t, one, other)
		})
	}
}

var sharedTests = map[string]func(t *testing.T, instances ...Backend){
	"claims go to one instance":     raceForClaims,
	"deliveries go to one instance": raceForDeliveries,
	// One claims and sleeps; the other takes over after the lease. What the first
	// writes then is refused, and does not end the other's lease.
	"an instance that slept is fenced": func(t *testing.T, instances ...Backend) {
		one := instances[0]
		other := instances[1]
		slept := claimed(t, one, 1)
		now := epoch().Add(time.Minute)
		awake := claim(t, other, now, time.Minute, 1)[0]
		wantFenced(t, one, slept)
		fortest.OK(t, one.Touch(t.Context(), slept, epoch(), epoch()))
		release(t, one, slept, epoch())
		check(t, one, awake.Session)
		wantDeliveries(t, other, nil)
		wantLeased(t, one, now.Add(time.Second), true)
	},
	"updates of both lose nothing": raceOfUpdates,
	"one reads what the other wrote": func(t *testing.T, instances ...Backend) {
		one := instances[0]
		other := instances[1]
		s := inserted(t, one, fresh(1))
		check(t, other, s)
		s = updated(t, other, s.ID, with(attempt(1, payment.Waiting, "m")), event(s.ID, 1))
		check(t, one, s)
		wantDeliveries(t, one, []string{event(s.ID, 1).ID, event(s.ID, 1).ID})
	},
	"one reference, one order": func(t *testing.T, instances ...Backend) {
		one := instances[0]
		other := instances[1]
		first := inserted(t, one, fresh(1))
		second := fresh(2)
		second.Order.Ref = first.Order.Ref
		wantHolder(t, other, second, first)
	},
	"the log misses nothing of another": readUnderWriters,
	"numbers and codes are unique everywhere": func(t *testing.T, instances ...Backend) {
		one := instances[0]
		other := instances[1]
		first := inserted(t, one, fresh(1))
		second := inserted(t, other, fresh(2))
		updated(t, one, first.ID, with(drawn(1, payment.Waiting, "m1", 100_001)))
		refused(t, other, second.ID, payment.ErrTaken, with(drawn(1, payment.Creating, "m2",
			100_001)))
	},
	"one run at a time": raceForRun,
}
