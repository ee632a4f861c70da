package checkout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/crash"
	"coinslot/bff/payment"
	"coinslot/bff/token"
)

const (
	// patience is how long a request waits for the gateway before it is
	// answered with a session that is still preparing.
	patience = 4 * time.Second
	// answerTime is the part of it that is left for the answer to a second try.
	answerTime = time.Second
	// holdFor is longer than a change of coin takes at a slow gateway.
	holdFor = 40 * time.Second
	// unsentTries is how often a create is tried whose request is proven
	// never to have left.
	unsentTries = 3
)

// Choose opens an attempt for the coin and network of choice, or joins the one
// that is there already for the same. A waiting attempt for another coin is
// cancelled at the gateway first. The returned session is pending, or
// preparing if the gateway takes longer than a few seconds or asks to be left alone
// for longer, or open with a Notice if it said no.
//
// Errors: *wire.Error with CodeNetworkUnsupported, CodeNetworkRequired,
// CodeAmountBelowMinimum, CodeAmountAboveMaximum, CodeSessionPaid,
// CodeSessionExpired, CodePaymentInProgress, CodeTooManyAttempts,
// CodeGatewayUnavailable; the store's.
func (c *Service) Choose(ctx context.Context, id string, choice wire.Choice) (payment.Session, error) {
	s, err := c.Session(ctx, id)
	if err != nil {
		return s, err
	}
	currencies, err := c.Currencies(ctx)
	if err != nil {
		return s, c.unavailable(ctx, "reading currencies", err)
	}
	offer, err := payment.PickOffer(payment.Offers(s.Order, currencies), choice)
	if err != nil {
		return s, err
	}
	if err := payment.ValidChoice(choice); err != nil {
		return s, err
	}
	return c.open(ctx, s, payment.Desired{Offer: offer, Choice: choice, Minutes: payment.Minutes(s.Order.TTLMinutes, offer.Network.MaxTTL)})
}

// open ends a waiting attempt that w replaces and starts the new one, both in
// one change, so that a change of coin is never told as a cancellation.
func (c *Service) open(ctx context.Context, s payment.Session, w payment.Desired) (payment.Session, error) {
	var last *payment.Record
	old := 0
	if a := s.Current(); a != nil && w.Replaces(a) {
		if err := s.MayChange(a.Number, c.Now()); err != nil {
			return s, err
		}
		held, err := c.hold(ctx, s)
		if err != nil {
			return s, err
		}
		defer func() {
			if err := c.release(context.WithoutCancel(ctx), held); err != nil {
				c.Log.ErrorContext(ctx, "changing the coin", "error", err)
			}
		}()
		s = held
		if a = s.Attempt(a.Number); a.State != payment.Waiting {
			return c.open(ctx, s, w) // it has ended meanwhile
		}
		ctx = context.WithoutCancel(ctx) // half of it is worse than nothing: the payment would be cancelled
		r, err := c.callOff(ctx, s, a)
		if err != nil {
			return s, err
		}
		last, old = &r, a.Number
	}
	s, err := c.intend(ctx, s, func(s *payment.Session, now time.Time) error {
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
		return s, err
	}
	return c.start(ctx, s, len(s.Attempts), c.terms(w.Offer))
}

// hold takes the session away from the poller for as long as a change of coin
// may take, so that it does not tell the merchant of the cancellation in the
// middle of it, nor write what it has read before.
func (c *Service) hold(ctx context.Context, s payment.Session) (payment.Session, error) {
	held, err := c.Store.Hold(ctx, s.ID, c.Now(), crash.Hurry(holdFor))
	if err != nil {
		return s, fmt.Errorf("holding session %q: %w", s.ID, err)
	}
	return held, nil
}

// intend runs fn, which appends an intent, until the drawn order number is free.
func (c *Service) intend(ctx context.Context, old payment.Session, fn func(s *payment.Session, now time.Time) error) (payment.Session, error) {
	for range 20 {
		s, err := c.change(ctx, old, func(s *payment.Session, now time.Time) error {
			if err := fn(s, now); err != nil {
				return err
			}
			s.Attempts[len(s.Attempts)-1].Trace = c.Trace(ctx)
			return nil
		})
		if !errors.Is(err, payment.ErrTaken) {
			s.ID = old.ID
			return s, err
		}
	}
	return payment.Session{ID: old.ID}, fmt.Errorf("drawing an order number for session %q: %w", old.ID, payment.ErrTaken)
}

// terms is what the answer to a create in the coin of o is checked against.
func (c *Service) terms(o payment.Offer) payment.Terms {
	return payment.Terms{
		Price: o.Currency.PriceInUSDT, Fee: o.Network.Fee,
		Page: c.PaymentPage, Coins: token.Builtin(),
	}
}

// start makes the create call of attempt n, whose intent was just committed by the
// caller and by nobody else. The call goes on when the shopper's request ends.
func (c *Service) start(ctx context.Context, s payment.Session, n int, terms payment.Terms) (payment.Session, error) {
	crash.Point("intent.committed")
	done := make(chan struct{})
	c.creating.Go(func() {
		defer close(done)
		c.create(context.WithoutCancel(ctx), s, n, terms)
	})
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
		return s, nil
	}
	return c.Session(ctx, s.ID)
}

// create calls the gateway for attempt n and records what came of it.
func (c *Service) create(ctx context.Context, s payment.Session, n int, terms payment.Terms) {
	// After this the attempt counts as unknown and is searched for: nothing may
	// be sent for it any more.
	sending, cancel := context.WithTimeout(ctx, c.Pace.Answer)
	defer cancel()
	created, callErr := c.callCreate(sending, c.request(&s, n))
	crash.Point("create.sent")
	_, err := c.change(ctx, payment.Session{ID: s.ID}, func(s *payment.Session, now time.Time) error {
		return s.TakeAnswer(n, created, callErr, terms, now)
	})
	if errors.Is(err, payment.ErrTrackingUsed) {
		_, err = c.change(ctx, payment.Session{ID: s.ID}, func(s *payment.Session, now time.Time) error {
			refused := &payment.RefusedError{Reason: payment.ReasonRefused, Err: payment.ErrTrackingUsed}
			return s.TakeAnswer(n, payment.Created{}, refused, payment.Terms{}, now)
		})
	}
	crash.Point("create.committed")
	if err != nil {
		c.Log.ErrorContext(ctx, "recording the answer to create", "session", s.ID, "attempt", n, "error", err)
	}
}

// request is what is asked of the gateway for attempt n. The shopper's comment
// is not sent again after an answer was lost: a firewall may have rejected it.
func (c *Service) request(s *payment.Session, n int) payment.CreateRequest {
	a := s.Attempt(n)
	comment := strings.TrimSpace(a.Marker + " " + a.Comment)
	if before := s.Attempt(n - 1); before != nil && before.State == payment.Lost {
		comment = a.Marker
	}
	return payment.CreateRequest{
		CurrencySymbol: a.CurrencySymbol, NetworkCode: a.NetworkCode, AmountUSD: a.AmountUSD,
		TTL: a.TTLMinutes, OrderID: a.OrderID, Email: a.Email,
		Comment: comment, Marker: a.Marker,
		CallbackURL: c.CallbackURL,
	}
}

// callCreate repeats only what is proven not to have been done: what was never sent,
// and what the gateway had no time for, if it says for how long and the request that
// waits for it can wait as long.
func (c *Service) callCreate(ctx context.Context, req payment.CreateRequest) (payment.Created, error) {
	began := time.Now()
	for try := 1; ; try++ {
		if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) { // this process was stopped for a while
			return payment.Created{}, &payment.RefusedError{
				Reason: payment.ReasonUnsent, Message: "too late to send", Err: context.DeadlineExceeded,
			}
		}
		created, err := c.Gateway.Create(ctx, req)
		var refused *payment.RefusedError
		if !errors.As(err, &refused) || try == unsentTries {
			return created, err
		}
		wait := time.Duration(try) * 200 * time.Millisecond
		switch {
		case refused.Reason == payment.ReasonUnsent:
		case refused.Reason == payment.ReasonBusy && refused.RetryAfter > 0 &&
			time.Since(began)+refused.RetryAfter <= patience-answerTime:
			wait = refused.RetryAfter
		default:
			return created, err
		}
		pause(ctx, wait)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// unavailable turns a failed call into what the outside may know of it; the
// cause stays in the chain, for how long the gateway asked to be left alone.
func (c *Service) unavailable(ctx context.Context, doing string, err error) error {
	c.Log.WarnContext(ctx, doing, "error", err)
	return fmt.Errorf("%s: %w: %w", doing, payment.NewError(wire.CodeGatewayUnavailable, ""), err)
}

// Possible reports whether choice could be made for o, before anything is
// stored for it. Errors: as for Choose.
func (c *Service) Possible(ctx context.Context, o payment.Order, choice wire.Choice) error {
	currencies, err := c.Currencies(ctx)
	if err != nil {
		return c.unavailable(ctx, "reading currencies", err)
	}
	if _, err := payment.PickOffer(payment.Offers(o, currencies), choice); err != nil {
		return err
	}
	return payment.ValidChoice(choice)
}
