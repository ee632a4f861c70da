package payment

import "time"

// AttemptRef identifies an attempt by what the gateway knows of it.
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

// Page is one page of sessions; Next is empty on the last one.
type Page struct {
	Sessions []Session
	Next     string // opaque; for Filter.Cursor
}

// Touched is a session for [Store.TouchAll], as it was read, and its new times.
type Touched struct {
	Session
	At, Due time.Time // CheckedAt and DueAt
}
