package widget

import (
	"strings"

	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

func el(tag node.Name) *node.Element { return node.El(tag) }

// void returns an element that has no end tag.
func void(tag node.Name) *node.Element { return node.Void(tag) }

// TextIf returns text if condition is true, else an empty text.
func TextIf(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

// WithSpaces puts a space between neighbors that would run together in a page without styles.
// Flex and grid boxes do not show it.
func WithSpaces(parts ...node.Node) []node.Node {
	list := make([]node.Node, 0, 2*len(parts))
	for i, part := range parts {
		if i > 0 {
			list = append(list, node.Text(" "))
		}
		list = append(list, part)
	}
	return list
}

// Icon is the logo of a coin or network, hidden from screen readers because the name is beside it.
// All are parts of one file: a browser makes a document of each SVG file, which costs a slow phone
// 15 ms. In the server's page what is folded is lazy, in WebAssembly's it would be blank for a
// moment.
func Icon(path, class, size string, lazy bool) node.Node {
	return node.If(path != "", func() node.Node {
		name, isOurs := strings.CutPrefix(path, "/icons/")
		if isOurs {
			path = "/icons/marks.svg#" + strings.TrimSuffix(name, ".svg")
		}
		return void("img").Class(class).Attr("src", path).
			Attr("aria-hidden", "true").Attr("width", size).Attr("height", size).
			Attr("loading", TextIf(lazy, "lazy"))
	})
}

// Render implements app.Composer, which go-app calls in a browser.
func (c *AddressChecker) Render() app.UI { return c.Draw().UI() }

// Render implements app.Composer.
func (c *Copyable) Render() app.UI { return c.Draw().UI() }

// Render implements app.Composer.
func (r *Reference) Render() app.UI { return r.Draw().UI() }

// Render implements app.Composer.
func (t *Timing) Render() app.UI { return t.Draw().UI() }

func (l *languageList) Render() app.UI { return l.Draw().UI() }
