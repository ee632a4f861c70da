package shop

import (
	"context"
	"net/http"
	"strconv"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// extend is POST /checkout/{session}/extend: more time for the same coin.
func (s *server) extend(r *http.Request) (useCase, error) {
	if err := s.checkUnpaidAttempts(r); err != nil {
		return useCase{}, err
	}
	var body struct {
		Attempt wholeNumber `json:"attempt"`
	}
	if err := web.ReadJSON(r, &body); err != nil {
		return useCase{}, err
	}
	if r.PostForm != nil {
		body.Attempt = wholeNumber(r.PostForm.Get("attempt"))
	}
	number, err := strconv.ParseUint(string(body.Attempt), 10, 16)
	if body.Attempt != "" && (err != nil || number == 0 || body.Attempt[0] == '0') {
		return useCase{}, web.Refuse(wire.CodeInvalid, "attempt")
	}
	return useCase{
		key: "extend " + string(body.Attempt),
		do: func(ctx context.Context, id string) (payment.Session, error) {
			return s.Checkout.Extend(ctx, id, int(number))
		},
	}, nil
}
