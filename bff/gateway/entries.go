package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// TransactionRecords is Transactions for display: every member of each item, as the gateway
// writes it. What cannot be read is left out.
//
// Errors: those of Transactions, except about single members.
//
// Source: gateway-api.md, "GET /api/v1/merchant/transaction/list".
func (c *Client) TransactionRecords(
	ctx context.Context, q payment.ListQuery,
) (page gatewaylist.Page[gatewaylist.GatewayRecord], err error) {
	k, err := listCall(q)
	if err != nil {
		return page, err
	}
	return fetch(ctx, c, k, lenient(c.readEntry))
}

func (c *Client) readEntry(f *fields) gatewaylist.GatewayRecord {
	text := c.printable(f)
	return gatewaylist.GatewayRecord{
		TrackingCode: text("tracking_code"), Status: lower(text("status")),
		OrderID: text("order_id"), PaymentURL: text("payment_url"),
		CurrencyCode: text("currency_code"), CurrencyName: text("currency_name"),
		NetworkCode: text("network_code"), NetworkName: text("network_name"),
		AmountUSD: text("amount_usd"), PayAmount: text("pay_amount"),
		PaidAmount: text("paid_amount"), PlatformShare: text("platform_share"),
		MerchantShare: text("merchant_share"), FeePercent: text("payment_fee_percent"),
		TolerancePercent: text("payment_tolerance_percent"),
		CancelledByUser:  f.boolean("is_canceled_by_user"), TxID: text("tx_id"),
		TxURL: text("tx_explorer_url"), Email: text("email"), Comment: text("comment"),
		PaidAt: f.timestamp("paid_at"), CreatedAt: f.timestamp("created_at"),
		ExpiresAt: f.timestamp("expired_at"),
	}
}

// maxShown bounds a text that is only shown, in characters.
const maxShown = 1000

// printable reads texts of f that are only shown: on one line, not without end, and
// without the key, should the gateway repeat it. Numbers are in plain notation.
func (c *Client) printable(f *fields) func(name string) string {
	return func(name string) string {
		text, _ := numeral(f.object[name])
		return shorten(c.hide(clean(text)), maxShown)
	}
}

// lenient reads the data of a list answer that is only shown. Where a page stands may be missing.
func lenient[T any](read func(*fields) T) func(data any) (gatewaylist.Page[T], error) {
	return func(data any) (page gatewaylist.Page[T], err error) {
		rows, err := list(open(data).object["items"])
		if err != nil {
			return page, fmt.Errorf("reading items: %w", err)
		}
		page.Items = make([]T, 0, len(rows))
		for i, row := range rows {
			f := open(row)
			if f.err != nil {
				return gatewaylist.Page[T]{}, fmt.Errorf("reading item %d: %w", i, f.err)
			}
			page.Items = append(page.Items, read(f))
		}
		object, _ := open(data).object["pagination"].(map[string]any)
		at := func(name string) int { return (&fields{object: object}).integer(name) }
		page.Page, page.Limit = at("page"), at("limit")
		page.Total, page.LastPage = at("total"), at("last_page")
		return page, nil
	}
}

// Withdrawals returns one page of the merchant's withdrawals. Items is never
// nil. Dates and errors are as for Transactions, but that what cannot be read of
// an item is left out: nothing is decided by it.
//
// Source: gateway-api.md, "GET /api/v1/merchant/withdrawals/list".
func (c *Client) Withdrawals(
	ctx context.Context, q payment.ListQuery,
) (page gatewaylist.Page[gatewaylist.Withdrawal], err error) {
	if err := checkList(q, "pending", "processing", "confirmed"); err != nil {
		return page, invalid(err)
	}
	k := call{
		name: "withdrawals", method: http.MethodGet, path: "/api/v1/merchant/withdrawals/list",
		query: listValues(q),
	}
	return fetch(ctx, c, k, lenient(c.readWithdrawal))
}

func (c *Client) readWithdrawal(f *fields) gatewaylist.Withdrawal {
	text := c.printable(f)
	w := gatewaylist.Withdrawal{
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
