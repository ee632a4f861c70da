package checkout

import (
	"context"
	"time"

	"coinslot/bff/payment"
)

// resend sends a create again that was put off.
func (c *Service) resend(ctx context.Context, s payment.Session, n int) error {
	send := false
	s, err := c.change(ctx, s, func(s *payment.Session, now time.Time) (err error) {
		send, err = s.Resume(n, now)
		return err
	})
	if err != nil || !send {
		return err
	}
	_, err = c.start(ctx, s, n, c.quote(ctx, *s.Attempt(n)))
	return err
}
