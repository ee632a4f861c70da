package storetest

import (
	"errors"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

var uniqueTests = cases{
	"a drawn order number is taken while it is live": on(func(t *testing.T, b Backend) {
		one := inserted(t, b, fresh(1))
		two := inserted(t, b, fresh(2))
		for _, state := range []payment.State{payment.Creating, payment.Unknown, payment.Waiting} {
			updated(t, b, one.ID, with(drawn(1, state, "m1", 100_001)))
			refused(t, b, two.ID, payment.ErrTaken, with(drawn(1, payment.Creating, "m2", 100_001)))
		}

		for _, state := range []payment.State{payment.Confirmed, payment.Expired, payment.Cancelled,
			payment.Refused,
			payment.Abandoned, payment.Rejected, payment.InReview} {
			updated(t, b, one.ID, with(drawn(1, state, "m1", 100_001)))
			updated(t, b, two.ID, with(drawn(1, payment.Creating, "m2", 100_001)))
			updated(t, b, two.ID, with(drawn(1, payment.Refused, "m2", 100_001)))
		}
	}),
	"an order number that was given is not": on(func(t *testing.T, b Backend) {
		for n, marker := range []string{"m1", "m2"} {
			s := inserted(t, b, fresh(n))
			a := attempt(1, payment.Waiting, marker)
			a.OrderID = 100_001
			updated(t, b, s.ID, with(a))
		}
	}),
	"an order number passes on in one change": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		updated(t, b, s.ID, with(drawn(1, payment.Waiting, "m1", 100_001)))
		updated(t, b, s.ID, func(s *payment.Session) {
			s.Attempts[0].State = payment.Abandoned
			s.Attempts = append(s.Attempts, drawn(2, payment.Creating, "m2", 100_001))
		})
		updated(t, b, s.ID, func(s *payment.Session) {
			s.Attempts[0].State = payment.Waiting
			s.Attempts[1].State = payment.Abandoned
		})
	}),
	"a transaction id proves one session": on(func(t *testing.T, b Backend) {
		one := inserted(t, b, fresh(1))
		two := inserted(t, b, fresh(2))
		paid := func(number int, state payment.State, marker string) payment.Attempt {
			a := attempt(number, state, marker)
			a.TxID = "0xabc"
			a.Txs = []payment.Tx{{ID: a.TxID}}
			return a
		}
		updated(t, b, two.ID, with(paid(1, payment.InReview, "m2"))) // reported, not proven
		updated(t, b, one.ID, with(paid(1, payment.Confirmed, "m1")))
		refused(t, b, two.ID, payment.ErrTxUsed, with(paid(1, payment.Confirmed, "m2")))
		updated(t, b, one.ID, with(paid(2, payment.Confirmed, "m3"))) // the same session
		updated(t, b, one.ID, with(attempt(1, payment.Confirmed, "m1")))
		refused(t, b, two.ID, payment.ErrTxUsed, with(paid(1, payment.Confirmed, "m2")))
		updated(t, b, one.ID, with(attempt(2, payment.Confirmed, "m3")))
		updated(t, b, two.ID, with(paid(1, payment.Confirmed, "m2"))) // given up by the first
	}),
	"each of an attempt's transaction ids proves one session": on(func(t *testing.T, b Backend) {
		one := inserted(t, b, fresh(1))
		two := inserted(t, b, fresh(2))
		paid := func(marker string, ids ...string) payment.Attempt {
			a := attempt(1, payment.Confirmed, marker)
			for _, id := range ids {
				a.Txs = append(a.Txs, payment.Tx{ID: id})
				a.TxID = id
			}
			return a
		}
		updated(t, b, one.ID, with(paid("m1", "0x1", "0x2", "0x3")))
		for _, id := range []string{"0x1", "0x2", "0x3"} {
			refused(t, b, two.ID, payment.ErrTxUsed, with(paid("m2", id)))
			refused(t, b, two.ID, payment.ErrTxUsed, with(paid("m2", "0x4", id)))
		}

		updated(t, b, one.ID, with(paid("m1", "0x1", "0x3")))
		updated(t, b, two.ID, with(paid("m2", "0x4", "0x2"))) // given up by the first
		shared := paid("m1", "0x1", "0x2")                    // an operator knows
		shared.TxID = ""
		shared.SharedTxID = "0x2"
		updated(t, b, one.ID, with(shared))
	}),
	"a tracking code has one attempt": on(func(t *testing.T, b Backend) {
		one := inserted(t, b, fresh(1))
		two := inserted(t, b, fresh(2))
		tracked := func(state payment.State, marker string) payment.Attempt {
			a := attempt(1, state, marker)
			a.TrackingCode = "TRK"
			return a
		}
		for _, state := range []payment.State{
			payment.Waiting, payment.Expired, payment.Rejected, payment.Confirmed,
		} {
			updated(t, b, one.ID, with(tracked(state, "m1")))
			refused(t, b, two.ID, payment.ErrTrackingUsed, with(tracked(payment.Waiting, "m2")))
			refused(t, b, two.ID, payment.ErrTrackingUsed, with(tracked(payment.Rejected, "m2")))
		}
	}),
	"a conflict undoes the whole change": on(func(t *testing.T, b Backend) {
		one := inserted(t, b, fresh(1))
		two := inserted(t, b, fresh(2))
		updated(t, b, one.ID, with(drawn(1, payment.Waiting, "m1", 100_001)))
		refused(t, b, two.ID, payment.ErrTaken, func(s *payment.Session) {
			s.Attempts = []payment.Attempt{
				drawn(1, payment.Waiting, "free", 100_002), drawn(2, payment.Waiting, "m2",
					100_001),
			}
		}, event(two.ID, 1))
		wantDeliveries(t, b, nil)
		_, err := lookUp(t.Context(), b, "free")
		if !errors.Is(err, payment.ErrNotFound) {
			t.Errorf("Lookup of an undone attempt = %v; want ErrNotFound", err)
		}

		third := inserted(t, b, fresh(3))
		updated(t, b, third.ID, with(drawn(1, payment.Waiting, "m3", 100_002))) // was never taken
	}, siteA),
}

// with is a change that puts a in its place.
func with(a payment.Attempt) func(*payment.Session) {
	return func(s *payment.Session) {
		if a.Number > len(s.Attempts) {
			s.Attempts = append(s.Attempts, a)
			return
		}
		s.Attempts[a.Number-1] = a
	}
}

// refused fails unless change is refused with want and leaves the session as it is.
func refused(
	t *testing.T, b Backend, id string, want error, change func(*payment.Session),
	events ...payment.Event,
) {
	t.Helper()
	before := fortest.Must(b.Session(t.Context(), id))(t)
	_, err := b.Update(t.Context(), id, 0, func(s *payment.Session) ([]payment.Event, error) {
		change(s)
		return events, nil
	})
	fortest.Is(t, err, want, "Update")
	check(t, b, before)
}

func drawn(number int, state payment.State, marker string, orderID int) payment.Attempt {
	a := attempt(number, state, marker)
	a.OrderID = orderID
	a.Drawn = true
	return a
}
