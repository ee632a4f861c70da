package wire

import "slices"

// Status is the state of a session as a shopper may see it. The table [statuses] says what each
// means. A status of a newer protocol counts as [Preparing].
type Status string

// The statuses of a session.
const (
	Open      Status = "open"      // the shopper has to choose a coin, or to choose again
	Preparing Status = "preparing" // the gateway's answer is awaited or unknown
	Pending   Status = "pending"   // the shopper has an address to pay to
	Confirmed Status = "confirmed" // proven paid; never changes by itself
	Expired   Status = "expired"   // the time to pay is over without a proven payment
	Cancelled Status = "cancelled" // canceled by the shopper or the merchant
	Review    Status = "review"    // reported paid but not proven: neither paid nor lost
)

// Outcome is what a status says about the money.
type Outcome int

// The outcomes of a session.
const (
	Payable Outcome = iota // the order can be paid, or will be able to in a moment
	Paid                   // proven
	Unpaid                 // it ended without a proven payment; late money may still prove one
	InDoubt                // the merchant has to decide
)

// statusInfo is what a status means.
type statusInfo struct {
	status Status
	title  string // in English, for operators
	badge  string // see [Status.Label]
	// Changes without the shopper: pages refresh, and the poller checks the gateway.
	waiting     bool
	lowPriority bool // see [Status.LowPriority]
	outcome     Outcome
	event       string // the webhook that announces it; "" = none does
	// What the shopper and the merchant may do, unless the session forbids it otherwise.
	shopper, merchant []Action
}

// statuses has every Status in the order of a payment's life.
var statuses = [...]statusInfo{
	{status: Open, title: "Open",
		shopper: []Action{Choose, Cancel}, merchant: []Action{Cancel}},
	{status: Preparing, title: "Preparing", badge: "wait", waiting: true,
		shopper: []Action{Cancel}},
	{status: Pending, title: "Pending", badge: "wait", waiting: true, lowPriority: true,
		event:   "checkout.pending",
		shopper: []Action{Cancel, Change, Recheck, Extend}, merchant: []Action{Cancel}},
	{status: Confirmed, title: "Confirmed", badge: "good", outcome: Paid,
		event: "checkout.confirmed", merchant: []Action{Erase}},
	{status: Expired, title: "Expired", lowPriority: true, outcome: Unpaid,
		event:   "checkout.expired",
		shopper: []Action{Recheck, Retry}, merchant: []Action{Cancel, Erase}},
	{status: Cancelled, title: "Cancelled", lowPriority: true, outcome: Unpaid,
		event: "checkout.cancelled", shopper: []Action{Recheck, Retry}, merchant: []Action{Erase}},
	{status: Review, title: "Review", badge: "bad", waiting: true, outcome: InDoubt,
		event:   "checkout.review",
		shopper: []Action{Recheck}, merchant: []Action{Resolve}},
}

// info returns the row of s, that of [Preparing] if s is not in the table.
func (s Status) info() *statusInfo {
	for i := range statuses {
		if statuses[i].status == s {
			return &statuses[i]
		}
	}
	return Preparing.info()
}

// Statuses lists every Status in the order of a payment's life.
func Statuses() []Status { return StatusesWhere(Status.Known) }

// StatusesWhere lists those that is reports true for, in the order of [Statuses].
func StatusesWhere(is func(Status) bool) (list []Status) {
	for i := range statuses {
		if s := statuses[i].status; is(s) {
			list = append(list, s)
		}
	}
	return list
}

// Known reports whether s is a status of this protocol version.
func (s Status) Known() bool { return s.info().status == s }

// Shown is s, or [Preparing] if s is unknown.
func (s Status) Shown() Status { return s.info().status }

// Label is how operators see s: a title and a badge, "good", "wait", "bad", or "" for plain. An
// unknown status has its own name as its title.
func (s Status) Label() (title, badge string) {
	if r := s.info(); r.status == s {
		return r.title, r.badge
	}
	return string(s), ""
}

// Outcome is what s says about the money.
func (s Status) Outcome() Outcome { return s.info().outcome }

// Final reports whether the checkout is complete for the host page: nothing more happens unless the
// shopper or the merchant acts, or late money arrives.
func (s Status) Final() bool { return s.Outcome() == Paid || s.Outcome() == Unpaid }

// Waiting reports whether something is expected to happen without the shopper.
func (s Status) Waiting() bool { return s.info().waiting }

// LowPriority reports whether the checks of a session in s may come after those of all
// others, because nothing suggests that money is on its way.
func (s Status) LowPriority() bool { return s.info().lowPriority }

// Event is the type of the webhook that announces s, "checkout.…"; "" if none does.
func (s Status) Event() string { return s.info().event }

// Actions lists what a shopper may do in s. Do not change the result.
func (s Status) Actions() []Action { return s.info().shopper }

// MerchantCan reports whether the merchant may do a in s.
func (s Status) MerchantCan(a Action) bool { return slices.Contains(s.info().merchant, a) }

// Action is what a shopper or the merchant can do to a session.
type Action string

// The actions on a session.
const (
	Choose  Action = "choose"  // pick a coin and network: POST …/attempts
	Change  Action = "change"  // pick another one; cancels the present attempt first
	Cancel  Action = "cancel"  // cancel the payment: POST …/cancel; the merchant can, too
	Recheck Action = "recheck" // "I have paid": check the gateway now: POST …/recheck
	// Extend gives more time for the same coin, with a new address and price; cancels the present
	// attempt first: POST …/extend
	Extend Action = "extend"
	Retry  Action = "retry" // start again after expiry or cancellation: POST …/attempts

	Resolve Action = "resolve" // decide a review: only the merchant can
	Erase   Action = "erase"   // erase personal data: only the merchant can
)
