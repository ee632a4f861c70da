package checkout

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/internal/background"
	"coinslot/bff/listing"
	"coinslot/bff/payment"
	"coinslot/bff/recovery"
	"coinslot/bff/token"
)

// Config is what a [Service] is made of.
type Config struct {
	Store   Store
	Gateway Gateway
	// Background reads the gateway's list behind every payment; nil = Gateway does.
	Background listing.Lister
	// Page is the address of the checkout pages with a slash at its end,
	// "https://pay.shop.example/checkout/".
	Page string
	// Receipt signs what proves that a session is confirmed; nil = there are no receipts.
	Receipt payment.Receipt
	// CallbackURL is where the gateway's page sends the shopper back; empty = not sent.
	CallbackURL string
	// PaymentPage is the address of the gateway's hosted pages; a payment_url
	// elsewhere is not shown, and none is if it is empty.
	PaymentPage string
	// Tokens is what is known of coins and networks, for what is shown of sessions;
	// nil = what is built in. What counts as paid does not depend on it.
	Tokens *token.Registry
	// Test marks every session as one in which no real money moves.
	Test bool
	// Changed is called after a session's change was committed, and after a
	// check that found none. It must not block. Nil = nobody is told.
	Changed func(session string)
	// Transitioned is called after a session was opened, with no session before, or has
	// changed, with what it was. The two share no attempts. It must not block. Nil =
	// nobody counts.
	Transitioned func(before, after payment.Session)
	// Trace returns the traceparent (W3C Trace Context) of what ctx is part of, to be
	// kept with an attempt; "" = it is part of none. Nil = nothing is traced.
	Trace func(ctx context.Context) string
	// Watched reports whether somebody is looking at the session at this instance.
	// Nil = nobody.
	Watched func(session string) bool
	// Schedule is how often things are looked at; zero = [payment.DefaultSchedule].
	Schedule payment.Schedule
	Now      func() time.Time // nil = time.Now
	Log      *slog.Logger     // nil = silent
}

// Service has the use cases; see the package's comment.
type Service struct {
	Config
	currencies *currencyList
	recovery   *recovery.Service
	hints      hints
	creating   background.Group // creates under way
}

// New returns a service. It starts nothing by itself.
func New(c Config) *Service {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Changed == nil {
		c.Changed = func(string) {}
	}
	if c.Transitioned == nil {
		c.Transitioned = func(payment.Session, payment.Session) {}
	}
	if c.Trace == nil {
		c.Trace = func(context.Context) string { return "" }
	}
	if c.Watched == nil {
		c.Watched = func(string) bool { return false }
	}
	if c.Schedule.Unwatched == 0 {
		c.Schedule = payment.DefaultSchedule()
	}
	s := &Service{Config: c, currencies: &currencyList{gateway: c.Gateway, now: c.Now, log: c.Log}}
	s.recovery = recovery.New(recovery.Config{
		Gateway: c.Gateway, Background: c.Background, Store: c.Store, Sessions: s,
		PaymentPage: c.PaymentPage, Schedule: c.Schedule, Now: c.Now, Log: c.Log,
	})
	return s
}

// Close breaks off the searches under way after the page that each is reading, and waits
// for the creates, each call of which ends with the gateway client's own deadline at the
// latest. It may be called again, to wait for those that requests have begun since; no
// search begins any more.
func (c *Service) Close() {
	c.recovery.Close()
	c.creating.Wait()
}

// Recover declares lost every create that is under way, so that its search begins now. It
// is for a process that has just started and is alone on its database. Errors: the store's.
func (c *Service) Recover(ctx context.Context) error { return c.recovery.Recover(ctx) }

// SearchingSince returns since when creates whose answers were lost are searched for in
// vain, because the gateway's list cannot be read to its end: the zero time if none is.
func (c *Service) SearchingSince() time.Time { return c.recovery.SearchingSince() }

// LastBeats returns the last heartbeat of what goes on besides, by name; zero = nothing of the
// kind is under way. "search" looks for creates whose answer is lost, "currencies"
// renews the gateway's currency list.
func (c *Service) LastBeats() map[string]time.Time {
	return map[string]time.Time{
		"search": c.recovery.LastBeat(), "currencies": c.currencies.heartbeat.Last(),
	}
}

// Session returns the session of that id. Errors: *wire.Error with
// CodeSessionUnknown; the store's.
func (c *Service) Session(ctx context.Context, id string) (payment.Session, error) {
	s, err := c.Store.Session(ctx, id)
	if errors.Is(err, payment.ErrNotFound) {
		return s, payment.NewError(wire.CodeSessionUnknown, "")
	}
	if err != nil {
		return s, fmt.Errorf("loading session %q: %w", id, err)
	}
	return s, nil
}

// Object returns s as the merchant sees it.
func (c *Service) Object(s payment.Session) payment.Object { return s.Object(c.eventOptions()) }

// eventOptions is what merchants are told besides the sessions themselves.
func (c *Service) eventOptions() payment.EventOptions {
	return payment.EventOptions{Page: c.Page, Receipt: c.Receipt, Coins: token.Builtin()}
}

// IsWatched reports whether somebody is looking at s, here or at another instance.
func (c *Service) IsWatched(s payment.Session) bool { return c.watched(s) }

// watched reports whether somebody is looking at s, here or at another instance.
func (c *Service) watched(s payment.Session) bool {
	return c.Watched(s.ID) || s.WatchedUntil.After(c.Now())
}

// Change runs fn on the current row of old in one transaction, finishes it with
// turn and tells whoever listens. Of old only the id counts and, if it was
// claimed, the claim: errors are ErrFenced if somebody else has claimed it since.
// fn may run more than once.
func (c *Service) Change(
	ctx context.Context, old payment.Session, fn func(s *payment.Session, now time.Time) error,
) (payment.Session, error) {
	id := old.ID
	var events int
	var was payment.Session
	s, err := c.Store.Update(ctx, id, func(s *payment.Session) ([]payment.Event, error) {
		if old.Claimed && s.Epoch != old.Epoch {
			return nil, payment.ErrFenced
		}
		now := c.Now().UTC()
		before := s.Snapshot()
		was = *s
		was.Attempts = slices.Clone(s.Attempts)
		if err := fn(s, now); err != nil {
			return nil, err
		}
		list := s.Events(before, now, c.eventOptions())
		s.DueAt, s.LateFrom = s.Due(c.Schedule, now, c.watched(*s)), s.LateChecksFrom(c.Schedule)
		events = len(list)
		return list, nil
	})
	switch {
	case errors.Is(err, payment.ErrNotFound):
		return s, payment.NewError(wire.CodeSessionUnknown, "")
	case err != nil:
		return s, fmt.Errorf("changing session %q: %w", id, err)
	}
	c.Log.DebugContext(
		ctx, "session changed", "session", id, "status", s.Status, "version", s.Version, "events",
		events,
	)
	c.logReviews(ctx, was, s)
	c.Transitioned(was, s)
	c.Changed(id)
	s.Claimed = old.Claimed
	return s, nil
}

// logReviews logs what somebody may have to look at; the session's trail says why.
func (c *Service) logReviews(ctx context.Context, was, s payment.Session) {
	for _, a := range s.Attempts {
		before := was.Attempt(a.Number)
		odd := a.State == payment.InReview || a.State == payment.Rejected ||
			a.State == payment.Duplicate
		if odd && (before == nil || before.State != a.State) {
			c.Log.WarnContext(
				ctx, "a payment to look at", "session", s.ID, "attempt", a.Number, "state", a.State,
			)
		}
	}
}

// unavailable turns a failed call into what the outside may know of it; the
// cause stays in the chain, for how long the gateway asked to be left alone.
func (c *Service) unavailable(ctx context.Context, doing string, err error) error {
	c.Log.WarnContext(ctx, doing, "error", err)
	return payment.GatewayUnavailable(doing, err)
}
