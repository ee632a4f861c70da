package checkout

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

// Currencies returns the gateway's currency list, at most a minute old unless the
// gateway cannot be reached: then up to six hours. It blocks only if there is none.
// Errors: the gateway's; ctx.Err().
func (c *Service) Currencies(ctx context.Context) ([]payment.Currency, error) {
	return c.currencies.get(ctx)
}

// GatewayDownSince returns since when the gateway's currency list cannot be read, the
// zero time while it can. Whatever asks for the list finds it out, at most once a
// minute while it can be read; [Service.Currencies] does.
func (c *Service) GatewayDownSince() time.Time { return c.currencies.down() }

// currencyList keeps the gateway's currency list. A list older than fresh is
// renewed in the background while the old one is still given out; one older
// than stale is not given out any more.
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
	// when the first of the renewals that fail began to; zero = the last one has not
	failing time.Time
}

const (
	currenciesFresh = time.Minute
	currenciesStale = 6 * time.Hour
)

// get returns the list. It blocks on the gateway only if it has none.
// Errors: those of Gateway.Currencies, ctx.Err().
func (c *currencyList) get(ctx context.Context) ([]payment.Currency, error) {
	return c.read(ctx, currenciesStale)
}

// latest is get for a list that is at most a minute old.
func (c *currencyList) latest(ctx context.Context) ([]payment.Currency, error) {
	return c.read(ctx, currenciesFresh)
}

// read returns the list, and waits for a renewal if it is older than most.
func (c *currencyList) read(ctx context.Context, most time.Duration) ([]payment.Currency, error) {
	c.mu.Lock()
	age := c.now().Sub(c.at)
	list, have := c.list, c.list != nil && age < most
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

// down returns since when renewals fail, the zero time if they do not.
func (c *currencyList) down() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failing
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
		c.log.WarnContext(ctx, "reading the gateway's currency list", "error", err)
	}
	c.heartbeat.Stop()
	c.renewal = nil
	close(done)
}
