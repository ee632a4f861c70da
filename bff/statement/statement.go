// Package statement makes the month for the accountant: every payment by the day on which it was
// paid, refunds, and the gateway's withdrawals, with sums, compared with the gateway's own lists.
//
// [Source.Read] reads a month. What it comes to is decided by pure functions of sessions and the
// gateway's records: rows.go has what a row is, compare.go whether the month equals the gateway's
// lists, sums.go its sums. The other files write it: [Statement.WriteCSV] for programs,
// [Statement.WriteExcel] for spreadsheets, [Statement.WriteJournal] for accounting. docs/statement.md
// documents them.
package statement

import (
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// The kinds of rows.
const (
	Paid    Kind = "paid"    // in time, as much as asked
	Late    Kind = "late"    // after the time to pay
	Over    Kind = "over"    // more than asked; see Row.ExcessUSD
	Partial Kind = "partial" // too little, so the order is not paid
	Double  Kind = "double"  // of an order that another payment has paid
	Review  Kind = "review"  // reported by the gateway and not proven; an operator has to decide
	// Unpaid is money of an order that an operator resolved as unpaid.
	Unpaid     Kind = "resolved_unpaid"
	Refund     Kind = "refund"     // sent back by the merchant
	Withdrawal Kind = "withdrawal" // paid out by the gateway
)

// Kind is what a row is about.
type Kind string

// Words returns k in words.
func (k Kind) Words() string {
	switch k {
	case Over:
		return "overpaid"
	case Partial:
		return "partly paid"
	case Double:
		return "paid twice"
	case Review:
		return "in review"
	case Unpaid:
		return "resolved as unpaid"
	}
	return string(k)
}

// IsPayment reports whether a row of the kind is money that came from a shopper.
func (k Kind) IsPayment() bool { return k != Refund && k != Withdrawal }

// Row is one payment, refund or withdrawal. Amounts are positive, whichever way the money went.
type Row struct {
	At   time.Time // in the zone of the shop
	Kind Kind

	OrderRef     string // empty = none, or a withdrawal
	Session      string // empty = a withdrawal
	Attempt      int    // of the session; zero = a refund or a withdrawal
	TrackingCode string // at the gateway; empty = a refund
	// Status is the gateway's word for a withdrawal: pending, processing, confirmed or another one.
	Status      string
	Destination string // address that a withdrawal went to
	Late        bool   // also of other kinds than Late

	// Gross is what the money is worth in Currency, the shop's, as far as that is known.
	Gross      decimal.Decimal
	Currency   string // ISO 4217
	GrossKnown bool
	// GrossUSD is the same in dollars, or what was withdrawn; Valued reports whether it is known.
	GrossUSD decimal.Decimal
	Valued   bool
	// ExcessUSD is the part of GrossUSD above the price.
	ExcessUSD decimal.Decimal
	// Rate is the dollars for one unit of Currency; empty = the price is in dollars, or not known.
	Rate string

	Symbol, Network string          // "USDT", "trc20"
	Amount          decimal.Decimal // in the coin; of a withdrawal, it is not known

	// The gateway's fee, as the gateway wrote it; empty = it wrote none.
	PlatformShare, MerchantShare, FeePercent string
	// FeeUSD is the gateway's share in dollars if FeeKnown: the shares add up to the price.
	FeeUSD   decimal.Decimal
	FeeKnown bool

	TxIDs []string // on the blockchain, the oldest first
}

// NetUSD returns what is left of the money after the gateway's fee, as far as that is known.
func (r Row) NetUSD() decimal.Decimal { return r.GrossUSD.Sub(r.FeeUSD) }

// Coin returns the coin on its network, "USDT-TRC20".
func (r Row) Coin() string { return coinName(r.Symbol, r.Network) }

func coinName(symbol, network string) string {
	return strings.ToUpper(strings.Trim(symbol+"-"+network, "-"))
}

// State is whether a month is done.
type State string

// The states of a month.
const (
	Open      State = "open"      // it is not over
	Closed    State = "closed"    // it is over, and equals the gateway's lists
	Differs   State = "differs"   // it is over, and does not
	Unchecked State = "unchecked" // it is over, and the gateway's lists could not be read
)

// Statement is a month.
type Statement struct {
	Month Month
	Zone  *time.Location
	Shop  string    // its name; empty = not set
	Test  bool      // of a sandbox: no money is real
	Read  time.Time // when it was read, in Zone

	Rows     []Row // the oldest first
	Days     []DaySum
	Coins    []CoinSum
	Total    Sum
	Findings []Finding // why the month is not closed, or would not be if it were over
	State    State

	compared bool // the gateway's lists were read completely
}

// Sentence says how the month stands.
func (s Statement) Sentence() string {
	name := s.Month.Name()
	compared := "it equals the gateway's own lists"
	switch {
	case !s.compared:
		compared = "it is not compared with the gateway's own lists, which could not be read " +
			"completely"
	case len(s.Findings) > 0:
		compared = "it differs from the gateway's own lists, or is not settled, in " +
			plural(len(s.Findings), "case") + ", which are listed with their reasons"
	}

	switch s.State {
	case Open:
		return name + " is open: it is not over. So far, " + compared + "."
	case Closed:
		return name + " is closed: " + compared + " of confirmed payments and withdrawals."
	}
	return name + " is not closed: " + compared + "."
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Title names the statement: "Statement of November 2026, Shop".
func (s Statement) Title() string {
	title := "Statement of " + s.Month.Name()
	if s.Shop != "" {
		title += ", " + s.Shop
	}
	if s.Test {
		title += " (test: no real money)"
	}
	return title
}

// Assumptions are what the statement takes for granted, because the gateway documents neither.
func Assumptions() []string {
	return []string{
		"The gateway does not document the unit of its shares. They count as dollars where both " +
			"add up to the price in dollars, and otherwise no fee is counted.",
		"The gateway states one time of payment for each transaction. An amount for which it " +
			"states none has the time at which it was first seen here.",
		"Money that is not the price (a part, an excess, a second payment) is worth what the " +
			"gateway's quote of the payment says, rounded to cents. Whether the gateway pays it " +
			"out is not documented.",
		"The gateway states withdrawals in dollars and their time of creation only.",
		"A refund is worth what the coin was worth in the payment.",
	}
}

// Text returns exact decimal text with at least two fractional digits, and no zeros behind them.
func Text(d decimal.Decimal) string { return exact(d, 2) }

// exact returns decimal text with all digits that are not zeros at the end, and at least places.
func exact(d decimal.Decimal, places int32) string {
	text := d.StringFixed(max(places, -d.Exponent()))
	whole, fraction, found := strings.Cut(text, ".")
	if !found {
		return text
	}
	kept := fraction[:places] + strings.TrimRight(fraction[places:], "0")
	if kept == "" {
		return whole
	}
	return whole + "." + kept
}
