package checkout

import (
	"context"
	"time"

	"coinslot/bff/payment"
)

// noteAbsence records an answer that the gateway does not know attempt n.
func (c *Service) noteAbsence(ctx context.Context, s payment.Session, n int) (payment.Session, error) {
	noted := false
	s, err := c.change(ctx, s, func(s *payment.Session, now time.Time) error {
		err := s.NoteAbsence(n, c.Pace, now)
		noted = err == nil
		return err
	})
	if err != nil || noted {
		return s, err
	}
	s.CheckedAt = c.Now().UTC()
	return s, c.touch(ctx, s)
}
