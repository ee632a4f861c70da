package checkout

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
	"coinslot/bff/token"
)

const (
	// createPatience is how long a request waits for the gateway before it is
	// answered with a session that is still preparing.
	createPatience = 4 * time.Second
	// answerTime is the part of it that is left for the answer to a second try.
	answerTime = time.Second
	// holdLease is longer than a change of coin takes at a slow gateway.
	holdLease = 40 * time.Second
	// maxCreateTries is how often a create is tried whose request is proven
	// never to have left.
	maxCreateTries = 3
)

// changeWithIntent runs fn, which appends an intent, until the drawn order number is free.
func (c *Service) changeWithIntent(
	ctx context.Context, old payment.Session, fn func(s *payment.Session, now time.Time) error,
) (payment.Session, error) {
	for range 20 {
		s, err := c.Change(ctx, old, func(s *payment.Session, now time.Time) error {
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
	return payment.Session{ID: old.ID}, fmt.Errorf(
		"drawing an order number for session %q: %w", old.ID, payment.ErrTaken,
	)
}

// Replace runs fn, which may give an attempt up, and makes the create call of
// the replacement if this very change has appended one: whoever finds it there
// already must not send it a second time.
func (c *Service) Replace(
	ctx context.Context, old payment.Session, fn func(s *payment.Session, now time.Time) error,
) error {
	appended := false
	s, err := c.changeWithIntent(ctx, old, func(s *payment.Session, now time.Time) error {
		before := len(s.Attempts)
		err := fn(s, now)
		appended = err == nil && len(s.Attempts) > before
		return err
	})
	if err != nil || !appended {
		return err
	}
	_, err = c.startCreate(ctx, s, len(s.Attempts), c.termsFor(ctx, s.Attempts[len(s.Attempts)-1]))
	return err
}

// resend sends a create again that was put off.
func (c *Service) resend(ctx context.Context, s payment.Session, n int) error {
	send := false
	s, err := c.Change(ctx, s, func(s *payment.Session, now time.Time) (err error) {
		send, err = s.ResumeCreate(n, now)
		return err
	})
	if err != nil || !send {
		return err
	}
	_, err = c.startCreate(ctx, s, n, c.termsFor(ctx, *s.Attempt(n)))
	return err
}

// termsFor returns the terms of an attempt's coin; price and fee are zero if the gateway's
// currencies cannot be read, or lack it.
func (c *Service) termsFor(ctx context.Context, a payment.Attempt) payment.Terms {
	currencies, err := c.Currencies(ctx)
	if err != nil {
		return c.terms(payment.Offer{})
	}
	for _, o := range payment.Offers(payment.Order{}, currencies) {
		if a.IsFor(o) {
			return c.terms(o)
		}
	}
	return c.terms(payment.Offer{})
}

// terms is what the answer to a create in the coin of o is checked against.
func (c *Service) terms(o payment.Offer) payment.Terms {
	return payment.Terms{
		Price: o.Currency.PriceInUSDT, Fee: o.Network.Fee,
		Page: c.PaymentPage, Coins: token.Builtin(),
	}
}

// startCreate makes the create call of attempt n, whose intent was just committed by the
// caller and by nobody else. The call goes on when the shopper's request ends.
func (c *Service) startCreate(
	ctx context.Context, s payment.Session, n int, terms payment.Terms,
) (payment.Session, error) {
	done := make(chan struct{})
	c.creating.Go(func() {
		defer close(done)
		c.create(context.WithoutCancel(ctx), s, n, terms)
	})
	timer := time.NewTimer(createPatience)
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
	sending, cancel := context.WithTimeout(ctx, c.Schedule.CreateTimeout)
	defer cancel()
	created, callErr := c.callCreate(sending, c.request(&s, n))
	_, err := c.Change(ctx, payment.Session{ID: s.ID},
		func(s *payment.Session, now time.Time) error {
			return s.ApplyCreateAnswer(n, created, callErr, terms, now)
		})
	if errors.Is(err, payment.ErrTrackingUsed) {
		_, err = c.Change(ctx, payment.Session{ID: s.ID},
			func(s *payment.Session, now time.Time) error {
				refused := &payment.RefusedError{
					Reason: payment.ReasonRefused, Err: payment.ErrTrackingUsed,
				}
				return s.ApplyCreateAnswer(n, payment.Created{}, refused, payment.Terms{}, now)
			})
	}
	if err != nil {
		c.Log.ErrorContext(
			ctx, "recording the answer to create", "session", s.ID, "attempt", n, "error", err,
		)
	}
}

// request is what is asked of the gateway for attempt n. The shopper's comment
// is not sent again after an answer was lost: a firewall may have rejected it.
func (c *Service) request(s *payment.Session, n int) payment.CreateRequest {
	a := s.Attempt(n)
	comment := strings.TrimSpace(a.Marker + " " + a.Comment)
	if before := s.Attempt(n - 1); before != nil && before.State == payment.Abandoned {
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
func (c *Service) callCreate(
	ctx context.Context, req payment.CreateRequest,
) (payment.Created, error) {
	began := time.Now()
	for try := 1; ; try++ {
		// this process was stopped for a while
		if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
			return payment.Created{}, &payment.RefusedError{
				Reason: payment.ReasonUnsent, Message: "too late to send",
				Err: context.DeadlineExceeded,
			}
		}
		created, err := c.Gateway.Create(ctx, req)
		var refused *payment.RefusedError
		if !errors.As(err, &refused) || try == maxCreateTries {
			return created, err
		}
		wait := time.Duration(try) * 200 * time.Millisecond
		switch {
		case refused.Reason == payment.ReasonUnsent:
		case refused.Reason == payment.ReasonBusy && refused.RetryAfter > 0 &&
			time.Since(began)+refused.RetryAfter <= createPatience-answerTime:
			wait = refused.RetryAfter
		default:
			return created, err
		}
		background.Sleep(ctx, wait)
	}
}
