// Package chart computes what the overview draws of the last days' orders: sums, a bar for
// each day, a bar for each coin. Nothing in it knows HTML.
package chart

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/console/format"
	"coinslot/bff/records"

	"github.com/shopspring/decimal"
)

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
	figure   struct{ Name, Value, Below string }
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
		Class, Title string
		X, Y, Height int
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

// Days is how many days the charts show.
const Days = 30

// The chart of days, in its own units; overview.html has its frame.
const (
	dayWidth, dayGap = 20, 4
	chartHeight      = 140
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

func (t *totals) add(c records.Count) {
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

// New returns the chart of orders from the day from on.
func New(counts []records.Count, from time.Time) *Chart {
	c := &Chart{Figures: figures(counts), Legend: outcomes(), Coins: coinBars(counts)}
	days, most := make([]totals, Days), 1
	for _, n := range counts {
		if i := int(n.Day.Sub(from) / (24 * time.Hour)); i >= 0 && i < Days {
			days[i].add(n)
			most = max(most, days[i].all())
		}
	}
	top := ceiling(most)
	for _, at := range []int{top, top / 2} {
		c.Grid = append(c.Grid, gridline{chartHeight - chartHeight*at/top, format.Count(at)})
	}
	for i, t := range days {
		date := from.AddDate(0, 0, i)
		c.Days = append(c.Days, column(i, t, top, date))
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

// figures are the sums of all days.
func figures(counts []records.Count) []figure {
	var t totals
	for _, c := range counts {
		t.add(c)
	}
	conversion := "–"
	if ended := t.sessions[paid] + t.sessions[unpaid]; ended > 0 {
		conversion = strconv.Itoa(100*t.sessions[paid]/ended) + " %"
	}
	return []figure{
		{"Confirmed", "$" + format.Money(t.usd[paid]),
			format.Plural(t.sessions[paid], "payment") + " in 30 days"},
		{"Conversion", conversion, "of ended checkouts"},
		{"In progress", format.Count(t.sessions[underWay]), "$" + format.Money(t.usd[underWay])},
		{"In review", format.Count(t.sessions[inReview]), "$" + format.Money(t.usd[inReview])},
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

// column is the column of day i; top is the number at the top of the chart.
func column(i int, t totals, top int, date time.Time) (d day) {
	x, y := i*dayWidth+dayGap/2, chartHeight
	for kind, o := range outcomes() {
		n := t.sessions[kind]
		if n == 0 {
			continue
		}
		height := max(chartHeight*n/top, 2)
		y -= height
		title := date.Format("2 January: ") + format.Count(n) + " " + strings.ToLower(o.Word)
		d.Bars = append(d.Bars, bar{o.Class, title, x, y, height})
	}
	if (Days-1-i)%7 == 0 {
		d.Tick = &tick{x + (dayWidth-dayGap)/2, date.Format("2 Jan")}
	}
	return d
}

// coinBars is what was confirmed, by coin.
func coinBars(counts []records.Count) (list []coinBar) {
	coins := map[string]*totals{}
	for _, c := range counts {
		if outcomeOf(c.Status) != paid || c.Coin == "" {
			continue
		}
		if coins[c.Coin] == nil {
			coins[c.Coin] = &totals{}
		}
		coins[c.Coin].add(c)
	}
	most := decimal.Zero
	symbols := make([]string, 0, len(coins))
	for symbol, t := range coins {
		symbols = append(symbols, symbol)
		most = decimal.Max(most, t.usd[paid])
	}
	slices.SortFunc(symbols, func(a, b string) int {
		if c := coins[b].usd[paid].Cmp(coins[a].usd[paid]); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	for _, symbol := range symbols {
		usd, share := coins[symbol].usd[paid], int64(100)
		if most.IsPositive() {
			share = max(1, usd.Mul(decimal.NewFromInt(100)).Div(most).IntPart())
		}
		list = append(list, coinBar{
			symbol, share, "$" + format.Money(usd), coins[symbol].sessions[paid],
		})
	}
	return list
}
