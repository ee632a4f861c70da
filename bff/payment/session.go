package payment

import (
	"cmp"
	"crypto/rand"
	"regexp"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// Session is one order on its way to being paid. It is a value: rules change a copy, and the
// store writes it back together with its events, in one transaction.
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
	// ClosedBy is who closed the session before it was paid. A late payment still confirms it.
	ClosedBy Closer `json:"closed_by,omitempty"`
	// Reopened counts how often the order was asked for again after it had ended unpaid. Spent is
	// how many attempts had ended by the last time.
	Reopened int `json:"reopened,omitempty"`
	Spent    int `json:"spent,omitempty"`
	// CheckedAt is when the gateway last answered about this session; zero = never.
	CheckedAt time.Time `json:"checked_at,omitzero"`
	// DueAt is when the session must be processed next; zero = never.
	DueAt time.Time `json:"due_at,omitzero"`
	// LateFrom is when low-priority late checks begin; zero = every check has normal priority.
	// See [Session.LateChecksFrom].
	LateFrom time.Time `json:"late_from,omitzero"`
	// ErasedAt is when personal data was erased; zero = never, or new data was added since.
	// Deleted reports whether the session was reduced to a tombstone.
	ErasedAt time.Time `json:"erased_at,omitzero"`
	Deleted  bool      `json:"deleted,omitempty"`

	Attempts []Attempt       `json:"attempts,omitempty"`
	Refunds  []Refund        `json:"refunds,omitempty"` // the oldest first
	Notice   Notice          `json:"notice,omitzero"`
	Timeline []TimelineEntry `json:"timeline,omitempty"`
}

// Who closed a session.
const (
	NotClosed        Closer = ""
	ClosedByMerchant Closer = "merchant" // final: no further attempt
	ClosedByShopper  Closer = "shopper"  // reopened by the next choice
	ClosedByTime     Closer = "time"     // nothing was chosen in time
)

// Closer is who closed a session.
type Closer string

// Final reports whether no further attempt can be made.
func (c Closer) Final() bool { return c == ClosedByMerchant || c == ClosedByTime }

// Notice explains why the last choice failed; the zero Notice is none.
type Notice struct {
	Code wire.Code `json:"code,omitempty"`
}

// The states of an attempt.
const (
	Creating  State = "creating"  // stored; create may have been sent
	Unknown   State = "unknown"   // create got no answer: the list is searched for the marker
	Waiting   State = "pending"   // address known, awaiting payment
	Confirmed State = "confirmed" // passed the confirm gate
	Expired   State = "expired"   // the gateway ended it; late payments are still detected
	Cancelled State = "cancelled" // the gateway canceled it; late payments are still detected
	Refused   State = "refused"   // the gateway said no, nothing exists there
	Abandoned State = "abandoned" // given up and replaced; canceled if its transaction turns up
	Rejected  State = "rejected"  // create's answer failed validation: never shown, canceled
	InReview  State = "review"    // reported paid but not proven
	Duplicate State = "duplicate" // second transaction of one create: never shown, canceled
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

	// RetryAt is when to retry a create that the gateway rate-limited; zero = never.
	// Retries counts how often it was postponed.
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
	Paid  decimal.Decimal `json:"paid,omitzero"`
	TxID  string          `json:"tx_id,omitempty"`
	TxURL string          `json:"tx_url,omitempty"`
	// Txs are all transactions that the gateway has reported, in the order of their first
	// report. TxID is the latest report before the confirmation.
	Txs    []Tx      `json:"txs,omitempty"`
	PaidAt time.Time `json:"paid_at,omitzero"`
	// MoneyAt is when money for it was first seen here. The gateway may never state PaidAt of an
	// amount that is too little.
	MoneyAt    time.Time `json:"money_at,omitzero"`
	Late       bool      `json:"late,omitempty"`
	Reason     string    `json:"reason,omitempty"`     // why it is Refused or InReview
	EndedAt    time.Time `json:"ended_at,omitzero"`    // as reported by the gateway
	ReviewedAt time.Time `json:"reviewed_at,omitzero"` // put into review
	// ResolvedCount counts how often an operator resolved a review of it.
	// SharedTxID is a TxID that confirmed another session; empty = none.
	ResolvedCount int `json:"resolved_count,omitempty"`
	// Settled is how much of Paid an operator has dealt with; see [Session.Settle].
	Settled    decimal.Decimal `json:"settled,omitzero"`
	SharedTxID string          `json:"shared_tx_id,omitempty"`
	// ChecksDone counts the scheduled checks since EndedAt. RecheckAskedAt is when a recheck was
	// last requested, and FollowUps counts the reads since; see Schedule.FollowUps.
	ChecksDone     int       `json:"checks_done,omitempty"`
	RecheckAskedAt time.Time `json:"recheck_asked_at,omitzero"`
	FollowUps      int       `json:"follow_ups,omitempty"`

	// Consecutive answers that contradict a confirmation, when the first came, and the
	// reason reported to the merchant; see reconsider.
	Regressions int       `json:"regressions,omitempty"`
	RegressedAt time.Time `json:"regressed_at,omitzero"`
	Alert       string    `json:"alert,omitempty"`
	// DoubtSettled is set once an operator has dealt with a confirmation that was taken back, until
	// the gateway confirms it again.
	DoubtSettled bool `json:"doubt_settled,omitempty"`

	// Consecutive answers that the transaction does not exist, when the first came, and
	// how often it reappeared after a review for that.
	Absences   int       `json:"absences,omitempty"`
	AbsentAt   time.Time `json:"absent_at,omitzero"`
	Reappeared int       `json:"reappeared,omitempty"`

	// Search for the marker.
	UnknownAt time.Time `json:"unknown_at,omitzero"` // when the state became Unknown
	Misses    int       `json:"misses,omitempty"`
	MissedAt  time.Time `json:"missed_at,omitzero"` // of the first search that did not find it
}

// Tx is a transaction on the blockchain, as the gateway reports it.
type Tx struct {
	ID  string `json:"tx_id"`
	URL string `json:"tx_url"` // in an explorer; may be empty
}

// maxTxs bounds the transactions of an attempt.
const maxTxs = 100

// noteTx adds a transaction that the gateway reports.
func (a *Attempt) noteTx(id, url string) {
	list := slices.Clone(a.Txs)
	i := slices.IndexFunc(list, func(tx Tx) bool { return tx.ID == id })
	switch {
	case id == "":
		return
	case i >= 0:
		list[i].URL = cmp.Or(url, list[i].URL)
	case len(list) < maxTxs:
		list = append(list, Tx{id, url})
	}
	a.Txs = list
}

// HeldTxIDs returns the ids of the transactions that pay for a alone: those of a confirmed attempt,
// up to the one that confirmed it. Later ones prove nothing, and are reported even if another
// session has them. Once an operator decided about a shared one, only the current one counts.
func (a *Attempt) HeldTxIDs() (ids []string) {
	switch {
	case a.State != Confirmed:
		return nil
	case a.SharedTxID != "" && a.TxID == "":
		return nil
	case a.SharedTxID != "":
		return []string{a.TxID}
	}

	for _, tx := range a.Txs {
		ids = append(ids, tx.ID)
		if tx.ID == a.TxID {
			break
		}
	}

	return ids
}

// Live reports whether a may have an open transaction at the gateway: no other attempt may be
// opened beside it.
func (a Attempt) Live() bool {
	return a.State == Creating || a.State == Unknown || a.State == Waiting
}

// Current returns the attempt that decides what is shown: the confirmed one, else one in
// review, else the latest; nil before the first choice. The pointer is into s.
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

// latest returns the number of the last requested attempt; 0 = none.
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

// Snapshot returns a copy of s that shares no attempts.
func (s *Session) Snapshot() Session {
	snapshot := *s
	snapshot.Attempts = slices.Clone(s.Attempts)
	return snapshot
}

func (s *Session) withState(n int, state State) Session {
	probe := s.Snapshot()
	probe.Attempt(n).State = state
	return probe
}

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
	}
	if s.isSpent(a) {
		return wire.Open
	}

	switch a.State {
	case Expired:
		return wire.Expired
	case Cancelled:
		return wire.Cancelled
	}

	return wire.Open // Refused, Abandoned, Rejected: choose again
}

// LastChecked is when s was last checked, or its current attempt started if that is later.
func (s *Session) LastChecked() time.Time {
	a := s.Current()
	if a != nil && s.CheckedAt.Before(a.StartedAt) {
		return a.StartedAt
	}
	return s.CheckedAt
}

// resolvedUnpaid reports whether an operator resolved s as unpaid: then nothing of it is
// confirmed automatically any more.
func (s *Session) resolvedUnpaid() bool {
	return slices.ContainsFunc(s.Attempts, func(a Attempt) bool {
		return a.ResolvedCount > 0 && a.State != Confirmed
	})
}

func (s *Session) resolvedCount() (n int) {
	for i := range s.Attempts {
		n += s.Attempts[i].ResolvedCount
	}
	return n
}

// ConfirmedByOperator reports whether an operator confirmed a, and not the gateway.
func (a *Attempt) ConfirmedByOperator() bool { return a.State == Confirmed && a.ResolvedCount > 0 }

// IsVisible reports whether the shopper sees a. An attempt that failed before it had an address
// shows only as a notice.
func (a *Attempt) IsVisible() bool {
	return a.State != Refused && a.State != Rejected && a.State != Abandoned
}

// IsFor reports whether a has the coin and network of o.
func (a *Attempt) IsFor(o Offer) bool {
	return SameName(a.CurrencySymbol, o.Currency.Symbol) && SameName(a.NetworkCode, o.Network.Code)
}

// Postponed reports whether a waits to be created again because the gateway was busy: nothing of
// it exists there.
func (a *Attempt) Postponed() bool { return a.State == Creating && !a.RetryAt.IsZero() }

// neverSent reports whether a was not created because the gateway was unreachable or overloaded.
func (a *Attempt) neverSent() bool { return a.State == Refused && Reason(a.Reason).temporary() }

// IsAbsent reports whether a is in review because the gateway has no such transaction.
func (a *Attempt) IsAbsent() bool { return a.State == InReview && a.Reason == reasonTxAbsent }

// expectsTransaction reports whether the transaction of a must exist at the gateway: it awaits
// payment, or has to be canceled.
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

// ChangeFunc changes s in a transaction at time now. It may run more than once.
type ChangeFunc = func(s *Session, now time.Time) error

// TimelineEntry is one event in a session's timeline.
type TimelineEntry struct {
	At     time.Time `json:"at"`
	By     string    `json:"by"`   // shopper, merchant, gateway, coinslot, console:<name>
	What   string    `json:"what"` // "attempt.created", lower case
	Detail string    `json:"detail,omitempty"`
}

// Merchant-side actors in a timeline: its server, or an operator by name.
const (
	ByMerchant = "merchant"
	console    = "console:"
)

// Console returns the actor for an operator of that name.
func Console(name string) string { return console + name }

// AppendTimeline appends an entry, unless the timeline is full.
func (s *Session) AppendTimeline(at time.Time, by, what, detail string) {
	most := maxTimeline
	if by == ByMerchant || strings.HasPrefix(by, console) || what == "attempt.confirmed" {
		most += reservedTimeline
	}
	if len(s.Timeline) >= most {
		return
	}

	s.Timeline = append(s.Timeline, TimelineEntry{
		At:     at.UTC(),
		By:     by,
		What:   what,
		Detail: detail,
	})
}

// maxTimeline bounds a timeline, so that repeated requests cannot grow a row without end.
const maxTimeline = 200

// reservedTimeline is extra room for the merchant's actions and the confirmation.
const reservedTimeline = 50

// NewSessionID returns a random id: "cs_" and 26 characters with 130 random bits. Anyone who
// knows it may see the session.
func NewSessionID() string { return "cs_" + strings.ToLower(rand.Text()) }

// newMarker returns what identifies an attempt at the gateway. It is not secret: the payer may
// see the comment that holds it.
func newMarker() string { return "cs-" + strings.ToLower(rand.Text()[:20]) }

// MarkerText matches a marker anywhere in a comment.
var MarkerText = regexp.MustCompile(`cs-[a-z2-7]{20}`)

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
