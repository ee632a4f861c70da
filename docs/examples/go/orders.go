package main

import (
	"crypto/rand"
	"errors"
	"sync"
)

// order is an order of a shopper. Its ID is the order number and the checkout's order_ref, and
// can't be guessed.
type order struct {
	ID, Title string
	Cents     int64
	Session   string // id of the checkout session; empty until it is created
	Paid      bool
}

// orders is a store in memory. Replace it with two tables: orders, and events with a unique index
// on the event id.
type orders struct {
	mu     sync.Mutex // guards the fields below
	byID   map[string]order
	events map[string]bool
}

// add stores a new order. A repeated order returns the stored one; another cart with the same
// number gets a new number.
func (s *orders) add(o order) order {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, ok := s.byID[o.ID]; ok {
		if before.Title == o.Title {
			return before
		}
		o.ID = rand.Text()[:12]
	}
	s.byID[o.ID] = o
	return o
}

func (s *orders) find(id string) (order, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.byID[id]
	return o, ok
}

// setSession stores the session id of an order.
func (s *orders) setSession(id, session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.byID[id]
	o.Session = session
	s.byID[id] = o
}

var (
	errUnknown = errors.New("there is no such order")
	errAmount  = errors.New("the order has another amount")
)

// pay marks an order as paid and reports whether it was unpaid before, since an event may arrive
// twice. In a database, do all of it in one transaction.
func (s *orders) pay(event, id, amount string) (first bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.byID[id]
	switch {
	case !ok:
		return false, errUnknown
	case dollars(o.Cents) != amount:
		return false, errAmount
	case s.events[event] || o.Paid:
		return false, nil
	}
	s.events[event] = true
	o.Paid = true
	s.byID[id] = o
	return true, nil
}
