package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"

	"coinslot/client"
)

// openSession creates the session of an order and returns its id. The order number is the
// idempotency key, so a repeated call returns the same session.
func (s *shop) openSession(ctx context.Context, o order) (id string, err error) {
	session, err := s.checkout.CreateSession(ctx, client.NewSession{
		AmountUSD: dollars(o.Cents), OrderRef: o.ID, Title: o.Title,
		SuccessURL: s.url + "/orders/" + o.ID + "/thanks", IdempotencyKey: o.ID,
	})
	return session.ID, err
}

// receiveWebhook handles a webhook. If the status is not 2xx, the checkout sends it again.
func (s *shop) receiveWebhook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "the body is incomplete or too large", http.StatusBadRequest)
		return
	}
	event, err := client.VerifyWebhook(s.hookSecret, r.Header, body)
	if err != nil {
		http.Error(w, "not signed by the checkout", http.StatusUnauthorized)
		return
	}
	if event.Type != "checkout.confirmed" { // docs/webhooks.md lists the other types
		w.WriteHeader(http.StatusNoContent)
		return
	}
	session, err := event.Session()
	if err != nil {
		http.Error(w, "not a session", http.StatusBadRequest)
		return
	}
	w.WriteHeader(s.recordPayment(event.ID, session))
}

// recordPayment marks the order as paid and returns the status of the response. Money that fits
// no order is logged for an operator.
func (s *shop) recordPayment(id string, paid client.Session) int {
	payment := fmt.Sprintf("shop: order %q, amount %q", paid.OrderRef, paid.AmountUSD)
	if paid.Test && !s.test {
		log.Print(payment + ": rejected play money; SHOP_TEST=1 accepts it")
		return http.StatusNoContent
	}
	first, err := s.orders.pay(id, paid.OrderRef, paid.AmountUSD)
	if first {
		log.Printf("shop: order %s is paid: ship it", paid.OrderRef)
	}
	if err != nil {
		log.Printf("%s: %v: needs review", payment, err)
	}
	// it may not be stored yet; an order of a catalog item has no order_ref
	if errors.Is(err, errUnknown) && paid.OrderRef != "" {
		return http.StatusServiceUnavailable
	}
	return http.StatusNoContent
}
