package checkout

import (
	"context"
	"errors"

	"coinslot/bff/payment"
)

// Extend gives the shopper more time to pay: the waiting attempt is called off
// and one in the same coin is opened with the longest time that its network
// allows, as in a change of coin. The gateway cannot move an end, so the
// address and the price are new. number is the attempt that the shopper saw; one
// that has been replaced since is not replaced again. Zero means the current one.
//
// Errors: *wire.Error with CodeNotPossible if nothing is waited for or the
// session's own end has come, CodeSessionPaid, CodePaymentInProgress if money is
// on its way, CodeTooManyAttempts, CodeGatewayUnavailable, CodeSessionUnknown;
// the store's.
func (c *Service) Extend(ctx context.Context, id string, number int) (payment.Session, error) {
	s, err := c.Session(ctx, id)
	if err != nil {
		return s, err
	}
	if err := s.Extendable(number); errors.Is(err, payment.ErrJoined) {
		return s, nil
	} else if err != nil {
		return s, err
	}
	currencies, err := c.Currencies(ctx)
	if err != nil {
		return s, c.unavailable(ctx, "reading currencies", err)
	}
	w, err := s.Extension(currencies, c.Now())
	if errors.Is(err, payment.ErrJoined) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	return c.openAttempt(ctx, s, w)
}
