package checkout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/crash"
	"coinslot/bff/payment"
)

// assumeLost declares that the process which sent create is gone, or that its
// answer is: from now on the list is searched. A create that was put off is not
// lost.
func (c *Service) assumeLost(ctx context.Context, s payment.Session, n int) error {
	_, err := c.change(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.AssumeLost(n, now)
	})
	return err
}

// Recover declares lost every create that is under way, so that its search
// begins now and not after Pace.Answer. It is for a process that has just
// started and is alone on its database; beside another process it would
// search for what that one is still creating. Errors: the store's.
func (c *Service) Recover(ctx context.Context) error {
	for f := (payment.Filter{Status: string(wire.Preparing), Limit: 100}); ; {
		page, err := c.Store.List(ctx, f)
		if err != nil {
			return fmt.Errorf("looking for creates under way: %w", err)
		}
		for _, s := range page.Sessions {
			if a := s.Current(); a == nil || a.State != payment.Creating {
				continue
			} else if err := c.assumeLost(ctx, s, a.Number); err != nil {
				return err
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return nil
		}
	}
}

// search looks for the transaction that an unanswered create may have opened, and
// gives the attempt up if that fails and has failed for long.
func (c *Service) search(ctx context.Context, s payment.Session, a payment.Attempt) error {
	err := c.seek(ctx, s, a)
	now := c.Now()
	if err != nil && (a.UnknownAt.After(now) || now.Sub(a.UnknownAt) >= payment.GiveUpAfter) {
		_, abandonErr := c.change(ctx, s, func(s *payment.Session, now time.Time) error {
			return s.Abandon(a.Number, now)
		})
		if abandonErr != nil {
			return errors.Join(err, abandonErr)
		}
	}
	if errors.Is(err, errReading) {
		return c.comeBack(ctx, s)
	}
	return err
}

// seek is search without giving up.
// Since only create tells the address, a transaction that is found is cancelled and
// replaced; one that cannot be cancelled is handed over by its hosted page.
// Two searches, some time apart, that find nothing prove that there is none.
// Errors: errReading; the gateway's; the store's.
func (c *Service) seek(ctx context.Context, s payment.Session, a payment.Attempt) error {
	if a.TrackingCode == "" {
		notBefore := a.UnknownAt
		if a.Misses > 0 {
			notBefore = a.MissedAt.Add(c.Pace.Absent)
		}
		// A clock that was ahead may have written these.
		if now := c.Now(); a.UnknownAt.After(now) || a.MissedAt.After(now) {
			notBefore = now
		}
		found, asOf, err := c.find(ctx, s, a, notBefore)
		if err != nil {
			return err
		}
		if a = *found.Attempt(a.Number); a.TrackingCode == "" {
			return c.miss(ctx, s, a, asOf)
		}
	}
	if a.State != payment.Unknown {
		return nil // its answer has come meanwhile
	}
	return c.replaceOrphan(ctx, s, a)
}

// comeBack has s tended again when the list may have been read.
func (c *Service) comeBack(ctx context.Context, s payment.Session) error {
	if err := c.Store.Touch(ctx, s, s.CheckedAt, c.Now().Add(searchPatience)); err != nil {
		return fmt.Errorf("waiting for the transaction list: %w", err)
	}
	return nil
}

// replaceOrphan cancels a found transaction whose address is not known and
// starts another attempt for the same coin.
func (c *Service) replaceOrphan(ctx context.Context, s payment.Session, a payment.Attempt) error {
	cancelErr := c.Gateway.Cancel(ctx, a.TrackingCode)
	crash.Point("orphan.cancelled")
	r, err := c.Gateway.Status(ctx, a.TrackingCode)
	if err != nil {
		return err
	}
	if r.Status != "confirmed" && !payment.HasEnded(r.Status) && (r.Status != "pending" || !payment.FinalRefusal(cancelErr)) {
		return errors.Join(cancelErr, c.touch(ctx, s)) // not proven either way: next time
	}
	return c.replace(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.ResolveOrphan(a.Number, r, c.Gateway.Environment(), now)
	})
}

// replace runs fn, which may give an attempt up, and makes the create call of
// the replacement if this very change has appended one: whoever finds it there
// already must not send it a second time.
func (c *Service) replace(ctx context.Context, old payment.Session, fn func(s *payment.Session, now time.Time) error) error {
	appended := false
	s, err := c.intend(ctx, old, func(s *payment.Session, now time.Time) error {
		before := len(s.Attempts)
		err := fn(s, now)
		appended = err == nil && len(s.Attempts) > before
		return err
	})
	if err != nil || !appended {
		return err
	}
	crash.Point("replacement.intended")
	_, err = c.start(ctx, s, len(s.Attempts), c.quote(ctx, s.Attempts[len(s.Attempts)-1]))
	return err
}

// quote returns the terms of an attempt's coin; price and fee are zero if the gateway's
// currencies cannot be read, or lack it.
func (c *Service) quote(ctx context.Context, a payment.Attempt) payment.Terms {
	currencies, err := c.Currencies(ctx)
	if err != nil {
		return c.terms(payment.Offer{})
	}
	for _, o := range payment.Offers(payment.Order{}, currencies) {
		if a.IsFor(o) {
			return c.terms(o)
		}
	}
	return c.terms(payment.Offer{})
}

// miss notes that the list did not have a at asOf. The second time, long enough after
// the first, gives the attempt up.
func (c *Service) miss(ctx context.Context, s payment.Session, a payment.Attempt, asOf time.Time) error {
	return c.replace(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.NoteMiss(a.Number, c.Pace.Absent, asOf, now)
	})
}

// tendOrphan searches again for what a given-up create may have opened after
// all, ends it when it is known, and looks at it late like at any other.
func (c *Service) tendOrphan(ctx context.Context, s payment.Session, a payment.Attempt, due time.Time) error {
	if a.TrackingCode == "" {
		return c.searchOrphan(ctx, s, a)
	}
	if due.IsZero() || c.Now().Before(due) && !a.EndedAt.IsZero() {
		return nil
	}
	if !a.EndedAt.IsZero() {
		return c.lookLate(ctx, s, a)
	}
	if err := c.Gateway.Cancel(ctx, a.TrackingCode); err != nil {
		c.Log.WarnContext(ctx, "cancelling an orphan", "session", s.ID, "attempt", a.Number, "error", err)
	}
	_, err := c.look(ctx, s, a.Number)
	return err
}

func (c *Service) searchOrphan(ctx context.Context, s payment.Session, a payment.Attempt) error {
	due := a.SearchDue(c.Pace, c.Now())
	if !payment.HasCome(due, c.Now()) {
		return nil
	}
	found, _, err := c.find(ctx, s, a, due)
	if errors.Is(err, errReading) {
		return c.touch(ctx, s) // nobody waits for it
	}
	if err != nil || found.Attempt(a.Number).TrackingCode != "" {
		return err
	}
	return c.count(ctx, s, a, a.Rechecks+1)
}

// find looks for a in the gateway's list, and returns the session as it is afterwards:
// a has a tracking code if it was found. If not, it was not there at asOf, which is
// notBefore or later, or now. Errors: errReading; the gateway's; the store's.
func (c *Service) find(
	ctx context.Context, s payment.Session, a payment.Attempt, notBefore time.Time,
) (now payment.Session, asOf time.Time, err error) {
	now, err = c.Session(ctx, s.ID)
	if err != nil || now.Attempt(a.Number).TrackingCode != "" {
		return now, asOf, err // another's search has found it
	}
	asOf, bare, searchErr := c.sighted(ctx, a, notBefore)
	for _, r := range bare {
		mine, err := c.alike(ctx, r, a)
		if err != nil {
			return s, asOf, err
		}
		if mine {
			now, err = c.adopt(ctx, s, a.Number, r)
			return now, asOf, err
		}
	}
	now, err = c.Session(ctx, s.ID)
	if err != nil || now.Attempt(a.Number).TrackingCode != "" {
		return now, asOf, err
	}
	return now, asOf, searchErr
}

// alike reports whether r, which a gateway has given back without its comment,
// is a by everything else that was sent.
func (c *Service) alike(ctx context.Context, r payment.Record, a payment.Attempt) (bool, error) {
	if !a.Resembles(r) {
		return false, nil
	}
	_, err := c.Store.Lookup(ctx, r.TrackingCode)
	if errors.Is(err, payment.ErrNotFound) {
		return true, nil
	}
	return false, err
}
