package console

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/locale"

	"github.com/shopspring/decimal"
)

// OrderCount is the number of sessions of a day with a status and a coin.
type OrderCount struct {
	Day       time.Time // its beginning
	Status    string
	Coin      string // of the current attempt; empty = none was chosen
	Sessions  int
	AmountUSD decimal.Decimal // their total, paid or not
}

// orderChart is what has become of the orders of some days: sums, bars by day and by coin, and
// a table of their numbers.
type orderChart struct {
	Figures []figure
	Legend  []outcome
	Grid    []gridline
	Days    []chartDay
	Rows    []chartRow // the last day first; days without orders are left out
	Coins   []coinBar  // the most first
}

type (
	// figure is a sum; Change is against the period before, empty = there is none to compare.
	figure   struct{ Name, Value, Change, Below string }
	gridline struct {
		Y     int
		Label string
	}
	// chartDay is one day's column; Tick is its date, nil = it has none.
	chartDay struct {
		Bars []chartBar
		Tick *chartTick
	}
	chartBar struct {
		Class, Title        string
		X, Y, Width, Height int
	}
	chartTick struct {
		X     int
		Label string
	}
	// chartRow is one day in numbers.
	chartRow struct {
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

// chartDays is how many days the charts show at most, and how many are compared with as many
// before; fewer than week are never shown.
const (
	chartDays = 30
	week      = 7
)

// The chart of days, in its own units; overview.html has its frame.
const (
	chartWidth, chartHeight = 600, 190
	barGap, widestBar       = 4, 36
)

// The kinds of outcomes, in the order in which bars are stacked.
const (
	paidOrders = iota
	openOrders
	reviewOrders
	unpaidOrders
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
		wire.Payable: openOrders, wire.Paid: paidOrders,
		wire.InDoubt: reviewOrders, wire.Unpaid: unpaidOrders,
	}[wire.Status(status).Outcome()]
}

// totals is what several counts come to, by kind of outcome.
type totals struct {
	sessions [4]int
	usd      [4]decimal.Decimal
}

func (t *totals) add(c OrderCount) {
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

// newChart returns the chart of orders from the day from on, nil if there are none. Counts are in
// the order of their days; those before from are what the figures are compared with.
func newChart(counts []OrderCount, from time.Time) *orderChart {
	n := slices.IndexFunc(counts, func(c OrderCount) bool { return !c.Day.Before(from) })
	if n < 0 {
		return nil
	}
	before, counts := counts[:n], counts[n:]
	if n > 0 && before[0].Day.After(from.AddDate(0, 0, week-chartDays)) {
		before = nil // the shop had not begun, and a part compares with no whole
	}
	c := &orderChart{Figures: figures(counts, before), Legend: outcomes(), Coins: coinBars(counts)}
	// The shop's first days have no days without orders before them.
	sinceFirst := daysBetween(counts[0].Day, from.AddDate(0, 0, chartDays))
	shown := min(max(sinceFirst, week), chartDays)
	from = from.AddDate(0, 0, chartDays-shown)
	days, most := make([]totals, shown), 1
	for _, n := range counts {
		if i := daysBetween(from, n.Day); i >= 0 && i < shown {
			days[i].add(n)
			most = max(most, days[i].all())
		}
	}
	top := ceiling(most)
	for _, at := range []int{top, top / 2, 0} {
		c.Grid = append(c.Grid, gridline{chartHeight - chartHeight*at/top, formatCount(at)})
	}
	for i, t := range days {
		date := from.AddDate(0, 0, i)
		c.Days = append(c.Days, chartColumn(shown, i, t, top, date))
		if t.all() > 0 {
			r := chartRow{
				Day:      date.Format(time.DateOnly),
				Orders:   t.all(),
				Outcomes: outcomes(),
				USD:      locale.FormatNumber("en", t.usd[paidOrders].StringFixed(2)),
			}
			for kind := range r.Outcomes {
				r.Outcomes[kind].Orders = t.sessions[kind]
			}
			c.Rows = append(c.Rows, r)
		}
	}
	slices.Reverse(c.Rows)
	return c
}

// daysBetween is how many days of the calendar are from a to b: some have 23 hours, some 25.
func daysBetween(a, b time.Time) int {
	date := func(t time.Time) time.Time {
		year, month, day := t.Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return int(date(b).Sub(date(a)) / (24 * time.Hour))
}

func sumCounts(counts []OrderCount) (t totals) {
	for _, c := range counts {
		t.add(c)
	}
	return t
}

// conversion is in percent of the checkouts that have ended, -1 if none has.
func (t totals) conversion() decimal.Decimal {
	ended := t.sessions[paidOrders] + t.sessions[unpaidOrders]
	if ended == 0 {
		return decimal.NewFromInt(-1)
	}
	return decimal.NewFromInt(int64(100 * t.sessions[paidOrders] / ended))
}

// figures are the sums of all days, compared with those of the period before.
func figures(counts, before []OrderCount) []figure {
	now, then := sumCounts(counts), sumCounts(before)
	open := formatDollars(now.usd[openOrders])
	if n := now.sessions[reviewOrders]; n > 0 {
		open += ", and " + formatCount(n) + " in review"
	}
	number := func(n int) decimal.Decimal { return decimal.NewFromInt(int64(n)) }
	return []figure{
		compareFigure("Revenue", " %", now.usd[paidOrders], then.usd[paidOrders], formatDollars),
		compareFigure("Paid orders", " %",
			number(now.sessions[paidOrders]), number(then.sessions[paidOrders]),
			func(d decimal.Decimal) string { return formatCount(int(d.IntPart())) }),
		compareFigure("Conversion", " points", now.conversion(), then.conversion(),
			func(d decimal.Decimal) string {
				return strings.Replace(d.String()+" %", "-1 %", "–", 1)
			}),
		{Name: "In progress", Value: formatCount(now.sessions[openOrders]), Below: open},
	}
}

// compareFigure returns a figure with its change in a unit; then is not positive if it is not
// known.
func compareFigure(
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
		Name:   name,
		Value:  text(now),
		Below:  "before: " + text(then),
		Change: sign + formatCount(int(change.Abs().IntPart())) + unit,
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

// chartColumn is the column of day i of n; top is the number at the top of the chart.
func chartColumn(n, i int, t totals, top int, date time.Time) (d chartDay) {
	width := min(chartWidth/n-barGap, widestBar)
	middle, y := (2*i+1)*chartWidth/(2*n), chartHeight
	for kind, o := range outcomes() {
		orders := t.sessions[kind]
		if orders == 0 {
			continue
		}
		height := max(chartHeight*orders/top, 2)
		y -= height
		title := date.Format("2 January: ") + formatCount(orders) + " " + strings.ToLower(o.Word)
		d.Bars = append(d.Bars, chartBar{o.Class, title, middle - width/2, y, width, height})
	}
	if (n-1-i)%((n+week-1)/week) == 0 { // there is room for about a week's dates
		d.Tick = &chartTick{middle, date.Format("2 Jan")}
	}
	return d
}

// coinBars is what was confirmed, by coin.
func coinBars(counts []OrderCount) (list []coinBar) {
	coins := map[string]totals{}
	for _, c := range counts {
		if outcomeOf(c.Status) == paidOrders && c.Coin != "" {
			t := coins[c.Coin]
			t.add(c)
			coins[c.Coin] = t
		}
	}
	symbols := slices.SortedFunc(maps.Keys(coins), func(a, b string) int {
		return cmp.Or(coins[b].usd[paidOrders].Cmp(coins[a].usd[paidOrders]), strings.Compare(a, b))
	})
	for _, symbol := range symbols {
		usd, share := coins[symbol].usd[paidOrders], int64(100)
		if most := coins[symbols[0]].usd[paidOrders]; most.IsPositive() {
			share = max(1, usd.Mul(decimal.NewFromInt(100)).Div(most).IntPart())
		}
		list = append(list, coinBar{
			symbol, share, formatDollars(usd), coins[symbol].sessions[paidOrders],
		})
	}
	return list
}
