package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"coinslot/bff/payment"
)

// CurrencyList is an answer to the currency list.
type CurrencyList struct {
	Currencies []payment.Currency // never nil
	// LeftOut says of each currency and network that is not in Currencies which
	// it is and why: "USDT trc20: reading max_ttl: not a whole number".
	LeftOut []string
}

// maxNamed bounds how many of those that are left out are named in the log.
const maxNamed = 20

// A page shows all coins, and each shopper's browser gets them: more than these are left out.
const (
	maxCurrencies = 500
	maxNetworks   = 50 // of a currency
)

// Currencies returns what the merchant has enabled, never nil. What was left
// out is logged with the reason.
//
// Errors: *[payment.RefusedError], *[payment.UnknownError].
func (c *Client) Currencies(ctx context.Context) ([]payment.Currency, error) {
	all, err := c.CurrencyList(ctx)
	if err != nil {
		return nil, err
	}
	if n := len(all.LeftOut); n > 0 {
		c.log.LogAttrs(ctx, slog.LevelWarn, "gateway currencies left out",
			slog.Int("count", n), slog.Any("left_out", all.LeftOut[:min(n, maxNamed)]))
	}
	return all.Currencies, nil
}

// CurrencyList reads the currency list. A network whose code, bounds or max_ttl
// cannot be read is left out, as is a currency without a symbol: neither could
// be offered honestly, and the others can.
//
// Errors: *[payment.RefusedError], *[payment.UnknownError].
//
// Source: gateway-api.md, "GET /api/v1/merchant/currencies/list".
func (c *Client) CurrencyList(ctx context.Context) (CurrencyList, error) {
	k := call{name: "currencies", method: http.MethodGet, path: "/api/v1/merchant/currencies/list"}
	all, err := fetch(ctx, c, k, readCurrencies)
	for i, text := range all.LeftOut {
		all.LeftOut[i] = c.hide(text)
	}
	return all, err
}

func readCurrencies(data any) (CurrencyList, error) {
	rows, err := list(data)
	if err != nil {
		return CurrencyList{}, err
	}
	all := CurrencyList{Currencies: make([]payment.Currency, 0, len(rows))}
	if n := len(rows); n > maxCurrencies {
		all.LeftOut = append(all.LeftOut,
			fmt.Sprintf("all but the first %d of %d currencies", maxCurrencies, n))
		rows = rows[:maxCurrencies]
	}
	for i, row := range rows {
		c, leftOut, unusable, err := readCurrency(row)
		all.LeftOut = append(all.LeftOut, leftOut...)
		switch {
		case err != nil:
			return CurrencyList{}, fmt.Errorf("reading currency %d: %w", i, err)
		case unusable != "":
			reason := fmt.Sprintf("currency %d (%s): %s", i+1, displayName(c.Name), unusable)
			all.LeftOut = append(all.LeftOut, reason)
		default:
			all.Currencies = append(all.Currencies, c)
		}
	}
	return all, nil
}

// displayName is a name of the gateway's, fit for a log line.
func displayName(name string) string {
	if name = shorten(clean(name), 40); name == "" {
		return "no name"
	}
	return name
}

// readCurrency reads one currency, and says which of its networks it left out, and why the
// currency is unusable, "" if it is not. Errors mean that the list is not one.
func readCurrency(row any) (c payment.Currency, leftOut []string, unusable string, err error) {
	f := open(row)
	if f.err != nil {
		return c, nil, "", f.err
	}
	c = payment.Currency{
		Name: f.label("currency_name"), Symbol: f.text("currency_symbol"),
		Type: f.label("currency_type"), PriceInUSDT: f.lenient("price_in_usdt"),
		Icon: f.label("icon"),
	}
	if unusable = unreadable(f, "currency_symbol", c.Symbol); unusable == "" {
		c.Networks, leftOut, err = readNetworks(c.Symbol, f.object["supported_networks"])
	}
	return c, leftOut, unusable, err
}

// unreadable returns why the entry of f, which is known by name, is left out; "" if it is not.
func unreadable(f *fields, member, name string) string {
	switch {
	case f.err != nil:
		return f.err.Error()
	case !validName(name):
		return "reading " + member + ": not well formed"
	}
	return ""
}

// readNetworks reads supported_networks of a currency; null and absent are none.
func readNetworks(symbol string, v any) (networks []payment.Network, leftOut []string, err error) {
	if v == nil {
		return nil, nil, nil
	}
	rows, err := list(v)
	if err != nil {
		return nil, nil, fmt.Errorf("reading supported_networks: %w", err)
	}
	if n := len(rows); n > maxNetworks {
		leftOut = append(leftOut,
			fmt.Sprintf("%s: all but the first %d of %d networks", symbol, maxNetworks, n))
		rows = rows[:maxNetworks]
	}
	for i, row := range rows {
		f := open(row)
		n := payment.Network{
			Name: f.label("network_name"), Symbol: f.label("network_symbol"),
			Code: f.text("network_code"), Fee: f.lenient("network_fee"),
			MinimumUSD: f.optional("minimum_pay_usd"), MaximumUSD: f.optional("maximum_pay_usd"),
			MaxTTL: f.integer("max_ttl"), Icon: f.label("icon"),
		}
		if reason := unreadable(f, "network_code", n.Code); reason != "" {
			name := displayName(n.Code)
			if n.Code == "" {
				name = fmt.Sprintf("network %d (%s)", i+1, displayName(n.Name))
			}
			leftOut = append(leftOut, fmt.Sprintf("%s %s: %s", symbol, name, reason))
			continue
		}
		networks = append(networks, n)
	}
	return networks, leftOut, nil
}
