package statement

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"coinslot/bff/currency"

	"github.com/shopspring/decimal"
)

// column is a column of the files. Each value is text, a number or a time.
type column struct {
	name string // in the file for programs
	head string // in the file for spreadsheets
	text func(Row) string
	// number returns exact decimal text; "" = not known.
	number func(Row) string
	time   func(Row) time.Time
}

// columns are documented in docs/statement.md. Programs read them by name: add new ones at the end.
func columns() []column {
	return []column{
		{name: "at", head: "Time", time: func(r Row) time.Time { return r.At }},
		{name: "kind", head: "Kind", text: func(r Row) string { return string(r.Kind) }},
		{name: "order_ref", head: "Order", text: func(r Row) string { return r.OrderRef }},
		{name: "gross", head: "Gross", number: grossText},
		{name: "currency", head: "Currency", text: func(r Row) string { return r.Currency }},
		{name: "gross_usd", head: "Gross, USD", number: grossUSDText},
		{name: "rate", head: "USD per unit", number: func(r Row) string { return r.Rate }},
		{name: "excess_usd", head: "Of it above the price, USD", number: func(r Row) string {
			return textUnlessZero(r.ExcessUSD)
		}},
		{name: "late", head: "Late", text: func(r Row) string { return yes(r.Late) }},
		{name: "coin", head: "Coin", text: func(r Row) string { return r.Symbol }},
		{name: "network", head: "Network", text: func(r Row) string { return r.Network }},
		{name: "coin_amount", head: "Amount in the coin", number: coinAmountText},
		{name: "fee_usd", head: "Gateway's fee, USD", number: func(r Row) string {
			if !r.FeeKnown {
				return ""
			}
			return Text(r.FeeUSD)
		}},
		{name: "net_usd", head: "Net, USD", number: netText},
		{name: "withdrawn_usd", head: "Withdrawn, USD", number: func(r Row) string {
			if r.Kind != Withdrawal || !r.Valued {
				return ""
			}
			return Text(r.GrossUSD)
		}},
		{name: "status", head: "Status of the withdrawal", text: func(r Row) string {
			return r.Status
		}},
		{name: "platform_share", head: "Gateway's share, as it says", text: func(r Row) string {
			return r.PlatformShare
		}},
		{name: "merchant_share", head: "Your share, as it says", text: func(r Row) string {
			return r.MerchantShare
		}},
		{name: "fee_percent", head: "Fee in percent, as it says", text: func(r Row) string {
			return r.FeePercent
		}},
		{name: "tracking_code", head: "Tracking code", text: func(r Row) string {
			return r.TrackingCode
		}},
		{name: "session", head: "Session", text: func(r Row) string { return r.Session }},
		{name: "attempt", head: "Attempt", text: func(r Row) string {
			if r.Attempt == 0 {
				return ""
			}
			return strconv.Itoa(r.Attempt)
		}},
		{name: "tx_ids", head: "Transactions", text: func(r Row) string {
			return strings.Join(r.TxIDs, " ")
		}},
		{name: "destination", head: "Withdrawn to", text: func(r Row) string {
			return r.Destination
		}},
	}
}

// sign is before amounts of money that left.
func sign(r Row) string {
	if r.Kind == Refund {
		return "-"
	}
	return ""
}

func grossText(r Row) string {
	if !r.GrossKnown {
		return ""
	}
	return sign(r) + currency.Text(r.Gross, r.Currency)
}

func grossUSDText(r Row) string {
	if !r.Valued || r.Kind == Withdrawal {
		return ""
	}
	return sign(r) + Text(r.GrossUSD)
}

func netText(r Row) string {
	if !r.Valued || r.Kind == Withdrawal || r.Kind.IsPayment() && !r.FeeKnown {
		return ""
	}
	return sign(r) + Text(r.NetUSD())
}

func coinAmountText(r Row) string {
	if r.Kind == Withdrawal {
		return ""
	}
	return sign(r) + exact(r.Amount, 0)
}

func textUnlessZero(d decimal.Decimal) string {
	if d.IsZero() {
		return ""
	}
	return Text(d)
}

func yes(so bool) string {
	if so {
		return "yes"
	}
	return ""
}

// WriteCSV writes the rows for programs: UTF-8, commas, points, times as RFC 3339 in UTC, a row of
// names first. A cell has exactly the text that is known: spreadsheets may run one that begins like a
// formula, so people open [Statement.WriteExcel] instead. Errors: w's.
func (s Statement) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true // RFC 4180
	var names []string
	for _, c := range columns() {
		names = append(names, c.name)
	}
	if err := out.Write(names); err != nil {
		return err
	}

	for _, row := range s.Rows {
		var cells []string
		for _, c := range columns() {
			switch {
			case c.text != nil:
				cells = append(cells, c.text(row))
			case c.number != nil:
				cells = append(cells, c.number(row))
			default:
				cells = append(cells, c.time(row).UTC().Format(time.RFC3339))
			}
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
