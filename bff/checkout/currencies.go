package checkout

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
	"coinslot/bff/token"

	"golang.org/x/sync/singleflight"
)

// Currencies returns the gateway's currency list, at most a minute old, or up to six hours while
// the gateway is unreachable. It blocks only if there is none. Errors: the gateway's; ctx.Err().
func (c *Service) Currencies(ctx context.Context) ([]payment.Currency, error) {
	return c.currencies.read(ctx, currenciesStale)
}

// awaitCurrencies is Currencies for an action: if there is no list, it waits for a busy gateway.
func (c *Service) awaitCurrencies(ctx context.Context) ([]payment.Currency, error) {
	return repeat(ctx, func() ([]payment.Currency, error) { return c.Currencies(ctx) })
}

// GatewayDownSince returns since when the gateway's currency list cannot be read; zero = it
// can. It is updated by requests for the list, at most once a minute while it can be read.
func (c *Service) GatewayDownSince() time.Time {
	c.currencies.mu.Lock()
	defer c.currencies.mu.Unlock()
	return c.currencies.failing
}

// currencyList caches the gateway's currency list. A list older than currenciesFresh is renewed in
// the background while the old one is still returned, until it is older than currenciesStale.
type currencyList struct {
	gateway   Gateway
	tokens    *token.Registry
	now       func() time.Time
	log       *slog.Logger
	heartbeat background.Heartbeat // beats once in a renewal

	renewals singleflight.Group

	mu      sync.Mutex // guards the fields below
	list    []payment.Currency
	at      time.Time
	failing time.Time // since when renewals have been failing; zero = the last one succeeded
}

const (
	currenciesFresh = time.Minute
	currenciesStale = 6 * time.Hour
)

// read returns the list, and waits for a renewal if it is older than maxAge.
func (c *currencyList) read(ctx context.Context, maxAge time.Duration) ([]payment.Currency, error) {
	list, age := c.cached()
	have := list != nil && age < maxAge
	if have && age < currenciesFresh {
		return list, nil
	}

	renewal := c.renewals.DoChan("", func() (any, error) {
		return c.renew(context.WithoutCancel(ctx))
	})
	if have {
		return list, nil
	}

	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-renewal:
		list, _ := r.Val.([]payment.Currency)
		return list, r.Err
	}
}

func (c *currencyList) cached() (list []payment.Currency, age time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list, c.now().Sub(c.at)
}

func (c *currencyList) renew(ctx context.Context) ([]payment.Currency, error) {
	list, age := c.cached()
	if list != nil && age < currenciesFresh {
		return list, nil // another renewal has just ended
	}

	c.heartbeat.Beat(0)
	defer c.heartbeat.Stop()
	list, err := c.gateway.Currencies(ctx)
	for _, currency := range list {
		for i := range currency.Networks {
			n := &currency.Networks[i]
			n.OtherSymbols = c.tokens.OtherSymbols(currency.Symbol, n.Code)
		}
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.list = list
		c.at = c.now()
		c.failing = time.Time{}
		return list, nil
	}
	if c.failing.IsZero() {
		c.failing = c.now()
	}

	c.log.WarnContext(ctx, "reading the currency list failed", "error", err)
	return nil, err
}
