// Package chart draws what has become of the last days' orders for the operator's
// console: sums, a bar for each day, a bar for each coin, as SVG and HTML that
// need no script, each with its numbers as a table.
package chart

import (
	"slices"
	"strings"
	"time"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/admin/page"
	"coinslot/bff/records"

	"github.com/shopspring/decimal"
)

// Days is how many days the charts show.
const Days = 30

// fate is what has become of orders, in as many kinds as a chart can show.
type fate int

const (
	paid fate = iota
	underWay
	reviewing
	unpaid
	fates
)

// fateWords name them, in the order in which they are stacked.
var fateWords = [fates]string{"Confirmed", "Under way", "Review", "Not paid"}

// fateClasses dress them.
var fateClasses = [fates]string{"paid", "way", "review", "unpaid"}

func fateOf(status string) fate {
	switch wire.Status(status) {
	case wire.Confirmed:
		return paid
	case wire.Review:
		return reviewing
	case wire.Expired, wire.Cancelled:
		return unpaid
	}
	return underWay
}

// totals is what several counts come to.
type totals struct {
	sessions [fates]int
	usd      [fates]decimal.Decimal
}

func (t *totals) add(c records.Count) {
	f := fateOf(c.Status)
	t.sessions[f] += c.Sessions
	t.usd[f] = t.usd[f].Add(c.AmountUSD)
}

func (t totals) all() (n int) {
	for _, sessions := range t.sessions {
		n += sessions
	}
	return n
}

// Figures are the sums of the last days.
func Figures(counts []records.Count) node.Node {
	var t totals
	for _, c := range counts {
		t.add(c)
	}
	one := func(name, value, below string) node.Node {
		return page.El("div").Body(
			page.El("dt").Text(name),
			page.El("dd").Body(page.El("strong").Text(value), page.El("small").Text(below)),
		)
	}
	rate := "–"
	if ended := t.sessions[paid] + t.sessions[unpaid]; ended > 0 {
		rate = page.Plain(100*t.sessions[paid]/ended) + " %"
	}
	return page.El("dl").Class("figures").Attr("aria-label", "The last 30 days").Body(
		one(
			"Confirmed", "$"+grouped(t.usd[paid].StringFixed(2)),
			page.Plural(t.sessions[paid], "payment")+" in 30 days",
		),
		one("Of those that ended", rate, "were paid"),
		one(
			"Under way", page.Count(t.sessions[underWay]),
			"$"+grouped(t.usd[underWay].StringFixed(2)),
		),
		one(
			"In review", page.Count(t.sessions[reviewing]),
			"$"+grouped(t.usd[reviewing].StringFixed(2)),
		),
	)
}

// grouped puts commas between the thousands of exact digits.
func grouped(digits string) string {
	whole, rest, _ := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + "." + rest
}

// Draw draws orders by day, from the day from on, and by coin, each with its table
// behind it.
func Draw(counts []records.Count, from time.Time) node.Node {
	return page.El("div").Class("charts").Body(
		page.Block("days", "Orders by day", byDay(counts, from)...),
		page.Block("coins", "Confirmed by coin", byCoin(counts)...),
	)
}

// The chart of days, in its own units.
const (
	dayWidth, dayGap   = 20, 4
	chartHeight, below = 140, 20
)

func byDay(counts []records.Count, from time.Time) []node.Node {
	days := make([]totals, Days)
	most := 1
	for _, c := range counts {
		if i := int(c.Day.Sub(from) / (24 * time.Hour)); i >= 0 && i < Days {
			days[i].add(c)
			most = max(most, days[i].all())
		}
	}
	top := ceiling(most)
	bars := []node.Node{gridline(top, top), gridline(top/2, top)}
	var rows [][]node.Node
	for i, t := range days {
		bars = append(bars, column(i, t, top, from.AddDate(0, 0, i))...)
		if t.all() > 0 {
			rows = append(rows, dayRow(from.AddDate(0, 0, i), t))
		}
	}
	slices.Reverse(rows)
	width := Days * dayWidth
	return []node.Node{
		legend(),
		page.El("svg").Class("chart").Attr(
			"viewBox", "-28 -8 "+page.Plain(width+28)+" "+page.Plain(chartHeight+below+8),
		).Attr("role", "img").
			Attr(
				"aria-label",
				"Orders by day, of the last 30 days. The table below has the numbers.",
			).Body(bars...),
		behind("The numbers", page.Table{Caption: "Orders by day", Rows: rows,
			Columns: []page.Column{
				{Name: "Day", Whole: true}, {Name: "Orders", Number: true},
				{Name: "Confirmed", Number: true}, {Name: "Under way", Number: true},
				{Name: "Review", Number: true}, {Name: "Not paid", Number: true},
				{Name: "Confirmed, USD", Number: true}}}),
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

func number(n int) string { return page.Plain(n) }

// gridline is a line at a number of orders.
func gridline(at, top int) node.Node {
	y := number(chartHeight - chartHeight*at/top)
	return page.El("g").Class("grid").Body(
		page.El("line").Attr("x1", "0").Attr("x2", number(Days*dayWidth)).Attr("y1", y).
			Attr("y2", y),
		page.El("text").Attr("x", "-6").Attr("y", y).Attr("dy", "4").Attr("text-anchor", "end").
			Text(page.Count(at)))
}

// column is one day's bar, and now and then its date below.
func column(i int, t totals, top int, day time.Time) (list []node.Node) {
	x, y := i*dayWidth+dayGap/2, chartHeight
	for f := range fates {
		n := t.sessions[f]
		if n == 0 {
			continue
		}
		h := max(chartHeight*n/top, 2)
		y -= h
		list = append(list,
			page.El("rect").Class("bar "+fateClasses[f]).Attr("x", number(x)).Attr("y", number(y)).
				Attr("width", number(dayWidth-dayGap)).Attr("height", number(h)).Body(
				page.El("title").Text(
					day.Format("2 January: ")+page.Count(n)+" "+strings.ToLower(fateWords[f]),
				)))
	}
	if (Days-1-i)%7 == 0 {
		list = append(
			list,
			page.El("text").Class("tick").Attr("x", number(x+
				(dayWidth-dayGap)/2)).Attr("y", number(chartHeight+
				15)).Attr("text-anchor", "middle").Text(day.Format("2 Jan")),
		)
	}
	return list
}

func legend() node.Node {
	var list []node.Node
	for f := range fates {
		list = append(
			list,
			page.El("li").Body(
				page.El("span").Class("swatch "+fateClasses[f]).Attr("aria-hidden", "true"),
				page.Text(fateWords[f]),
			),
		)
	}
	return page.El("ul").Class("legend").Body(list...)
}

func dayRow(day time.Time, t totals) []node.Node {
	cells := []node.Node{page.Text(day.Format(time.DateOnly)), page.Text(page.Count(t.all()))}
	for f := range fates {
		cells = append(cells, page.Text(page.Count(t.sessions[f])))
	}
	return append(cells, page.Text(grouped(t.usd[paid].StringFixed(2))))
}

// behind is a table that is opened by who wants it.
func behind(label string, t page.Table) node.Node {
	return page.El("details").Body(page.El("summary").Text(label), t.Draw())
}

// byCoin is what was confirmed, by coin, the most first.
func byCoin(counts []records.Count) []node.Node {
	coins := map[string]*totals{}
	for _, c := range counts {
		if fateOf(c.Status) != paid || c.Coin == "" {
			continue
		}
		if coins[c.Coin] == nil {
			coins[c.Coin] = &totals{}
		}
		coins[c.Coin].add(c)
	}
	if len(coins) == 0 {
		return []node.Node{page.Note("", "Nothing was confirmed in the last 30 days.")}
	}
	symbols := make([]string, 0, len(coins))
	for symbol := range coins {
		symbols = append(symbols, symbol)
	}
	slices.SortFunc(symbols, func(a, b string) int {
		if c := coins[b].usd[paid].Cmp(coins[a].usd[paid]); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	most := coins[symbols[0]].usd[paid]
	var rows []node.Node
	for _, symbol := range symbols {
		rows = append(rows, coinBar(symbol, coins[symbol], most))
	}
	return []node.Node{page.El("table").Class("bars").Body(
		page.El("caption").Class("offscreen").Text(
			"Confirmed payments by coin, of the last 30 days",
		),
		page.El("thead").Class("offscreen").Body(
			page.El("tr").Body(
				page.El("th").Attr("scope", "col").Text("Coin"),
				page.El("th").Attr("scope", "col").Text("Share"),
				page.El("th").Attr("scope", "col").Text("Confirmed"),
			),
		),
		page.El("tbody").Body(rows...))}
}

// coinBar is one coin's line: a bar as long as its share of the largest.
func coinBar(symbol string, t *totals, most decimal.Decimal) node.Node {
	share := int64(100)
	if most.IsPositive() {
		share = max(1, t.usd[paid].Mul(decimal.NewFromInt(100)).Div(most).IntPart())
	}
	width := number(int(share))
	return page.El("tr").Body(
		page.El("th").Attr("scope", "row").Body(page.Coin(symbol, "", "")),
		page.El("td").Class("bar-cell").Body(
			page.El("svg").Attr("viewBox", "0 0 100 8").Attr("preserveAspectRatio", "none").
				Attr("aria-hidden", "true").Body(
				page.El("rect").Class("bar paid").Attr("width", width).Attr("height", "8"))),
		page.El("td").Class("number").Body(
			page.El("strong").Text("$"+grouped(t.usd[paid].StringFixed(2))),
			page.El("small").Text(" "+page.Plural(t.sessions[paid], "payment")),
		),
	)
}
