package server

import (
	"context"
	"net/http"

	"coinslot/bff/outbox"
	"coinslot/bff/payment"
)

// What a merchant's own Go program uses beside the coinslot command. All of it
// may be called by many goroutines, from New to Close.

// ServeHTTP is Handler: mount the server as it is, under a host name of its own,
// mux.Handle("pay.shop.example/", s). It cannot live below a path of the shop: the
// checkout is safe from the shop's scripts because its origin is another.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.Handler.ServeHTTP(w, r) }

// Open stores a session for o, or returns the one that o.Ref or key stands for
// already: what POST /v1/sessions does, without HTTP. key is an idempotency key,
// "" for none; created reports which of the two happened. Send the shopper to the
// URL of the session, or put its ID into the page.
//
// Errors: *wire.Error with CodeOrderConflict or CodeIdempotency if o.Ref or key
// stands for another order, with the member as Param if o is not valid; the
// database's otherwise, after which it is not known whether the session is there:
// call again with the same o.Ref or key.
func (s *Server) Open(
	ctx context.Context, o payment.Order, key string,
) (session payment.Object, created bool, err error) {
	opened, created, err := s.checkout.Open(ctx, o, key)
	if err != nil {
		return payment.Object{}, false, err
	}
	return s.checkout.Object(opened), created, nil
}

// Session returns the session of that id as the API does. Goods are released when
// its Status is wire.Confirmed, and in no other; for a Test, none are.
//
// Errors: *wire.Error with CodeSessionUnknown; the database's.
func (s *Server) Session(ctx context.Context, id string) (payment.Object, error) {
	found, err := s.checkout.Session(ctx, id)
	if err != nil {
		return payment.Object{}, err
	}
	return s.checkout.Object(found), nil
}

// Events reads the log of events, the oldest first: what webhooks tell, for a
// program that has the database at hand. Keep Next together with what was done on
// account of the page, and go on from there: none is missed and none comes twice,
// through any number of restarts.
//
// Errors: *wire.Error with CodeInvalid if q.After is no Next of before; the
// database's.
func (s *Server) Events(ctx context.Context, q outbox.EventQuery) (outbox.EventPage, error) {
	return s.store.Events(ctx, q)
}
