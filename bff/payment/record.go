package payment

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

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
	Marker         string          // the Comment in the query; empty = not sent
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

// Record is a transaction in answers to list and status.
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
	// The gateway's fee, as the gateway wrote it; empty = absent. Units are not documented, and
	// nothing is decided by them.
	PlatformShare, MerchantShare, FeePercent string

	PaidAt    time.Time // zero = unset
	CreatedAt time.Time
	ExpiresAt time.Time
}

// SameAs reports whether two rows of one transaction have equal contents.
func (r Record) SameAs(o Record) bool {
	return r.Status == o.Status && r.PaidAmount == o.PaidAmount && r.TxID == o.TxID &&
		r.PaidAt.Equal(o.PaidAt)
}

// ShowsMoney reports whether r shows any payment.
func (r Record) ShowsMoney() bool {
	return r.Status == "confirmed" || r.PaidAmount != "" || r.Paid.IsPositive() ||
		r.TxID != "" || !r.PaidAt.IsZero()
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

// The reasons of a refusal.
const (
	ReasonRefused Reason = "refused" // the gateway said no to this request
	ReasonInvalid Reason = "invalid" // not sent: it breaks a documented limit
	ReasonKey     Reason = "key"     // the gateway does not accept the merchant's key
	ReasonBusy    Reason = "busy"    // rate limited; see RetryAfter
	ReasonUnsent  Reason = "unsent"  // not connected: no byte was sent
	ReasonAbsent  Reason = "absent"  // no such transaction
)

// Reason is why a request was definitely not executed.
type Reason string

// temporary reports whether the same request may succeed later.
func (r Reason) temporary() bool { return r == ReasonUnsent || r == ReasonBusy || r == ReasonKey }

// RefusedError is a definite refusal: nothing happened at the gateway.
type RefusedError struct {
	Reason     Reason
	Status     int           // HTTP or envelope status; zero if nothing was sent
	Message    string        // from the gateway, for the log only
	RetryAfter time.Duration // zero = not said
	Err        error         // cause; may be nil
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("gateway refused (%s, status %d): %.200s", e.Reason, e.Status, e.Message)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// IsTemporaryRefusal reports whether err proves that the gateway did nothing, for a reason that
// says nothing about the request.
func IsTemporaryRefusal(err error) bool {
	refused, ok := errors.AsType[*RefusedError](err)
	return ok && refused.Reason.temporary()
}

// UnknownError is an answer that proves nothing: a timeout, a cut connection, 5xx, or an
// unreadable body. The request may have been executed.
type UnknownError struct {
	Status     int           // HTTP status; zero if none was read
	RetryAfter time.Duration // zero = not said
	Err        error         // cause, never nil, never holding the key
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("gateway answer unknown (status %d): %v", e.Status, e.Err)
}

func (e *UnknownError) Unwrap() error { return e.Err }

// HasEnded reports whether a gateway status means that a transaction ended unconfirmed.
// Undocumented ones do not.
func HasEnded(status string) bool {
	return status == "expired" || status == "cancelled" || status == "canceled"
}

// FormatAmount formats an amount without trailing zeros; zero is "0".
func FormatAmount(d decimal.Decimal) string {
	s := d.String() // never an exponent
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
