package api

import (
	"net/http"

	"coinslot/bff/order"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// recordRefund is POST /v1/sessions/{session}/refunds. The transaction is the key of a refund, so
// the request may be repeated: the first answer is 201, later ones are 200.
func (s *server) recordRefund(w http.ResponseWriter, r *http.Request) error {
	raw, err := web.ReadBody(r)
	if err != nil {
		return err
	}

	refund, confirmExcess, err := order.DecodeRefund(raw)
	if err != nil {
		return err
	}
	refund.By = payment.ByMerchant

	id := r.PathValue("session")
	session, recorded, err := s.Checkout.Refund(r.Context(), id, refund, confirmExcess)
	if err != nil {
		return web.StorageError(err)
	}

	status := http.StatusOK
	if recorded {
		status = http.StatusCreated
	}
	return web.Respond(w, status, s.Checkout.Object(session))
}
