package checkout

import (
	"context"
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// recheckPause is the least time between two requested rechecks of a session, multiplied by its
// attempts with follow-ups: so the gateway calls per session stay bounded.
const recheckPause = 30 * time.Second

// maxCheckPause is the longest time for which a check of a waiting payment blocks a requested
// one: the poll interval may be minutes.
const maxCheckPause = 3 * time.Second

// Recheck checks the session now, and every attempt that could still receive money: the shopper
// may have paid an address that was replaced. It reads the current attempt before it returns,
// unless that is waiting and was checked less than a poll interval or maxCheckPause ago. The
// gateway is asked to verify ended attempts again, at most twice a minute, and while it is busy,
// Recheck waits and repeats; because it may do so in the background, the poller reads them again for
// some minutes, see Schedule.FollowUps.
// Confirmed sessions are returned as they are.
//
// Errors: *wire.Error with CodeNotPossible if nothing was opened yet, CodeGatewayUnavailable,
// CodeSessionUnknown; the store's.
func (c *Service) Recheck(ctx context.Context, id string) (payment.Session, error) {
	ctx, stop := context.WithTimeout(ctx, actionTime)
	defer stop()
	s, err := c.load(ctx, id)
	if err != nil {
		return s.Session, err
	}

	a := s.Current()
	switch {
	case a == nil:
		return s.Session, payment.NewError(wire.CodeNotPossible, "")
	case a.State == payment.Confirmed:
		return s.Session, nil
	}

	number := a.Number
	taken := false
	if slices.ContainsFunc(s.Attempts, func(a payment.Attempt) bool { return a.CanFollowUp() }) {
		s.Session, err = c.change(ctx, s, func(s *payment.Session, now time.Time) (err error) {
			taken, err = s.Recheck(number, recheckPause, now)
			return err
		})
		if err != nil {
			return s.Session, err
		}
	}

	a = s.Attempt(number)
	interval := payment.SlightlyBefore(c.Schedule.Watched)
	switch {
	case a.State == payment.Waiting &&
		c.Now().Sub(s.LastChecked()) < min(interval, maxCheckPause):
		return s.Session, nil
	case a.State == payment.Waiting:
		return c.checkStatus(ctx, c.patient, s, number)
	case !taken:
		return s.Session, nil
	}

	c.reverify(ctx, c.patient, s.ID, a)
	return c.checkStatus(ctx, c.patient, s, number)
}

// reverify asks the gateway to verify an ended attempt again. Its outcome shows in the status.
func (c *Service) reverify(
	ctx context.Context, gateway Gateway, session string, a *payment.Attempt,
) {
	if a.State != payment.Expired && a.State != payment.Cancelled {
		return
	}
	if err := gateway.Recheck(ctx, a.TrackingCode); err != nil {
		c.Log.InfoContext(ctx, "rechecking a transaction failed",
			"session", session, "attempt", a.Number, "error", err)
	}
}
