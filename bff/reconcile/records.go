package reconcile

import (
	"context"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/listing"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// GatewayRecords is the gateway's books as people and merchants' programs read them. No
// payment is decided by it, so it waits behind everything that one is.
type GatewayRecords interface {
	listing.Lister
	// TransactionRecords returns one page of the merchant's transactions as the gateway tells
	// them. What cannot be read is left out: it is shown, and proves nothing.
	TransactionRecords(ctx context.Context, q payment.ListQuery) (GatewayRecordPage, error)
	// Withdrawals returns one page of what was paid out to the merchant.
	Withdrawals(ctx context.Context, q WithdrawalQuery) (WithdrawalPage, error)
}

// GatewayRecord is a transaction as the gateway tells it. Amounts are as it wrote
// them, on one line; empty = absent. Source: gateway-api.md, "Transaction record".
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

	// Whose it is here; filled in by [Service.TransactionRecords].
	Session string // empty = not ours
	Attempt int
}

// GatewayRecordPage is one page of entries. Items is never nil.
type GatewayRecordPage struct {
	Items []GatewayRecord
	Paging
}

// Paging is where a page stands in a list of the gateway's; zero = not said.
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
	AmountUSD    decimal.Decimal // AmountText read as a decimal; valid if AmountKnown
	AmountKnown  bool            // false if AmountText is empty or not an amount
	Status       string          // lower case; pending, processing, confirmed or something new
	TxID         string          // empty = none
	TxURL        string          // empty = none
	CreatedAt    time.Time       // zero = unset or not plausible
}

// Amount is AmountUSD as exact text with at least two fractional digits, "1250.00";
// what the gateway wrote if that is no amount.
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

// maxDateRange is how far apart the dates of a list may be. Source: gateway-api.md, "Limits".
const maxDateRange = 30 * 24 * time.Hour

// ListDates reads the dates of a list of the gateway's, like "2026-11-20"; both
// are empty, or neither. Errors: *wire.Error with CodeInvalid and Param
// "from_date" or "to_date", also if they are more than 30 days apart.
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

// TransactionRecords returns a page of the gateway's transactions, each with the session that
// it is of. Errors: *wire.Error with CodeGatewayUnavailable; the store's.
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
		page.Items[i].PaymentURL, page.Items[i].TxURL = payment.HostedURL(
			page.Items[i].PaymentURL, c.PaymentPage,
		), payment.ExplorerURL(page.Items[i].TxURL)
	}
	return page, nil
}

// fillOwners notes whose the entries are: by their code, else by the marker in their
// comment, which is there before the code is known here.
func (c *Service) fillOwners(ctx context.Context, list []GatewayRecord) error {
	var keys []string
	for _, e := range list {
		keys = append(keys, e.TrackingCode, payment.MarkerText.FindString(e.Comment))
	}
	held, err := c.Sessions.FindAttempts(ctx, keys)
	if err != nil {
		return fmt.Errorf("looking for attempts: %w", err)
	}
	owners := map[string]payment.AttemptRef{}
	for _, h := range held {
		owners[h.Marker], owners[h.TrackingCode] = h, h
	}
	delete(owners, "")
	for i := range list {
		h, known := owners[list[i].TrackingCode]
		if !known {
			h = owners[payment.MarkerText.FindString(list[i].Comment)]
		}
		list[i].Session, list[i].Attempt = h.Session, h.Number
	}
	return nil
}

// Withdrawals returns a page of what the gateway has paid out. Errors: *wire.Error
// with CodeGatewayUnavailable.
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
