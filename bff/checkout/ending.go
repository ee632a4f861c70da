package checkout

import (
	"context"
	"errors"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/crash"
)

// callOff cancels attempt a of s at the gateway and returns the record read
// afterwards, whose status is final. A payment that has begun is not called
// off, and what was seen of it is recorded.
//
// Errors: *wire.Error with CodeSessionPaid, CodePaymentInProgress if money is
// on its way or the gateway did not cancel, CodeGatewayUnavailable; the store's.
func (c *Service) callOff(ctx context.Context, s Session, a *Attempt) (Record, error) {
	r, err := c.Gateway.Status(ctx, a.TrackingCode)
	if err != nil {
		return r, c.unavailable(ctx, "reading status before cancelling", err)
	}
	if r.Status != "pending" || r.Paid.IsPositive() || r.TxID != "" {
		return r, c.begun(ctx, s, a.Number, r)
	}
	if err := c.Gateway.Cancel(ctx, a.TrackingCode); err != nil {
		c.Log.WarnContext(ctx, "cancelling a transaction", "session", s.ID, "attempt", a.Number, "error", err)
	}
	crash.Point("cancel.sent")
	r, err = c.Gateway.Status(ctx, a.TrackingCode)
	if err != nil {
		return r, c.unavailable(ctx, "reading status after cancelling", err)
	}
	return r, c.begun(ctx, s, a.Number, r)
}

// begun returns nil if r says that attempt n has ended unpaid. Otherwise
// something is or may be paid: that is recorded at once, since the change that
// asked is refused and would take it along.
func (c *Service) begun(ctx context.Context, s Session, n int, r Record) error {
	mine := r.TrackingCode == s.Attempt(n).TrackingCode
	if mine && over(r.Status) && !r.Paid.IsPositive() {
		return nil
	}
	s, err := c.record(ctx, s, n, r)
	if err != nil {
		return err
	}
	if s.Status == wire.Confirmed {
		return problem(wire.CodeSessionPaid, "")
	}
	return problem(wire.CodePaymentInProgress, "")
}

// Cancel calls the session off for the shopper or, for good, the merchant. A
// session that is cancelled already stays so without an error.
//
// Errors: *wire.Error with CodeSessionPaid, CodePaymentInProgress,
// CodeGatewayUnavailable, CodeSessionUnknown; the store's.
func (c *Service) Cancel(ctx context.Context, id string, by Closer) (Session, error) {
	return c.cancel(ctx, id, by, string(by))
}

// CancelBy is Cancel for the merchant, by somebody of theirs: who is the trail's
// By, which [Console] makes.
func (c *Service) CancelBy(ctx context.Context, id, who string) (Session, error) {
	return c.cancel(ctx, id, ClosedByMerchant, who)
}

func (c *Service) cancel(ctx context.Context, id string, by Closer, who string) (Session, error) {
	s, err := c.Session(ctx, id)
	if err != nil {
		return s, err
	}
	a := s.Current()
	var last *Record
	if s.Status == wire.Pending {
		ctx = context.WithoutCancel(ctx) // else it may be cancelled there, and open here for another choice
		r, err := c.callOff(ctx, s, a)
		if err != nil {
			return s, err
		}
		last = &r
	}
	return c.change(ctx, s, func(s *Session, now time.Time) error {
		if last != nil {
			if err := s.observe(a.Number, *last, c.Gateway.Environment(), now); err != nil {
				return err
			}
		}
		err := s.close(by, who, now)
		if errors.Is(err, ErrUnchanged) && last != nil {
			return nil // but what was seen is new
		}
		return err
	})
}

// close records that by wants no payment any more, who being its name in the
// trail; ErrUnchanged if it is so.
func (s *Session) close(by Closer, who string, now time.Time) error {
	switch s.status() {
	case wire.Confirmed:
		return problem(wire.CodeSessionPaid, "")
	case wire.Review, wire.Preparing, wire.Pending:
		return problem(wire.CodePaymentInProgress, "")
	case wire.Expired, wire.Cancelled:
		if by == ClosedByShopper || s.ClosedBy == by {
			return ErrUnchanged
		}
	}
	s.ClosedBy, s.Notice = by, Notice{}
	s.note(now, who, "session.cancelled", "")
	return nil
}

// recheckPause is the least time between two re-verifications of one session
// at the gateway, whoever asks for them.
const recheckPause = 30 * time.Second

// lookPause is how long after the last check of a waiting payment another look has
// to wait.
const lookPause = 500 * time.Millisecond

// Recheck looks at the gateway now, or has the poller look in a moment if a payment
// was checked just now, perhaps by the gateway's list; an ended transaction is re-verified there,
// at most twice a minute. Confirmed sessions are returned as they are.
//
// Errors: *wire.Error with CodeNotPossible if nothing was opened yet,
// CodeGatewayUnavailable, CodeSessionUnknown; the store's.
func (c *Service) Recheck(ctx context.Context, id string) (Session, error) {
	s, err := c.Session(ctx, id)
	if err != nil {
		return s, err
	}
	a := s.Current()
	switch {
	case a == nil:
		return s, problem(wire.CodeNotPossible, "")
	case a.State == Confirmed || a.State == Unknown || a.TrackingCode == "":
		return s, nil
	case a.State == Waiting && c.Now().Sub(s.CheckedAt) < lookPause:
		return s, c.Nudge(ctx, s)
	case a.State == Waiting:
		return c.look(ctx, s, a.Number)
	}
	return c.verifyAgain(ctx, s, a.Number)
}

// verifyAgain asks the gateway to re-verify an ended attempt, then reads its status.
func (c *Service) verifyAgain(ctx context.Context, s Session, n int) (Session, error) {
	s, err := c.change(ctx, s, func(s *Session, now time.Time) error {
		a := s.Attempt(n)
		if now.Sub(a.RecheckedAt) < crash.Hurry(recheckPause) {
			return errTooSoon
		}
		a.RecheckedAt = now
		return nil
	})
	if errors.Is(err, errTooSoon) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if a := s.Attempt(n); a.State == Expired || a.State == Cancelled {
		if err := c.Gateway.Recheck(ctx, a.TrackingCode); err != nil {
			c.Log.InfoContext(ctx, "rechecking a transaction", "session", s.ID, "attempt", n, "error", err)
		}
	}
	return c.look(ctx, s, n)
}

// errTooSoon says that the gateway was asked a moment ago.
var errTooSoon = errors.New("rechecked a moment ago")

// look reads the status of attempt n and records it.
func (c *Service) look(ctx context.Context, s Session, n int) (Session, error) {
	r, err := c.Gateway.Status(ctx, s.Attempt(n).TrackingCode)
	if err != nil {
		return s, c.unavailable(ctx, "reading status", err)
	}
	return c.record(ctx, s, n, r)
}
