package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"

	"github.com/go-json-experiment/json/jsontext"
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
	return fetch(ctx, c, k, c.readEntries)
}

func (c *Client) readEntries(
	data jsontext.Value,
) (gatewaylist.Page[gatewaylist.GatewayRecord], error) {
	return readShown(data, c.readEntry)
}

// shownTransaction is a Transaction record of which nothing is decided.
type shownTransaction struct {
	TrackingCode     shown     `json:"tracking_code"`
	Status           shown     `json:"status"`
	OrderID          shown     `json:"order_id"`
	PaymentURL       shown     `json:"payment_url"`
	CurrencyCode     shown     `json:"currency_code"`
	CurrencyName     shown     `json:"currency_name"`
	NetworkCode      shown     `json:"network_code"`
	NetworkName      shown     `json:"network_name"`
	AmountUSD        shown     `json:"amount_usd"`
	PayAmount        shown     `json:"pay_amount"`
	PaidAmount       shown     `json:"paid_amount"`
	PlatformShare    shown     `json:"platform_share"`
	MerchantShare    shown     `json:"merchant_share"`
	FeePercent       shown     `json:"payment_fee_percent"`
	TolerancePercent shown     `json:"payment_tolerance_percent"`
	CancelledByUser  flag      `json:"is_canceled_by_user"`
	TxID             shown     `json:"tx_id"`
	TxURL            shown     `json:"tx_explorer_url"`
	Email            shown     `json:"email"`
	Comment          shown     `json:"comment"`
	PaidAt           timestamp `json:"paid_at"`
	CreatedAt        timestamp `json:"created_at"`
	ExpiresAt        timestamp `json:"expired_at"`
}

func (c *Client) readEntry(row jsontext.Value) (gatewaylist.GatewayRecord, error) {
	var t shownTransaction
	if err := decode(row, &t); err != nil {
		return gatewaylist.GatewayRecord{}, err
	}

	return gatewaylist.GatewayRecord{
		TrackingCode:     c.printable(t.TrackingCode),
		Status:           lower(c.printable(t.Status)),
		OrderID:          c.printable(t.OrderID),
		PaymentURL:       c.printable(t.PaymentURL),
		CurrencyCode:     c.printable(t.CurrencyCode),
		CurrencyName:     c.printable(t.CurrencyName),
		NetworkCode:      c.printable(t.NetworkCode),
		NetworkName:      c.printable(t.NetworkName),
		AmountUSD:        c.printable(t.AmountUSD),
		PayAmount:        c.printable(t.PayAmount),
		PaidAmount:       c.printable(t.PaidAmount),
		PlatformShare:    c.printable(t.PlatformShare),
		MerchantShare:    c.printable(t.MerchantShare),
		FeePercent:       c.printable(t.FeePercent),
		TolerancePercent: c.printable(t.TolerancePercent),
		CancelledByUser:  bool(t.CancelledByUser),
		TxID:             c.printable(t.TxID),
		TxURL:            c.printable(t.TxURL),
		Email:            c.printable(t.Email),
		Comment:          c.printable(t.Comment),
		PaidAt:           time.Time(t.PaidAt),
		CreatedAt:        time.Time(t.CreatedAt),
		ExpiresAt:        time.Time(t.ExpiresAt),
	}, nil
}

// maxShown bounds a text that is only shown, in characters.
const maxShown = 1000

// printable returns a text that is not without end, and without the key, should the gateway
// repeat it.
func (c *Client) printable(text shown) string { return shorten(c.hide(string(text)), maxShown) }

// shownPagination is where a page that is only shown stands.
type shownPagination struct {
	Page     count `json:"page"`
	Limit    count `json:"limit"`
	Total    count `json:"total"`
	LastPage count `json:"last_page"`
}

// readShown reads the data of a list answer that is only shown. Where the page stands may be
// missing.
func readShown[T any](
	data jsontext.Value, read func(row jsontext.Value) (T, error),
) (page gatewaylist.Page[T], err error) {
	rows, pages, err := readList(data)
	if err != nil {
		return page, err
	}

	items := make([]T, 0, len(rows))
	for i, row := range rows {
		item, err := read(row)
		if err != nil {
			return page, fmt.Errorf("reading item %d: %w", i, err)
		}
		items = append(items, item)
	}

	var p shownPagination
	_ = decode(pages, &p) // a count can always be read; what is no object has none
	return gatewaylist.Page[T]{
		Items: items,
		Paging: gatewaylist.Paging{
			Page:     int(p.Page),
			Limit:    int(p.Limit),
			Total:    int(p.Total),
			LastPage: int(p.LastPage),
		},
	}, nil
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
		name:   "withdrawals",
		method: http.MethodGet,
		path:   "/api/v1/merchant/withdrawals/list",
		query:  listValues(q),
	}
	return fetch(ctx, c, k, c.readWithdrawals)
}

func (c *Client) readWithdrawals(
	data jsontext.Value,
) (gatewaylist.Page[gatewaylist.Withdrawal], error) {
	return readShown(data, c.readWithdrawal)
}

// withdrawal is a Withdrawal record. Source: gateway-api.md, "Withdrawal record".
type withdrawal struct {
	TrackingCode shown     `json:"tracking_code"`
	CurrencyName shown     `json:"currency_name"`
	NetworkName  shown     `json:"network_name"`
	Destination  shown     `json:"destination_address"`
	AmountUSD    shown     `json:"amount_usd"`
	Status       shown     `json:"status"`
	TxID         shown     `json:"tx_id"`
	TxURL        shown     `json:"tx_explorer_url"`
	CreatedAt    timestamp `json:"created_at"`
}

func (c *Client) readWithdrawal(row jsontext.Value) (gatewaylist.Withdrawal, error) {
	var w withdrawal
	if err := decode(row, &w); err != nil {
		return gatewaylist.Withdrawal{}, err
	}

	amountText := c.printable(w.AmountUSD)
	amountUSD, known := parseDollars(amountText)
	return gatewaylist.Withdrawal{
		TrackingCode: c.printable(w.TrackingCode),
		CurrencyName: c.printable(w.CurrencyName),
		NetworkName:  c.printable(w.NetworkName),
		Destination:  c.printable(w.Destination),
		AmountText:   amountText,
		AmountUSD:    amountUSD,
		AmountKnown:  known,
		Status:       lower(c.printable(w.Status)),
		TxID:         c.printable(w.TxID),
		TxURL:        c.printable(w.TxURL),
		CreatedAt:    time.Time(w.CreatedAt),
	}, nil
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
