package gatewaylist

import (
	"context"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// GatewayRecords reads the gateway's records for operators and API clients. No payment is
// decided by it, so it has the lowest priority.
type GatewayRecords interface {
	Lister
	// TransactionRecords returns one page of the merchant's transactions as the gateway wrote
	// them. Unreadable members are left out: they are shown, and prove nothing.
	TransactionRecords(ctx context.Context, q payment.ListQuery) (Page[GatewayRecord], error)
	// Withdrawals returns one page of payouts to the merchant, of which q.Status may be pending,
	// processing or confirmed.
	Withdrawals(ctx context.Context, q payment.ListQuery) (Page[Withdrawal], error)
}

// GatewayRecord is a transaction as the gateway wrote it. Amounts are its text, on one line;
// empty = absent. Source: gateway-api.md, "Transaction record".
type GatewayRecord struct {
	TrackingCode string `json:"tracking_code"`
	// Status is in lower case: pending, confirmed, expired, cancelled or something new.
	Status           string    `json:"status"`
	OrderID          string    `json:"order_id"`      // as written; empty = none
	PaymentURL       string    `json:"payment_url"`   // of the gateway's own pages, or empty
	CurrencyCode     string    `json:"currency_code"` // "usdt_trc20"
	CurrencyName     string    `json:"currency_name"`
	NetworkCode      string    `json:"network_code"`
	NetworkName      string    `json:"network_name"`
	AmountUSD        string    `json:"amount_usd"`
	PayAmount        string    `json:"pay_amount"`
	PaidAmount       string    `json:"paid_amount"` // empty while nothing is paid
	PlatformShare    string    `json:"platform_share"`
	MerchantShare    string    `json:"merchant_share"`
	FeePercent       string    `json:"payment_fee_percent"`
	TolerancePercent string    `json:"payment_tolerance_percent"`
	CancelledByUser  bool      `json:"is_canceled_by_user"`
	TxID             string    `json:"tx_id"`
	TxURL            string    `json:"tx_explorer_url"` // https, or empty
	Email            string    `json:"email"`
	Comment          string    `json:"comment"`
	PaidAt           time.Time `json:"paid_at"` // zero = unset or not plausible, as the others
	CreatedAt        time.Time `json:"created_at"`
	ExpiresAt        time.Time `json:"expired_at"`

	// Its owner, set by [Reconciler.TransactionRecords].
	Session string `json:"session"` // empty = not ours
	Attempt int    `json:"attempt"`
}

// Page is one page of a gateway list. Items is never nil.
type Page[T any] struct {
	Items []T
	Paging
}

// Paging is a page's position in a gateway list; zero = unknown.
type Paging struct{ Page, Limit, Total, LastPage int }

// Withdrawal is one payout to the merchant.
// Source: gateway-api.md, "Withdrawal record".
type Withdrawal struct {
	TrackingCode string          `json:"tracking_code"`
	CurrencyName string          `json:"currency_name"`
	NetworkName  string          `json:"network_name"`
	Destination  string          `json:"destination_address"`
	AmountText   string          `json:"-"` // as the gateway wrote it: "$1,250.00"
	AmountUSD    decimal.Decimal `json:"-"` // parsed AmountText; valid if AmountKnown
	AmountKnown  bool            `json:"-"` // false if AmountText is empty or not an amount
	// Status is in lower case: pending, processing, confirmed or something new.
	Status    string    `json:"status"`
	TxID      string    `json:"tx_id"`           // empty = none
	TxURL     string    `json:"tx_explorer_url"` // empty = none
	CreatedAt time.Time `json:"created_at"`      // zero = unset or not plausible
}

// Amount returns AmountUSD as exact text with at least two fractional digits, "1250.00", or the
// gateway's text if it is not an amount.
func (w Withdrawal) Amount() string {
	if !w.AmountKnown {
		return w.AmountText
	}
	return w.AmountUSD.StringFixed(max(2, -w.AmountUSD.Exponent()))
}

// maxDateRange bounds the date range of a list. Source: gateway-api.md, "Limits".
const maxDateRange = 30 * 24 * time.Hour

// ListDates parses the dates of a gateway list, like "2026-11-20"; both are empty, or neither.
// Errors: *wire.Error with CodeInvalid and Param "from_date" or "to_date", also if they are
// more than 30 days apart.
func ListDates(first, last string) (from, to time.Time, err error) {
	if first == "" && last == "" {
		return from, to, nil
	}

	from, err = time.Parse(time.DateOnly, first)
	if err != nil {
		return from, to, payment.NewError(wire.CodeInvalid, "from_date")
	}

	to, err = time.Parse(time.DateOnly, last)
	if err != nil || to.Before(from) ||
		to.Sub(from) > maxDateRange {
		return from, to, payment.NewError(wire.CodeInvalid, "to_date")
	}

	return from, to, nil
}

// TransactionRecords returns a page of the gateway's transactions with their sessions. Errors:
// *wire.Error with CodeGatewayUnavailable; the store's.
func (r *Reconciler) TransactionRecords(
	ctx context.Context, q payment.ListQuery,
) (page Page[GatewayRecord], err error) {
	if r.Records == nil {
		return page, payment.NewError(wire.CodeGatewayUnavailable, "")
	}

	page, err = r.Records.TransactionRecords(ctx, q)
	if err != nil {
		return page, r.unavailable(ctx, "listing transactions", err)
	}
	if err := r.fillOwners(ctx, page.Items); err != nil {
		return Page[GatewayRecord]{}, err
	}

	for i := range page.Items {
		item := &page.Items[i]
		item.PaymentURL = payment.HostedURL(item.PaymentURL, r.PaymentPage)
		item.TxURL = payment.ExplorerURL(item.TxURL)
	}

	return page, nil
}

// fillOwners sets the owners of list: by tracking code, else by the marker in the comment,
// which is stored before the code.
func (r *Reconciler) fillOwners(ctx context.Context, list []GatewayRecord) error {
	var keys []string
	for _, e := range list {
		keys = append(keys, e.TrackingCode, payment.MarkerText.FindString(e.Comment))
	}

	owners, err := ownersOf(ctx, r.Sessions, keys)
	if err != nil {
		return err
	}

	for i := range list {
		h, known := owners[list[i].TrackingCode]
		if !known {
			h = owners[payment.MarkerText.FindString(list[i].Comment)]
		}
		list[i].Session = h.Session
		list[i].Attempt = h.Number
	}

	return nil
}

// Withdrawals returns a page of payouts. Errors: *wire.Error with CodeGatewayUnavailable.
func (r *Reconciler) Withdrawals(
	ctx context.Context, q payment.ListQuery,
) (page Page[Withdrawal], err error) {
	if r.Records == nil {
		return page, payment.NewError(wire.CodeGatewayUnavailable, "")
	}
	page, err = r.Records.Withdrawals(ctx, q)
	if err != nil {
		return page, r.unavailable(ctx, "listing withdrawals", err)
	}
	for i := range page.Items {
		page.Items[i].TxURL = payment.ExplorerURL(page.Items[i].TxURL)
	}
	return page, nil
}
