package statement

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// The accounts of a journal; docs/statement.md explains them. Those of coins have the coin behind
// them.
const (
	accountGateway = "Assets:Gateway:" // what the gateway owes
	accountWallet  = "Assets:Wallet:"  // where it pays out, and refunds are sent from
	accountFees    = "Expenses:Gateway:Fees"
	accountExcess  = "Income:Overpaid"
	accountRefunds = "Income:Refunds"
)

// incomeOf are the accounts of payments.
var incomeOf = map[Kind]string{
	Paid:    "Income:Sales",
	Late:    "Income:Sales",
	Over:    "Income:Sales", // its price
	Partial: "Income:Partial",
	Double:  "Income:Double",
	Review:  "Income:Review",
	Unpaid:  "Income:Unpaid",
}

// JournalFormat is what a journal is written for.
type JournalFormat string

// The formats of journals.
const (
	HLedger   JournalFormat = "hledger" // and Ledger
	Beancount JournalFormat = "beancount"
)

// entry is one transaction of a journal. Its postings come to zero.
type entry struct {
	day      time.Time
	text     string
	details  [][2]string // names and values
	postings []posting
}

type posting struct {
	account string
	usd     decimal.Decimal
}

// entries returns the transactions of the rows, and those rows that have none because nothing is
// known to have been worth anything: findings have them.
func (s Statement) entries() (list []entry, rest []Row) {
	for _, r := range s.Rows {
		e := entry{day: r.At, text: describeRow(r), details: detailsOf(r)}
		post := func(account string, usd decimal.Decimal) {
			if !usd.IsZero() {
				e.postings = append(e.postings, posting{account, usd})
			}
		}
		coin := accountPart(r.Coin())
		switch {
		case !r.Valued || r.GrossUSD.IsZero() || r.Kind == Withdrawal && !r.isPaidOut():
			rest = append(rest, r)
			continue
		case r.Kind == Withdrawal:
			post(accountWallet+coin, r.GrossUSD)
			post(accountGateway+coin, r.GrossUSD.Neg())
		case r.Kind == Refund:
			post(accountRefunds, r.GrossUSD)
			post(accountWallet+coin, r.GrossUSD.Neg())
		default:
			post(accountGateway+coin, r.NetUSD())
			post(accountFees, r.FeeUSD)
			post(incomeOf[r.Kind], r.GrossUSD.Sub(r.ExcessUSD).Neg())
			post(accountExcess, r.ExcessUSD.Neg())
		}
		list = append(list, e)
	}
	return list, rest
}

func describeRow(r Row) string {
	order := cleanText("Order " + r.OrderRef)
	if r.OrderRef == "" {
		order = cleanText("Order of session " + r.Session)
	}
	switch r.Kind {
	case Withdrawal:
		return "Withdrawal"
	case Paid:
		return order
	}
	return order + ", " + r.Kind.Words()
}

func detailsOf(r Row) (list [][2]string) {
	amount := exact(r.Amount, 0) + " " + r.Symbol
	if r.Kind == Withdrawal {
		amount = ""
	}
	price := ""
	if r.GrossKnown && r.Currency != "USD" {
		price = grossText(r) + " " + r.Currency
	}
	for _, detail := range [][2]string{
		{"session", r.Session},
		{"tracking", r.TrackingCode},
		{"amount", amount},
		{"gross", price},
		{"transactions", strings.Join(r.TxIDs, " ")},
		{"destination", r.Destination},
	} {
		value := cleanText(detail[1])
		if value != "" {
			list = append(list, [2]string{detail[0], value})
		}
	}
	return list
}

// cleanText returns text without what has a meaning in a journal: comments, tags and dates in them,
// quotes, line breaks.
func cleanText(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(";,:[]|\"\\", r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	return strings.Join(strings.Fields(text), " ")
}

// accountPart returns a coin as a part of an account's name, of which Beancount takes capital
// letters, digits and hyphens.
func accountPart(coin string) string {
	part := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToUpper(coin))
	part = strings.Trim(part, "-")
	if part == "" {
		return "UNKNOWN"
	}
	return part
}

// WriteJournal writes the rows as transactions in dollars, each of which comes to zero. The coins are
// in the details alone: the gateway states its fees and withdrawals in dollars, and nothing says
// what it holds. Errors: the format is not known; w's.
func (s Statement) WriteJournal(w io.Writer, format JournalFormat) error {
	list, rest := s.entries()
	out := bufio.NewWriter(w)
	comment := func(text string) {
		fmt.Fprintf(out, "; %s\n", strings.Join(strings.Fields(text), " "))
	}
	comment(s.Title())
	comment(s.Sentence())
	comment("Read on " + s.Read.Format("2006-01-02 at 15:04 MST"))
	for _, r := range rest {
		comment(fmt.Sprintf("Not booked: %s of %s %s %s", describeRow(r),
			r.At.Format(time.DateOnly), r.Status, cleanText(r.TrackingCode)))
	}

	switch format {
	case HLedger:
		writeHLedger(out, accountsOf(list), list)
	case Beancount:
		writeBeancount(out, s, accountsOf(list), list)
	default:
		return fmt.Errorf("the journal format %q is neither hledger nor beancount", format)
	}
	return out.Flush() // keeps the first error
}

func accountsOf(list []entry) (accounts []string) {
	for _, e := range list {
		for _, p := range e.postings {
			if !slices.Contains(accounts, p.account) {
				accounts = append(accounts, p.account)
			}
		}
	}
	slices.Sort(accounts)
	return accounts
}

func writeHLedger(out io.Writer, accounts []string, list []entry) {
	fmt.Fprint(out, "\ncommodity USD\n    format 1000.00 USD\n\n")
	for _, account := range accounts {
		fmt.Fprintf(out, "account %s\n", account)
	}
	for _, e := range list {
		fmt.Fprintf(out, "\n%s * %s\n", e.day.Format(time.DateOnly), e.text)
		for _, d := range e.details {
			fmt.Fprintf(out, "    ; %s: %s\n", d[0], d[1])
		}
		for _, p := range e.postings {
			fmt.Fprintf(out, "    %-40s  %14s USD\n", p.account, Text(p.usd))
		}
	}
}

func writeBeancount(out io.Writer, s Statement, accounts []string, list []entry) {
	fmt.Fprintf(out, "\noption \"title\" \"%s\"\n", cleanText(s.Title()))
	fmt.Fprint(out, "option \"operating_currency\" \"USD\"\n\n")
	for _, account := range accounts {
		first := s.Month.Start(s.Zone).Format(time.DateOnly)
		fmt.Fprintf(out, "%s open %s USD\n", first, account)
	}
	for _, e := range list {
		fmt.Fprintf(out, "\n%s * \"%s\"\n", e.day.Format(time.DateOnly), e.text)
		for _, d := range e.details {
			fmt.Fprintf(out, "  %s: \"%s\"\n", d[0], d[1])
		}
		for _, p := range e.postings {
			fmt.Fprintf(out, "  %-40s  %14s USD\n", p.account, Text(p.usd))
		}
	}
}
