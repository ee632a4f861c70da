package statement_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// cashbook is what a shopkeeper has written by hand about what shoppers and the gateway did. It
// knows nothing of statements, and counts in fractions.
type cashbook struct {
	t     *testing.T
	zone  *time.Location
	lines []line
}

// line is one payment, refund or withdrawal. Amounts are positive.
type line struct {
	at             time.Time
	kind           string
	ref            string // of the order, or the tracking code of a withdrawal
	price, priceIn string // of the order: "25.00", "EUR"; "" = a withdrawal
	usd            *big.Rat
	excess         *big.Rat // part of usd; nil = none
	shop           *big.Rat // in the shop's currency
	fee            *big.Rat // nil = the gateway has told none
	coin, amount   string   // "USDT-TRC20", in the coin; "" = a withdrawal
	tx             string
}

func (l *cashbook) add(entry line) { l.lines = append(l.lines, entry) }

// of returns the lines of a month like "2026-11", the oldest first.
func (l *cashbook) of(month string) (list []line) {
	for _, entry := range l.lines {
		if entry.at.In(l.zone).Format("2006-01") == month {
			list = append(list, entry)
		}
	}
	slices.SortStableFunc(list, func(a, b line) int { return a.at.Compare(b.at) })
	return list
}

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

func zero() *big.Rat { return new(big.Rat) }

// times returns a*b/c.
func times(a, b, c *big.Rat) *big.Rat {
	product := new(big.Rat).Mul(a, b)
	return product.Quo(product, c)
}

// cents rounds to hundredths, half away from zero.
func cents(r *big.Rat) *big.Rat { return rat(r.FloatString(2)) }

// exactly is the shortest decimal text of a fraction that has one.
func exactly(r *big.Rat) string {
	text := r.FloatString(18)
	if rat(text).Cmp(r) != 0 {
		panic("no short decimal: " + r.String())
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// brief is a line as text, for comparison.
func (e line) brief() string {
	text := fmt.Sprint(e.at.UTC().Format(time.RFC3339), " ", e.kind, " ", e.ref, " ", e.coin, " usd ",
		exactly(e.usd))
	if e.amount != "" {
		text += " amount " + exactly(rat(e.amount)) + " shop " + exactly(e.shop) + " " + e.priceIn
	}
	if e.excess != nil && e.excess.Sign() != 0 {
		text += " excess " + exactly(e.excess)
	}
	if e.fee != nil {
		text += " fee " + exactly(e.fee)
	}
	return text + " tx " + e.tx
}

// accounts returns the balances of a month by account.
func (l *cashbook) accounts(month string) map[string]string {
	sums := map[string]*big.Rat{}
	post := func(account string, usd *big.Rat) {
		if sums[account] == nil {
			sums[account] = zero()
		}
		sums[account].Add(sums[account], usd)
	}
	minus := func(r *big.Rat) *big.Rat { return new(big.Rat).Neg(r) }
	for _, e := range l.of(month) {
		fee := e.fee
		if fee == nil {
			fee = zero()
		}
		excess := e.excess
		if excess == nil {
			excess = zero()
		}
		switch e.kind {
		case "withdrawal":
			post("Assets:Wallet:"+e.coin, e.usd)
			post("Assets:Gateway:"+e.coin, minus(e.usd))
		case "refund":
			post("Income:Refunds", e.usd)
			post("Assets:Wallet:"+e.coin, minus(e.usd))
		default:
			income := map[string]string{"partial": "Income:Partial", "double": "Income:Double"}[e.kind]
			if income == "" {
				income = "Income:Sales"
			}
			post("Assets:Gateway:"+e.coin, new(big.Rat).Sub(e.usd, fee))
			post("Expenses:Gateway:Fees", fee)
			post(income, new(big.Rat).Sub(excess, e.usd))
			post("Income:Overpaid", minus(excess))
		}
	}

	text := map[string]string{}
	for account, sum := range sums {
		if sum.Sign() != 0 {
			text[account] = exactly(sum)
		}
	}
	return text
}

func (l *cashbook) briefs(month string) (list []string) {
	for _, e := range l.of(month) {
		list = append(list, e.brief())
	}
	slices.Sort(list)
	return list
}

// same compares sorted lines.
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	fortest.Diff(t, got, want, "%s (-cashbook +statement)", what)
}
