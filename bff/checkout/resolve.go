package checkout

import (
	"context"
	"errors"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Resolve is Settle for the merchant's server.
func (c *Service) Resolve(
	ctx context.Context, id string, as wire.Status, reason string,
) (payment.Session, error) {
	return c.Settle(ctx, id, payment.Resolution{As: as, Reason: reason, By: payment.ByMerchant})
}

// Settle settles a session in review by hand. What is settled as not paid never
// turns confirmed by itself: money that is proven later goes to review again.
//
// Errors: *wire.Error with CodeNotPossible if the session is not in review,
// CodeInvalid for another As or an empty or overlong Reason, CodeReviewChanged if
// it is not the session that was looked at, or if the transaction turns out to have
// paid another one: then that is the reason of the review from now on.
func (c *Service) Settle(
	ctx context.Context, id string, by payment.Resolution,
) (payment.Session, error) {
	if err := by.Validate(); err != nil {
		return payment.Session{}, err
	}
	s, err := c.Change(ctx, payment.Session{ID: id}, func(s *payment.Session, now time.Time) error {
		return s.Resolve(by, now)
	})
	if errors.Is(err, payment.ErrTxUsed) {
		return c.reviewSharedTx(ctx, id)
	}
	return s, err
}

// reviewSharedTx notes that the payment in review was made by a transaction which another
// session was confirmed with. Whoever wanted to settle it did not know that, and is
// refused this once.
func (c *Service) reviewSharedTx(ctx context.Context, id string) (payment.Session, error) {
	s, err := c.Change(ctx, payment.Session{ID: id}, func(s *payment.Session, now time.Time) error {
		return s.ReviewSharedTx(now)
	})
	if err != nil {
		return s, err
	}
	return s, payment.NewError(wire.CodeReviewChanged, "")
}
