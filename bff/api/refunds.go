package api

import (
	"net/http"

	"coinslot/bff/order"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// refundBody is the JSON of POST /v1/sessions/{session}/refunds. Source: docs/refunds.md.
type refundBody struct {
	Amount         string `json:"amount"`
	CurrencySymbol string `json:"currency_symbol"`
	NetworkCode    string `json:"network_code"`
	TxID           string `json:"tx_id"`
	Reason         string `json:"reason"`
	ConfirmExcess  bool   `json:"confirm_excess"`
}

// recordRefund is POST /v1/sessions/{session}/refunds. The transaction is the key of a refund, so
// the request may be repeated: the first answer is 201, later ones are 200.
func (s *server) recordRefund(w http.ResponseWriter, r *http.Request) error {
	raw, err := web.ReadBody(r)
	if err != nil {
		return err
	}

	refund, confirmExcess, err := decodeRefund(raw)
	if err != nil {
		return err
	}

	session, recorded, err := s.Checkout.Refund(
		r.Context(), r.PathValue("session"), refund, confirmExcess)
	if err != nil {
		return web.StorageError(err)
	}

	status := http.StatusOK
	if recorded {
		status = http.StatusCreated
	}
	return web.Respond(w, status, s.Checkout.Object(session))
}

// decodeRefund decodes a refundBody. Errors: *wire.Error; Param names the member.
func decodeRefund(raw []byte) (r payment.Refund, confirmExcess bool, err error) {
	var body refundBody
	if err := order.Strict(raw, &body); err != nil {
		return payment.Refund{}, false, err
	}

	amount, err := payment.ParseRefundAmount(body.Amount)
	if err != nil {
		return payment.Refund{}, false, err
	}

	return payment.Refund{
		Amount:         amount,
		CurrencySymbol: body.CurrencySymbol,
		NetworkCode:    body.NetworkCode,
		TxID:           body.TxID,
		Reason:         body.Reason,
		By:             payment.ByMerchant,
	}, body.ConfirmExcess, nil
}
