package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/statement"
	"coinslot/bff/store"
	"coinslot/bff/token"
	"coinslot/bff/webhook"
)

// The methods below are for Go programs that embed the server. They are safe for concurrent use,
// from New to Close.

// ServeHTTP is Handler. Mount the server under its own host name, mux.Handle("pay.shop.example/",
// s), never below a path of the shop: its own origin protects the checkout from the shop's scripts.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.Handler.ServeHTTP(w, r) }

// Open stores a session for o, or returns the existing one of o.Ref or key, like POST /v1/sessions.
// key is an idempotency key, "" for none. Send the shopper to the session's URL, or put its ID into
// the page.
//
// Errors: *wire.Error with CodeOrderConflict or CodeIdempotency if o.Ref or key belongs to another
// order, with Param if o is invalid; else the database's, after which the session may exist: call
// again with the same o.Ref or key.
func (s *Server) Open(
	ctx context.Context, o payment.Order, key string,
) (session payment.Object, created bool, err error) {
	opened, err := s.checkout.Open(ctx, o, key)
	if err != nil {
		return payment.Object{}, false, err
	}
	return s.checkout.OpenedObject(opened), opened.Created, nil
}

// Session returns a session like the API. Release goods only if its Status is wire.Confirmed and
// Test is false.
//
// Errors: *wire.Error with CodeSessionUnknown; the database's.
func (s *Server) Session(ctx context.Context, id string) (payment.Object, error) {
	found, err := s.checkout.Session(ctx, id)
	if err != nil {
		return payment.Object{}, err
	}
	return s.checkout.Object(found), nil
}

// Events reads the event log, the oldest first: the contents of webhooks. Store Next in the same
// transaction as the effects of a page, and continue from there: no event is missed or repeated.
//
// Errors: *wire.Error with CodeInvalid if q.After is not an earlier Next; the database's.
func (s *Server) Events(ctx context.Context, q webhook.EventQuery) (webhook.EventPage, error) {
	return s.store.Events(ctx, q)
}

// CancelUnknown cancels at the gateway the transactions that a reconciliation has found, that the
// database does not know and that nothing was paid for yet, and returns how many those are: after
// a restore, before shoppers can get a second address for an order. Errors: an invalid setting;
// the gateway's.
func CancelUnknown(ctx context.Context, c config.Config, r gatewaylist.Result) (n int, err error) {
	client, err := Gateway(c, nil)
	if err != nil {
		return 0, err
	}

	for _, f := range r.Findings {
		if !f.Payable {
			continue
		}
		if err := client.Cancel(ctx, f.TrackingCode); err != nil {
			return n, fmt.Errorf("canceling transaction %s: %w", f.TrackingCode, err)
		}
		n++
	}

	return n, nil
}

// Statement reads a month for the accountant: payments, refunds and withdrawals, compared with the
// gateway's lists. It is read-only and can run while a server does. Errors: an invalid setting;
// the database's.
func Statement(
	ctx context.Context, c config.Config, m statement.Month,
) (s statement.Statement, err error) {
	client, err := Gateway(c, nil)
	if err != nil {
		return s, err
	}

	tokens, err := token.Load(c.Tokens)
	if err != nil {
		return s, fmt.Errorf("COINSLOT_TOKENS: %w", err)
	}

	db, err := store.OpenReader(ctx, store.Config{DSN: c.Database})
	if err != nil {
		return s, fmt.Errorf("COINSLOT_DATABASE: %w", err)
	}

	defer func() { err = errors.Join(err, db.Close()) }()
	source := statement.Source{
		Sessions:   db,
		Gateway:    client,
		Currencies: client.Currencies,
		Coins:      tokens,
		Zone:       c.Timezone,
		Shop:       c.ShopName,
		Test:       c.Sandbox,
		Now:        time.Now,
	}
	s, err = source.Read(ctx, m)
	if err != nil {
		return s, fmt.Errorf("making the statement of %s: %w", m, err)
	}

	return s, nil
}

// Reconcile compares the gateway's transactions of the days from…to with the database. It is
// read-only and can run while a server does. Errors: an invalid setting; the database's; the
// gateway's.
func Reconcile(
	ctx context.Context, c config.Config, from, to time.Time,
) (result gatewaylist.Result, err error) {
	client, err := Gateway(c, nil)
	if err != nil {
		return result, err
	}

	db, err := store.OpenReader(ctx, store.Config{DSN: c.Database})
	if err != nil {
		return result, fmt.Errorf("COINSLOT_DATABASE: %w", err)
	}

	defer func() { err = errors.Join(err, db.Close()) }()
	result, err = gatewaylist.Reconcile(ctx, client, db, from, to, time.Now())
	if err != nil {
		return result, fmt.Errorf("reconciling gateway and database: %w", err)
	}

	return result, nil
}
