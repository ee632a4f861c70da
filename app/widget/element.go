package widget

import (
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

// Render implements app.Composer, which go-app calls in a browser.
func (c *AddressChecker) Render() app.UI { return c.Draw().UI() }

// Render implements app.Composer.
func (c *Copyable) Render() app.UI { return c.Draw().UI() }

// Render implements app.Composer.
func (r *Reference) Render() app.UI { return r.Draw().UI() }

// Render implements app.Composer.
func (t *Timing) Render() app.UI { return t.Draw().UI() }

func (l *languageList) Render() app.UI { return l.Draw().UI() }
