// Package attention finds what needs an operator: payments that cannot be proven, money that pays
// for nothing, webhooks that an endpoint does not accept, a gateway that is away, and so on.
//
// [Finder.Find] returns it as a list of conditions, without words for people. The console shows
// the list, and package alert reports what begins in it and what ends.
package attention

import (
	"context"
	"time"

	"coinslot/bff/payment"
	"coinslot/bff/rates"
)

// The kinds of conditions, the gravest first, which is the order of [Finder.Find].
const (
	Unreadable  Kind = "unreadable"  // stored rows that cannot be decoded
	Disk        Kind = "disk"        // the volume of the database is nearly full
	Review      Kind = "review"      // payments that are reported as paid, and not proven
	TakenBack   Kind = "taken_back"  // confirmed payments that the gateway denies since
	Gateway     Kind = "gateway"     // the gateway does not answer
	Preparing   Kind = "preparing"   // payments that wait for the gateway's address
	Certificate Kind = "certificate" // of COINSLOT_TLS: not renewed, or near its end
	Unrouted    Kind = "unrouted"    // webhooks to a URL that is not configured
	Gone        Kind = "gone"        // an endpoint that has answered 410
	Abandoned   Kind = "abandoned"   // webhooks that an endpoint did not accept for 30 days
	Waiting     Kind = "waiting"     // webhooks that an endpoint has not accepted yet
	Overpaid    Kind = "overpaid"    // confirmed orders that were paid too much
	EndedMoney  Kind = "ended_money" // money of attempts that ended, or of canceled orders
	Rates       Kind = "rates"       // exchange rates that are too old, or cannot be read
	HeldRates   Kind = "held"        // exchange rates that wait for an operator
	Origins     Kind = "origins"     // host pages that were refused the checkout
	Alerts      Kind = "alerts"      // alerts that a target does not accept
)

// Kind is what a condition is about.
type Kind string

// Condition is one thing that needs attention, for as long as it does.
type Condition struct {
	Kind  Kind
	Grave bool      // payments, orders or webhooks are stuck or at risk meanwhile
	Since time.Time // zero = not known
	// Count is how many payments, webhooks, rows, rates or host pages it is about; it may be more
	// than Items are listed.
	Count int
	Tried int // how many of Count, or times in a row, have failed
	// Endpoint is the URL, or the name, of whom it is about. A URL may hold a secret: show its
	// host. Empty = it is about none.
	Endpoint string
	Error    string // the last answer, or error; untrusted text; empty = none
	Items    []Item
}

// Item is one of the things that a condition is about.
type Item struct {
	ID    string // of the session or stored row; currency; origin
	Since time.Time
	// Session is the payment; zero unless the condition is about payments.
	Session payment.Session
	// Amount and Coin are money that pays for nothing.
	Amount, Coin string
	Rate         rates.Entry // of HeldRates
	Row          string      // kind of Unreadable rows
	Error        string      // why the row cannot be read
	Times        int         // that the origin was refused
}

// Complete reports whether all that the condition is about is in Items.
func (c Condition) Complete() bool { return c.Count <= len(c.Items) }

// MaxItems is how many items of a condition are listed.
const MaxItems = 100

// Stored is what is read from the database. Errors are the database's.
type Stored interface {
	// Count returns how many sessions have that status.
	Count(ctx context.Context, status string) (int, error)
	// List returns sessions, newest first.
	List(ctx context.Context, f payment.Filter) (payment.Page, error)
	Money
	Damage
	Webhooks
	// RefusedOrigins returns all that are kept, latest first. Their contents are untrusted.
	RefusedOrigins(ctx context.Context) ([]RefusedOrigin, error)
}

// Money is what has arrived and pays for nothing.
type Money interface {
	// Unsettled returns the newest sessions for which [payment.Session.Unsettled] is not empty, at
	// most limit, and how many there are.
	Unsettled(ctx context.Context, limit int) ([]payment.Session, int, error)
}

// Damage is what is stored and cannot be decoded. It is set aside, so that it stops nothing else,
// and used again within a minute after it was repaired.
type Damage interface {
	// Unreadable returns what is set aside: sessions first, at most limit.
	Unreadable(ctx context.Context, limit int) ([]UnreadableRow, error)
}

// Kinds of rows that can be unreadable.
const (
	UnreadableSession = "session"
	UnreadableEvent   = "event"
)

// UnreadableRow is one row that is set aside.
type UnreadableRow struct {
	Kind    string
	ID      string
	Session string // that it is of
	Since   time.Time
	Error   string
}

// RefusedOrigin is a host page that is not in COINSLOT_ORIGINS and was refused the checkout.
type RefusedOrigin struct {
	Origin          string // scheme, host and port
	Session         string // the latest; empty = unknown
	Sessions        int    // number of sessions; 8 = 8 or more
	Times           int
	FirstAt, LastAt time.Time
}
