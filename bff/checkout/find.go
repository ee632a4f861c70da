package checkout

import (
	"context"

	"coinslot/bff/payment"
)

// List returns sessions, newest first. Errors: the store's.
func (c *Service) List(ctx context.Context, f payment.Filter) (payment.Page, error) {
	return c.Store.List(ctx, f)
}

// FindByTrackingCode returns the session with that transaction. Errors: payment.ErrNotFound;
// the store's.
func (c *Service) FindByTrackingCode(
	ctx context.Context, trackingCode string,
) (payment.Session, error) {
	held, err := c.Store.FindAttempts(ctx, []string{trackingCode})
	if err != nil {
		return payment.Session{}, err
	}
	if len(held) == 0 {
		return payment.Session{}, payment.ErrNotFound
	}
	s, err := c.Store.Load(ctx, held[0].Session)
	return s.Session, err
}

// FindByOrder returns the session of o, if its reference is stored for an equal order. Errors:
// the store's.
func (c *Service) FindByOrder(
	ctx context.Context, o payment.Order,
) (s payment.Session, found bool, err error) {
	s, found, err = c.first(ctx, payment.Filter{OrderRef: o.Ref})
	return s, found && s.Digest == o.Complete().Digest(), err
}

// IsKeyUsed reports whether a session was opened with that idempotency key; "" = never. Errors:
// the store's.
func (c *Service) IsKeyUsed(ctx context.Context, key string) (bool, error) {
	_, used, err := c.first(ctx, payment.Filter{IdempotencyKey: key})
	return used, err
}

// first returns the latest session that f selects; the zero Filter selects none.
func (c *Service) first(
	ctx context.Context, f payment.Filter,
) (s payment.Session, found bool, err error) {
	if f == (payment.Filter{}) {
		return s, false, nil
	}
	f.Limit = 1
	page, err := c.Store.List(ctx, f)
	if err != nil || len(page.Sessions) == 0 {
		return s, false, err
	}
	return page.Sessions[0], true, nil
}
