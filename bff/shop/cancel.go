package shop

import (
	"context"
	"net/http"

	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// cancel is POST /checkout/{session}/cancel.
func (s *server) cancel(r *http.Request) (useCase, error) {
	if err := web.ReadEmpty(r); err != nil {
		return nil, err
	}
	return func(ctx context.Context, id string) (payment.Session, error) {
		return s.Checkout.Cancel(ctx, id, payment.ClosedByShopper)
	}, nil
}
