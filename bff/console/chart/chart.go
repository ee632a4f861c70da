// Package chart computes what the overview draws of the last days' orders: sums, a bar for
// each day, a bar for each coin. Nothing in it knows HTML.
package chart

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/console/format"

	"github.com/shopspring/decimal"
)

// Count is the number of sessions of a day with a status and a coin.
type Count struct {
	Day       time.Time // its beginning, UTC
	Status    string
	Coin      string // of the current attempt; empty = none was chosen
	Sessions  int
	AmountUSD decimal.Decimal // their total, paid or not
}

// Chart is what has become of the orders of some days: sums, bars by day and by coin, and
// a table of their numbers.
type Chart struct {
	Figures []figure
	Legend  []outcome
	Grid    []gridline
	Days    []day
	Rows    []row     // the last day first; days without orders are left out
	Coins   []coinBar // the most first
}

type (
	// figure is a sum; Change is against the period before, empty = there is none to compare.
	figure   struct{ Name, Value, Change, Below string }
	gridline struct {
		Y     int
		Label string
	}
	// day is one day's column; Tick is its date, nil = it has none.
	day struct {
		Bars []bar
		Tick *tick
	}
	bar struct {
		Class, Title        string
		X, Y, Width, Height int
	}
	tick struct {
		X     int
		Label string
	}
	// row is one day in numbers.
	row struct {
		Day      string
		Orders   int
		Outcomes []outcome
		USD      string // confirmed
	}
	// coinBar is one coin's line; Share is in percent of the largest.
	coinBar struct {
		Symbol   string
		Share    int64
		USD      string
		Payments int
	}
	// outcome is what has become of orders, as charts show it.
	outcome struct {
		Class, Word string
		Orders      int
	}
)

// Days is how many days the charts show at most, and how many are compared with as many
// before; fewer than week are never shown.
const (
	Days = 30
	week = 7
)

// The chart of days, in its own units; overview.html has its frame.
const (
	chartWidth, chartHeight = 600, 190
	barGap, widestBar       = 4, 36
)

// The kinds of outcomes, in the order in which bars are stacked.
const (
	paid = iota
	underWay
	inReview
	unpaid
)

func outcomes() []outcome {
	return []outcome{
		{Class: "paid", Word: "Confirmed"}, {Class: "way", Word: "In progress"},
		{Class: "review", Word: "Review"}, {Class: "unpaid", Word: "Not paid"},
	}
}

// outcomeOf is the kind of a status.
func outcomeOf(status string) int {
	return [...]int{
		wire.Payable: underWay, wire.Paid: paid, wire.InDoubt: inReview, wire.Unpaid: unpaid,
	}[wire.Status(status).Outcome()]
}

// totals is what several counts come to, by kind of outcome.
type totals struct {
	sessions [4]int
	usd      [4]decimal.Decimal
}

func (t *totals) add(c Count) {
	kind := outcomeOf(c.Status)
	t.sessions[kind] += c.Sessions
	t.usd[kind] = t.usd[kind].Add(c.AmountUSD)
}

func (t totals) all() (n int) {
	for _, sessions := range t.sessions {
		n += sessions
	}
	return n
}

// New returns the chart of orders from the day from on, nil if there are none. Counts are in
// the order of their days; those before from are what the figures are compared with.
func New(counts []Count, from time.Time) *Chart {
	n := slices.IndexFunc(counts, func(c Count) bool { return !c.Day.Before(from) })
	if n < 0 {
		return nil
	}
	before, counts := counts[:n], counts[n:]
	if n > 0 && before[0].Day.After(from.AddDate(0, 0, week-Days)) {
		before = nil // the shop had not begun, and a part compares with no whole
	}
	c := &Chart{Figures: figures(counts, before), Legend: outcomes(), Coins: coinBars(counts)}
	// The shop's first days have no days without orders before them.
	shown := min(max(int(from.AddDate(0, 0, Days).Sub(counts[0].Day)/(24*time.Hour)), week), Days)
	from = from.AddDate(0, 0, Days-shown)
	days, most := make([]totals, shown), 1
	for _, n := range counts {
		if i := int(n.Day.Sub(from) / (24 * time.Hour)); i >= 0 && i < shown {
			days[i].add(n)
			most = max(most, days[i].all())
		}
	}
	top := ceiling(most)
	for _, at := range []int{top, top / 2, 0} {
		c.Grid = append(c.Grid, gridline{chartHeight - chartHeight*at/top, format.Count(at)})
	}
	for i, t := range days {
		date := from.AddDate(0, 0, i)
		c.Days = append(c.Days, column(shown, i, t, top, date))
		if t.all() > 0 {
			r := row{date.Format(time.DateOnly), t.all(), outcomes(), format.Money(t.usd[paid])}
			for kind := range r.Outcomes {
				r.Outcomes[kind].Orders = t.sessions[kind]
			}
			c.Rows = append(c.Rows, r)
		}
	}
	slices.Reverse(c.Rows)
	return c
}

func sum(counts []Count) (t totals) {
	for _, c := range counts {
		t.add(c)
	}
	return t
}

// conversion is in percent of the checkouts that have ended, -1 if none has.
func (t totals) conversion() decimal.Decimal {
	ended := t.sessions[paid] + t.sessions[unpaid]
	if ended == 0 {
		return decimal.NewFromInt(-1)
	}
	return decimal.NewFromInt(int64(100 * t.sessions[paid] / ended))
}

// figures are the sums of all days, compared with those of the period before.
func figures(counts, before []Count) []figure {
	now, then := sum(counts), sum(before)
	open := "$" + format.Money(now.usd[underWay])
	if n := now.sessions[inReview]; n > 0 {
		open += ", and " + format.Count(n) + " in review"
	}
	number := func(n int) decimal.Decimal { return decimal.NewFromInt(int64(n)) }
	return []figure{
		compare("Revenue", " %", now.usd[paid], then.usd[paid],
			func(d decimal.Decimal) string { return "$" + format.Money(d) }),
		compare("Paid orders", " %", number(now.sessions[paid]), number(then.sessions[paid]),
			func(d decimal.Decimal) string { return format.Count(int(d.IntPart())) }),
		compare("Conversion", " points", now.conversion(), then.conversion(),
			func(d decimal.Decimal) string {
				return strings.Replace(d.String()+" %", "-1 %", "–", 1)
			}),
		{Name: "In progress", Value: format.Count(now.sessions[underWay]), Below: open},
	}
}

// compare returns a figure with its change in a unit; then is not positive if it is not known.
func compare(
	name, unit string, now, then decimal.Decimal, text func(decimal.Decimal) string,
) figure {
	if !then.IsPositive() {
		return figure{Name: name, Value: text(now), Below: "no earlier data"}
	}
	change := now.Sub(then)
	if unit == " %" {
		change = change.Mul(decimal.NewFromInt(100)).DivRound(then, 0)
	}
	sign := [...]string{"−", "±", "+"}[change.Sign()+1]
	return figure{
		Name: name, Value: text(now), Below: "before: " + text(then),
		Change: sign + format.Count(int(change.Abs().IntPart())) + unit,
	}
}

// ceiling is a round number, not below n, and even.
func ceiling(n int) int {
	if n <= 10 {
		return max(n+n%2, 2)
	}
	for step := 1; ; step *= 10 {
		for _, top := range []int{12, 16, 20, 24, 30, 40, 50, 60, 80, 100} {
			if top*step >= n {
				return top * step
			}
		}
	}
}

// column is the column of day i of n; top is the number at the top of the chart.
func column(n, i int, t totals, top int, date time.Time) (d day) {
	width := min(chartWidth/n-barGap, widestBar)
	middle, y := (2*i+1)*chartWidth/(2*n), chartHeight
	for kind, o := range outcomes() {
		orders := t.sessions[kind]
		if orders == 0 {
			continue
		}
		height := max(chartHeight*orders/top, 2)
		y -= height
		title := date.Format("2 January: ") + format.Count(orders) + " " + strings.ToLower(o.Word)
		d.Bars = append(d.Bars, bar{o.Class, title, middle - width/2, y, width, height})
	}
	if (n-1-i)%((n+week-1)/week) == 0 { // there is room for about a week's dates
		d.Tick = &tick{middle, date.Format("2 Jan")}
	}
	return d
}

// coinBars is what was confirmed, by coin.
func coinBars(counts []Count) (list []coinBar) {
	coins := map[string]totals{}
	for _, c := range counts {
		if outcomeOf(c.Status) == paid && c.Coin != "" {
			t := coins[c.Coin]
			t.add(c)
			coins[c.Coin] = t
		}
	}
	symbols := slices.SortedFunc(maps.Keys(coins), func(a, b string) int {
		return cmp.Or(coins[b].usd[paid].Cmp(coins[a].usd[paid]), strings.Compare(a, b))
	})
	for _, symbol := range symbols {
		usd, share := coins[symbol].usd[paid], int64(100)
		if most := coins[symbols[0]].usd[paid]; most.IsPositive() {
			share = max(1, usd.Mul(decimal.NewFromInt(100)).Div(most).IntPart())
		}
		list = append(list, coinBar{
			symbol, share, "$" + format.Money(usd), coins[symbol].sessions[paid],
		})
	}
	return list
}
