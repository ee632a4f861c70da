package checkout

import (
	"context"
	"errors"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Resolve is ResolveBy for the merchant's server.
func (c *Service) Resolve(
	ctx context.Context, id string, as wire.Status, reason string,
) (payment.Session, error) {
	by := payment.Resolution{As: as, Reason: reason, By: payment.ByMerchant}
	return c.ResolveBy(ctx, id, by)
}

// ResolveBy resolves a session in review, as paid or unpaid. An unpaid one is never confirmed
// automatically: money that is proven later goes to review again.
//
// Errors: *wire.Error with CodeNotPossible if the session is not in review, CodeInvalid for
// another As or an invalid Reason, CodeReviewChanged if it is not the review that the operator
// saw, or if the transaction turns out to have paid another session: from then on that is the
// reason of the review.
func (c *Service) ResolveBy(
	ctx context.Context, id string, by payment.Resolution,
) (payment.Session, error) {
	if err := by.Validate(); err != nil {
		return payment.Session{}, err
	}
	s, err := c.Change(ctx, id, func(s *payment.Session, now time.Time) error {
		return s.Resolve(by, now)
	})
	if errors.Is(err, payment.ErrTxUsed) {
		return c.reviewSharedTx(ctx, id)
	}
	return s, err
}

// reviewSharedTx records that the transaction in review confirmed another session. The operator
// did not know, so the resolution fails this once.
func (c *Service) reviewSharedTx(ctx context.Context, id string) (payment.Session, error) {
	s, err := c.Change(ctx, id, (*payment.Session).ReviewSharedTx)
	if err != nil {
		return s, err
	}
	return s, payment.NewError(wire.CodeReviewChanged, "")
}
