package wire

// Status is the state of a session as a shopper may see it.
type Status string

const (
	Open      Status = "open"      // nothing chosen yet, or the choice was refused: choose a coin
	Preparing Status = "preparing" // the gateway's answer is awaited or unknown
	Pending   Status = "pending"   // an address is known and money is awaited
	Confirmed Status = "confirmed" // proven paid; never changes by itself
	Expired   Status = "expired"   // the time to pay has passed without a proven payment
	Cancelled Status = "cancelled" // called off by the shopper or the merchant
	Review    Status = "review"    // reported paid but not proven: neither paid nor lost
)

// Statuses lists every Status in the order of a payment's life.
func Statuses() []Status {
	return []Status{Open, Preparing, Pending, Confirmed, Expired, Cancelled, Review}
}

// Known reports whether s is one of the statuses of this protocol version. A
// page that meets an unknown one shows it as [Preparing] and keeps listening.
func (s Status) Known() bool {
	for _, k := range Statuses() {
		if s == k {
			return true
		}
	}
	return false
}

// Settled reports whether the host page is told that the checkout is complete:
// nothing more happens unless the shopper or the merchant acts.
func (s Status) Settled() bool {
	return s == Confirmed || s == Expired || s == Cancelled
}

// Action is something that the shopper can do now; a View lists those that
// would not be refused.
type Action string

const (
	Choose  Action = "choose"  // pick a coin and network: POST …/attempts
	Change  Action = "change"  // pick another one; the present attempt is cancelled first
	Cancel  Action = "cancel"  // call the payment off: POST …/cancel
	Recheck Action = "recheck" // "I have paid": look again now: POST …/recheck
	// more time for the same coin: a new address and price, the present one is called off:
	// POST …/extend
	Extend Action = "extend"
	Retry  Action = "retry" // start anew after expiry or cancellation: POST …/attempts
)
