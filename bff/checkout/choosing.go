package checkout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/crash"
	"coinslot/bff/token"
)

const (
	// maxAttempts bounds how often one session can be started anew.
	maxAttempts = 12
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
func (c *Service) Choose(ctx context.Context, id string, choice wire.Choice) (Session, error) {
	s, err := c.Session(ctx, id)
	if err != nil {
		return s, err
	}
	currencies, err := c.Currencies(ctx)
	if err != nil {
		return s, c.unavailable(ctx, "reading currencies", err)
	}
	offer, err := pick(offers(s.Order, currencies), choice)
	if err != nil {
		return s, err
	}
	if err := validChoice(choice); err != nil {
		return s, err
	}
	return c.open(ctx, s, wish{offer: offer, choice: choice, minutes: ttl(s.Order.TTLMinutes, offer.Network.MaxTTL)})
}

// wish is the attempt that a shopper wants.
type wish struct {
	offer   Offer
	choice  wire.Choice
	minutes int // to pay
	// instead is the number of the attempt to be replaced although it is in the
	// same coin; zero if none is.
	instead int
}

// replaces reports whether a has to be called off before w is opened.
func (w wish) replaces(a *Attempt) bool {
	return a.State == Waiting && (a.Number == w.instead || w.instead == 0 && !a.in(w.offer))
}

// validChoice checks what a shopper may type.
func validChoice(c wire.Choice) error {
	switch {
	case c.Email != "" && !ValidEmail(c.Email):
		return problem(wire.CodeInvalid, "email")
	case !line(c.Comment, 200):
		return problem(wire.CodeInvalid, "comment")
	}
	return nil
}

// open ends a waiting attempt that w replaces and starts the new one, both in
// one change, so that a change of coin is never told as a cancellation.
func (c *Service) open(ctx context.Context, s Session, w wish) (Session, error) {
	var last *Record
	old := 0
	if a := s.Current(); a != nil && w.replaces(a) {
		if err := s.mayChange(a.Number, c.Now()); err != nil {
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
		if a = s.Attempt(a.Number); a.State != Waiting {
			return c.open(ctx, s, w) // it has ended meanwhile
		}
		ctx = context.WithoutCancel(ctx) // half of it is worse than nothing: the payment would be cancelled
		r, err := c.callOff(ctx, s, a)
		if err != nil {
			return s, err
		}
		last, old = &r, a.Number
	}
	s, err := c.intend(ctx, s, func(s *Session, now time.Time) error {
		if last != nil {
			if err := s.observe(old, *last, c.Gateway.Environment(), now); err != nil {
				return err
			}
		}
		w := w
		if last == nil {
			w.choice.Email = cmp.Or(w.choice.Email, s.lastEmail())
		}
		return s.intend(w, now)
	})
	if errors.Is(err, errJoined) || errors.Is(err, ErrFenced) {
		return c.Session(ctx, s.ID)
	}
	if err != nil {
		return s, err
	}
	return c.start(ctx, s, len(s.Attempts), c.terms(w.offer))
}

// hold takes the session away from the poller for as long as a change of coin
// may take, so that it does not tell the merchant of the cancellation in the
// middle of it, nor write what it has read before.
func (c *Service) hold(ctx context.Context, s Session) (Session, error) {
	held, err := c.Store.Hold(ctx, s.ID, c.Now(), crash.Hurry(holdFor))
	if err != nil {
		return s, fmt.Errorf("holding session %q: %w", s.ID, err)
	}
	return held, nil
}

// errJoined says that the wanted attempt is there already.
var errJoined = errors.New("attempt exists")

// intend runs fn, which appends an intent, until the drawn order number is free.
func (c *Service) intend(ctx context.Context, old Session, fn func(s *Session, now time.Time) error) (Session, error) {
	for range 20 {
		s, err := c.change(ctx, old, func(s *Session, now time.Time) error {
			if err := fn(s, now); err != nil {
				return err
			}
			s.Attempts[len(s.Attempts)-1].Trace = c.Trace(ctx)
			return nil
		})
		if !errors.Is(err, ErrTaken) {
			s.ID = old.ID
			return s, err
		}
	}
	return Session{ID: old.ID}, fmt.Errorf("drawing an order number for session %q: %w", old.ID, ErrTaken)
}

// intend appends the intent to open an attempt, if s allows one now.
func (s *Session) intend(w wish, now time.Time) error {
	if err := s.mayIntend(w.offer, now); err != nil {
		return err
	}
	currency, network := w.offer.Currency, w.offer.Network
	a := Attempt{
		State: Creating, CurrencySymbol: currency.Symbol, CurrencyName: currency.Name,
		NetworkCode: network.Code, NetworkName: network.Name,
		TTLMinutes: w.minutes, Email: w.choice.Email, Comment: w.choice.Comment,
	}
	if a.Email == "" {
		a.Email = s.Order.Email
	}
	s.add(a, now)
	return nil
}

// lastEmail returns the e-mail of the latest attempt if that has ended: the page of an
// ended payment does not hold the address, so the retry button cannot send it.
func (s *Session) lastEmail() string {
	if a := s.Current(); a != nil && (a.State == Expired || a.State == Cancelled) {
		return a.Email
	}
	return ""
}

// mayIntend returns why no attempt can be opened now, errJoined if the wanted
// one is there.
func (s *Session) mayIntend(o Offer, now time.Time) error {
	err := s.mayOpen(now)
	a := s.Current()
	if errors.Is(err, problem(wire.CodePaymentInProgress, "")) && a.Live() && a.in(o) {
		return errJoined
	}
	return err
}

// mayOpen returns why no attempt in any coin can be opened now.
func (s *Session) mayOpen(now time.Time) error {
	switch s.status() {
	case wire.Confirmed:
		return problem(wire.CodeSessionPaid, "")
	case wire.Review:
		return problem(wire.CodePaymentInProgress, "")
	}
	if s.Deleted || s.ClosedBy.final() || len(s.Attempts) == 0 && !now.Before(s.ExpiresAt) {
		return problem(wire.CodeSessionExpired, "")
	}
	for i := range s.Attempts {
		if a := &s.Attempts[i]; a.Live() || a.Paid.IsPositive() {
			return problem(wire.CodePaymentInProgress, "")
		}
	}
	if n := len(s.Attempts); n > maxAttempts || n == maxAttempts && !s.Attempts[n-1].unsent() {
		return problem(wire.CodeTooManyAttempts, "")
	}
	return nil
}

// mayChange returns why no attempt could be opened even if waiting attempt n
// were called off: then it is left alone.
func (s *Session) mayChange(n int, now time.Time) error {
	without := *s
	without.Attempts = slices.Clone(s.Attempts)
	without.Attempt(n).State = Cancelled
	return without.mayOpen(now)
}

// in reports whether a is in the coin and on the network of o.
func (a *Attempt) in(o Offer) bool {
	return SameName(a.CurrencySymbol, o.Currency.Symbol) && SameName(a.NetworkCode, o.Network.Code)
}

// add appends an attempt in state Creating with what every one gets: number,
// marker, amount, order number.
//
// It takes the place of one that is proven never to have been sent: an outage
// must not use up the attempts that a session has.
func (s *Session) add(a Attempt, now time.Time) {
	if n := len(s.Attempts); n > 0 && s.Attempts[n-1].unsent() {
		s.Attempts = s.Attempts[:n-1]
	}
	a.Number, a.Marker, a.AmountUSD, a.StartedAt = len(s.Attempts)+1, newMarker(), s.Order.AmountUSD, now
	a.OrderID, a.Drawn = s.Order.OrderID, false
	if a.OrderID == 0 {
		a.OrderID, a.Drawn = drawOrderID(), true
	}
	s.Attempts = append(s.Attempts, a)
	s.Notice, s.ClosedBy, s.ErasedAt = Notice{}, NotClosed, time.Time{}
	s.note(now, "shopper", "attempt.intended", a.CurrencySymbol+" "+a.NetworkCode)
}

// unsent reports whether a came to nothing because the gateway could not be
// reached, or takes no requests now.
func (a *Attempt) unsent() bool {
	if a.State != Refused {
		return false
	}
	switch Reason(a.Reason) {
	case ReasonUnsent, ReasonBusy, ReasonKey:
		return true
	}
	return false
}

// ttl returns the minutes to ask for: what the order wants, within what the
// network allows; zero stands for "not said" in both.
func ttl(wanted, most int) int {
	if wanted == 0 {
		wanted = defaultTTL
	}
	if most > 0 {
		return min(wanted, most)
	}
	return wanted
}

// terms is what the answer to a create in the coin of o is checked against.
func (c *Service) terms(o Offer) Terms {
	return Terms{
		Price: o.Currency.PriceInUSDT, Fee: o.Network.Fee,
		Page: c.PaymentPage, Coins: token.Builtin(),
	}
}

// start makes the create call of attempt n, whose intent was just committed by the
// caller and by nobody else. The call goes on when the shopper's request ends.
func (c *Service) start(ctx context.Context, s Session, n int, terms Terms) (Session, error) {
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
func (c *Service) create(ctx context.Context, s Session, n int, terms Terms) {
	// After this the attempt counts as unknown and is searched for: nothing may
	// be sent for it any more.
	sending, cancel := context.WithTimeout(ctx, c.Pace.Answer)
	defer cancel()
	created, callErr := c.callCreate(sending, c.request(&s, n))
	crash.Point("create.sent")
	_, err := c.change(ctx, Session{ID: s.ID}, func(s *Session, now time.Time) error {
		return s.answered(n, created, callErr, terms, now)
	})
	if errors.Is(err, ErrTrackingUsed) {
		_, err = c.change(ctx, Session{ID: s.ID}, func(s *Session, now time.Time) error {
			refused := &RefusedError{Reason: ReasonRefused, Err: ErrTrackingUsed}
			return s.answered(n, Created{}, refused, Terms{}, now)
		})
	}
	crash.Point("create.committed")
	if err != nil {
		c.Log.ErrorContext(ctx, "recording the answer to create", "session", s.ID, "attempt", n, "error", err)
	}
}

// request is what is asked of the gateway for attempt n. The shopper's comment
// is not sent again after an answer was lost: a firewall may have rejected it.
func (c *Service) request(s *Session, n int) CreateRequest {
	a := s.Attempt(n)
	comment := strings.TrimSpace(a.Marker + " " + a.Comment)
	if before := s.Attempt(n - 1); before != nil && before.State == Lost {
		comment = a.Marker
	}
	return CreateRequest{
		CurrencySymbol: a.CurrencySymbol, NetworkCode: a.NetworkCode, AmountUSD: a.AmountUSD,
		TTL: a.TTLMinutes, OrderID: a.OrderID, Email: a.Email,
		Comment: comment, Marker: a.Marker,
		CallbackURL: c.CallbackURL,
	}
}

// callCreate repeats only what is proven not to have been done: what was never sent,
// and what the gateway had no time for, if it says for how long and the request that
// waits for it can wait as long.
func (c *Service) callCreate(ctx context.Context, req CreateRequest) (Created, error) {
	began := time.Now()
	for try := 1; ; try++ {
		if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) { // this process was stopped for a while
			return Created{}, &RefusedError{
				Reason: ReasonUnsent, Message: "too late to send", Err: context.DeadlineExceeded,
			}
		}
		created, err := c.Gateway.Create(ctx, req)
		var refused *RefusedError
		if !errors.As(err, &refused) || try == unsentTries {
			return created, err
		}
		wait := time.Duration(try) * 200 * time.Millisecond
		switch {
		case refused.Reason == ReasonUnsent:
		case refused.Reason == ReasonBusy && refused.RetryAfter > 0 &&
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

// answered applies the outcome of create to attempt n: done, refused or, by
// default, unknown.
func (s *Session) answered(
	n int, created Created, err error, terms Terms, now time.Time,
) error {
	a := s.Attempt(n)
	if a == nil || a.TrackingCode != "" || (a.State != Creating && a.State != Unknown && a.State != Lost) {
		return ErrUnchanged
	}
	var refused *RefusedError
	switch {
	case a.State == Lost:
		return s.answeredTooLate(a, created, err, now)
	case errors.As(err, &refused):
		if !s.putOff(a, refused, now) {
			s.refuse(a, refused, now)
		}
	case err != nil:
		a.State, a.UnknownAt = Unknown, now
		s.note(now, "gateway", "attempt.unknown", err.Error())
	default:
		s.answeredWith(a, created, terms, now)
	}
	return nil
}

// answeredTooLate keeps the tracking code of a transaction whose attempt was
// given up and replaced in the meantime, so that it is cancelled.
func (s *Session) answeredTooLate(a *Attempt, created Created, err error, now time.Time) error {
	if err != nil || !trackingCode.MatchString(created.TrackingCode) {
		return ErrUnchanged
	}
	a.TrackingCode = created.TrackingCode
	s.note(now, "gateway", "attempt.late_answer", created.TrackingCode)
	return nil
}

// answeredWith takes or rejects an answer that says it was done.
func (s *Session) answeredWith(a *Attempt, created Created, terms Terms, now time.Time) {
	if why := doubtful(a, created, terms); why != nil {
		a.State, a.Reason = Rejected, why.Error()
		if trackingCode.MatchString(created.TrackingCode) {
			a.TrackingCode = created.TrackingCode
		}
		s.Notice = Notice{Code: wire.CodePaymentRefused}
		s.note(now, "coinslot", "attempt.rejected", why.Error())
		return
	}
	a.accept(created, now, terms.Page)
	s.CheckedAt = now
	s.note(now, "gateway", "attempt.pending", created.TrackingCode)
}

// refuse closes an attempt that is proven not to exist at the gateway.
func (s *Session) refuse(a *Attempt, e *RefusedError, now time.Time) {
	a.State, a.Reason, a.EndedAt = Refused, string(e.Reason), now
	code := wire.CodePaymentRefused
	switch e.Reason {
	case ReasonUnsent, ReasonBusy, ReasonKey:
		code = wire.CodeGatewayUnavailable
	}
	s.Notice = Notice{Code: code}
	s.note(now, "gateway", "attempt.refused", e.Error())
}

// unavailable turns a failed call into what the outside may know of it; the
// cause stays in the chain, for how long the gateway asked to be left alone.
func (c *Service) unavailable(ctx context.Context, doing string, err error) error {
	c.Log.WarnContext(ctx, doing, "error", err)
	return fmt.Errorf("%s: %w: %w", doing, problem(wire.CodeGatewayUnavailable, ""), err)
}

// Possible reports whether choice could be made for o, before anything is
// stored for it. Errors: as for Choose.
func (c *Service) Possible(ctx context.Context, o Order, choice wire.Choice) error {
	currencies, err := c.Currencies(ctx)
	if err != nil {
		return c.unavailable(ctx, "reading currencies", err)
	}
	if _, err := pick(offers(o, currencies), choice); err != nil {
		return err
	}
	return validChoice(choice)
}
