package checkout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/bff/payment"
)

// checkStatus reads the status of attempt n from the gateway, which may be patient, and records
// it, also that the transaction does not exist.
func (c *Service) checkStatus(
	ctx context.Context, gateway Gateway, s StoredSession, n int,
) (payment.Session, error) {
	r, err := gateway.Status(ctx, s.Attempt(n).TrackingCode)
	if payment.IsAbsence(err) {
		return c.countAbsence(ctx, s, n)
	}
	if err != nil {
		return s.Session, c.unavailable(ctx, "reading the status", err)
	}

	canceled := payment.HasEnded(r.Status) && r.Status != "expired"
	if canceled && s.Epoch == 0 && s.Attempt(n).State == payment.Waiting {
		// a change of coin may have canceled it: the poller records it after that
		return s.Session, c.Store.Touch(ctx, s, s.CheckedAt, c.Now())
	}

	return c.record(ctx, s, n, r)
}

// record applies a status record; without changes it only touches the row.
func (c *Service) record(
	ctx context.Context, s StoredSession, n int, r payment.Record,
) (payment.Session, error) {
	now := c.Now().UTC()
	env := c.Gateway.Environment()
	changes, err := s.NeedsUpdate(n, r, env, now)
	if err != nil {
		c.Log.ErrorContext(ctx, "gateway answered with another transaction's record",
			"session", s.ID, "attempt", n)
		return s.Session, payment.GatewayUnavailable("reading the status", err)
	}
	if !changes {
		s.CheckedAt = now
		return s.Session, c.touch(ctx, s)
	}

	changed, err := c.change(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.Apply(n, r, env, now)
	})
	if errors.Is(err, payment.ErrTxUsed) {
		return c.reviewReusedTx(ctx, s, n, r)
	}

	return changed, err
}

// reviewReusedTx moves attempt n into review because the transaction id of r confirmed another
// session, unless it is there already.
func (c *Service) reviewReusedTx(
	ctx context.Context, s StoredSession, n int, r payment.Record,
) (payment.Session, error) {
	a := s.Attempt(n)
	if a.State == payment.InReview && a.Reason == payment.ReasonTxUsed {
		s.CheckedAt = c.Now().UTC()
		return s.Session, c.touch(ctx, s)
	}
	return c.change(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.ReviewReusedTx(n, r, now)
	})
}

// touch stores CheckedAt and the next DueAt of s without a new version.
func (c *Service) touch(ctx context.Context, s StoredSession) error {
	due := s.Due(c.Schedule, c.Now(), c.IsWatched(s.ID, s.WatchedUntil))
	if err := c.Store.Touch(ctx, s, s.CheckedAt, due); err != nil {
		return fmt.Errorf("recording the check: %w", err)
	}
	c.Changed(s.ID)
	return nil
}

func (c *Service) countAbsence(
	ctx context.Context, s StoredSession, n int,
) (payment.Session, error) {
	noted := false
	current, err := c.change(ctx, s, func(s *payment.Session, now time.Time) error {
		err := s.CountAbsence(n, c.Schedule, now)
		noted = err == nil
		return err
	})
	if err != nil || noted {
		return current, err
	}

	s.Session = current
	s.CheckedAt = c.Now().UTC()
	return s.Session, c.touch(ctx, s)
}
