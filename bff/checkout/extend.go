package checkout

import (
	"context"
	"errors"

	"coinslot/bff/payment"
)

// Extend gives the shopper more time to pay: it cancels the waiting attempt and opens one in the
// same coin with the longest time that its network allows, as in a change of coin. The gateway
// cannot extend a transaction, so address and price are new. number is the attempt that the shopper
// saw; one that was replaced since is not replaced again. Zero means the current one.
//
// Errors: *wire.Error with CodeNotPossible if no payment is awaited or the session's own end
// has come, CodeSessionPaid, CodePaymentInProgress if money is on its way, CodeTooManyAttempts,
// CodeGatewayUnavailable, CodeSessionUnknown; the store's.
func (c *Service) Extend(ctx context.Context, id string, number int) (payment.Session, error) {
	ctx, stop := context.WithTimeout(ctx, actionTime)
	defer stop()

	s, err := c.load(ctx, id)
	if err != nil {
		return s.Session, err
	}

	err = s.Extendable(number)
	if errors.Is(err, payment.ErrJoined) {
		return s.Session, nil
	}
	if err != nil {
		return s.Session, err
	}

	currencies, err := c.awaitCurrencies(ctx)
	if err != nil {
		return s.Session, c.unavailable(ctx, "reading the currency list", err)
	}

	desired, err := s.Extension(currencies, c.Now())
	if errors.Is(err, payment.ErrJoined) {
		return s.Session, nil
	}
	if err != nil {
		return s.Session, err
	}

	return c.openAttempt(ctx, s, desired)
}
