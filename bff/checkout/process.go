package checkout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Process does what is due for s, as returned by Store.Claim: it asks the gateway,
// applies the rules and sets the next DueAt. It is safe to run beside anything
// else, since every change starts from the current row.
//
// The lease of the claim is ended. Errors: ErrFenced if it was lost to another
// claim meanwhile; the gateway's; the store's.
func (c *Service) Process(ctx context.Context, s payment.Session) error {
	err := c.process(ctx, s)
	// a stopping instance: the next one is to look at once
	if errors.Is(ctx.Err(), context.Canceled) {
		return errors.Join(err, c.Store.Release(context.WithoutCancel(ctx), s, s.DueAt))
	}
	return errors.Join(err, c.release(context.WithoutCancel(ctx), s))
}

func (c *Service) process(ctx context.Context, s payment.Session) error {
	if s.Status == wire.Open && !c.Now().Before(s.ExpiresAt) {
		return c.expire(ctx, s)
	}
	var errs []error
	for i := range s.Attempts {
		if err := c.processAttempt(ctx, s, s.Attempts[i]); err != nil {
			errs = append(errs,
				fmt.Errorf("tending attempt %d of session %q: %w", s.Attempts[i].Number, s.ID, err))
		}
	}
	if len(errs) > 0 && !errors.Is(ctx.Err(), context.Canceled) {
		c.postpone(context.WithoutCancel(ctx), s, errs)
	}
	return errors.Join(errs...)
}

// release ends the lease of s. If nothing has moved DueAt meanwhile, nothing was
// to be done: it comes back when it says, but not at once.
func (c *Service) release(ctx context.Context, s payment.Session) error {
	due := s.Due(c.Schedule, c.Now(), c.watched(s))
	if soonest := c.Now().Add(c.Schedule.Watched); !due.IsZero() && due.Before(soonest) {
		due = soonest
	}
	if err := c.Store.Release(ctx, s, due); err != nil {
		return fmt.Errorf("ending the lease of session %q: %w", s.ID, err)
	}
	return nil
}

// processAttempt does what is due for one attempt.
func (c *Service) processAttempt(ctx context.Context, s payment.Session, a payment.Attempt) error {
	now := c.Now()
	due := a.Due(c.Schedule, now, true)
	if a.NothingDue(c.Schedule, now) {
		return c.Touch(ctx, s)
	}
	if payment.IsDue(a.FollowUpDue(c.Schedule), now) {
		return c.followUp(ctx, s, a)
	}
	switch a.State {
	case payment.Creating:
		if now.Before(due) {
			return c.Touch(ctx, s)
		}
		if !a.RetryAt.IsZero() {
			return c.resend(ctx, s, a.Number)
		}
		return c.recovery.MarkUnknown(ctx, s, a.Number)
	case payment.Unknown:
		return c.recovery.Search(ctx, s, a)
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
		return c.checkConfirmed(ctx, s, a)
	case payment.Abandoned, payment.Rejected, payment.Duplicate:
		return c.processOrphan(ctx, s, a, due)
	}
	return nil
}

// checkWaiting checks a waiting attempt. One that is left over after another attempt
// was confirmed, or the session was closed for good, is cancelled, so that
// nobody pays twice or for nothing.
func (c *Service) checkWaiting(ctx context.Context, s payment.Session, a payment.Attempt) error {
	if s.Status == wire.Confirmed || s.ClosedBy.Final() {
		if err := c.Gateway.Cancel(ctx, a.TrackingCode); err != nil {
			c.Log.WarnContext(
				ctx, "cancelling a left-over transaction", "session", s.ID, "attempt", a.Number,
				"error", err,
			)
		}
	}
	_, err := c.checkStatus(ctx, s, a.Number)
	return err
}

// followUp reads the status of an attempt after somebody has asked for a check, or the
// gateway's list has shown money of it, and counts the read. If nobody has asked the
// gateway to verify it yet, follow does.
func (c *Service) followUp(ctx context.Context, s payment.Session, a payment.Attempt) error {
	due := a.FollowUpsDue(c.Schedule, c.Now())
	if a.FollowUps == 0 && due > 0 {
		c.reverify(ctx, s, &a)
	}
	s, err := c.checkStatus(ctx, s, a.Number)
	if err != nil || due == a.FollowUps {
		return err
	}
	_, err = c.Change(ctx, s, func(s *payment.Session, _ time.Time) error {
		return s.CountFollowUps(a, due)
	})
	return err
}

// checkLate re-verifies an ended attempt and counts the look.
func (c *Service) checkLate(ctx context.Context, s payment.Session, a payment.Attempt) error {
	if err := c.Gateway.Recheck(ctx, a.TrackingCode); err != nil {
		c.Log.InfoContext(
			ctx, "rechecking a transaction", "session", s.ID, "attempt", a.Number, "error", err,
		)
	}
	if _, err := c.checkStatus(ctx, s, a.Number); err != nil {
		return err
	}
	return c.countChecks(ctx, s, a, a.LateChecksDone(c.Schedule, c.Now()))
}

// checkConfirmed reads the status of a confirmed attempt again and counts the look.
func (c *Service) checkConfirmed(ctx context.Context, s payment.Session, a payment.Attempt) error {
	if _, err := c.checkStatus(ctx, s, a.Number); err != nil {
		return err
	}
	return c.countChecks(ctx, s, a, a.ChecksDone+1)
}

// countChecks notes that so many looks at a were taken, with the one that was due. Two that
// took the same one count once: the schedule must not run out early.
func (c *Service) countChecks(
	ctx context.Context, s payment.Session, a payment.Attempt, taken int,
) error {
	_, err := c.Change(ctx, s, func(s *payment.Session, _ time.Time) error {
		return s.CountChecks(a, taken)
	})
	return err
}

// processOrphan searches again for what a given-up create may have opened after
// all, ends it when it is known, and looks at it late like at any other.
func (c *Service) processOrphan(
	ctx context.Context, s payment.Session, a payment.Attempt, due time.Time,
) error {
	if a.TrackingCode == "" {
		return c.recovery.SearchOrphan(ctx, s, a)
	}
	if due.IsZero() || c.Now().Before(due) && !a.EndedAt.IsZero() {
		return nil
	}
	if !a.EndedAt.IsZero() {
		return c.checkLate(ctx, s, a)
	}
	if err := c.Gateway.Cancel(ctx, a.TrackingCode); err != nil {
		c.Log.WarnContext(
			ctx, "cancelling an orphan", "session", s.ID, "attempt", a.Number, "error", err,
		)
	}
	_, err := c.checkStatus(ctx, s, a.Number)
	return err
}

// expire closes a session that nobody chose a coin for in time.
func (c *Service) expire(ctx context.Context, s payment.Session) error {
	_, err := c.Change(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.Expire(now)
	})
	return err
}

// postpone sets the next DueAt after a failure: no sooner than the gateway has
// asked for, which counts up to a minute, and less often the longer it lasts. A check
// that was not made for want of a turn comes back as soon as a watched one.
func (c *Service) postpone(ctx context.Context, s payment.Session, errs []error) {
	now := c.Now()
	err := errors.Join(errs...)
	wait := max(
		c.Schedule.Interval(c.watched(s) || isThrottled(err)), min(retryAfter(err), time.Minute),
	)
	if a := s.Current(); a != nil {
		wait = a.StretchInterval(now, wait)
	}
	checked := s.CheckedAt
	if current, err := c.Store.Session(ctx, s.ID); err == nil {
		checked = current.CheckedAt // another attempt may have been checked just now
	}
	if err := c.Store.Touch(ctx, s, checked, now.Add(wait)); err != nil {
		c.Log.ErrorContext(ctx, "postponing a session", "session", s.ID, "error", err)
	}
}

// isThrottled reports whether err says that the gateway was not asked, because others were.
func isThrottled(err error) bool {
	refused, ok := errors.AsType[*payment.RefusedError](err)
	return ok && refused.Reason == payment.ReasonBusy && refused.Status == 0
}

// outagePause is the most that an error can put one session off: nobody knows
// when an outage ends.
const outagePause = 20 * time.Second

func retryAfter(err error) time.Duration {
	var refused *payment.RefusedError
	var unknown *payment.UnknownError
	switch {
	case errors.As(err, &refused):
		return refused.RetryAfter
	case errors.As(err, &unknown):
		return min(unknown.RetryAfter, outagePause)
	}
	return 0
}
