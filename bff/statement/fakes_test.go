package statement

import (
	"context"
	"time"

	"coinslot/bff/payment"
)

// stored is a database of sessions with money in any month.
type stored []payment.Session

func (s stored) SessionsWithMoney(
	context.Context, time.Time, time.Time, string,
) (SessionPage, error) {
	return SessionPage{Sessions: s}, nil
}

func (s stored) Session(_ context.Context, id string) (payment.Session, error) {
	for _, session := range s {
		if session.ID == id {
			return session, nil
		}
	}
	return payment.Session{}, payment.ErrNotFound
}

func (s stored) FindAttempts(context.Context, []string) ([]payment.AttemptRef, error) {
	return nil, nil
}
