package page

import (
	"net/url"

	"coinslot/app/widget/node"
)

// Numbered leads through a list that has numbered pages. last and total are 0 if
// whoever keeps the list does not say; shown is how many rows are on this page.
func Numbered(path string, query url.Values, number, last, total, shown int) node.Node {
	if number < 1 {
		number = 1
	}
	where := "Page " + Count(number)
	if last > 0 {
		where += " of " + Count(last)
	}
	if total > 0 {
		where += ", " + Plural(total, "row") + " in all"
	}
	to := func(n int) string {
		if n < 2 {
			return With(path, query, "page", "")
		}
		return With(path, query, "page", Plain(n))
	}
	link := func(n int, rel, label string) func() node.Node {
		return func() node.Node {
			return El("a").Class("button").Attr("rel", rel).Attr("data-part", rel).
				Attr("href", to(n)).Text(label)
		}
	}
	return El("nav").Class("pager").Attr("aria-label", "Pages").Body(
		El("span").Class("soft").Text(where),
		node.If(number > 1, link(number-1, "prev", "Previous page")),
		node.If(number < last || last == 0 && shown > 0, link(number+1, "next", "Next page")),
	)
}

// Export leads to a list as a file for spreadsheets; query is the list's.
func Export(path string, query url.Values) node.Node {
	return El("a").Class("button").Attr("href", With(path, query, "", "")).Attr("download", "").
		Attr("data-part", "export").Text("Export as CSV")
}
