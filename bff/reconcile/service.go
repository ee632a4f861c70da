package reconcile

import (
	"context"
	"log/slog"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/listing"
	"coinslot/bff/payment"
)

// Config is what a [Service] is made of.
type Config struct {
	// Gateway is read by automatic runs, with the priority of their context.
	Gateway Gateway
	// Records is the gateway's records as people read them; nil = they cannot be read.
	Records GatewayRecords
	// Runs keeps what comes of runs, for all instances; nil = there are none.
	Runs     Runs
	Sessions Sessions
	// Change changes a session as checkout.Service.Change does.
	Change func(
		ctx context.Context, old payment.Session,
		fn func(s *payment.Session, now time.Time) error,
	) (payment.Session, error)
	// ListPause is the time between two pages of an automatic run.
	ListPause time.Duration
	// PaymentPage is the address of the gateway's hosted pages; empty = none is shown.
	PaymentPage string
	Schedule    payment.Schedule // zero = [payment.DefaultSchedule]
	Now         func() time.Time // nil = time.Now
	Log         *slog.Logger     // nil = silent
}

// Gateway is what a [Service] needs of the gateway.
type Gateway interface {
	listing.Lister
	Environment() string
}

// Sessions is what a [Service] needs of the database.
type Sessions interface {
	SessionReader
	// Tracked returns the sessions that have an attempt of one of the tracking
	// codes, in no order; what nobody has is left out.
	Tracked(ctx context.Context, trackingCodes []string) ([]payment.Session, error)
}

// Service holds the gateway's records against the database.
type Service struct {
	Config
	runs background.Group

	closing context.Context // ends with Close
	end     context.CancelFunc
}

// New returns one that begins nothing by itself.
func New(c Config) *Service {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Schedule.Unwatched == 0 {
		c.Schedule = payment.DefaultSchedule()
	}
	closing, end := context.WithCancel(context.Background())
	return &Service{Config: c, closing: closing, end: end}
}

// Close breaks off the run under way after the page that it is reading. It may be called
// again; no run begins any more.
func (c *Service) Close() {
	c.end()
	c.runs.Wait()
}

// unavailable logs why the gateway did not answer, and returns what may be told of it.
func (c *Service) unavailable(ctx context.Context, doing string, err error) error {
	c.Log.WarnContext(ctx, doing, "error", err)
	return payment.GatewayUnavailable(doing, err)
}
