package gateway

import (
	"context"
	"net/http"
	"strings"

	"coinslot/bff/reconcile"

	"github.com/shopspring/decimal"
)

// Withdrawals returns one page of the merchant's withdrawals. Items is never
// nil. Dates and errors are as for Transactions, but that what cannot be read of
// an item is left out: nothing is decided by it.
//
// Source: gateway-api.md, "GET /api/v1/merchant/withdrawals/list".
func (c *Client) Withdrawals(
	ctx context.Context, q reconcile.WithdrawalQuery,
) (reconcile.WithdrawalPage, error) {
	sel := selection{q.Limit, q.Page, q.From, q.To, q.Status}
	if err := sel.check("pending", "processing", "confirmed"); err != nil {
		return reconcile.WithdrawalPage{}, invalid(err)
	}
	k := call{
		name: "withdrawals", method: http.MethodGet, path: "/api/v1/merchant/withdrawals/list",
		query: sel.values(),
	}
	var result reconcile.WithdrawalPage
	err := c.do(ctx, k, func(data any) (err error) {
		result.Items, result.Paging, err = readLenient(data, c.readWithdrawal)
		return err
	})
	if err != nil {
		return reconcile.WithdrawalPage{}, err
	}
	return result, nil
}

func (c *Client) readWithdrawal(f *fields) reconcile.Withdrawal {
	text := c.printable(f)
	w := reconcile.Withdrawal{
		TrackingCode: text("tracking_code"), CurrencyName: text("currency_name"),
		NetworkName: text("network_name"), Destination: text("destination_address"),
		AmountText: text("amount_usd"), Status: lower(text("status")), TxID: text("tx_id"),
		TxURL: text("tx_explorer_url"), CreatedAt: f.timestamp("created_at"),
	}
	w.AmountUSD, w.AmountKnown = parseDollars(w.AmountText)
	return w
}

// parseDollars reads "$1,250.00": an amount, with a dollar sign and with
// commas between groups of three digits, or without either.
func parseDollars(s string) (decimal.Decimal, bool) {
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(s, "$"), ".")
	groups := strings.Split(whole, ",")
	for i, g := range groups {
		if i > 0 && len(g) != 3 || i == 0 && len(groups) > 1 && (g == "" || len(g) > 3) {
			return decimal.Zero, false
		}
	}
	s = strings.Join(groups, "")
	if pointed {
		s += "." + fraction
	}
	return parseDecimal(s)
}
