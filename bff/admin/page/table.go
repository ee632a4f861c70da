package page

import (
	"net/url"

	"coinslot/app/widget/node"
)

// Column is one column of a table.
type Column struct {
	Name string // empty = of buttons
	// Number puts the column's cells to the right, for figures that are compared.
	Number bool
	// Whole keeps a cell in one line.
	Whole bool
}

// Table is rows of cells. Where it has little room, on a phone or in a column,
// every row becomes a card with the name of its column beside each cell; the first
// column is its head.
type Table struct {
	Caption string // for those who do not see it; needed
	Columns []Column
	Rows    [][]node.Node // as many cells as columns
	Empty   string        // what is said instead of no rows; empty = "Nothing here."
}

// roles keep a table a table where its looks are those of cards: browsers
// forget what is not laid out as one.
func (t Table) draw() node.Node {
	if len(t.Rows) == 0 {
		words := t.Empty
		if words == "" {
			words = "Nothing here."
		}
		return El("p").Class("empty").Attr("data-part", "empty").Text(words)
	}
	var heads []node.Node
	for _, c := range t.Columns {
		name := Text(c.Name)
		if c.Name == "" {
			name = offscreen("To do")
		}
		heads = append(
			heads,
			El("th").Attr("scope", "col").Attr("role", "columnheader").Class(c.class()).Body(name),
		)
	}
	var rows []node.Node
	for _, cells := range t.Rows {
		rows = append(rows, t.row(cells))
	}
	return El("div").Class("rows").Body(El("table").Class("table").Attr("role", "table").Body(
		El("caption").Class("offscreen").Text(t.Caption),
		El("thead").Attr("role", "rowgroup").Body(El("tr").Attr("role", "row").Body(heads...)),
		El("tbody").Attr("role", "rowgroup").Body(rows...),
	))
}

func (t Table) row(cells []node.Node) node.Node {
	var list []node.Node
	for i, cell := range cells {
		c := t.Columns[i]
		td := El("td").Attr("role", "cell").Class(c.class())
		switch {
		case i == 0:
			td = td.Class("first")
		case c.Name != "":
			td = td.Attr("data-label", c.Name)
		}
		list = append(list, td.Body(cell))
	}
	return El("tr").Attr("role", "row").Body(list...)
}

func (c Column) class() string {
	class := ""
	if c.Number {
		class = "number"
	}
	if c.Whole {
		class += " whole"
	}
	return class
}

// Draw returns the table.
func (t Table) Draw() node.Node { return t.draw() }

// Pager leads from one page of a list to the next; there is no way back but to
// the first one, since lists grow at their head. next is the cursor of the next
// page, empty = there is none; path and query are this page's.
func Pager(path string, query url.Values, next string, shown int) node.Node {
	first := query.Get("cursor") == ""
	if first && next == "" {
		return El("p").Class("pager").Body(El("span").Class("soft").Text(Plural(shown, "row")))
	}
	return El("nav").Class("pager").Attr("aria-label", "Pages").Body(
		El("span").Class("soft").Text(Plural(shown, "row")+" on this page"),
		node.If(!first, func() node.Node {
			return El("a").Class("button").Attr("href", With(path, query, "cursor", "")).
				Text("First page")
		}),
		node.If(next != "", func() node.Node {
			return El("a").Class("button").Attr("rel", "next").Attr("data-part", "next").Attr(
				"href", With(path, query, "cursor", next),
			).Text("Next page")
		}),
	)
}

// With returns the address of path with query, in which name has that value;
// empty values are left out.
func With(path string, query url.Values, name, value string) string {
	q := url.Values{}
	for n, values := range query {
		if n != name && len(values) > 0 && values[0] != "" {
			q.Set(n, values[0])
		}
	}
	if value != "" {
		q.Set(name, value)
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// Plural is n of what word names, "3 payments".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return Count(n) + " " + word + "s"
}
