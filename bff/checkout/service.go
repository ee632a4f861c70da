package checkout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
	"coinslot/bff/token"
	"coinslot/bff/wallet"
)

// Config configures a [Service].
type Config struct {
	Store   Store
	Gateway Gateway
	// Rates converts prices; nil = dollars only.
	Rates Rates
	// Page is the base URL of the checkout pages, "https://pay.shop.example/checkout/".
	Page string
	// Receipt signs the proof that a session is confirmed; nil = no receipts.
	Receipt payment.Receipt
	// CallbackURL is where the gateway's page sends the shopper back; empty = not sent.
	CallbackURL string
	// PaymentPage is the base URL of the gateway's hosted pages; a payment_url elsewhere is not
	// shown. Empty = none is shown.
	PaymentPage string
	// Tokens describes coins and networks for display; nil = the built-in registry. What counts
	// as paid does not depend on it.
	Tokens *token.Registry
	// Wallets has links of wallets for phones; nil = the built-in registry.
	Wallets *wallet.Registry
	// Test marks every session as one in which no real money moves.
	Test bool
	// Changed is called after a change of a session was committed, and after a check without
	// news. It must not block. Nil = no callback.
	Changed func(session string)
	// Transitioned is called after a session was opened (before is zero) or changed. The two
	// share no attempts. It must not block. Nil = no callback.
	Transitioned func(before, after payment.Session)
	// PriceRefused is called when an order is refused because its price cannot be converted, with
	// CodeRateUnavailable or CodeCurrencyUnsupported. It must not block. Nil = no callback.
	PriceRefused func(wire.Code)
	// Trace returns the traceparent (W3C Trace Context) of ctx, which is stored with an
	// attempt; "" = none. Nil = no tracing.
	Trace func(ctx context.Context) string
	// Watched reports whether a shopper has the session open at this instance. Nil = never.
	Watched func(session string) bool
	// Schedule is how often sessions are checked; zero = [payment.DefaultSchedule].
	Schedule payment.Schedule
	Now      func() time.Time // nil = time.Now
	Log      *slog.Logger     // nil = silent
}

// Service implements the use cases; see the package comment.
type Service struct {
	Config
	patient    Gateway // for actions
	currencies *currencyList
	finder     *gatewaylist.Finder
	hints      hints
	creating   background.Group // creates in flight
}

// New returns a service. It starts nothing by itself.
func New(c Config) *Service {
	if c.Now == nil {
		c.Now = time.Now
	}

	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Changed == nil {
		c.Changed = func(string) {}
	}
	if c.Transitioned == nil {
		c.Transitioned = func(payment.Session, payment.Session) {}
	}
	if c.PriceRefused == nil {
		c.PriceRefused = func(wire.Code) {}
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

	s := &Service{
		Config:     c,
		patient:    patient{c.Gateway},
		currencies: &currencyList{gateway: c.Gateway, tokens: c.Tokens, now: c.Now, log: c.Log},
	}
	s.finder = gatewaylist.NewFinder(gatewaylist.FinderConfig{
		Gateway:     c.Gateway,
		Store:       c.Store,
		Sessions:    s,
		PaymentPage: c.PaymentPage,
		Schedule:    c.Schedule,
		Now:         c.Now,
		Log:         c.Log,
	})
	return s
}

// Close stops searches after the page they are reading, and waits for creates, each of which
// ends by the gateway client's deadline. It may be called again to wait for later creates; no
// new search starts.
func (c *Service) Close() {
	c.finder.Close()
	c.creating.Wait()
}

// SearchingSince returns since when searches for unanswered creates have been failing because
// the gateway's list cannot be read to its end; zero = they are not.
func (c *Service) SearchingSince() time.Time { return c.finder.SearchingSince() }

// LastBeats returns the last heartbeat of background work by name; zero = none is running.
// "search" looks for unanswered creates, "currencies" refreshes the currency list.
func (c *Service) LastBeats() map[string]time.Time {
	return map[string]time.Time{
		"search":     c.finder.LastBeat(),
		"currencies": c.currencies.heartbeat.Last(),
	}
}

// Session returns a session. Errors: *wire.Error with CodeSessionUnknown; the store's.
func (c *Service) Session(ctx context.Context, id string) (payment.Session, error) {
	s, err := c.load(ctx, id)
	return s.Session, err
}

func (c *Service) load(ctx context.Context, id string) (StoredSession, error) {
	s, err := c.Store.Load(ctx, id)
	if errors.Is(err, payment.ErrNotFound) {
		return s, payment.NewError(wire.CodeSessionUnknown, "")
	}
	if err != nil {
		return s, fmt.Errorf("loading session %q: %w", id, err)
	}
	return s, nil
}

// reload returns s as it is now, under the same claim. Errors: as for Session.
func (c *Service) reload(ctx context.Context, s StoredSession) (StoredSession, error) {
	current, err := c.load(ctx, s.ID)
	current.Epoch = s.Epoch
	return current, err
}

// Object returns s as in the API.
func (c *Service) Object(s payment.Session) payment.Object { return s.Object(c.eventOptions()) }

func (c *Service) eventOptions() payment.EventOptions {
	return payment.EventOptions{Page: c.Page, Receipt: c.Receipt, Coins: token.Builtin()}
}

// IsWatched reports whether a shopper has a session open: here, or at another instance, which is
// known from its WatchedUntil.
func (c *Service) IsWatched(session string, watchedUntil time.Time) bool {
	return c.Watched(session) || watchedUntil.After(c.Now())
}

// Change runs fn on the current row of a session in one transaction, stores the events of the
// change and notifies listeners. Errors: *wire.Error with CodeSessionUnknown; fn's; the store's.
func (c *Service) Change(
	ctx context.Context, id string, fn payment.ChangeFunc,
) (payment.Session, error) {
	s, err := c.load(ctx, id)
	if err != nil {
		return s.Session, err
	}
	return c.change(ctx, s, fn)
}

// errChanged means that a session was changed since it was loaded.
var errChanged = errors.New("the session was changed meanwhile")

// save stores next, which rules have made of a copy of was, like change. Errors: errChanged; as for
// change.
func (c *Service) save(
	ctx context.Context, was StoredSession, next payment.Session,
) (payment.Session, error) {
	return c.change(ctx, was, func(s *payment.Session, _ time.Time) error {
		if s.Version != was.Version {
			return errChanged
		}

		checkedAt := s.CheckedAt // a check without news changes no version
		*s = next
		if checkedAt.After(s.CheckedAt) {
			s.CheckedAt = checkedAt
		}
		return nil
	})
}

// change is Change under the claim of old, if it has one: ErrFenced if the session was claimed
// again since. Of the rest of old, only its id and WatchedUntil count.
//
// fn is a function because it gets the session as it is in the transaction, with its row locked: two
// shoppers, a poll and an operator can change one session at a time, and none of them has to
// begin again. It should be the call of one rule.
func (c *Service) change(
	ctx context.Context, old StoredSession, fn payment.ChangeFunc,
) (payment.Session, error) {
	id := old.ID
	var events int
	var was payment.Session
	s, err := c.Store.Update(ctx, id, old.Epoch, func(s *payment.Session) ([]payment.Event, error) {
		now := c.Now().UTC()
		was = s.Snapshot()
		if err := fn(s, now); err != nil {
			return nil, err
		}
		list := s.Events(was, now, c.eventOptions())
		s.DueAt = s.Due(c.Schedule, now, c.IsWatched(id, old.WatchedUntil))
		s.LateFrom = s.LateChecksFrom(c.Schedule)
		events = len(list)
		return list, nil
	})
	switch {
	case errors.Is(err, payment.ErrNotFound):
		return s, payment.NewError(wire.CodeSessionUnknown, "")
	case err != nil:
		return s, fmt.Errorf("changing session %q: %w", id, err)
	}

	c.Log.DebugContext(ctx, "session changed",
		"session", id, "status", s.Status, "version", s.Version, "events", events)
	c.logReviews(ctx, was, s)
	c.Transitioned(was, s)
	c.Changed(id)
	return s, nil
}

// logReviews logs attempts that now need review; the timeline has the reason.
func (c *Service) logReviews(ctx context.Context, was, s payment.Session) {
	for _, a := range s.Attempts {
		switch a.State {
		case payment.InReview, payment.Rejected, payment.Duplicate:
			before := was.Attempt(a.Number)
			if before == nil || before.State != a.State {
				c.Log.WarnContext(ctx, "payment needs review",
					"session", s.ID, "attempt", a.Number, "state", a.State)
			}
		}
	}
}

func (c *Service) unavailable(ctx context.Context, action string, err error) error {
	c.Log.WarnContext(ctx, "gateway call failed", "call", action, "error", err)
	return payment.GatewayUnavailable(action, err)
}
