package payment

import (
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// Object is a session in the API and in webhooks. Amounts are exact decimal text, in the coin
// unless the name says USD, empty if not applicable; times are in UTC, nil if unset. Members that
// the order did not set are empty; maps and slices are never nil. docs/api.md documents the JSON.
type Object struct {
	// "cs_…"; anyone who knows it may see and pay the session
	ID     string      `json:"id"`
	Object string      `json:"object"` // "session"
	URL    string      `json:"url"`    // of the page to send the shopper to
	Status wire.Status `json:"status"` // release goods on wire.Confirmed only
	// from 1, only grows: of two Objects the higher is the newer
	Version int64 `json:"version"`
	Test    bool  `json:"test"` // no real money moves
	// Amount is the merchant's price in Currency, an ISO 4217 code, with the digits of the
	// currency. AmountUSD is what is charged; Rate is how it was converted, nil if in dollars.
	Amount     string            `json:"amount"`
	Currency   string            `json:"currency"`
	AmountUSD  string            `json:"amount_usd"`
	Rate       *wire.Rate        `json:"rate"`
	OrderRef   string            `json:"order_ref"`
	ShopName   string            `json:"shop_name"`
	Title      string            `json:"title"`
	Descr      string            `json:"description"`
	Email      string            `json:"email"`
	Metadata   map[string]string `json:"metadata"`
	Currencies []string          `json:"currencies"` // as in [Order]; empty = all
	SuccessURL string            `json:"success_url"`
	CancelURL  string            `json:"cancel_url"`
	Lang       string            `json:"lang"`
	CreatedAt  time.Time         `json:"created_at"`
	ExpiresAt  time.Time         `json:"expires_at"` // no first choice of a coin after this
	CheckedAt  *time.Time        `json:"checked_at"` // the gateway's last answer; nil = none yet
	// Late, OverpaidAmount and MissingAmount describe the current attempt.
	Late           bool   `json:"late"` // paid after the end
	OverpaidAmount string `json:"overpaid_amount"`
	MissingAmount  string `json:"missing_amount"`
	// ReviewReason is why an operator must look at it, see docs/webhooks.md; empty if none
	// needs to. A confirmed session may have one, and stays confirmed.
	ReviewReason string `json:"review_reason"`
	// Receipt is the signed proof of a confirmed session (docs/verify.md), else empty.
	Receipt string `json:"receipt"`
	// ErasedAt is when personal data was erased; absent = never. Deleted means that only what
	// identifies late payments is left.
	ErasedAt *time.Time      `json:"erased_at,omitempty"`
	Deleted  bool            `json:"deleted,omitempty"`
	Attempts []AttemptObject `json:"attempts"` // the oldest first
	Timeline []TimelineEntry `json:"timeline"` // likewise
	// Refunds are what the merchant has recorded as sent back, the oldest first.
	Refunds []RefundObject `json:"refunds"`
	// Warnings are in the answer to the request that opened the session if the order is
	// probably wrong.
	Warnings []Warning `json:"warnings,omitempty"`
}

// Warning describes a probable mistake in an accepted order.
type Warning struct {
	Param  string `json:"param"` // the member, "currencies"
	Detail string `json:"detail"`
}

// AttemptObject is an attempt in the API. Amounts and times are as in [Object].
type AttemptObject struct {
	Number         int    `json:"number"` // from 1
	Status         State  `json:"status"`
	OrderID        int    `json:"order_id"`      // six digits, as sent to the gateway; zero = none
	TrackingCode   string `json:"tracking_code"` // of the gateway; empty = unknown so far
	CurrencySymbol string `json:"currency_symbol"`
	NetworkCode    string `json:"network_code"`
	Address        string `json:"address"`    // where to pay; empty = unknown so far
	PayAmount      string `json:"pay_amount"` // as the gateway wrote it
	PaidAmount     string `json:"paid_amount"`
	MissingAmount  string `json:"missing_amount"`
	OverpaidAmount string `json:"overpaid_amount"`
	// "1"; at most [MaxTolerancePercent]
	TolerancePercent string `json:"tolerance_percent"`
	Late             bool   `json:"late"`   // paid after the end
	Reason           string `json:"reason"` // of refused and review; empty otherwise
	TxID             string `json:"tx_id"`  // on the blockchain; empty = unknown
	TxURL            string `json:"tx_url"` // https, or empty
	// all that the gateway has reported, in order; TxID is one of them
	Transactions []Tx `json:"transactions"`
	// the gateway's hosted page; empty = not shown
	PaymentURL string     `json:"payment_url"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"` // end of the time to pay
	PaidAt     *time.Time `json:"paid_at"`
}

// RefundObject is a refund in the API. Amounts and times are as in [Object].
type RefundObject struct {
	Amount         string    `json:"amount"` // in the coin
	CurrencySymbol string    `json:"currency_symbol"`
	NetworkCode    string    `json:"network_code"`
	TxID           string    `json:"tx_id"`
	TxURL          string    `json:"tx_url"` // https, or empty; see [Session.RefundURL]
	Reason         string    `json:"reason"` // of the merchant; empty = none, or erased
	RecordedAt     time.Time `json:"recorded_at"`
}

// EventOptions configures [Session.Object].
type EventOptions struct {
	// Page is the base URL of the checkout pages, "https://pay.shop.example/checkout/".
	Page    string
	Receipt Receipt // nil = none
	Coins   Coins   // nil = eight fractional digits for every coin
}

// Digits returns how many fractional digits a's coin can carry.
func (a *Attempt) Digits(coins Coins) int32 {
	if coins == nil {
		return 8
	}
	return coins.Places(a.CurrencySymbol, a.NetworkCode)
}

// Receipt signs the proof that a session is confirmed, "" for one that is not; receipt.Signer
// implements it.
type Receipt func(s *Session) string

// Of returns the receipt of s; "" if r is nil.
func (r Receipt) Of(s *Session) string {
	if r == nil {
		return ""
	}
	return r(s)
}

// Object returns s as in the API.
func (s *Session) Object(opts EventOptions) Object {
	_, code := s.Order.Price()
	o := Object{
		ID:         s.ID,
		Object:     "session",
		URL:        opts.Page + s.ID,
		Status:     s.Status,
		Version:    s.Version,
		Test:       s.Test,
		Amount:     s.Order.PriceText(),
		Currency:   code,
		AmountUSD:  s.Order.AmountUSD.StringFixed(2),
		Rate:       s.Order.Rate,
		OrderRef:   s.Order.Ref,
		ShopName:   s.Order.ShopName,
		Title:      s.Order.Title,
		Descr:      s.Order.Description,
		Email:      s.Order.Email,
		Metadata:   s.Order.Metadata,
		Currencies: s.Order.Currencies,
		SuccessURL: s.Order.SuccessURL,
		CancelURL:  s.Order.CancelURL,
		Lang:       s.Order.Lang,
		CreatedAt:  s.CreatedAt.UTC(),
		ExpiresAt:  s.ExpiresAt.UTC(),
		CheckedAt:  utcOrNil(s.CheckedAt),
		Receipt:    opts.Receipt.Of(s),
		ErasedAt:   utcOrNil(s.ErasedAt),
		Deleted:    s.Deleted,
		Attempts:   []AttemptObject{},
		Timeline:   s.Timeline,
		Refunds:    []RefundObject{},
	}
	for _, r := range s.Refunds {
		o.Refunds = append(o.Refunds, RefundObject{
			Amount:         FormatAmount(r.Amount),
			CurrencySymbol: r.CurrencySymbol,
			NetworkCode:    r.NetworkCode,
			TxID:           r.TxID,
			TxURL:          s.RefundURL(r, opts.Coins),
			Reason:         r.Reason,
			RecordedAt:     r.RecordedAt.UTC(),
		})
	}
	for i := range s.Attempts {
		o.Attempts = append(o.Attempts, s.Attempts[i].object(opts.Coins))
	}
	if a := s.Current(); a != nil {
		digits := a.Digits(opts.Coins)
		o.Late, o.OverpaidAmount, o.MissingAmount = a.Late, a.Overpaid(digits), a.Missing(digits)
		switch a.State {
		case InReview:
			o.ReviewReason = a.Reason
		case Confirmed:
			o.ReviewReason = a.Alert
		}
	}
	return o.withoutNil()
}

// withoutNil replaces nil by empty, so that members keep their JSON type.
func (o Object) withoutNil() Object {
	if o.Metadata == nil {
		o.Metadata = map[string]string{}
	}
	if o.Currencies == nil {
		o.Currencies = []string{}
	}
	if o.Timeline == nil {
		o.Timeline = []TimelineEntry{}
	}
	if o.Refunds == nil {
		o.Refunds = []RefundObject{}
	}
	return o
}

func (a *Attempt) object(coins Coins) AttemptObject {
	digits := a.Digits(coins)
	return AttemptObject{
		Number:           a.Number,
		Status:           a.State,
		OrderID:          a.OrderID,
		TrackingCode:     a.TrackingCode,
		CurrencySymbol:   a.CurrencySymbol,
		NetworkCode:      a.NetworkCode,
		Address:          a.Address,
		PayAmount:        a.PayText,
		PaidAmount:       a.PaidText(),
		MissingAmount:    a.Missing(digits),
		OverpaidAmount:   a.Overpaid(digits),
		TolerancePercent: FormatAmount(a.Tolerance),
		Late:             a.Late,
		Reason:           a.Reason,
		TxID:             a.TxID,
		TxURL:            ExplorerURL(a.TxURL),
		Transactions:     a.shownTxs(),
		PaymentURL:       a.PaymentURL,
		CreatedAt:        a.StartedAt.UTC(),
		ExpiresAt:        utcOrNil(a.ExpiresAt),
		PaidAt:           utcOrNil(a.PaidAt),
	}
}

// shownTxs returns the transactions with links that are safe to follow; never nil.
func (a *Attempt) shownTxs() []Tx {
	list := []Tx{}
	for _, tx := range a.Txs {
		list = append(list, Tx{tx.ID, ExplorerURL(tx.URL)})
	}
	return list
}

// PaidText returns decimal text in the coin; "" for none.
func (a *Attempt) PaidText() string { return amountOrNone(a.Paid) }

// amountOrNone returns decimal text; "" for zero.
func amountOrNone(amount decimal.Decimal) string {
	if amount.IsZero() {
		return ""
	}
	return FormatAmount(amount)
}

// Missing returns the missing amount, rounded up to digits; "" for none.
func (a *Attempt) Missing(digits int32) string {
	if !a.underpaid() {
		return ""
	}
	return FormatAmount(a.PayAmount.Sub(a.Paid).RoundCeil(digits))
}

// Overpaid returns the excess over the payable amount, which is rounded up to digits; "" for none.
func (a *Attempt) Overpaid(digits int32) string {
	return amountOrNone(a.overpaid(digits))
}

// overpaid is Overpaid as a number; zero for none.
func (a *Attempt) overpaid(digits int32) decimal.Decimal {
	if !a.PayAmount.IsPositive() {
		return decimal.Zero
	}
	return decimal.Max(a.Paid.Sub(a.PayAmount.RoundCeil(digits)), decimal.Zero)
}

func utcOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
