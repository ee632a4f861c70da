package payment

import (
	"crypto/rand"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// Session is one order on its way to being paid. It is a value: rules change a
// copy, and the store writes it back whole, together with the events, in one
// transaction.
type Session struct {
	ID      string      `json:"id"` // "cs_" and 26 characters, 130 random bits
	Version int64       `json:"version"`
	Status  wire.Status `json:"status"`
	Order   Order       `json:"order"`
	// Digest tells two orders of the same Ref apart; see [Order.Digest].
	Digest string `json:"digest"`
	// of POST /v1/sessions; empty = none
	IdempotencyKey string    `json:"idempotency_key,omitempty"`
	Environment    string    `json:"environment"` // of the gateway at creation
	Test           bool      `json:"test,omitempty"`
	CreatedAt      time.Time `json:"created_at"`
	ExpiresAt      time.Time `json:"expires_at"` // no first choice after this
	// ClosedBy is who closed the session before it was paid; see the Closed
	// constants. A late payment still confirms it.
	ClosedBy Closer `json:"closed_by,omitempty"`
	// CheckedAt is when the gateway last answered about this session; zero = never.
	CheckedAt time.Time `json:"checked_at,omitzero"`
	// DueAt is when something has to be done next; zero = nothing, ever.
	DueAt time.Time `json:"due_at,omitzero"`
	// LateFrom is the time from which on what is due is a late check, which goes last;
	// zero = every check goes first. See lateChecksFrom.
	LateFrom time.Time `json:"late_from,omitzero"`
	// ErasedAt is when personal data was erased; zero = it was not, or there is new data
	// since. Deleted says that the session was reduced to a tombstone once, see there.
	ErasedAt time.Time `json:"erased_at,omitzero"`
	Deleted  bool      `json:"deleted,omitempty"`
	// Epoch counts the claims of this session: a fencing token. Claimed is set in
	// what Claim returns: its holder's changes are refused after another claim.
	Epoch   int64 `json:"-"`
	Claimed bool  `json:"-"`
	// Unchecked is set in what Service.Open returns: the gateway's currency list
	// was not available, so nobody knows whether Order.Currencies match it.
	Unchecked bool `json:"-"`
	// WatchedUntil is how long, as far as any instance knows, somebody is looking
	// at the session; zero = nobody has. Only Store.Watch sets it.
	WatchedUntil time.Time       `json:"-"`
	Attempts     []Attempt       `json:"attempts,omitempty"`
	Notice       Notice          `json:"notice,omitzero"`
	Timeline     []TimelineEntry `json:"trail,omitempty"`
}

// Who may have closed a session.
const (
	NotClosed        Closer = ""
	ClosedByMerchant Closer = "merchant" // final: no further attempt
	ClosedByShopper  Closer = "shopper"  // reopened by the next choice
	ClosedByTime     Closer = "time"     // nothing was chosen in time
)

// Closer is who has closed a session.
type Closer string

// Final reports whether no further attempt can be made.
func (c Closer) Final() bool { return c == ClosedByMerchant || c == ClosedByTime }

// Notice is why the last choice led nowhere; the zero Notice says nothing.
type Notice struct {
	Code wire.Code `json:"code,omitempty"`
}

const (
	Creating  State = "creating"  // the intent is stored, create may have been sent
	Unknown   State = "unknown"   // create's answer is unknown: the list is searched for the marker
	Waiting   State = "pending"   // address known, money awaited
	Confirmed State = "confirmed" // passed the confirm gate
	Expired   State = "expired"   // the gateway says so; late money is still watched for
	Cancelled State = "cancelled" // the gateway says so; late money is still watched for
	Refused   State = "refused"   // the gateway said no, nothing exists there
	Abandoned State = "lost"      // given up on and replaced; its orphan, if any, is cancelled
	Rejected  State = "rejected"  // create's answer failed our checks: never shown, cancelled
	InReview  State = "review"    // reported paid but not proven
	Duplicate State = "stray"     // a second transaction of one create: never shown, cancelled
)

// State is where an attempt stands.
type State string

// Attempt is one gateway transaction, or the intent to open one.
type Attempt struct {
	Number         int             `json:"number"` // from 1
	State          State           `json:"state"`
	Marker         string          `json:"marker"` // random, travels in the comment
	OrderID        int             `json:"order_id,omitempty"`
	Drawn          bool            `json:"drawn,omitempty"` // OrderID is ours and must be free
	CurrencySymbol string          `json:"currency_symbol"`
	CurrencyName   string          `json:"currency_name"`
	NetworkCode    string          `json:"network_code"`
	NetworkName    string          `json:"network_name"`
	AmountUSD      decimal.Decimal `json:"amount_usd,omitzero"`
	TTLMinutes     int             `json:"ttl_minutes"`
	Email          string          `json:"email,omitempty"`
	Comment        string          `json:"comment,omitempty"` // the shopper's own words
	StartedAt      time.Time       `json:"started_at,omitzero"`
	// Trace is the traceparent of the request that asked for it; empty = not traced.
	Trace string `json:"trace,omitempty"`

	// RetryAt is when create is sent again, because the gateway has answered that it
	// takes no requests now; zero = it is not. Retries counts how often it was put off.
	RetryAt time.Time `json:"retry_at,omitzero"`
	Retries int       `json:"retries,omitempty"`

	// From create's answer.
	TrackingCode string          `json:"tracking_code,omitempty"`
	Address      string          `json:"address,omitempty"`
	PayAmount    decimal.Decimal `json:"pay_amount,omitzero"`
	PayText      string          `json:"pay_text,omitempty"` // as the gateway wrote it
	Tolerance    decimal.Decimal `json:"tolerance,omitzero"` // percent, capped
	PaymentURL   string          `json:"payment_url,omitempty"`
	ExpiresAt    time.Time       `json:"expires_at,omitzero"`

	// From status answers.
	Paid       decimal.Decimal `json:"paid,omitzero"`
	TxID       string          `json:"tx_id,omitempty"`
	TxURL      string          `json:"tx_url,omitempty"`
	PaidAt     time.Time       `json:"paid_at,omitzero"`
	Late       bool            `json:"late,omitempty"`
	Reason     string          `json:"reason,omitempty"`    // of Refused and InReview
	EndedAt    time.Time       `json:"ended_at,omitzero"`   // the gateway's word that it is over
	ReviewedAt time.Time       `json:"doubted_at,omitzero"` // put into review
	// ResolvedCount is how often a person has settled a review of it, see Resolve.
	// SharedTxID is a TxID that another session was confirmed with; empty = none.
	ResolvedCount int    `json:"settled,omitempty"`
	SharedTxID    string `json:"shared_tx_id,omitempty"`
	// ChecksDone counts the late looks taken since EndedAt. RecheckAskedAt is when
	// somebody last asked for a check, and FollowUps counts the reads since then; see
	// Schedule.FollowUps.
	ChecksDone     int       `json:"rechecks,omitempty"`
	RecheckAskedAt time.Time `json:"rechecked_at,omitzero"`
	FollowUps      int       `json:"follows,omitempty"`

	// Of looks at a confirmed attempt: answers that say otherwise in a row, when
	// the first came, and what the merchant was told of; see reconsider.
	Regressions int       `json:"regressions,omitempty"`
	RegressedAt time.Time `json:"regressed_at,omitzero"`
	Alert       string    `json:"alert,omitempty"`

	// Of answers that the gateway does not know the transaction: how many in a row,
	// when the first came, and how often it was known again after a review for that.
	Absences   int       `json:"absences,omitempty"`
	AbsentAt   time.Time `json:"absent_at,omitzero"`
	Reappeared int       `json:"reappeared,omitempty"`

	// Of the search for the marker.
	UnknownAt time.Time `json:"unknown_at,omitzero"` // when it became so
	Misses    int       `json:"misses,omitempty"`
	MissedAt  time.Time `json:"missed_at,omitzero"` // as of when the first search did not have it
}

// Live reports whether a may have a payable transaction at the gateway that
// was not ended: no other attempt may be opened beside it.
func (a Attempt) Live() bool {
	return a.State == Creating || a.State == Unknown || a.State == Waiting
}

// Current returns the attempt that decides what is shown: the confirmed one,
// else one in review, else the latest. It returns nil before the first choice.
// The pointer is into s.
func (s *Session) Current() *Attempt {
	var current *Attempt
	for i := range s.Attempts {
		a := &s.Attempts[i]
		switch {
		case a.State == Confirmed:
			return a
		case a.State == Duplicate, current != nil && current.State == InReview:
		default:
			current = a
		}
	}
	return current
}

// latest returns the number of the last attempt that was asked for; 0 = none.
func (s *Session) latest() int {
	for n := len(s.Attempts); n > 0; n-- {
		if s.Attempts[n-1].State != Duplicate {
			return n
		}
	}
	return 0
}

// Attempt returns the attempt of that number, or nil.
func (s *Session) Attempt(number int) *Attempt {
	if number < 1 || number > len(s.Attempts) {
		return nil
	}
	return &s.Attempts[number-1]
}

// without is a copy of s in which attempt n came to nothing.
func (s *Session) without(n int) Session {
	probe := *s
	probe.Attempts = append([]Attempt(nil), s.Attempts...)
	probe.Attempt(n).State = Refused
	return probe
}

// status derives the session's status from its attempts.
func (s *Session) status() wire.Status {
	a := s.Current()
	switch {
	case a != nil && a.State == Confirmed:
		return wire.Confirmed
	case a != nil && a.State == InReview:
		return wire.Review
	case s.ClosedBy == ClosedByTime:
		return wire.Expired
	case s.ClosedBy != NotClosed:
		return wire.Cancelled
	case a == nil:
		return wire.Open
	}
	switch a.State {
	case Creating, Unknown:
		return wire.Preparing
	case Waiting:
		return wire.Pending
	case Expired:
		return wire.Expired
	case Cancelled:
		return wire.Cancelled
	}
	return wire.Open // Refused, Lost, Rejected: choose again
}

// LastChecked is when s was last checked, or its payment was begun since.
func (s *Session) LastChecked() time.Time {
	if a := s.Current(); a != nil && s.CheckedAt.Before(a.StartedAt) {
		return a.StartedAt
	}
	return s.CheckedAt
}

// resolvedUnpaid reports whether a person has said that s is not paid: nothing of
// it is confirmed by itself any more.
func (s *Session) resolvedUnpaid() bool {
	return slices.ContainsFunc(
		s.Attempts, func(a Attempt) bool { return a.resolvedCount() > 0 && a.State != Confirmed },
	)
}

// resolvedCount is how often a person has settled anything of s.
func (s *Session) resolvedCount() (n int) {
	for i := range s.Attempts {
		n += s.Attempts[i].resolvedCount()
	}
	return n
}

// resolvedCount is how often a person has settled a. Rows are there from before that was
// counted: in those, what a person has cancelled has kept the reason of its review.
func (a *Attempt) resolvedCount() int {
	if a.ResolvedCount == 0 && a.State == Cancelled && a.Reason != "" {
		return 1
	}
	return a.ResolvedCount
}

// ConfirmedByOperator reports whether a is confirmed by somebody's word, and not by the gateway's.
func (a *Attempt) ConfirmedByOperator() bool { return a.State == Confirmed && a.ResolvedCount > 0 }

// IsVisible reports whether the shopper is told of a at all: an attempt that came
// to nothing before it had an address is told by a notice only.
func (a *Attempt) IsVisible() bool {
	return a.State != Refused && a.State != Rejected && a.State != Abandoned
}

// IsFor reports whether a is in the coin and on the network of o.
func (a *Attempt) IsFor(o Offer) bool {
	return SameName(a.CurrencySymbol, o.Currency.Symbol) && SameName(a.NetworkCode, o.Network.Code)
}

// neverSent reports whether a came to nothing because the gateway could not be
// reached, or takes no requests now.
func (a *Attempt) neverSent() bool {
	if a.State != Refused {
		return false
	}
	switch Reason(a.Reason) {
	case ReasonUnsent, ReasonBusy, ReasonKey:
		return true
	}
	return false
}

// IsAbsent reports whether a is in review because the gateway does not know its
// transaction.
func (a *Attempt) IsAbsent() bool { return a.State == InReview && a.Reason == reasonTxAbsent }

// expectsTransaction reports whether the gateway has to know the transaction of a: it waits for
// money, or has to be cancelled.
func (a *Attempt) expectsTransaction() bool {
	switch a.State {
	case Waiting:
		return true
	case InReview:
		return a.IsAbsent()
	case Abandoned, Rejected, Duplicate:
		return a.EndedAt.IsZero()
	}
	return false
}

// hasTrackingCode reports whether an attempt of s has that tracking code.
func (s *Session) hasTrackingCode(code string) bool {
	for i := range s.Attempts {
		if s.Attempts[i].TrackingCode == code {
			return true
		}
	}
	return false
}

// TimelineEntry is one line of a session's audit trail.
type TimelineEntry struct {
	At     time.Time `json:"at"`
	By     string    `json:"by"`   // shopper, merchant, gateway, coinslot, console:<name>
	What   string    `json:"what"` // "attempt.created", lower case
	Detail string    `json:"detail,omitempty"`
}

// Who acts in a trail for the merchant: its server, or a person by name.
const (
	ByMerchant = "merchant"
	console    = "console:"
)

// Console is whom a trail names for what somebody of the merchant's has done at
// the console.
func Console(name string) string { return console + name }

// AppendTimeline adds a line to the audit trail.
func (s *Session) AppendTimeline(at time.Time, by, what, detail string) {
	most := maxTimeline
	if by == ByMerchant || strings.HasPrefix(by, console) || what == "attempt.confirmed" {
		most += reservedTimeline
	}
	if len(s.Timeline) >= most {
		return
	}
	s.Timeline = append(s.Timeline, TimelineEntry{At: at.UTC(), By: by, What: what, Detail: detail})
}

// maxTimeline bounds a session's audit trail, so that no sequence of requests can
// make a row grow without end.
const maxTimeline = 200

// reservedTimeline is room beyond it for what a merchant does and must be able to read.
const reservedTimeline = 50

// NewSessionID returns a fresh id: "cs_" and 26 characters that carry 130
// random bits, so that holding it is permission enough to see the session.
func NewSessionID() string { return "cs_" + strings.ToLower(rand.Text()) }

// newMarker returns what an attempt is recognised by at the gateway: it is not
// a secret, since a payer may see the comment it travels in.
func newMarker() string { return "cs-" + strings.ToLower(rand.Text()[:20]) }

// MarkerText is what newMarker writes, wherever a gateway puts it in a comment.
var MarkerText = regexp.MustCompile(`cs-[a-z2-7]{20}`)

// drawOrderID returns a random six-digit number without a leading zero.
func drawOrderID() int {
	n, err := rand.Int(rand.Reader, big.NewInt(900_000))
	if err != nil {
		panic("reading random numbers: " + err.Error())
	}
	return 100_000 + int(n.Int64())
}
