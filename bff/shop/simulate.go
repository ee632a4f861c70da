package shop

import (
	"context"
	"net/http"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// simulate is POST /checkout/{session}/simulate, in sandboxes only.
func (s *server) simulate(r *http.Request) (useCase, error) {
	var body struct {
		Kind string `json:"kind"`
	}
	if err := web.ReadJSON(r, &body); err != nil {
		return useCase{}, err
	}
	if r.PostForm != nil {
		body.Kind = r.PostForm.Get("kind")
	}
	return useCase{do: func(ctx context.Context, id string) (payment.Session, error) {
		session, err := s.shopperSession(ctx, id)
		if err != nil {
			return payment.Session{}, err
		}
		a := session.Current()
		if a == nil || a.TrackingCode == "" {
			return payment.Session{}, web.Refuse(wire.CodeNotPossible, "")
		}
		if err := s.Simulate(ctx, a.TrackingCode, body.Kind); err != nil {
			return payment.Session{}, web.Refuse(wire.CodeInvalid, "kind")
		}
		return s.Checkout.Recheck(ctx, id)
	}}, nil
}
