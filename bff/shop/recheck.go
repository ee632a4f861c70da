package shop

import (
	"context"
	"net/http"

	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// recheck is POST /checkout/{session}/recheck: the shopper has paid.
func (s *server) recheck(r *http.Request) (useCase, error) {
	if err := web.ReadEmpty(r); err != nil {
		return nil, err
	}
	began := s.Now()
	return func(ctx context.Context, id string) (payment.Session, error) {
		session, err := s.Checkout.Recheck(ctx, id)
		if err == nil && session.CheckedAt.Before(began) {
			s.nudge(r, session)
		}
		return session, err
	}, nil
}
