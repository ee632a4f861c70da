// Package records is what operators look at: sessions found and counted, what they did at
// the console, and who was refused. Nothing of it decides about a payment.
package records

import (
	"context"
	"errors"
	"time"

	"coinslot/bff/outbox"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// ErrRange is a range of time that is too long, or ends before it begins.
var ErrRange = errors.New("range of more than 92 days, or of none")

// Records is what people look at: the merchant's console, metrics. Nothing of it
// decides about a payment. storetest.Run is the contract.
//
// Pages are newest first. A Cursor is the Next of the page before, of the same
// query; one that is not gives *wire.Error with CodeInvalid and Param "cursor".
// Any other error is the database's.
type Records interface {
	Searcher
	outbox.Deliveries
	AuditLog
	Origins
	Logins
}

// Searcher finds and counts sessions.
type Searcher interface {
	// Search returns the sessions that q asks for. A database that an older release
	// has written is made searchable in the background, the newest first: until
	// that is done, Coin, Network and Text may miss old sessions.
	Search(ctx context.Context, q Query) (payment.Page, error)
	// Tally counts the sessions made in from <= CreatedAt < to, as they are now, by
	// day, status and coin, in that order; what there is none of is left out.
	// Errors: ErrRange if that is more than 92 days, or less than nothing.
	Tally(ctx context.Context, from, to time.Time) ([]Count, error)
}

// AuditLog is what operators have done at the console.
type AuditLog interface {
	// Record adds a line to the console's audit log; a zero At is now. Only an Eraser
	// takes one away: whoever records what strangers cause has to bound it.
	Record(ctx context.Context, a Action) error
	// Actions returns the audit log.
	Actions(ctx context.Context, q ActionQuery) (ActionPage, error)
}

// Origins are the host pages that were not allowed to show the checkout.
type Origins interface {
	// RefuseOrigin counts that a page of origin ("https://shop.example") was not
	// allowed to show the checkout, times times since it was last told. Anybody can
	// claim to be any origin, so at most 200 are kept: the last 100, and of the others
	// those that were about most sessions, which strangers have few of, then those
	// seen most. session is the last one it was about; "" = not known.
	RefuseOrigin(ctx context.Context, origin, session string, times int) error
	// RefusedOrigins returns all that are kept, the one seen last first. What they
	// say is the word of strangers.
	RefusedOrigins(ctx context.Context) ([]RefusedOrigin, error)
}

// Logins are those of the console that were ended.
type Logins interface {
	// EndLogin keeps that a login of the console was ended, for as long as it would
	// hold, and LoginEnded reports whether it was, whichever instance is asked.
	// login names it and is no way in by itself.
	EndLogin(ctx context.Context, login string, until time.Time) error
	LoginEnded(ctx context.Context, login string) (bool, error)
}

// Query selects sessions; zero fields do not restrict.
type Query struct {
	// Text is one thing that a session is known by, whole: its id, order_ref, the
	// e-mail address, a tracking code, the six-digit order id, an address or a
	// transaction id. Of an order_ref the beginning is enough, from three characters
	// on; of those with the same beginning, the first 1,000 are looked at.
	// Case counts only where it does for the gateway or the chain.
	Text          string
	Status        string    // of the session
	Coin, Network string    // of the current attempt: "USDT", "trc20"
	From, To      time.Time // From <= CreatedAt < To
	Cursor        string    // empty = first page
	Limit         int       // 1…100; zero = 20
}

// Count is how many sessions of a day have a status and a coin.
type Count struct {
	Day       time.Time // its beginning, UTC
	Status    string
	Coin      string // of the current attempt; empty = none was chosen
	Sessions  int
	AmountUSD decimal.Decimal // what they are about, together; paid or not says Status
}

// Action is one line of the console's audit log.
type Action struct {
	At      time.Time
	By      string // who: "console", a name
	From    string // the client's address
	What    string // "session.cancelled", lower case
	Session string // empty = about none
	Detail  string // for people, no secrets
}

// ActionQuery selects actions; zero fields do not restrict.
type ActionQuery struct {
	Session  string
	From, To time.Time // From <= At < To
	Cursor   string
	Limit    int // 1…100; zero = 20
}

// ActionPage is one page of the audit log; Next is empty on the last one.
type ActionPage struct {
	Actions []Action
	Next    string
}

// RefusedOrigin is a host page that wanted to show the checkout and is not in
// COINSLOT_ORIGINS.
type RefusedOrigin struct {
	Origin          string // scheme, host and port
	Session         string // the last one it was about; empty = not known
	Sessions        int    // how many it was about; 8 = 8 or more
	Times           int
	FirstAt, LastAt time.Time
}
