package checkout

import (
	"context"
	"time"
)

// Delivery is one event on its way to one endpoint. Each has a row of its
// own, so that a dead endpoint delays no other.
type Delivery struct {
	EventID   string
	Endpoint  string // URL
	Type      EventType
	Session   string
	Body      []byte // the same bytes on every try
	CreatedAt time.Time
	Tries     int // made so far
}

// DeliveryResult is how one try ended.
type DeliveryResult struct {
	Delivered bool      // 2xx
	Abandoned bool      // no further try: 410, or the last of the schedule
	NextAt    time.Time // of the next try unless Delivered or Abandoned
	Status    int       // HTTP status; zero = none was read
	Note      string    // at most 1 KiB of what was answered or went wrong
}

// Outbox is the durable queue of deliveries. The store fills it in Update, one
// row for each event and configured endpoint; storetest.Run is the contract.
type Outbox interface {
	// ClaimDeliveries returns up to limit deliveries due at now to any of
	// the endpoints, oldest due first, and hides them until now+lease. A claimed
	// delivery that is never settled comes back after that.
	ClaimDeliveries(ctx context.Context, now time.Time, lease time.Duration, limit int, endpoints []string) ([]Delivery, error)
	// Settle records the end of one try and counts it in Tries.
	Settle(ctx context.Context, d Delivery, r DeliveryResult) error
}
