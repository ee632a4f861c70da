package checkout

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

// Currencies returns the gateway's currency list, at most a minute old, or up to six hours
// while the gateway is unreachable. It blocks only if there is none. Errors: the gateway's;
// ctx.Err().
func (c *Service) Currencies(ctx context.Context) ([]payment.Currency, error) {
	return c.currencies.read(ctx, currenciesStale)
}

// GatewayDownSince returns since when the gateway's currency list cannot be read; zero = it
// can. It is updated by requests for the list, at most once a minute while it can be read.
func (c *Service) GatewayDownSince() time.Time {
	c.currencies.mu.Lock()
	defer c.currencies.mu.Unlock()
	return c.currencies.failing
}

// currencyList caches the gateway's currency list. A list older than currenciesFresh is renewed
// in the background while the old one is still returned, until it is older than
// currenciesStale.
type currencyList struct {
	gateway   Gateway
	now       func() time.Time
	log       *slog.Logger
	heartbeat background.Heartbeat // beats once in a renewal

	mu      sync.Mutex // guards the fields below
	list    []payment.Currency
	at      time.Time
	renewal chan struct{} // closed when the renewal under way has ended; nil = none
	err     error         // of the last renewal
	failing time.Time     // since when renewals have been failing; zero = the last one succeeded
}

const (
	currenciesFresh = time.Minute
	currenciesStale = 6 * time.Hour
)

// read returns the list, and waits for a renewal if it is older than maxAge.
func (c *currencyList) read(ctx context.Context, maxAge time.Duration) ([]payment.Currency, error) {
	c.mu.Lock()
	age := c.now().Sub(c.at)
	list, have := c.list, c.list != nil && age < maxAge
	if have && age < currenciesFresh {
		c.mu.Unlock()
		return list, nil
	}
	if c.renewal == nil {
		c.renewal = make(chan struct{})
		go c.renew(context.WithoutCancel(ctx), c.renewal)
	}
	done := c.renewal
	c.mu.Unlock()
	if have {
		return list, nil
	}
	return c.wait(ctx, done)
}

func (c *currencyList) wait(ctx context.Context, done <-chan struct{}) ([]payment.Currency, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-done:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return nil, c.err
	}
	return c.list, nil
}

func (c *currencyList) renew(ctx context.Context, done chan struct{}) {
	c.heartbeat.Beat(0)
	list, err := c.gateway.Currencies(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	if err == nil {
		c.list, c.at, c.failing = list, c.now(), time.Time{}
	} else {
		if c.failing.IsZero() {
			c.failing = c.now()
		}
		c.log.WarnContext(ctx, "reading the currency list failed", "error", err)
	}
	c.heartbeat.Stop()
	c.renewal = nil
	close(done)
}
