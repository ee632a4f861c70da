package checkout

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"
)

// Gateway is what this package needs of the gateway's merchant API. Every
// method blocks until the answer is known or its context or the client's own
// total deadline ends, and returns nil (done), a *[RefusedError] (proven not
// done) or any other error, most often an *[UnknownError], which means: may or
// may not have happened. Implementations never repeat Create, Cancel or
// Recheck by themselves.
type Gateway interface {
	// Currencies returns what the merchant has enabled.
	Currencies(ctx context.Context) ([]Currency, error)
	// Create opens a transaction. Only its answer ever holds the address.
	Create(ctx context.Context, req CreateRequest) (Created, error)
	// Status returns the record of one transaction; the only evidence that
	// the confirm gate takes.
	Status(ctx context.Context, trackingCode string) (Record, error)
	// Recheck asks the gateway to look at the chain again. Its answer proves
	// nothing and is not returned: read Status afterwards.
	Recheck(ctx context.Context, trackingCode string) error
	// Cancel asks for a pending transaction to be cancelled. Read Status
	// afterwards, as for Recheck.
	Cancel(ctx context.Context, trackingCode string) error
	// Transactions returns one page of the merchant's transactions.
	Transactions(ctx context.Context, q ListQuery) (RecordPage, error)
	// Environment identifies gateway and merchant: base URL and a fingerprint
	// of the key. It never holds the key itself.
	Environment() string
}

// Currency is one element of the gateway's currency list.
// Source: gateway-api.md, "Currency".
type Currency struct {
	Name        string          // display name, "Tether"
	Symbol      string          // "USDT", spelt as the gateway spells it
	Type        string          // "stable" and others that are not documented
	PriceInUSDT decimal.Decimal // of one unit; zero = not given
	Icon        string          // reference, may be empty; never loaded
	Networks    []Network
}

// Network is one network of a [Currency].
// Source: gateway-api.md, "Network".
type Network struct {
	Name       string
	Symbol     string
	Code       string          // "trc20", spelt as the gateway spells it
	Fee        decimal.Decimal // unit not documented
	MinimumUSD decimal.Decimal // inclusive; zero = none
	MaximumUSD decimal.Decimal // inclusive; zero = none
	MaxTTL     int             // minutes; zero = not given
	Icon       string
}

// CreateRequest is the body of create.
// Source: gateway-api.md, "POST /api/v1/merchant/transaction/create".
type CreateRequest struct {
	CurrencySymbol string          // as in [Currency].Symbol
	NetworkCode    string          // as in [Network].Code
	AmountUSD      decimal.Decimal // sent digit for digit
	TTL            int             // minutes, 1…MaxTTL
	OrderID        int             // six digits, 100000…999999; zero = not sent
	Email          string          // empty = not sent
	Comment        string          // starts with Marker, in the body only; empty = not sent
	Marker         string          // what the query has of Comment; empty = not sent
	CallbackURL    string          // public https URL; empty = not sent
}

// Created is the data of a create answer.
// Source: gateway-api.md, "Created transaction".
type Created struct {
	TrackingCode     string
	PaymentURL       string
	Status           string // lower case
	OrderID          int    // zero = none
	CurrencyName     string
	CurrencySymbol   string
	NetworkCode      string
	NetworkName      string
	AmountUSD        decimal.Decimal
	PayAmount        decimal.Decimal
	PayAmountText    string // as the gateway wrote it
	TolerancePercent decimal.Decimal
	Address          string
	ExpiresAt        time.Time // zero = unset or not plausible
}

// Record is a transaction as list and status tell it.
// Source: gateway-api.md, "Transaction record".
type Record struct {
	TrackingCode    string
	Status          string // lower case; pending, confirmed, expired, cancelled or something new
	OrderID         int    // zero = none
	PaymentURL      string
	CurrencyCode    string // "usdt_trc20"
	NetworkCode     string
	AmountUSD       decimal.Decimal
	PayAmount       decimal.Decimal
	PaidAmount      string          // as the gateway wrote it; empty while nothing is paid
	Paid            decimal.Decimal // PaidAmount read as a decimal; valid if PaidReadable
	PaidReadable    bool            // false while PaidAmount is empty or not a decimal
	CancelledByUser bool
	TxID            string
	TxURL           string
	Comment         string
	PaidAt          time.Time // zero = unset
	CreatedAt       time.Time
	ExpiresAt       time.Time
}

// ListQuery selects transactions. Zero fields are not sent.
// Source: gateway-api.md, "GET /api/v1/merchant/transaction/list".
type ListQuery struct {
	Limit    int       // 1…50
	Page     int       // from 1
	From, To time.Time // dates, given together, at most 30 days apart
	Status   string    // pending, confirmed, expired, cancelled
}

// RecordPage is one page of the list.
type RecordPage struct {
	Items    []Record
	Page     int
	LastPage int
	Total    int
}

// Reason says why a request was proven not to have been done.
type Reason string

const (
	ReasonRefused Reason = "refused" // the gateway said no to this request
	ReasonInvalid Reason = "invalid" // not sent: it breaks a documented limit
	ReasonKey     Reason = "key"     // the gateway does not accept the merchant's key
	ReasonBusy    Reason = "busy"    // rate limited; see RetryAfter
	ReasonUnsent  Reason = "unsent"  // no connection: no byte of the request left
	ReasonAbsent  Reason = "absent"  // no such transaction
)

// RefusedError is a proven no: nothing has happened at the gateway.
type RefusedError struct {
	Reason     Reason
	Status     int           // HTTP or envelope status; zero if nothing was sent
	Message    string        // the gateway's own words, for the log only
	RetryAfter time.Duration // zero = not said
	Err        error         // cause; may be nil
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("gateway refused (%s, status %d): %.200s", e.Reason, e.Status, e.Message)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// UnknownError is an answer that proves nothing: timeout, cut connection, 5xx,
// something unreadable. What was asked may have happened.
type UnknownError struct {
	Status     int           // HTTP status; zero if none was read
	RetryAfter time.Duration // zero = not said
	Err        error         // cause, never nil, never holding the key
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("gateway answer unknown (status %d): %v", e.Status, e.Err)
}

func (e *UnknownError) Unwrap() error { return e.Err }
