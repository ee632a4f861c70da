package gateway

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// WithdrawalQuery selects withdrawals. Zero fields are not sent.
type WithdrawalQuery struct {
	Limit    int       // 1…50
	Page     int       // from 1
	From, To time.Time // dates, given together, at most 30 days apart
	Status   string    // pending, processing, confirmed
}

// Withdrawal is one payout to the merchant.
// Source: gateway-api.md, "Withdrawal record".
type Withdrawal struct {
	TrackingCode string
	CurrencyName string
	NetworkName  string
	Destination  string          // address
	AmountText   string          // as the gateway wrote it: "$1,250.00"
	AmountUSD    decimal.Decimal // AmountText read as a decimal; valid if AmountKnown
	AmountKnown  bool            // false if AmountText is empty or not an amount
	Status       string          // lower case; pending, processing, confirmed or something new
	TxID         string          // empty = none
	TxURL        string          // empty = none
	CreatedAt    time.Time       // zero = unset or not plausible
}

// WithdrawalPage is one page of the list.
type WithdrawalPage struct {
	Items    []Withdrawal
	Page     int
	LastPage int
	Total    int
}

// Withdrawals returns one page of the merchant's withdrawals. Items is never
// nil. Dates and errors are as for Transactions.
//
// Source: gateway-api.md, "GET /api/v1/merchant/withdrawals/list".
func (c *Client) Withdrawals(ctx context.Context, q WithdrawalQuery) (WithdrawalPage, error) {
	sel := selection{q.Limit, q.Page, q.From, q.To, q.Status}
	if err := sel.check("pending", "processing", "confirmed"); err != nil {
		return WithdrawalPage{}, invalid(err)
	}
	k := call{
		name: "withdrawals", method: http.MethodGet, path: "/api/v1/merchant/withdrawals/list",
		query: sel.values(),
	}
	var result WithdrawalPage
	err := c.do(ctx, k, func(data any) error {
		items, p, err := readPage(data, readWithdrawal)
		result = WithdrawalPage{Items: items, Page: p.page, LastPage: p.last, Total: p.total}
		return err
	})
	if err != nil {
		return WithdrawalPage{}, err
	}
	return result, nil
}

func readWithdrawal(item any) (Withdrawal, error) {
	f := open(item)
	w := Withdrawal{
		TrackingCode: f.text("tracking_code"),
		CurrencyName: f.label("currency_name"),
		NetworkName:  f.label("network_name"),
		Destination:  f.label("destination_address"),
		AmountText:   f.label("amount_usd"),
		Status:       f.status(),
		TxID:         f.label("tx_id"),
		TxURL:        f.label("tx_explorer_url"),
		CreatedAt:    f.moment("created_at"),
	}
	if f.err != nil {
		return Withdrawal{}, f.err
	}
	w.AmountUSD, w.AmountKnown = parseDollars(w.AmountText)
	return w, nil
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
