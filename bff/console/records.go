package console

import (
	"context"
	"errors"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/console/auth"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

// ErrRange is a range of time that is too long, or ends before it begins.
var ErrRange = errors.New("range is empty or longer than 92 days")

// Records is what the console and metrics read. storetest.Run tests this contract.
//
// Pages are newest first. A Cursor is the Next of the previous page of the same query; any
// other gives *wire.Error with CodeInvalid and Param "cursor". Other errors are the database's.
type Records interface {
	Searcher
	webhook.Deliveries
	AuditLog
	Origins
	auth.Logins
}

// Searcher finds and counts sessions.
type Searcher interface {
	// Search returns the sessions that match q. A database of an older release is indexed in
	// the background, newest first; until then, Coin, Network and Text may miss old sessions.
	Search(ctx context.Context, q Query) (payment.Page, error)
	// Tally counts the sessions created in from <= CreatedAt < to, by day of from's time zone, status
	// and coin, in that order, without zero counts. Errors: ErrRange if that is more than 92 days,
	// or negative.
	Tally(ctx context.Context, from, to time.Time) ([]OrderCount, error)
	// Choices returns what a Query can name and find something.
	Choices(ctx context.Context) (Choices, error)
}

// Choices are values of a [Query] that find something: at most 200 of each, sorted.
type Choices struct{ Coins, Networks, Currencies []string }

// AuditLog is the audit log of the console.
type AuditLog interface {
	// Record appends an action; a zero At is now. Only an Eraser removes one, so callers must
	// bound what strangers can cause.
	Record(ctx context.Context, a Action) error
	// Actions returns the audit log.
	Actions(ctx context.Context, q ActionQuery) (ActionPage, error)
}

// Origins are the host pages that were refused the checkout.
type Origins interface {
	// RefuseOrigin counts that a page of origin ("https://shop.example") was refused the
	// checkout, times times since the last call. Origins can be forged, so at most 200 are
	// kept: the latest 100, and of the others those with most sessions, which strangers have
	// few of, then those seen most often. session is the latest one; "" = unknown.
	RefuseOrigin(ctx context.Context, origin, session string, times int) error
	// RefusedOrigins returns all that are kept, latest first. Their contents are untrusted.
	RefusedOrigins(ctx context.Context) ([]attention.RefusedOrigin, error)
}

// Query selects sessions; zero fields do not restrict.
type Query struct {
	// Text is one complete identifier: a session id, order_ref, email address, tracking code,
	// six-digit order id, payment address or transaction id, with spaces or without; or a word of an
	// order_ref or of what is before the @, numbers without leading zeros. An order_ref may be a prefix
	// of at least three characters, of which the first 1,000 matches are searched. It is
	// case-sensitive only where the gateway or the blockchain is.
	Text          string
	Status        string    // of the session
	Coin, Network string    // of the current attempt: "USDT", "trc20"
	Currency      string    // of the merchant's price: "EUR"
	From, To      time.Time // From <= CreatedAt < To
	Cursor        string    // empty = first page
	Limit         int       // 1…100; zero = 20
}

// Action is one entry of the console's audit log.
type Action struct {
	At      time.Time
	By      string // "console", or a name
	From    string // the client's address
	What    string // "session.cancelled", lower case
	Session string // empty = none
	Detail  string // free text, no secrets
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
