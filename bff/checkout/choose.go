package checkout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Choose opens an attempt for the coin and network of choice, or joins an existing one. A
// waiting attempt in another coin is canceled at the gateway first. The returned session is
// pending; preparing if the gateway takes longer than a few seconds or rate-limits; or open
// with a Notice if it refused.
//
// Errors: *wire.Error with CodeNetworkUnsupported, CodeNetworkRequired, CodeAmountBelowMinimum,
// CodeAmountAboveMaximum, CodeSessionPaid, CodeSessionExpired, CodePaymentInProgress,
// CodeTooManyAttempts, CodeGatewayUnavailable; the store's.
func (c *Service) Choose(
	ctx context.Context, id string, choice wire.Choice,
) (payment.Session, error) {
	ctx, stop := context.WithTimeout(ctx, actionTime)
	defer stop()

	s, err := c.load(ctx, id)
	if err != nil {
		return s.Session, err
	}

	currencies, err := c.awaitCurrencies(ctx)
	if err != nil {
		return s.Session, c.unavailable(ctx, "reading the currency list", err)
	}

	desired, err := payment.NewDesired(s.Order, currencies, choice)
	if err != nil {
		return s.Session, err
	}

	return c.openAttempt(ctx, s, desired)
}

// openAttempt cancels a waiting attempt that the desired one replaces, and opens that. ctx has a
// deadline.
func (c *Service) openAttempt(
	ctx context.Context, s StoredSession, desired payment.Desired,
) (payment.Session, error) {
	replaced, err := s.ReplacedBy(desired, c.Now())
	if err != nil {
		return s.Session, err
	}
	if replaced == 0 {
		return c.addAttempt(ctx, s, desired)
	}

	// The poller must not report the cancellation meanwhile, nor write older records.
	held, err := c.Store.Hold(ctx, s.ID, c.Now(), holdLease)
	if err != nil {
		return s.Session, fmt.Errorf("holding session %q: %w", s.ID, err)
	}
	defer c.releaseHeld(ctx, held)

	replaced, err = held.ReplacedBy(desired, c.Now())
	if err != nil {
		return held.Session, err
	}
	if replaced == 0 {
		return c.addAttempt(ctx, held, desired) // it has ended meanwhile
	}

	// Finish even if the client disconnects: else the payment would just be canceled.
	working, stop := detach(ctx)
	defer stop()
	record, err := c.cancelAtGateway(working, held, held.Attempt(replaced))
	if err != nil {
		return held.Session, err
	}

	desired.Ended = payment.Ended{
		Number:      replaced,
		Record:      record,
		Environment: c.Gateway.Environment(),
	}
	return c.addAttempt(context.WithoutCancel(ctx), held, desired)
}

// addAttempt saves the intent to open the desired attempt, and then sends its create. If another
// request was first, it joins that one's attempt.
func (c *Service) addAttempt(
	ctx context.Context, s StoredSession, desired payment.Desired,
) (payment.Session, error) {
	desired.Trace = c.Trace(ctx)
	for range maxDraws {
		saved, err := c.change(ctx, s, func(s *payment.Session, now time.Time) error {
			return s.AddIntent(desired, now)
		})
		if errors.Is(err, payment.ErrTaken) {
			continue // AddIntent draws another order number
		}
		if errors.Is(err, payment.ErrJoined) || errors.Is(err, payment.ErrFenced) {
			return c.Session(ctx, s.ID)
		}
		if err != nil {
			return saved, err
		}

		return c.startCreate(ctx, saved, len(saved.Attempts), desired.Offer)
	}

	return s.Session, noFreeNumber(s.ID)
}

// noFreeNumber is the error of maxDraws order numbers that are all taken.
func noFreeNumber(session string) error {
	return fmt.Errorf("drawing an order number for session %q: %w", session, payment.ErrTaken)
}

// releaseHeld ends the lease of a session that an action has held; it only logs errors.
func (c *Service) releaseHeld(ctx context.Context, held StoredSession) {
	err := c.release(context.WithoutCancel(ctx), held)
	if err != nil {
		c.Log.ErrorContext(ctx, "releasing a session failed", "session", held.ID, "error", err)
	}
}
