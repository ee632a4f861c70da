package sandbox

import (
	"errors"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// places is how many fractional digits the gateway's amounts have.
const places = 8

// Status is the state of a transaction as the API names it.
type Status string

// The states of a transaction.
const (
	Pending   Status = "pending"
	Confirmed Status = "confirmed"
	Expired   Status = "expired"
	Cancelled Status = "cancelled"
)

// Kind is something that can happen to a transaction without the merchant. Amounts are what a
// wallet can send: rounded to the token's digits, upwards where something is to be paid in full.
type Kind string

// The kinds of [Server.Pay].
const (
	KindPay       Kind = "pay"       // what is still missing arrives
	KindHalf      Kind = "half"      // half of pay_amount arrives
	KindOver      Kind = "over"      // what is missing and a tenth of pay_amount arrives
	KindParts     Kind = "parts"     // half arrives; the second time, the rest
	KindTolerated Kind = "tolerated" // what is missing arrives, less half the tolerance
	KindTenfold   Kind = "tenfold"   // ten times pay_amount too much arrives, for a review
	KindLate      Kind = "late"      // the transaction expires, then what is missing arrives
	KindExpire    Kind = "expire"    // the window ends now
	KindCancel    Kind = "cancel"    // the payer cancels
)

// Kinds returns every kind, in the order of the control page.
func Kinds() []Kind {
	return []Kind{
		KindPay, KindHalf, KindParts, KindOver, KindTenfold, KindTolerated, KindLate, KindExpire,
		KindCancel,
	}
}

// What can be wrong with a change of a transaction.
var (
	ErrUnknownCode = errors.New("no transaction has this tracking code")
	ErrUnknownKind = errors.New("unknown kind")
	ErrNotPending  = errors.New("the transaction is not pending")
	ErrPaid        = errors.New("the transaction is paid already")
	ErrAmount      = errors.New("the amount is not a positive decimal number")
	errNotEnded    = errors.New("the transaction is neither expired nor cancelled")
	errUnpaid      = errors.New("no completed payment was found")
)

// Transaction is everything that the simulated gateway knows about one payment. Amounts are exact.
type Transaction struct {
	TrackingCode string `json:"tracking_code"`
	Status       Status `json:"status"`
	// OrderID is the merchant's, or a seven-digit number if it gave none.
	OrderID      int64 `json:"order_id"`
	OrderIDGiven bool  `json:"order_id_given"`

	CurrencySymbol string `json:"currency_symbol"`
	CurrencyName   string `json:"currency_name"`
	NetworkCode    string `json:"network_code"`
	NetworkName    string `json:"network_name"`
	Chain          string `json:"chain"`
	Family         Family `json:"family"`
	Decimals       int32  `json:"decimals"` // what a transfer can carry, at most 8

	AmountUSD        decimal.Decimal `json:"amount_usd"`
	PriceInUSDT      decimal.Decimal `json:"price_in_usdt"`
	PayAmount        decimal.Decimal `json:"pay_amount"`
	PlatformShare    decimal.Decimal `json:"platform_share"`
	MerchantShare    decimal.Decimal `json:"merchant_share"`
	FeePercent       decimal.Decimal `json:"payment_fee_percent"`
	TolerancePercent decimal.Decimal `json:"payment_tolerance_percent"`

	PaymentURL    string `json:"payment_url"`
	WalletAddress string `json:"wallet_address"`
	ExplorerURL   string `json:"explorer_url"` // a transaction id is appended

	Email       string `json:"email"`
	Comment     string `json:"comment"`
	CallbackURL string `json:"callback_url"`
	TTL         int    `json:"ttl"` // minutes

	CancelledByUser bool       `json:"is_canceled_by_user"`
	Transfers       []Transfer `json:"transfers"` // oldest first
	CreatedAt       time.Time  `json:"created_at"`
	ExpiredAt       time.Time  `json:"expired_at"` // end of the window, a whole second
	// of the transfer that completed; zero = not confirmed
	PaidAt time.Time `json:"paid_at"`
}

// Transfer is one payment to a transaction's address.
type Transfer struct {
	Amount decimal.Decimal `json:"amount"`
	TxID   string          `json:"tx_id"`
	At     time.Time       `json:"at"`
	// Seen is whether the gateway knows of it: while pending at once, after the
	// end by a recheck, after confirmation never.
	Seen bool `json:"seen"`
}

// transactionID returns a new transaction id; the Server's source outside of tests.
type transactionID func(Family) string

// price fills in the amounts that follow from AmountUSD and PriceInUSDT, which the gateway's page
// does not define: pay_amount is rounded up, and so the merchant's disadvantage never;
// platform_share is rounded half away from zero; both shares add up to amount_usd.
func (t *Transaction) price() {
	t.PayAmount = divideUp(t.AmountUSD, t.PriceInUSDT)
	t.PlatformShare = t.AmountUSD.Mul(t.FeePercent).Div(decimal.NewFromInt(100)).Round(places)
	t.MerchantShare = t.AmountUSD.Sub(t.PlatformShare)
}

func divideUp(a, b decimal.Decimal) decimal.Decimal {
	quotient, rest := a.QuoRem(b, places)
	if rest.IsPositive() {
		quotient = quotient.Add(decimal.New(1, -places))
	}
	return quotient
}

// expireIfDue lets the window end if now is at or after its end.
func (t *Transaction) expireIfDue(now time.Time) {
	if t.Status == Pending && !now.Before(t.ExpiredAt) {
		t.Status = Expired
	}
}

// apply makes kind happen. Errors: ErrUnknownKind, ErrPaid, ErrNotPending.
func (t *Transaction) apply(kind Kind, now time.Time, id transactionID) error {
	t.expireIfDue(now)
	switch kind {
	case KindPay, KindHalf, KindParts, KindOver, KindTenfold, KindTolerated, KindLate:
		return t.pay(kind, now, id)
	case KindExpire:
		return t.expire(now)
	case KindCancel:
		return t.cancel(true)
	}
	return ErrUnknownKind
}

// pay makes a kind of payment happen. Errors: ErrPaid.
func (t *Transaction) pay(kind Kind, now time.Time, id transactionID) error {
	amount, err := t.amountOf(kind)
	if err != nil {
		return err
	}
	if kind == KindLate && t.Status == Pending {
		if err := t.expire(now); err != nil {
			return err
		}
	}
	t.receive(amount, now, id)
	return nil
}

// amountOf returns how much arrives by a kind of payment; at least the smallest
// amount that can be sent. Errors: ErrPaid if nothing is missing.
func (t *Transaction) amountOf(kind Kind) (decimal.Decimal, error) {
	missing := t.PayAmount.Sub(t.arrived())
	if t.Status == Confirmed || !missing.IsPositive() {
		return decimal.Zero, ErrPaid
	}

	half := t.PayAmount.Div(decimal.NewFromInt(2)).RoundFloor(t.Decimals)
	amount := missing
	switch {
	case kind == KindHalf, kind == KindParts && len(t.Transfers) == 0:
		amount = half
	case kind == KindOver:
		amount = missing.Add(t.PayAmount.Div(decimal.NewFromInt(10)))
	case kind == KindTenfold:
		amount = missing.Add(t.PayAmount.Mul(decimal.NewFromInt(10)))
	case kind == KindTolerated:
		amount = missing.Sub(t.PayAmount.Sub(t.minimum()).Div(decimal.NewFromInt(2)))
	}

	return decimal.Max(amount.RoundCeil(t.Decimals), decimal.New(1, -t.Decimals)), nil
}

// receive adds a transfer. Only a pending transaction is being watched, so only
// then does the gateway see it and judge.
func (t *Transaction) receive(amount decimal.Decimal, now time.Time, id transactionID) {
	t.expireIfDue(now)
	t.Transfers = append(t.Transfers, Transfer{Amount: amount, TxID: id(t.Family), At: now})
	if t.Status == Pending {
		t.checkTransfers()
	}
}

// checkTransfers sees every transfer and confirms if they are enough.
func (t *Transaction) checkTransfers() {
	for i := range t.Transfers {
		t.Transfers[i].Seen = true
	}
	last := t.lastSeen()
	if last != nil && t.paid().GreaterThanOrEqual(t.minimum()) {
		t.Status = Confirmed
		t.PaidAt = last.At
	}
}

// recheck looks at the chain again. Errors: errNotEnded, errUnpaid.
func (t *Transaction) recheck() error {
	if t.Status != Expired && t.Status != Cancelled {
		return errNotEnded
	}
	t.checkTransfers()
	if t.Status != Confirmed {
		return errUnpaid
	}
	return nil
}

// cancel ends a pending transaction; byUser says that the payer did it rather
// than the merchant. Errors: ErrNotPending.
func (t *Transaction) cancel(byUser bool) error {
	if t.Status != Pending {
		return ErrNotPending
	}
	t.Status = Cancelled
	t.CancelledByUser = byUser
	return nil
}

// expire ends the window of a pending transaction now. Errors: ErrNotPending.
func (t *Transaction) expire(now time.Time) error {
	if t.Status != Pending {
		return ErrNotPending
	}
	t.Status = Expired
	t.ExpiredAt = now.Truncate(time.Second)
	return nil
}

func (t *Transaction) minimum() decimal.Decimal {
	hundred := decimal.NewFromInt(100)
	return t.PayAmount.Mul(hundred.Sub(t.TolerancePercent)).Div(hundred)
}

// paid returns the sum of what the gateway has seen.
func (t *Transaction) paid() decimal.Decimal {
	unseen := func(m Transfer) bool { return !m.Seen }
	return sum(slices.DeleteFunc(slices.Clone(t.Transfers), unseen))
}

func (t *Transaction) arrived() decimal.Decimal { return sum(t.Transfers) }

func sum(transfers []Transfer) (all decimal.Decimal) {
	for _, m := range transfers {
		all = all.Add(m.Amount)
	}
	return all
}

// lastSeen returns the youngest transfer that the gateway knows, nil if none.
func (t *Transaction) lastSeen() *Transfer {
	for i := range slices.Backward(t.Transfers) {
		if t.Transfers[i].Seen {
			return &t.Transfers[i]
		}
	}
	return nil
}

func (t *Transaction) clone() Transaction {
	c := *t
	c.Transfers = slices.Clone(t.Transfers)
	return c
}
