package checkout

import (
	"context"
	"sync"
	"time"

	"coinslot/app/wire"
)

// Comparing is a comparison of gateway and database that somebody has asked for.
type Comparing struct {
	From, To time.Time // dates, both inclusive; zero = none was asked for
	Began    time.Time
	Ended    time.Time // zero = under way
	Result   Comparison
	Err      error // why there is no result; nil while it is under way
}

// comparing is the last comparison of this process. Of one that ends with the
// process nothing is kept: it has changed nothing.
type comparing struct {
	mu   sync.Mutex // guards the fields below
	last Comparing
	stop context.CancelFunc // of the one under way; nil = none is
	over bool               // the process ends
}

const (
	// longestComparing bounds a comparison: the gateway's list is read after
	// everything that a payment needs, and may be long.
	longestComparing = 10 * time.Minute
	// mostDays is how many days one comparison may have.
	mostDays = 92
)

// StartComparing begins [Service.Compare] of the days from…to and returns at once;
// [Service.Comparing] has what comes of it. It reports false, and does nothing, if
// one is under way. Errors: *wire.Error with CodeInvalid and Param "from" or "to",
// CodeGatewayUnavailable after Close.
func (c *Service) StartComparing(ctx context.Context, from, to time.Time) (bool, error) {
	switch {
	case from.IsZero():
		return false, problem(wire.CodeInvalid, "from")
	case to.Before(from) || to.Sub(from) > mostDays*24*time.Hour:
		return false, problem(wire.CodeInvalid, "to")
	}
	c.comparing.mu.Lock()
	defer c.comparing.mu.Unlock()
	switch {
	case c.comparing.over:
		return false, problem(wire.CodeGatewayUnavailable, "")
	case c.comparing.stop != nil:
		return false, nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), longestComparing)
	c.comparing.last, c.comparing.stop = Comparing{From: from, To: to, Began: c.Now().UTC()}, stop
	c.creating.Go(func() { c.compareNow(ctx, from, to) })
	return true, nil
}

func (c *Service) compareNow(ctx context.Context, from, to time.Time) {
	result, err := c.Compare(ctx, from, to)
	c.comparing.mu.Lock()
	defer c.comparing.mu.Unlock()
	c.comparing.stop()
	c.comparing.stop = nil
	c.comparing.last.Ended, c.comparing.last.Result, c.comparing.last.Err = c.Now().UTC(), result, err
	c.Log.Info("gateway and database were compared", "findings", len(result.Findings), "error", err)
}

// Comparing returns the comparison that was begun last, the zero Comparing if none
// was since the process began.
func (c *Service) Comparing() Comparing {
	c.comparing.mu.Lock()
	defer c.comparing.mu.Unlock()
	return c.comparing.last
}

// end stops the comparison under way, if there is one. No other one begins.
func (c *comparing) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.stop != nil {
		c.stop()
	}
}
