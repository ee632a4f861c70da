package checkout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Process does what is due for s, as returned by DueStore.Claim: it asks the gateway, applies the
// rules and sets the next DueAt. It may run concurrently with anything, since every change
// starts from the current row. It ends the lease of the claim.
//
// Errors: ErrFenced if the lease was lost to another claim; the gateway's; the store's.
func (c *Service) Process(ctx context.Context, s StoredSession) error {
	err := c.process(ctx, s)
	// on shutdown, let the next instance process it at once
	if errors.Is(ctx.Err(), context.Canceled) {
		return errors.Join(err, c.Store.Release(context.WithoutCancel(ctx), s, s.DueAt))
	}
	return errors.Join(err, c.release(context.WithoutCancel(ctx), s))
}

func (c *Service) process(ctx context.Context, s StoredSession) error {
	if s.Status == wire.Open && !c.Now().Before(s.ExpiresAt) {
		_, err := c.change(ctx, s, (*payment.Session).Expire)
		return err
	}

	var errs []error
	for i := range s.Attempts {
		if err := c.processAttempt(ctx, s, s.Attempts[i]); err != nil {
			n := s.Attempts[i].Number
			errs = append(errs, fmt.Errorf("processing attempt %d of session %q: %w", n, s.ID, err))
		}
	}
	if len(errs) > 0 && !errors.Is(ctx.Err(), context.Canceled) {
		c.postpone(context.WithoutCancel(ctx), s, errs)
	}

	return errors.Join(errs...)
}

// release ends the lease of s. If nothing has moved DueAt meanwhile, nothing was to be done:
// then it is due again as scheduled, but not at once.
func (c *Service) release(ctx context.Context, s StoredSession) error {
	due := s.Due(c.Schedule, c.Now(), c.IsWatched(s.ID, s.WatchedUntil))
	soonest := c.Now().Add(c.Schedule.Watched)
	if !due.IsZero() && due.Before(soonest) {
		due = soonest
	}
	if err := c.Store.Release(ctx, s, due); err != nil {
		return fmt.Errorf("ending the lease of session %q: %w", s.ID, err)
	}
	return nil
}

func (c *Service) processAttempt(ctx context.Context, s StoredSession, a payment.Attempt) error {
	now := c.Now()
	due := a.Due(c.Schedule, now, true)
	if a.NothingDue(c.Schedule, now) {
		return c.touch(ctx, s)
	}
	if payment.IsDue(a.FollowUpDue(c.Schedule), now) {
		return c.followUp(ctx, s, a)
	}

	switch a.State {
	case payment.Creating:
		if now.Before(due) {
			return c.touch(ctx, s)
		}
		if !a.RetryAt.IsZero() {
			return c.resend(ctx, s, a.Number)
		}
		return c.markUnknown(ctx, s, a.Number)
	case payment.Unknown:
		return c.searchUnanswered(ctx, s, a)
	case payment.Waiting:
		return c.checkWaiting(ctx, s, a)
	case payment.InReview:
		return c.followUp(ctx, s, a)
	case payment.Expired, payment.Cancelled:
		if due.IsZero() || now.Before(due) {
			return nil
		}
		return c.checkLate(ctx, s, a)
	case payment.Confirmed:
		if due.IsZero() || now.Before(due) {
			return nil
		}
		if _, err := c.checkStatus(ctx, c.Gateway, s, a.Number); err != nil {
			return err
		}
		return c.countChecks(ctx, s, a, a.ChecksDone+1)
	case payment.Abandoned, payment.Rejected, payment.Duplicate:
		return c.processOrphan(ctx, s, a, due)
	}

	return nil
}

// checkWaiting checks a waiting attempt. A leftover one, after another attempt was confirmed or
// the session was closed permanently, is canceled, so that no shopper pays twice or for nothing.
func (c *Service) checkWaiting(ctx context.Context, s StoredSession, a payment.Attempt) error {
	if s.Status == wire.Confirmed || s.ClosedBy.Final() {
		return c.cancelAndCheck(ctx, s, a)
	}
	_, err := c.checkStatus(ctx, c.Gateway, s, a.Number)
	return err
}

// cancelAndCheck cancels a transaction that must not be paid, and records its status.
func (c *Service) cancelAndCheck(ctx context.Context, s StoredSession, a payment.Attempt) error {
	if err := c.Gateway.Cancel(ctx, a.TrackingCode); err != nil {
		c.Log.WarnContext(ctx, "canceling a leftover transaction failed",
			"session", s.ID, "attempt", a.Number, "error", err)
	}
	_, err := c.checkStatus(ctx, c.Gateway, s, a.Number)
	return err
}

// followUp reads the status of an attempt after a recheck request, or after the gateway's list
// showed money of it, and counts the read. The first one asks the gateway to verify, unless the
// request has done so.
func (c *Service) followUp(ctx context.Context, s StoredSession, a payment.Attempt) error {
	due := a.FollowUpsDue(c.Schedule, c.Now())
	if a.FollowUps == 0 && due > 0 {
		c.reverify(ctx, c.Gateway, s.ID, &a)
	}

	_, err := c.checkStatus(ctx, c.Gateway, s, a.Number)
	if err != nil || due == a.FollowUps {
		return err
	}

	_, err = c.change(ctx, s, func(s *payment.Session, _ time.Time) error {
		return s.CountFollowUps(a, due)
	})
	return err
}

// checkLate asks the gateway to verify an ended attempt again, reads its status and counts the
// check. It does not count if the gateway may not have been asked, until twice the time from the
// end to the check has passed: a gateway that never answers is not asked forever.
func (c *Service) checkLate(ctx context.Context, s StoredSession, a payment.Attempt) error {
	asking := c.Gateway.Recheck(ctx, a.TrackingCode)
	if asking != nil {
		c.Log.InfoContext(ctx, "rechecking a transaction failed",
			"session", s.ID, "attempt", a.Number, "error", asking)
	}

	done := a.LateChecksDone(c.Schedule, c.Now())
	now := c.Now()
	repeated := now.Before(a.EndedAt.Add(2 * c.Schedule.LateChecks[done-1]))
	if asking != nil && !payment.FinalRefusal(asking) && repeated {
		_, err := c.checkStatus(ctx, c.Gateway, s, a.Number)
		return errors.Join(asking, err)
	}
	if _, err := c.checkStatus(ctx, c.Gateway, s, a.Number); err != nil {
		return err
	}

	return c.countChecks(ctx, s, a, a.LateChecksDone(c.Schedule, c.Now()))
}

// countChecks sets the ChecksDone of a, unless another process has counted the same check: the
// schedule must not run out early.
func (c *Service) countChecks(
	ctx context.Context, s StoredSession, a payment.Attempt, n int,
) error {
	_, err := c.change(ctx, s, func(s *payment.Session, _ time.Time) error {
		return s.CountChecks(a, n)
	})
	return err
}

// processOrphan searches for what an abandoned create may have opened, cancels it when it is
// found, and then checks it like any ended attempt.
func (c *Service) processOrphan(
	ctx context.Context, s StoredSession, a payment.Attempt, due time.Time,
) error {
	if a.TrackingCode == "" {
		return c.searchOrphan(ctx, s, a)
	}
	if due.IsZero() || c.Now().Before(due) && !a.EndedAt.IsZero() {
		return nil
	}
	if !a.EndedAt.IsZero() {
		return c.checkLate(ctx, s, a)
	}
	return c.cancelAndCheck(ctx, s, a)
}

// postpone sets the next DueAt after a failure: no sooner than the gateway's Retry-After, up to
// a minute, and later the longer it lasts. A throttled check is repeated at the interval of
// watched sessions.
func (c *Service) postpone(ctx context.Context, s StoredSession, errs []error) {
	now := c.Now()
	err := errors.Join(errs...)
	refused, ok := errors.AsType[*payment.RefusedError](err)
	throttled := ok && refused.Reason == payment.ReasonBusy && refused.Status == 0 // our own rate limit refused it
	interval := c.Schedule.Interval(c.IsWatched(s.ID, s.WatchedUntil) || throttled)
	wait := max(interval, min(requestedWait(err), time.Minute))
	if a := s.Current(); a != nil {
		wait = a.StretchInterval(now, wait)
	}

	checked := s.CheckedAt
	if current, err := c.Store.Load(ctx, s.ID); err == nil {
		checked = current.CheckedAt // another attempt may have been checked just now
	}
	if err := c.Store.Touch(ctx, s, checked, now.Add(wait)); err != nil {
		c.Log.ErrorContext(ctx, "postponing a session failed", "session", s.ID, "error", err)
	}
}

// outagePause is the most that an error postpones a session: an outage may end any time.
const outagePause = 20 * time.Second

// requestedWait is how long the gateway asks to wait with an error; zero = it does not say.
func requestedWait(err error) time.Duration {
	if refused, ok := errors.AsType[*payment.RefusedError](err); ok {
		return refused.RetryAfter
	}
	if unknown, ok := errors.AsType[*payment.UnknownError](err); ok {
		return min(unknown.RetryAfter, outagePause)
	}
	return 0
}
