package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"coinslot/bff/payment"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
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
	maxNetworks   = 50 // networks of one currency
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

// currency is a Currency of the list. Source: gateway-api.md, "Currency".
type currency struct {
	Name        label          `json:"currency_name"`
	Symbol      text           `json:"currency_symbol"`
	Type        label          `json:"currency_type"`
	PriceInUSDT estimate       `json:"price_in_usdt"`
	Icon        label          `json:"icon"`
	Networks    jsontext.Value `json:"supported_networks"`
}

// network is a Network of a currency. Source: gateway-api.md, "Network".
type network struct {
	Name       label    `json:"network_name"`
	Symbol     label    `json:"network_symbol"`
	Code       text     `json:"network_code"`
	Fee        estimate `json:"network_fee"`
	MinimumUSD amount   `json:"minimum_pay_usd"`
	MaximumUSD amount   `json:"maximum_pay_usd"`
	MaxTTL     number   `json:"max_ttl"`
	Icon       label    `json:"icon"`
}

func readCurrencies(data jsontext.Value) (CurrencyList, error) {
	rows, err := decodeList(data)
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
		if row.Kind() != '{' {
			return CurrencyList{}, fmt.Errorf("reading currency %d: not an object", i)
		}

		c, err := readCurrency(row)
		if err != nil {
			all.LeftOut = append(all.LeftOut,
				fmt.Sprintf("currency %d (%s): %v", i+1, currencyName(row), err))
			continue
		}

		networks, leftOut, err := readNetworks(string(c.Symbol), c.Networks)
		if err != nil {
			return CurrencyList{}, fmt.Errorf("reading currency %d: %w", i, err)
		}

		all.LeftOut = append(all.LeftOut, leftOut...)
		all.Currencies = append(all.Currencies, payment.Currency{
			Name:        string(c.Name),
			Symbol:      string(c.Symbol),
			Type:        string(c.Type),
			PriceInUSDT: decimal.Decimal(c.PriceInUSDT),
			Icon:        string(c.Icon),
			Networks:    networks,
		})
	}

	return all, nil
}

// readCurrency reads one currency, without its networks. Errors: why it cannot be offered.
func readCurrency(row jsontext.Value) (c currency, err error) {
	err = decode(row, &c)
	if err == nil && !validName(string(c.Symbol)) {
		err = errors.New("reading currency_symbol: not well formed")
	}
	return c, err
}

// readNetworks reads supported_networks of a currency; null and absent are none. leftOut says
// which it has left out and why.
func readNetworks(
	symbol string, list jsontext.Value,
) (networks []payment.Network, leftOut []string, err error) {
	if len(list) == 0 || list.Kind() == 'n' {
		return nil, nil, nil
	}

	rows, err := decodeList(list)
	if err != nil {
		return nil, nil, fmt.Errorf("reading supported_networks: %w", err)
	}
	if n := len(rows); n > maxNetworks {
		leftOut = append(leftOut,
			fmt.Sprintf("%s: all but the first %d of %d networks", symbol, maxNetworks, n))
		rows = rows[:maxNetworks]
	}

	for i, row := range rows {
		n, err := readNetwork(row)
		if err != nil {
			leftOut = append(leftOut, fmt.Sprintf("%s %s: %v", symbol, networkName(row, i), err))
			continue
		}
		networks = append(networks, n)
	}

	return networks, leftOut, nil
}

// readNetwork reads one network. Errors: why it cannot be offered.
func readNetwork(row jsontext.Value) (payment.Network, error) {
	var n network
	if err := decode(row, &n); err != nil {
		return payment.Network{}, err
	}
	if !validName(string(n.Code)) {
		return payment.Network{}, errors.New("reading network_code: not well formed")
	}

	return payment.Network{
		Name:       string(n.Name),
		Symbol:     string(n.Symbol),
		Code:       string(n.Code),
		Fee:        decimal.Decimal(n.Fee),
		MinimumUSD: n.MinimumUSD.value,
		MaximumUSD: n.MaximumUSD.value,
		MaxTTL:     n.MaxTTL.value,
		Icon:       string(n.Icon),
	}, nil
}

// currencyName is what a currency that is left out is called in the log.
func currencyName(row jsontext.Value) string {
	var c struct {
		Name label `json:"currency_name"`
	}
	_ = decode(row, &c) // a label can always be read
	return displayName(c.Name)
}

// networkName is what the network at index i, which is left out, is called in the log.
func networkName(row jsontext.Value, i int) string {
	var n struct {
		Name label `json:"network_name"`
		Code label `json:"network_code"`
	}
	_ = decode(row, &n) // a label can always be read; what is no object has none
	if n.Code == "" {
		return fmt.Sprintf("network %d (%s)", i+1, displayName(n.Name))
	}
	return displayName(n.Code)
}

// displayName is a name of the gateway's, short enough for a log line.
func displayName(name label) string {
	if name == "" {
		return "no name"
	}
	return shorten(string(name), 40)
}
