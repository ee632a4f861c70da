package checkout

import (
	"context"
	"errors"
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/crash"
	"coinslot/bff/payment"
)

// callOff cancels attempt a of s at the gateway and returns the record read
// afterwards, whose status is final. A payment that has begun is not called
// off, and what was seen of it is recorded.
//
// Errors: *wire.Error with CodeSessionPaid, CodePaymentInProgress if money is
// on its way or the gateway did not cancel, CodeGatewayUnavailable; the store's.
func (c *Service) callOff(ctx context.Context, s payment.Session, a *payment.Attempt) (payment.Record, error) {
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
func (c *Service) begun(ctx context.Context, s payment.Session, n int, r payment.Record) error {
	mine := r.TrackingCode == s.Attempt(n).TrackingCode
	if mine && payment.HasEnded(r.Status) && !r.Paid.IsPositive() {
		return nil
	}
	s, err := c.record(ctx, s, n, r)
	if err != nil {
		return err
	}
	if s.Status == wire.Confirmed {
		return payment.NewError(wire.CodeSessionPaid, "")
	}
	return payment.NewError(wire.CodePaymentInProgress, "")
}

// Cancel calls the session off for the shopper or, for good, the merchant. A
// session that is cancelled already stays so without an error.
//
// Errors: *wire.Error with CodeSessionPaid, CodePaymentInProgress,
// CodeGatewayUnavailable, CodeSessionUnknown; the store's.
func (c *Service) Cancel(ctx context.Context, id string, by payment.Closer) (payment.Session, error) {
	return c.cancel(ctx, id, by, string(by))
}

// CancelBy is Cancel for the merchant, by somebody of theirs: who is the trail's
// By, which [Console] makes.
func (c *Service) CancelBy(ctx context.Context, id, who string) (payment.Session, error) {
	return c.cancel(ctx, id, payment.ClosedByMerchant, who)
}

func (c *Service) cancel(ctx context.Context, id string, by payment.Closer, who string) (payment.Session, error) {
	s, err := c.Session(ctx, id)
	if err != nil {
		return s, err
	}
	a := s.Current()
	var last *payment.Record
	if s.Status == wire.Pending {
		ctx = context.WithoutCancel(ctx) // else it may be cancelled there, and open here for another choice
		r, err := c.callOff(ctx, s, a)
		if err != nil {
			return s, err
		}
		last = &r
	}
	return c.change(ctx, s, func(s *payment.Session, now time.Time) error {
		if last != nil {
			if err := s.Apply(a.Number, *last, c.Gateway.Environment(), now); err != nil {
				return err
			}
		}
		err := s.Close(by, who, now)
		if errors.Is(err, payment.ErrUnchanged) && last != nil {
			return nil // but what was seen is new
		}
		return err
	})
}

// recheckPause is the least time between two checks of one session that somebody
// asks for, for each of its attempts that is followed: the more there are, the
// less often, so that a session makes for as many gateway calls as ever.
const recheckPause = 30 * time.Second

// lookPause is the longest that a check of a waiting payment keeps somebody from asking
// for another: the poll interval may be minutes.
const lookPause = 3 * time.Second

// Recheck checks the session now, and every attempt of it that could still receive
// money: the shopper may have paid an address that was replaced. The current
// attempt is read before Recheck returns, unless it waits and was checked less than a
// poll interval ago, or less than lookPause: then it is returned as it is, for
// [Service.Nudge]. The gateway is asked to verify ended attempts again, at most twice
// a minute, and because it may do so in the background, the poller reads them again
// for some minutes; see Pace.Follow. Confirmed sessions are returned as they are.
//
// Errors: *wire.Error with CodeNotPossible if nothing was opened yet,
// CodeGatewayUnavailable, CodeSessionUnknown; the store's.
func (c *Service) Recheck(ctx context.Context, id string) (payment.Session, error) {
	s, err := c.Session(ctx, id)
	if err != nil {
		return s, err
	}
	a := s.Current()
	switch {
	case a == nil:
		return s, payment.NewError(wire.CodeNotPossible, "")
	case a.State == payment.Confirmed:
		return s, nil
	}
	number, taken := a.Number, false
	if slices.ContainsFunc(s.Attempts, func(a payment.Attempt) bool { return a.Followed() }) {
		s, err = c.change(ctx, s, func(s *payment.Session, now time.Time) (err error) {
			taken, err = s.Recheck(number, crash.Hurry(recheckPause), now)
			return err
		})
		if err != nil {
			return s, err
		}
	}
	a = s.Attempt(number)
	switch {
	case a.State == payment.Waiting && c.Now().Sub(s.LastChecked()) < min(payment.SlightlyBefore(c.Pace.Watched), lookPause):
		return s, nil
	case a.State == payment.Waiting:
		return c.look(ctx, s, number)
	case !taken:
		return s, nil
	}
	c.reverify(ctx, s, a)
	return c.look(ctx, s, number)
}

// reverify asks the gateway to verify an ended attempt again. What comes of it is
// read by status.
func (c *Service) reverify(ctx context.Context, s payment.Session, a *payment.Attempt) {
	if a.State != payment.Expired && a.State != payment.Cancelled {
		return
	}
	if err := c.Gateway.Recheck(ctx, a.TrackingCode); err != nil {
		c.Log.InfoContext(ctx, "rechecking a transaction",
			"session", s.ID, "attempt", a.Number, "error", err)
	}
}

// look reads the status of attempt n and records it. That the gateway does not know
// the transaction is recorded, too.
func (c *Service) look(ctx context.Context, s payment.Session, n int) (payment.Session, error) {
	r, err := c.Gateway.Status(ctx, s.Attempt(n).TrackingCode)
	if payment.IsAbsence(err) {
		return c.noteAbsence(ctx, s, n)
	}
	if err != nil {
		return s, c.unavailable(ctx, "reading status", err)
	}
	return c.record(ctx, s, n, r)
}
