package payment

import "time"

// AttemptRef is an attempt by what it is known for at the gateway.
type AttemptRef struct {
	Session      string
	Number       int
	Marker       string
	TrackingCode string // empty = not known yet
}

// Filter selects sessions; zero fields do not restrict.
type Filter struct {
	Status         string    // a [wire.Status]
	OrderRef       string    // the whole of it
	IdempotencyKey string    // likewise
	To             time.Time // CreatedAt < To
	Limit          int       // 1…100; zero = 20
	Cursor         string    // Next of the page before; empty = first page
}

// Page is one page of a list; Next is empty on the last one.
type Page struct {
	Sessions []Session
	Next     string // opaque; for Filter.Cursor
}

// Touched is a session that [Store.TouchAll] is to touch, as it was read, and
// the times that it is to get.
type Touched struct {
	Session
	At, Due time.Time // CheckedAt and DueAt
}
