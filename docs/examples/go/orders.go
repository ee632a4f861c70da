package main

import (
	"crypto/rand"
	"errors"
	"sync"
)

// order is what a shopper wants. Its ID is the shop's order number, and the
// order_ref by which the checkout knows it; it cannot be guessed.
type order struct {
	ID, Title string
	Cents     int64
	Session   string // the checkout's; empty until it is open
	Paid      bool
}

// orders are kept in memory. Replace them by two tables: orders, and events with
// a unique index on the event's id.
type orders struct {
	mu     sync.Mutex // guards the fields below
	byID   map[string]order
	events map[string]bool
}

// place stores a new order. The same order again is the one that is there;
// another cart under the same number is an order of its own.
func (s *orders) place(o order) order {
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

// opened stores the session of an order.
func (s *orders) opened(id, session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.byID[id]
	o.Session = session
	s.byID[id] = o
}

var (
	errUnknown = errors.New("there is no such order")
	errAmount  = errors.New("the order is of another amount")
)

// pay marks an order as paid by an event, and reports whether this was the first
// time: an event may come twice. With a database, all of it is one transaction.
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
