package order

import (
	"coinslot/bff/payment"
)

// refundBody is the JSON of POST /v1/sessions/{session}/refunds. Source: the public contract,
// section 10.
type refundBody struct {
	Amount         string `json:"amount"`
	CurrencySymbol string `json:"currency_symbol"`
	NetworkCode    string `json:"network_code"`
	TxID           string `json:"tx_id"`
	Reason         string `json:"reason"`
	ConfirmExcess  bool   `json:"confirm_excess"`
}

// DecodeRefund parses the body of POST /v1/sessions/{session}/refunds, as strictly as Decode.
// confirmExcess is that of [payment.RefundTerms]. Only the amount is validated.
//
// Errors: *wire.Error with CodeBadJSON, CodeUnknownField, CodeDuplicateField, CodeAmountType,
// CodeAmountInvalid, CodeInvalid; Param names the member.
func DecodeRefund(raw []byte) (r payment.Refund, confirmExcess bool, err error) {
	var b refundBody
	if err := strictWithAmount(raw, &b); err != nil {
		return payment.Refund{}, false, err
	}

	amount, err := payment.ParseRefundAmount(b.Amount)
	if err != nil {
		return payment.Refund{}, false, err
	}

	return payment.Refund{
		Amount:         amount,
		CurrencySymbol: b.CurrencySymbol,
		NetworkCode:    b.NetworkCode,
		TxID:           b.TxID,
		Reason:         b.Reason,
	}, b.ConfirmExcess, nil
}
