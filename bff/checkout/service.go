package checkout

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/crash"
	"coinslot/bff/payment"
	"coinslot/bff/token"
)

// Config is what a [Service] is made of.
type Config struct {
	Store   Store
	Gateway Gateway
	// Ledger is the gateway's books, for whoever reads them; nil = they cannot be read.
	Ledger Ledger
	// Comparisons keeps what comes of [Service.StartComparing], which needs it and
	// Ledger, and of [Service.RunComparisons]; nil = nothing is compared.
	Comparisons Comparisons
	// ListPause is the time between two pages of an automatic comparison.
	ListPause time.Duration
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
	// Moved is called after a session was opened, with no session before, or has
	// changed, with what it was. The two share no attempts. It must not block. Nil =
	// nobody counts.
	Moved func(before, after payment.Session)
	// Trace returns the traceparent (W3C Trace Context) of what ctx is part of, to be
	// kept with an attempt; "" = it is part of none. Nil = nothing is traced.
	Trace func(ctx context.Context) string
	// Watched reports whether somebody is looking at the session at this instance.
	// Nil = nobody.
	Watched func(session string) bool
	// Ended marks the context of polls of a payment that has ended, which may wait for
	// those of payments that have not. Nil = they are polls like all others.
	Ended func(ctx context.Context) context.Context
	// Pace is how often things are looked at; the zero Pace is [DefaultPace].
	Pace payment.Schedule
	Now  func() time.Time // nil = time.Now
	Log  *slog.Logger     // nil = silent
}

// Service moves sessions: it loads, applies a rule, saves and tells. The rules
// themselves are pure and live in files of their own: choose.go, answer.go,
// gate.go, observe.go, due.go.
type Service struct {
	Config
	currencies *currencyList
	searches   searches
	hints      hints
	creating   running // creates, searches and comparisons under way

	closing context.Context // ends with Close
	end     context.CancelFunc
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
	if c.Moved == nil {
		c.Moved = func(payment.Session, payment.Session) {}
	}
	if c.Trace == nil {
		c.Trace = func(context.Context) string { return "" }
	}
	if c.Watched == nil {
		c.Watched = func(string) bool { return false }
	}
	if c.Ended == nil {
		c.Ended = func(ctx context.Context) context.Context { return ctx }
	}
	if c.Pace.Unwatched == 0 {
		c.Pace = payment.DefaultSchedule()
	}
	closing, end := context.WithCancel(context.Background())
	return &Service{
		Config: c, currencies: &currencyList{gateway: c.Gateway, now: c.Now, log: c.Log},
		searches: searches{of: map[window]*search{}}, closing: closing, end: end,
	}
}

// Close breaks off the comparison and the searches under way after the page that each
// is reading, and waits for the creates, each call of which ends with the gateway
// client's own deadline at the latest. It may be called again, to wait for those that
// requests have begun since; no comparison and no search begins any more.
func (c *Service) Close() {
	c.end()
	c.creating.Wait()
}

// Currencies returns the gateway's currency list, at most a minute old unless the
// gateway cannot be reached: then up to six hours. It blocks only if there is none.
// Errors: the gateway's; ctx.Err().
func (c *Service) Currencies(ctx context.Context) ([]payment.Currency, error) {
	return c.currencies.get(ctx)
}

// GatewayDown returns since when the gateway's currency list cannot be read, the
// zero time while it can. Whatever asks for the list finds it out, at most once a
// minute while it can be read; [Service.Currencies] does.
func (c *Service) GatewayDown() time.Time { return c.currencies.down() }

// Open stores a session for o, or returns the one that o.Ref or key stands for
// already. key is the Idempotency-Key of the request, "" for none. created
// reports which of the two happened.
//
// Errors: *wire.Error with CodeOrderConflict or CodeIdempotency if ref or
// key stands for another order, or as from [Order.Validate]; CodeInvalid with
// Param "currencies" if the gateway offers none of o.Currencies; the store's.
func (c *Service) Open(ctx context.Context, o payment.Order, key string) (s payment.Session, created bool, err error) {
	if err := o.Validate(); err != nil {
		return payment.Session{}, false, err
	}
	o = o.Complete()
	fresh := c.newSession(o, key)
	known, err := c.checkCurrencies(ctx, o)
	if err != nil {
		return c.reopened(ctx, fresh, err)
	}
	s, err = c.Store.Insert(ctx, fresh)
	if errors.Is(err, payment.ErrExists) {
		return s, false, conflict(s, fresh)
	}
	if err != nil {
		return payment.Session{}, false, fmt.Errorf("storing a session: %w", err)
	}
	crash.Point("insert.committed")
	c.Moved(payment.Session{}, s)
	if s.Unchecked = !known; s.Unchecked {
		c.Log.WarnContext(ctx, "order's currencies not checked: gateway's list not available",
			"session", s.ID, "currencies", o.Currencies)
	}
	return s, true, nil
}

// currencyPatience is how long Open waits for the gateway's currency list.
const currencyPatience = 2 * time.Second

// checkCurrencies compares o.Currencies with the gateway's list. known is false
// if there is no list to compare with. Errors: *wire.Error with CodeInvalid and
// Param "currencies" if nothing matches.
func (c *Service) checkCurrencies(ctx context.Context, o payment.Order) (known bool, err error) {
	if len(o.Currencies) == 0 {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, currencyPatience)
	defer cancel()
	// A coin may have been enabled since an older list was read.
	type read func(context.Context) ([]payment.Currency, error)
	for _, read := range []read{c.Currencies, c.currencies.latest} {
		list, err := read(ctx)
		if err != nil || len(list) == 0 {
			return false, nil
		}
		if len(payment.Offers(o, list)) > 0 {
			return true, nil
		}
	}
	const detail = "the gateway offers none of these currencies: " +
		"use symbols like USDT or USDT_trc20 of GET /v1/currencies"
	return true, &wire.Error{Code: wire.CodeInvalid, Param: "currencies", Detail: detail}
}

// reopened is Open for an order whose currencies match nothing now: the session
// that fresh repeats, and the error wrong if it repeats none.
func (c *Service) reopened(
	ctx context.Context, fresh payment.Session, wrong error,
) (s payment.Session, created bool, err error) {
	same := []payment.Filter{{IdempotencyKey: fresh.IdempotencyKey}, {OrderRef: fresh.Order.Ref}}
	for _, f := range same {
		if f == (payment.Filter{}) {
			continue
		}
		f.Limit = 1
		page, err := c.Store.List(ctx, f)
		if err != nil {
			return payment.Session{}, false, fmt.Errorf("looking for a session of the same order: %w", err)
		}
		if len(page.Sessions) > 0 {
			return page.Sessions[0], false, conflict(page.Sessions[0], fresh)
		}
	}
	return payment.Session{}, false, wrong
}

func (c *Service) newSession(o payment.Order, key string) payment.Session {
	now := c.Now().UTC()
	s := payment.Session{
		ID: payment.NewSessionID(), Status: wire.Open, Order: o, Digest: o.Digest(), IdempotencyKey: key,
		Environment: c.Gateway.Environment(), Test: c.Test,
		CreatedAt: now, ExpiresAt: now.Add(o.ExpiresIn),
	}
	s.Note(now, "merchant", "session.created", "")
	s.DueAt = s.Due(c.Pace, now, false)
	return s
}

// conflict compares the session that is there with the one that was wanted.
func conflict(have, want payment.Session) error {
	switch {
	case have.Digest == want.Digest:
		return nil
	case want.Order.Ref != "" && have.Order.Ref == want.Order.Ref:
		return payment.NewError(wire.CodeOrderConflict, "order_ref")
	}
	return payment.NewError(wire.CodeIdempotency, "Idempotency-Key")
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

// telling is what merchants are told besides the sessions themselves.
func (c *Service) telling() payment.EventOptions {
	return payment.EventOptions{Page: c.Page, Receipt: c.Receipt, Coins: token.Builtin()}
}

// Object returns s as the merchant sees it.
func (c *Service) Object(s payment.Session) payment.Object { return s.Object(c.telling()) }

// IsWatched reports whether somebody is looking at s, here or at another instance.
func (c *Service) IsWatched(s payment.Session) bool { return c.watched(s) }

// watched reports whether somebody is looking at s, here or at another instance.
func (c *Service) watched(s payment.Session) bool {
	return c.Watched(s.ID) || s.WatchedUntil.After(c.Now())
}

// change runs fn on the current row of old in one transaction, finishes it with
// turn and tells whoever listens. Of old only the id counts and, if it was
// claimed, the claim: errors are ErrFenced if somebody else has claimed it since.
// fn may run more than once.
func (c *Service) change(ctx context.Context, old payment.Session, fn func(s *payment.Session, now time.Time) error) (payment.Session, error) {
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
		list := s.Events(before, now, c.telling())
		s.DueAt, s.LateFrom = s.Due(c.Pace, now, c.watched(*s)), s.LateSince(c.Pace)
		events = len(list)
		return list, nil
	})
	switch {
	case errors.Is(err, payment.ErrNotFound):
		return s, payment.NewError(wire.CodeSessionUnknown, "")
	case err != nil:
		return s, fmt.Errorf("changing session %q: %w", id, err)
	}
	c.Log.DebugContext(ctx, "session changed", "session", id, "status", s.Status, "version", s.Version, "events", events)
	crash.Point("confirm.committed")
	c.alarm(ctx, was, s)
	c.Moved(was, s)
	c.Changed(id)
	s.Claimed = old.Claimed
	return s, nil
}

// alarm logs what somebody may have to look at; the session's trail says why.
func (c *Service) alarm(ctx context.Context, was, s payment.Session) {
	for _, a := range s.Attempts {
		before := was.Attempt(a.Number)
		odd := a.State == payment.InReview || a.State == payment.Rejected || a.State == payment.Stray
		if odd && (before == nil || before.State != a.State) {
			c.Log.WarnContext(ctx, "a payment to look at", "session", s.ID, "attempt", a.Number, "state", a.State)
		}
	}
}
