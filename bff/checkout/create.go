package checkout

import (
	"context"
	"errors"
	"strings"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
	"coinslot/bff/token"
)

const (
	// createPatience is how long a request waits for the gateway before it is answered with a
	// session that is still preparing.
	createPatience = 4 * time.Second
	// holdLease is longer than a change of coin takes at a slow gateway.
	holdLease = 40 * time.Second
	// maxCreateTries bounds the tries of a create that was never sent.
	maxCreateTries = 3
	// maxDraws bounds how often an order number is drawn, until one is free.
	maxDraws = 20
)

// errNotListed is for a create of a coin that the gateway has taken from its list.
var errNotListed = &payment.RefusedError{
	Reason:  payment.ReasonRefused,
	Message: "the coin is not listed any more",
}

// saveDecided saves what a rule has decided about a lost create: next, which was s. If the rule has
// appended a replacement, it sends its create: s must not have changed since, so that no other
// process sends it a second time. If s has changed, it is due again as that change says.
//
// No attempt is replaced while the currency list is unavailable: the answer could not be checked.
func (c *Service) saveDecided(ctx context.Context, s StoredSession, next payment.Session) error {
	n := len(next.Attempts)
	if n == len(s.Attempts) {
		_, err := c.save(ctx, s, next)
		return ignoreChanged(err)
	}

	currencies, err := c.Currencies(ctx)
	if err != nil {
		return err
	}

	next.Attempts[n-1].Trace = c.Trace(ctx)
	for range maxDraws {
		saved, err := c.save(ctx, s, next)
		if errors.Is(err, payment.ErrTaken) {
			next.DrawOrderID(n)
			continue
		}
		if err != nil {
			return ignoreChanged(err)
		}

		_, err = c.startCreate(ctx, saved, n, offerOf(saved.Attempt(n), currencies))
		return err
	}

	return noFreeNumber(s.ID)
}

// ignoreChanged returns nil for errChanged.
func ignoreChanged(err error) error {
	if errors.Is(err, errChanged) {
		return nil
	}
	return err
}

// resend sends a create that the gateway was too busy for, if it is time and no other process does.
func (c *Service) resend(ctx context.Context, s StoredSession, n int) error {
	currencies, err := c.Currencies(ctx)
	if err != nil {
		return err
	}

	s, err = c.reload(ctx, s)
	if err != nil {
		return err
	}

	next := s.Snapshot()
	send, err := next.ResumeCreate(n, c.Now().UTC())
	if errors.Is(err, payment.ErrUnchanged) {
		return nil
	}
	if err != nil {
		return err
	}

	saved, err := c.save(ctx, s, next)
	if err != nil || !send {
		return ignoreChanged(err)
	}

	_, err = c.startCreate(ctx, saved, n, offerOf(saved.Attempt(n), currencies))
	return err
}

// offerOf returns the offer of an attempt's coin; the zero Offer if it is not listed any more.
func offerOf(a *payment.Attempt, currencies []payment.Currency) payment.Offer {
	for _, o := range payment.Offers(payment.Order{}, currencies) {
		if a.IsFor(o) {
			return o
		}
	}
	return payment.Offer{}
}

// startCreate sends the create of attempt n, whose intent was just committed by the caller. The
// call continues if the shopper's request ends. The zero offer is refused without a request.
func (c *Service) startCreate(
	ctx context.Context, s payment.Session, n int, offer payment.Offer,
) (payment.Session, error) {
	done := make(chan struct{})
	c.creating.Go(func() {
		defer close(done)
		c.create(context.WithoutCancel(ctx), s, n, offer)
	})
	select {
	case <-done:
	case <-time.After(createPatience):
	case <-ctx.Done():
		return s, nil
	}

	return c.Session(ctx, s.ID)
}

// create sends the create of attempt n, within Schedule.CreateTimeout, and saves its answer. It only
// logs errors.
func (c *Service) create(ctx context.Context, s payment.Session, n int, offer payment.Offer) {
	// After this the attempt is searched for: nothing may be sent for it any more.
	sending, cancel := context.WithTimeout(ctx, c.Schedule.CreateTimeout)
	defer cancel()

	created := payment.Created{}
	var callErr error = errNotListed
	if offer.Currency.Symbol != "" {
		created, callErr = c.callCreate(sending, c.request(&s, n))
	}

	terms := payment.Terms{
		Price: offer.Currency.PriceInUSDT,
		Fee:   offer.Network.Fee,
		Page:  c.PaymentPage,
		Coins: token.Builtin(),
	}
	err := c.saveAnswer(ctx, s.ID, n, created, callErr, terms)
	if errors.Is(err, payment.ErrTrackingUsed) {
		refused := &payment.RefusedError{
			Reason: payment.ReasonRefused,
			Err:    payment.ErrTrackingUsed,
		}
		err = c.saveAnswer(ctx, s.ID, n, payment.Created{}, refused, payment.Terms{})
	}
	if err != nil {
		c.Log.ErrorContext(ctx, "recording the answer to create failed",
			"session", s.ID, "attempt", n, "error", err)
	}
}

func (c *Service) saveAnswer(
	ctx context.Context, id string, n int, created payment.Created, callErr error,
	terms payment.Terms,
) error {
	_, err := c.Change(ctx, id, func(s *payment.Session, now time.Time) error {
		return s.ApplyCreateAnswer(n, created, callErr, terms, now)
	})
	return err
}

// request returns the create of attempt n. The shopper's comment is left out after an answer
// was lost: a firewall may have rejected it.
func (c *Service) request(s *payment.Session, n int) payment.CreateRequest {
	a := s.Attempt(n)
	comment := strings.TrimSpace(a.Marker + " " + a.Comment)
	before := s.Attempt(n - 1)
	if before != nil && before.State == payment.Abandoned {
		comment = a.Marker
	}

	return payment.CreateRequest{
		CurrencySymbol: a.CurrencySymbol,
		NetworkCode:    a.NetworkCode,
		AmountUSD:      a.AmountUSD,
		TTL:            a.TTLMinutes,
		OrderID:        a.OrderID,
		Email:          a.Email,
		Comment:        comment,
		Marker:         a.Marker,
		CallbackURL:    c.CallbackURL,
	}
}

// errTooLate is for a create whose process was suspended before it could be sent.
var errTooLate = &payment.RefusedError{
	Reason:  payment.ReasonUnsent,
	Message: "too late to send",
	Err:     context.DeadlineExceeded,
}

// callCreate retries only what was definitely not done: requests that were never sent, and
// rate-limited ones whose Retry-After fits into the time that the caller waits.
func (c *Service) callCreate(
	ctx context.Context, req payment.CreateRequest,
) (payment.Created, error) {
	began := time.Now()
	for try := 1; ; try++ {
		end, limited := ctx.Deadline()
		if limited && !time.Now().Before(end) {
			return payment.Created{}, errTooLate
		}

		created, err := c.Gateway.Create(ctx, req)
		wait, again := retryWait(err, try)
		if !again || try == maxCreateTries {
			return created, err
		}

		refused, _ := errors.AsType[*payment.RefusedError](err)
		if refused.Reason == payment.ReasonBusy {
			fits := time.Since(began)+wait <= createPatience-answerTime
			if refused.RetryAfter == 0 || !fits {
				return created, err // the session postpones it
			}
		}

		background.Sleep(ctx, wait)
	}
}
