package checkout

import (
	"context"
	"errors"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Cancel cancels the session for the shopper or, permanently, the merchant. Canceling twice is
// no error.
//
// Errors: *wire.Error with CodeSessionPaid, CodePaymentInProgress, CodeGatewayUnavailable,
// CodeSessionUnknown; the store's.
func (c *Service) Cancel(
	ctx context.Context, id string, by payment.Closer,
) (payment.Session, error) {
	return c.cancel(ctx, id, by, string(by))
}

// CancelBy is Cancel for the merchant by an operator; who is the actor in the timeline, from
// [payment.Console].
func (c *Service) CancelBy(ctx context.Context, id, who string) (payment.Session, error) {
	return c.cancel(ctx, id, payment.ClosedByMerchant, who)
}

func (c *Service) cancel(
	ctx context.Context, id string, by payment.Closer, who string,
) (payment.Session, error) {
	ctx, stop := context.WithTimeout(ctx, actionTime)
	defer stop()
	s, err := c.load(ctx, id)
	if err != nil {
		return s.Session, err
	}
	s, err = c.awaitCreate(ctx, s)
	if err != nil {
		return s.Session, err
	}

	a := s.Current()
	var last *payment.Record
	if s.Status == wire.Pending {
		// finish even if the client disconnects, so that gateway and database agree
		working, stop := detach(ctx)
		defer stop()
		r, err := c.cancelAtGateway(working, s, a)
		if err != nil {
			return s.Session, err
		}
		last = &r
		ctx = context.WithoutCancel(ctx)
	}

	return c.change(ctx, s, func(s *payment.Session, now time.Time) error {
		if last != nil {
			if err := s.Apply(a.Number, *last, c.Gateway.Environment(), now); err != nil {
				return err
			}
		}
		err := s.Close(by, who, now)
		if errors.Is(err, payment.ErrUnchanged) && last != nil {
			return nil // the record is news
		}
		return err
	})
}

// cancelAtGateway cancels attempt a of s at the gateway and returns the record read afterwards,
// whose status is final. A payment that has begun is recorded instead.
//
// It waits and repeats while the gateway is busy. Errors: *wire.Error with CodeSessionPaid,
// CodePaymentInProgress if money is on its way or the gateway did not cancel,
// CodeGatewayUnavailable; the store's.
func (c *Service) cancelAtGateway(
	ctx context.Context, s StoredSession, a *payment.Attempt,
) (payment.Record, error) {
	r, err := c.patient.Status(ctx, a.TrackingCode)
	if err != nil {
		return r, c.unavailable(ctx, "reading the status before canceling", err)
	}
	if r.Status != "pending" || r.Paid.IsPositive() || r.TxID != "" {
		return r, c.requireUnpaid(ctx, s, a.Number, r)
	}

	err = c.patient.Cancel(ctx, a.TrackingCode)
	if payment.IsTemporaryRefusal(err) {
		return r, c.unavailable(ctx, "canceling", err) // nothing has changed
	}
	if err != nil {
		c.Log.WarnContext(ctx, "canceling a transaction failed",
			"session", s.ID, "attempt", a.Number, "error", err)
	}

	// it may be canceled: find out, however late it is
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer stop()
	r, err = c.patient.Status(ctx, a.TrackingCode)
	if err != nil {
		return r, c.unavailable(ctx, "reading the status after canceling", err)
	}
	return r, c.requireUnpaid(ctx, s, a.Number, r)
}

// requireUnpaid returns nil if r shows that attempt n has ended unpaid. Otherwise money is or
// may be on its way: that is recorded at once, since the requested change fails.
func (c *Service) requireUnpaid(
	ctx context.Context, s StoredSession, n int, r payment.Record,
) error {
	mine := r.TrackingCode == s.Attempt(n).TrackingCode
	if mine && payment.HasEnded(r.Status) && !r.Paid.IsPositive() {
		return nil
	}

	recorded, err := c.record(ctx, s, n, r)
	if err != nil {
		return err
	}
	if recorded.Status == wire.Confirmed {
		return payment.NewError(wire.CodeSessionPaid, "")
	}

	return payment.NewError(wire.CodePaymentInProgress, "")
}
