package checkout

import (
	"context"
	"time"

	"coinslot/bff/payment"
	"coinslot/bff/token"
)

// SettleBy records that an operator has dealt with the money of a session that pays for nothing;
// see [payment.Session.Settle]. Errors: *wire.Error with CodeSessionUnknown, CodeInvalid or
// CodeNotPossible; the store's.
func (c *Service) SettleBy(ctx context.Context, id, reason, by string) (payment.Session, error) {
	return c.Change(ctx, id, func(s *payment.Session, now time.Time) error {
		return s.Settle(reason, by, token.Builtin(), now)
	})
}
