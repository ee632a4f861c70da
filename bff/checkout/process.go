package checkout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Tend does what is due for s, as returned by Store.Claim: it asks the gateway,
// applies the rules and sets the next DueAt. It is safe to run beside anything
// else, since every change starts from the current row.
//
// The lease of the claim is ended. Errors: ErrFenced if it was lost to another
// claim meanwhile; the gateway's; the store's.
func (c *Service) Tend(ctx context.Context, s payment.Session) error {
	err := c.attend(ctx, s)
	// a stopping instance: the next one is to look at once
	if errors.Is(ctx.Err(), context.Canceled) {
		return errors.Join(err, c.Store.Release(context.WithoutCancel(ctx), s, s.DueAt))
	}
	return errors.Join(err, c.release(context.WithoutCancel(ctx), s))
}

func (c *Service) attend(ctx context.Context, s payment.Session) error {
	if s.Status == wire.Open && !c.Now().Before(s.ExpiresAt) {
		return c.expire(ctx, s)
	}
	var errs []error
	for i := range s.Attempts {
		if err := c.tend(ctx, s, s.Attempts[i]); err != nil {
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
	due := s.Due(c.Pace, c.Now(), c.watched(s))
	if soonest := c.Now().Add(c.Pace.Watched); !due.IsZero() && due.Before(soonest) {
		due = soonest
	}
	if err := c.Store.Release(ctx, s, due); err != nil {
		return fmt.Errorf("ending the lease of session %q: %w", s.ID, err)
	}
	return nil
}

// tend does what is due for one attempt.
func (c *Service) tend(ctx context.Context, s payment.Session, a payment.Attempt) error {
	now := c.Now()
	due := a.Due(c.Pace, now, true)
	if a.Rests(c.Pace, now) {
		return c.Touch(ctx, s)
	}
	if payment.HasCome(a.FollowDue(c.Pace), now) {
		return c.follow(ctx, s, a)
	}
	switch a.State {
	case payment.Creating:
		if now.Before(due) {
			return c.Touch(ctx, s)
		}
		if !a.RetryAt.IsZero() {
			return c.resend(ctx, s, a.Number)
		}
		return c.recovery.AssumeLost(ctx, s, a.Number)
	case payment.Unknown:
		return c.recovery.Search(ctx, s, a)
	case payment.Waiting:
		return c.watch(ctx, s, a)
	case payment.InReview:
		return c.follow(ctx, s, a)
	case payment.Expired, payment.Cancelled:
		if due.IsZero() || now.Before(due) {
			return nil
		}
		return c.lookLate(ctx, s, a)
	case payment.Confirmed:
		if due.IsZero() || now.Before(due) {
			return nil
		}
		return c.lookAfter(ctx, s, a)
	case payment.Lost, payment.Rejected, payment.Stray:
		return c.tendOrphan(ctx, s, a, due)
	}
	return nil
}

// watch checks a waiting attempt. One that is left over after another attempt
// was confirmed, or the session was closed for good, is cancelled, so that
// nobody pays twice or for nothing.
func (c *Service) watch(ctx context.Context, s payment.Session, a payment.Attempt) error {
	if s.Status == wire.Confirmed || s.ClosedBy.Final() {
		if err := c.Gateway.Cancel(ctx, a.TrackingCode); err != nil {
			c.Log.WarnContext(
				ctx, "cancelling a left-over transaction", "session", s.ID, "attempt", a.Number,
				"error", err,
			)
		}
	}
	_, err := c.look(ctx, s, a.Number)
	return err
}

// follow reads the status of an attempt after somebody has asked for a check, or the
// gateway's list has shown money of it, and counts the read. If nobody has asked the
// gateway to verify it yet, follow does.
func (c *Service) follow(ctx context.Context, s payment.Session, a payment.Attempt) error {
	due := a.FollowsDue(c.Pace, c.Now())
	if a.Follows == 0 && due > 0 {
		c.reverify(ctx, s, &a)
	}
	s, err := c.look(ctx, s, a.Number)
	if err != nil || due == a.Follows {
		return err
	}
	_, err = c.Change(ctx, s, func(s *payment.Session, _ time.Time) error {
		return s.CountFollows(a, due)
	})
	return err
}

// lookLate re-verifies an ended attempt and counts the look.
func (c *Service) lookLate(ctx context.Context, s payment.Session, a payment.Attempt) error {
	if err := c.Gateway.Recheck(ctx, a.TrackingCode); err != nil {
		c.Log.InfoContext(
			ctx, "rechecking a transaction", "session", s.ID, "attempt", a.Number, "error", err,
		)
	}
	if _, err := c.look(ctx, s, a.Number); err != nil {
		return err
	}
	return c.count(ctx, s, a, a.LateLooks(c.Pace, c.Now()))
}

// lookAfter reads the status of a confirmed attempt again and counts the look.
func (c *Service) lookAfter(ctx context.Context, s payment.Session, a payment.Attempt) error {
	if _, err := c.look(ctx, s, a.Number); err != nil {
		return err
	}
	return c.count(ctx, s, a, a.Rechecks+1)
}

// count notes that so many looks at a were taken, with the one that was due. Two that
// took the same one count once: the schedule must not run out early.
func (c *Service) count(
	ctx context.Context, s payment.Session, a payment.Attempt, taken int,
) error {
	_, err := c.Change(ctx, s, func(s *payment.Session, _ time.Time) error {
		return s.CountRechecks(a, taken)
	})
	return err
}

// tendOrphan searches again for what a given-up create may have opened after
// all, ends it when it is known, and looks at it late like at any other.
func (c *Service) tendOrphan(
	ctx context.Context, s payment.Session, a payment.Attempt, due time.Time,
) error {
	if a.TrackingCode == "" {
		return c.recovery.SearchOrphan(ctx, s, a)
	}
	if due.IsZero() || c.Now().Before(due) && !a.EndedAt.IsZero() {
		return nil
	}
	if !a.EndedAt.IsZero() {
		return c.lookLate(ctx, s, a)
	}
	if err := c.Gateway.Cancel(ctx, a.TrackingCode); err != nil {
		c.Log.WarnContext(
			ctx, "cancelling an orphan", "session", s.ID, "attempt", a.Number, "error", err,
		)
	}
	_, err := c.look(ctx, s, a.Number)
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
	wait := max(c.Pace.Interval(c.watched(s) || noTurn(err)), min(retryAfter(err), time.Minute))
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

// noTurn reports whether err says that the gateway was not asked, because others were.
func noTurn(err error) bool {
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
