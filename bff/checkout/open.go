package checkout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Opened is the session of an order.
type Opened struct {
	payment.Session
	Created bool // false = it existed before
	// Unchecked reports that Order.Currencies of a new session could not be validated, because the
	// gateway's currency list was unavailable.
	Unchecked bool
}

// Open stores a session for o, or returns the existing one with its reference or key. key is
// the Idempotency-Key of the request; "" = none. An existing session that has ended unpaid is
// reopened: see [payment.Session.Reopenable].
//
// Errors: *wire.Error with CodeOrderConflict or CodeIdempotency if the reference or key belongs
// to another order, or as from [payment.Order.Validate]; CodeInvalid with Param "currencies" if
// the gateway offers none of o.Currencies; the store's.
func (c *Service) Open(ctx context.Context, o payment.Order, key string) (Opened, error) {
	return c.open(ctx, o, key, (*payment.Session).Reopenable)
}

// OpenForShopper is Open for an order token or a catalog item. A shopper can repeat it at will, so
// it reopens only sessions whose time to choose a coin is over; the page of others can begin again.
func (c *Service) OpenForShopper(
	ctx context.Context, o payment.Order, key string,
) (Opened, error) {
	return c.open(ctx, o, key, (*payment.Session).TimedOut)
}

func (c *Service) open(
	ctx context.Context, o payment.Order, key string,
	reopens func(s *payment.Session, now time.Time) bool,
) (Opened, error) {
	if err := o.Validate(); err != nil {
		return Opened{}, err
	}

	o = o.Complete()
	known, err := c.checkCurrencies(ctx, o)
	if err == nil {
		o, err = c.convert(ctx, o)
	}
	fresh := c.newSession(o, key)
	if err != nil {
		s, err := c.findExisting(ctx, fresh, err)
		c.reportRefusedPrice(err)
		return Opened{Session: s}, err
	}

	s, err := c.Store.Insert(ctx, fresh)
	if errors.Is(err, payment.ErrExists) {
		err := conflict(s, fresh)
		if err != nil || !reopens(&s, c.Now()) {
			return Opened{Session: s}, err
		}
		s, err = c.Change(ctx, s.ID, func(s *payment.Session, now time.Time) error {
			if !reopens(s, now) {
				return payment.ErrUnchanged
			}
			return s.Reopen(o, now)
		})
		return Opened{Session: s}, err
	}
	if err != nil {
		return Opened{}, fmt.Errorf("storing a session: %w", err)
	}

	c.Transitioned(payment.Session{}, s)
	if !known {
		c.Log.WarnContext(ctx, "currencies not validated: gateway currency list unavailable",
			"session", s.ID, "currencies", o.Currencies)
	}
	return Opened{Session: s, Created: true, Unchecked: !known}, nil
}

// OpenedObject returns o as in the answer of the API to its opening.
func (c *Service) OpenedObject(o Opened) payment.Object {
	object := c.Object(o.Session)
	if o.Unchecked {
		object.Warnings = []payment.Warning{{
			Param: "currencies",
			Detail: "could not be checked: the gateway's currency list is unavailable; " +
				"if no currency matches, the shopper cannot pay",
		}}
	}
	return object
}

// currencyPatience is how long Open waits for the gateway's currency list.
const currencyPatience = 2 * time.Second

// checkCurrencies validates o.Currencies against the gateway's list; known is false if the list is
// unavailable. Errors: *wire.Error with CodeInvalid and Param "currencies" if none matches.
func (c *Service) checkCurrencies(ctx context.Context, o payment.Order) (known bool, err error) {
	if len(o.Currencies) == 0 {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, currencyPatience)
	defer cancel()

	// A coin may have been enabled since an older list was read.
	for _, maxAge := range []time.Duration{currenciesStale, currenciesFresh} {
		list, err := c.currencies.read(ctx, maxAge)
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

// findExisting returns the session that has the key or reference of fresh, which cannot be opened
// now, or why it cannot (wrong) if there is none.
func (c *Service) findExisting(
	ctx context.Context, fresh payment.Session, wrong error,
) (payment.Session, error) {
	same := []payment.Filter{
		{IdempotencyKey: fresh.IdempotencyKey},
		{OrderRef: fresh.Order.Ref},
	}
	for _, f := range same {
		s, found, err := c.first(ctx, f)
		if err != nil {
			return payment.Session{}, fmt.Errorf("looking up the order's session: %w", err)
		}
		if found {
			return s, conflict(s, fresh)
		}
	}

	return payment.Session{}, wrong
}

func (c *Service) newSession(o payment.Order, key string) payment.Session {
	now := c.Now().UTC()
	s := payment.Session{
		ID:             payment.NewSessionID(),
		Status:         wire.Open,
		Order:          o,
		Digest:         o.Digest(),
		IdempotencyKey: key,
		Environment:    c.Gateway.Environment(),
		Test:           c.Test,
		CreatedAt:      now,
		ExpiresAt:      now.Add(o.ExpiresIn),
	}
	s.AppendTimeline(now, "merchant", "session.created", "")
	s.DueAt = s.Due(c.Schedule, now, false)
	return s
}

func conflict(have, want payment.Session) error {
	switch {
	case have.Digest == want.Digest:
		return nil
	case want.Order.Ref != "" && have.Order.Ref == want.Order.Ref:
		return payment.NewError(wire.CodeOrderConflict, "order_ref")
	}
	return payment.NewError(wire.CodeIdempotency, "Idempotency-Key")
}

// ValidateChoice reports whether choice could be made for o, before anything is stored. Errors:
// as for Choose.
func (c *Service) ValidateChoice(ctx context.Context, o payment.Order, choice wire.Choice) error {
	ctx, stop := context.WithTimeout(ctx, actionTime)
	defer stop()

	currencies, err := c.awaitCurrencies(ctx)
	if err != nil {
		return c.unavailable(ctx, "reading the currency list", err)
	}
	_, err = payment.NewDesired(o, currencies, choice)
	return err
}
