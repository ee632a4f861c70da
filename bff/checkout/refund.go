package checkout

import (
	"context"
	"time"

	"coinslot/bff/payment"
)

// Refund records a refund that the merchant has paid from a wallet of their own. confirmExcess
// allows that more goes back than arrived. recorded is false if the same refund was recorded
// before: a transaction is one refund of a session, however often it is sent here.
//
// Errors: *wire.Error as for [payment.Session.Refund], CodeSessionUnknown; the store's.
func (c *Service) Refund(
	ctx context.Context, id string, r payment.Refund, confirmExcess bool,
) (s payment.Session, recorded bool, err error) {
	terms := payment.RefundTerms{ConfirmExcess: confirmExcess, Coins: c.Tokens}
	s, err = c.Change(ctx, id, func(s *payment.Session, now time.Time) error {
		err := s.Refund(r, terms, now)
		recorded = err == nil
		return err
	})
	return s, recorded && err == nil, err
}
