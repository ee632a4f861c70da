package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"coinslot/bff/checkout"
)

// Currencies returns what the merchant has enabled, never nil. A network
// whose code, bounds or max_ttl cannot be read is left out, as is a currency
// without a symbol: neither could be offered honestly, and the others can. How
// many were left out is logged.
//
// Errors: *[checkout.RefusedError], *[checkout.UnknownError].
//
// Source: gateway-api.md, "GET /api/v1/merchant/currencies/list".
func (c *Client) Currencies(ctx context.Context) ([]checkout.Currency, error) {
	k := call{name: "currencies", method: http.MethodGet, path: "/api/v1/merchant/currencies/list"}
	var (
		currencies []checkout.Currency
		dropped    int
	)
	err := c.do(ctx, k, func(data any) (err error) {
		currencies, dropped, err = readCurrencies(data)
		return err
	})
	if err != nil {
		return nil, err
	}
	if dropped > 0 {
		c.log.LogAttrs(ctx, slog.LevelWarn, "gateway currencies left out", slog.Int("count", dropped))
	}
	return currencies, nil
}

// readCurrencies reads the list and counts what it left out.
func readCurrencies(data any) (currencies []checkout.Currency, dropped int, err error) {
	rows, err := list(data)
	if err != nil {
		return nil, 0, err
	}
	currencies = make([]checkout.Currency, 0, len(rows))
	for i, row := range rows {
		c, lost, err := readCurrency(row)
		dropped += lost
		switch {
		case errors.Is(err, errUnusable):
			dropped++
		case err != nil:
			return nil, 0, fmt.Errorf("reading currency %d: %w", i, err)
		default:
			currencies = append(currencies, c)
		}
	}
	return currencies, dropped, nil
}

// errUnusable marks an entry that is left out.
var errUnusable = errors.New("unusable entry")

// readCurrency reads one currency and counts the networks it left out.
// Errors: errUnusable; anything else means that the list is not one.
func readCurrency(row any) (c checkout.Currency, dropped int, err error) {
	f := open(row)
	if f.err != nil {
		return c, 0, f.err
	}
	c = checkout.Currency{
		Name:        f.label("currency_name"),
		Symbol:      f.text("currency_symbol"),
		Type:        f.label("currency_type"),
		PriceInUSDT: f.lenient("price_in_usdt"),
		Icon:        f.label("icon"),
	}
	if f.err != nil || !validName(c.Symbol) {
		return c, 0, errUnusable
	}
	c.Networks, dropped, err = readNetworks(f.object["supported_networks"])
	return c, dropped, err
}

// readNetworks reads supported_networks; null and absent are none.
func readNetworks(v any) (networks []checkout.Network, dropped int, err error) {
	if v == nil {
		return nil, 0, nil
	}
	rows, err := list(v)
	if err != nil {
		return nil, 0, fmt.Errorf("reading supported_networks: %w", err)
	}
	for _, row := range rows {
		f := open(row)
		n := checkout.Network{
			Name:       f.label("network_name"),
			Symbol:     f.label("network_symbol"),
			Code:       f.text("network_code"),
			Fee:        f.lenient("network_fee"),
			MinimumUSD: f.optional("minimum_pay_usd"),
			MaximumUSD: f.optional("maximum_pay_usd"),
			MaxTTL:     f.whole("max_ttl"),
			Icon:       f.label("icon"),
		}
		if f.err != nil || !validName(n.Code) {
			dropped++
			continue
		}
		networks = append(networks, n)
	}
	return networks, dropped, nil
}
