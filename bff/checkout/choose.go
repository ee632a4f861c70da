package checkout

import (
	"cmp"
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
	s, err := c.Session(ctx, id)
	if err != nil {
		return s, err
	}
	currencies, err := c.awaitCurrencies(ctx)
	if err != nil {
		return s, c.unavailable(ctx, "reading the currency list", err)
	}
	offer, err := payment.PickOffer(payment.Offers(s.Order, currencies), choice)
	if err != nil {
		return s, err
	}
	if err := payment.ValidChoice(choice); err != nil {
		return s, err
	}
	return c.openAttempt(ctx, ClaimedSession{Session: s}, payment.Desired{
		Offer: offer, Choice: choice,
		Minutes: payment.Minutes(s.Order.TTLMinutes, offer.Network.MaxTTL),
	})
}

// openAttempt ends a waiting attempt that w replaces and starts the new one, both in one
// change, so that a change of coin is never reported as a cancellation. ctx has a deadline.
func (c *Service) openAttempt(
	ctx context.Context, s ClaimedSession, w payment.Desired,
) (payment.Session, error) {
	var last *payment.Record
	old := 0
	if a := s.Current(); a != nil && w.Replaces(a) {
		if err := s.MayChange(a.Number, c.Now()); err != nil {
			return s.Session, err
		}
		// the poller must not report the cancellation meanwhile, nor write older records
		held, err := c.Store.Hold(ctx, s.ID, c.Now(), holdLease)
		if err != nil {
			return s.Session, fmt.Errorf("holding session %q: %w", s.ID, err)
		}
		defer func() {
			if err := c.release(context.WithoutCancel(ctx), held); err != nil {
				c.Log.ErrorContext(ctx, "releasing a session failed", "session", s.ID, "error", err)
			}
		}()
		s = held
		if a = s.Attempt(a.Number); a.State != payment.Waiting {
			return c.openAttempt(ctx, s, w) // it ended meanwhile
		}
		// finish even if the client disconnects: else the payment would just be canceled
		working, stop := detach(ctx)
		defer stop()
		r, err := c.cancelAtGateway(working, s, a)
		if err != nil {
			return s.Session, err
		}
		last, old = &r, a.Number
		ctx = context.WithoutCancel(ctx)
	}
	changed, err := c.changeWithIntent(ctx, s, func(s *payment.Session, now time.Time) error {
		if last != nil {
			if err := s.Apply(old, *last, c.Gateway.Environment(), now); err != nil {
				return err
			}
		}
		w := w
		if last == nil {
			w.Choice.Email = cmp.Or(w.Choice.Email, s.LastEmail())
		}
		return s.AddIntent(w, now)
	})
	if errors.Is(err, payment.ErrJoined) || errors.Is(err, payment.ErrFenced) {
		return c.Session(ctx, s.ID)
	}
	if err != nil {
		return changed, err
	}
	return c.startCreate(ctx, changed, len(changed.Attempts), w.Offer)
}
