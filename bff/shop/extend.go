package shop

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// extend is POST /checkout/{session}/extend: more time for the same coin.
func (s *server) extend(r *http.Request) (useCase, error) {
	var body struct {
		Attempt attemptNumber `json:"attempt"`
	}
	if err := web.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	if r.PostForm != nil && r.PostForm.Get("attempt") != "" {
		if err := body.Attempt.UnmarshalJSON([]byte(r.PostForm.Get("attempt"))); err != nil {
			return nil, web.Refuse(wire.CodeInvalid, "attempt")
		}
	}
	return func(ctx context.Context, id string) (payment.Session, error) {
		return s.Checkout.Extend(ctx, id, int(body.Attempt))
	}, nil
}

// attemptNumber is from 1; zero = absent. JSON made from form fields has it as text.
type attemptNumber int

// UnmarshalJSON reads 3 and "3". A member that is null is absent.
func (c *attemptNumber) UnmarshalJSON(raw []byte) error {
	text := unquoted(raw)
	if string(raw) == "null" {
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 || text[0] == '0' {
		return errors.New("not a number from 1")
	}
	*c = attemptNumber(n)
	return nil
}

// unquoted removes the quotes of a JSON string.
func unquoted(raw []byte) string {
	text := string(raw)
	if n := len(text); n > 2 && text[0] == '"' && text[n-1] == '"' {
		return text[1 : n-1]
	}
	return text
}
