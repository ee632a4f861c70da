package reconcile

import (
	"context"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/listing"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// GatewayRecords reads the gateway's records for operators and API clients. No payment is
// decided by it, so it has the lowest priority.
type GatewayRecords interface {
	listing.Lister
	// TransactionRecords returns one page of the merchant's transactions as the gateway wrote
	// them. Unreadable members are left out: they are shown, and prove nothing.
	TransactionRecords(ctx context.Context, q payment.ListQuery) (GatewayRecordPage, error)
	// Withdrawals returns one page of payouts to the merchant.
	Withdrawals(ctx context.Context, q WithdrawalQuery) (WithdrawalPage, error)
}

// GatewayRecord is a transaction as the gateway wrote it. Amounts are its text, on one line;
// empty = absent. Source: gateway-api.md, "Transaction record".
type GatewayRecord struct {
	TrackingCode     string
	Status           string // lower case; pending, confirmed, expired, cancelled or something new
	OrderID          string // as written; empty = none
	PaymentURL       string // of the gateway's own pages, or empty
	CurrencyCode     string // "usdt_trc20"
	CurrencyName     string
	NetworkCode      string
	NetworkName      string
	AmountUSD        string
	PayAmount        string
	PaidAmount       string // empty while nothing is paid
	PlatformShare    string
	MerchantShare    string
	FeePercent       string
	TolerancePercent string
	CancelledByUser  bool
	TxID             string
	TxURL            string // https, or empty
	Email            string
	Comment          string
	PaidAt           time.Time // zero = unset or not plausible, as the others
	CreatedAt        time.Time
	ExpiresAt        time.Time

	// Its owner, set by [Service.TransactionRecords].
	Session string // empty = not ours
	Attempt int
}

// GatewayRecordPage is one page of records. Items is never nil.
type GatewayRecordPage struct {
	Items []GatewayRecord
	Paging
}

// Paging is a page's position in a gateway list; zero = unknown.
type Paging struct{ Page, Limit, Total, LastPage int }

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
	AmountUSD    decimal.Decimal // parsed AmountText; valid if AmountKnown
	AmountKnown  bool            // false if AmountText is empty or not an amount
	Status       string          // lower case; pending, processing, confirmed or something new
	TxID         string          // empty = none
	TxURL        string          // empty = none
	CreatedAt    time.Time       // zero = unset or not plausible
}

// Amount returns AmountUSD as exact text with at least two fractional digits, "1250.00", or the
// gateway's text if it is not an amount.
func (w Withdrawal) Amount() string {
	if !w.AmountKnown {
		return w.AmountText
	}
	return w.AmountUSD.StringFixed(max(2, -w.AmountUSD.Exponent()))
}

// WithdrawalPage is one page of the list. Items is never nil.
type WithdrawalPage struct {
	Items []Withdrawal
	Paging
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
	if from, err = time.Parse(time.DateOnly, first); err != nil {
		return from, to, payment.NewError(wire.CodeInvalid, "from_date")
	}
	if to, err = time.Parse(time.DateOnly, last); err != nil || to.Before(from) ||
		to.Sub(from) > maxDateRange {
		return from, to, payment.NewError(wire.CodeInvalid, "to_date")
	}
	return from, to, nil
}

// TransactionRecords returns a page of the gateway's transactions with their sessions. Errors:
// *wire.Error with CodeGatewayUnavailable; the store's.
func (c *Service) TransactionRecords(
	ctx context.Context, q payment.ListQuery,
) (GatewayRecordPage, error) {
	if c.Records == nil {
		return GatewayRecordPage{}, payment.NewError(wire.CodeGatewayUnavailable, "")
	}
	page, err := c.Records.TransactionRecords(ctx, q)
	if err != nil {
		return GatewayRecordPage{}, c.unavailable(ctx, "listing transactions", err)
	}
	if err := c.fillOwners(ctx, page.Items); err != nil {
		return GatewayRecordPage{}, err
	}
	for i := range page.Items {
		item := &page.Items[i]
		item.PaymentURL = payment.HostedURL(item.PaymentURL, c.PaymentPage)
		item.TxURL = payment.ExplorerURL(item.TxURL)
	}
	return page, nil
}

// fillOwners sets the owners of list: by tracking code, else by the marker in the comment,
// which is stored before the code.
func (c *Service) fillOwners(ctx context.Context, list []GatewayRecord) error {
	var keys []string
	for _, e := range list {
		keys = append(keys, e.TrackingCode, payment.MarkerText.FindString(e.Comment))
	}
	owners, err := ownersOf(ctx, c.Sessions, keys)
	if err != nil {
		return err
	}
	for i := range list {
		h, known := owners[list[i].TrackingCode]
		if !known {
			h = owners[payment.MarkerText.FindString(list[i].Comment)]
		}
		list[i].Session, list[i].Attempt = h.Session, h.Number
	}
	return nil
}

// Withdrawals returns a page of payouts. Errors: *wire.Error with CodeGatewayUnavailable.
func (c *Service) Withdrawals(ctx context.Context, q WithdrawalQuery) (WithdrawalPage, error) {
	if c.Records == nil {
		return WithdrawalPage{}, payment.NewError(wire.CodeGatewayUnavailable, "")
	}
	page, err := c.Records.Withdrawals(ctx, q)
	if err != nil {
		return WithdrawalPage{}, c.unavailable(ctx, "listing withdrawals", err)
	}
	for i := range page.Items {
		page.Items[i].TxURL = payment.ExplorerURL(page.Items[i].TxURL)
	}
	return page, nil
}
