package checkout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

// What happens to a create whose answer was lost: the gateway's list is searched for the marker
// that every create carries. Only the answer to create holds the address, so a found transaction
// is canceled and replaced; one that is proven absent is replaced; one that cannot be searched
// for is abandoned after ten minutes.

// searchRetry is when a session is processed again whose search still reads a long list.
const searchRetry = 2 * time.Second

// markUnknown records that create has no answer: from now on the list is searched. Postponed
// creates stay as they are.
func (c *Service) markUnknown(ctx context.Context, s StoredSession, n int) error {
	_, err := c.change(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.MarkUnknown(n, now)
	})
	return err
}

// Recover marks every create in flight as unknown, so that its search starts now instead of
// after Schedule.CreateTimeout. Call it only in a process that has just started and is alone on
// its database; otherwise it would search for creates in flight elsewhere. Errors: the store's.
func (c *Service) Recover(ctx context.Context) error {
	for f := (payment.Filter{Status: string(wire.Preparing), Limit: 100}); ; {
		page, err := c.Store.List(ctx, f)
		if err != nil {
			return fmt.Errorf("listing creates in flight: %w", err)
		}

		for _, s := range page.Sessions {
			a := s.Current()
			if a == nil || a.State != payment.Creating {
				continue
			} else if err := c.markUnknown(ctx, StoredSession{Session: s}, a.Number); err != nil {
				return err
			}
		}

		f.Cursor = page.Next
		if f.Cursor == "" {
			return nil
		}
	}
}

// searchUnanswered looks for the transaction of an unanswered create, and abandons the attempt
// after failing for long.
func (c *Service) searchUnanswered(ctx context.Context, s StoredSession, a payment.Attempt) error {
	err := c.findOrReplace(ctx, s, a)
	now := c.Now()
	if err != nil && (a.UnknownAt.After(now) || now.Sub(a.UnknownAt) >= payment.GiveUpAfter) {
		_, abandonErr := c.change(ctx, s, func(s *payment.Session, now time.Time) error {
			return s.Abandon(a.Number, now)
		})
		if abandonErr != nil {
			return errors.Join(err, abandonErr)
		}
	}
	if !errors.Is(err, gatewaylist.ErrStillReading) {
		return err
	}

	return c.reschedule(ctx, s, c.Now().Add(searchRetry))
}

// reschedule makes s due then.
func (c *Service) reschedule(ctx context.Context, s StoredSession, due time.Time) error {
	if err := c.Store.Touch(ctx, s, s.CheckedAt, due); err != nil {
		return fmt.Errorf("rescheduling a search: %w", err)
	}
	return nil
}

// findOrReplace is searchUnanswered without abandoning. A found transaction is canceled and replaced,
// since its address is lost; one that cannot be canceled is paid at its hosted page. Two
// searches, SearchGap apart, that find nothing prove that there is none.
// Errors: gatewaylist.ErrStillReading; the gateway's; the store's.
func (c *Service) findOrReplace(ctx context.Context, s StoredSession, a payment.Attempt) error {
	if a.TrackingCode == "" {
		now := c.Now()
		notBefore := a.UnknownAt
		if a.Misses > 0 {
			notBefore = a.MissedAt.Add(c.Schedule.SearchGap)
		}
		// A clock that was ahead may have stored these.
		if a.UnknownAt.After(now) || a.MissedAt.After(now) {
			notBefore = now
		}
		// Something has made it due sooner, but the second search has its time.
		if now.Before(notBefore) {
			return c.reschedule(ctx, s, notBefore)
		}

		found, asOf, err := c.finder.Find(ctx, s.Session, a, notBefore)
		if err != nil {
			return err
		}
		s.Session = found
		a = *s.Attempt(a.Number)
		if a.TrackingCode == "" {
			next := s.Snapshot()
			err := next.CountMiss(a.Number, c.Schedule.SearchGap, asOf, c.Now().UTC())
			if errors.Is(err, payment.ErrUnchanged) {
				return nil
			}
			if err != nil {
				return err
			}
			return c.saveDecided(ctx, s, next)
		}
	}
	if a.State != payment.Unknown {
		return nil // the answer has arrived
	}

	return c.replaceOrphan(ctx, s, a)
}

// replaceOrphan cancels a found transaction whose address is lost and starts another attempt in
// the same coin. If it cannot be canceled, shoppers see its amount: two reads must agree on it.
func (c *Service) replaceOrphan(ctx context.Context, s StoredSession, a payment.Attempt) error {
	cancelErr := c.Gateway.Cancel(ctx, a.TrackingCode)
	r, err := c.Gateway.Status(ctx, a.TrackingCode)
	if err != nil {
		return err
	}

	decided := r.Status == "confirmed" || payment.HasEnded(r.Status)
	if r.Status == "pending" && payment.FinalRefusal(cancelErr) {
		again, err := c.Gateway.Status(ctx, a.TrackingCode)
		decided = err == nil && again.PayAmount.Equal(r.PayAmount)
	}
	if !decided {
		return errors.Join(cancelErr, c.touch(ctx, s)) // try again
	}

	s, err = c.reload(ctx, s)
	if err != nil {
		return err
	}

	next := s.Snapshot()
	err = next.ApplyToOrphan(a.Number, r, c.Gateway.Environment(), c.Now().UTC())
	if errors.Is(err, payment.ErrUnchanged) {
		return nil
	}
	if err != nil {
		return err
	}

	return c.saveDecided(ctx, s, next)
}

// searchOrphan searches again for the transaction of an abandoned create, if it is time.
// Errors: the gateway's; the store's.
func (c *Service) searchOrphan(ctx context.Context, s StoredSession, a payment.Attempt) error {
	due := a.SearchDue(c.Schedule, c.Now())
	if !payment.IsDue(due, c.Now()) {
		return nil
	}

	found, _, err := c.finder.Find(ctx, s.Session, a, due)
	if errors.Is(err, gatewaylist.ErrStillReading) {
		return c.touch(ctx, s) // not urgent
	}
	if err != nil || found.Attempt(a.Number).TrackingCode != "" {
		return err
	}

	_, err = c.change(ctx, s, func(s *payment.Session, _ time.Time) error {
		return s.CountChecks(a, a.ChecksDone+1)
	})
	return err
}
