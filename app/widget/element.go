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

// WithSpaces puts a space between neighbors, which a page without styles would run
// together: an address and the word on its button. Boxes in a row or a grid show
// nothing of it.
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

// Render returns what Draw draws, as elements of go-app, which calls it in a browser. So
// do those of all components.
func (c *AddressChecker) Render() app.UI { return c.Draw().UI() }

// Render implements app.Composer.
func (c *Copyable) Render() app.UI { return c.Draw().UI() }

// Render implements app.Composer.
func (r *Reference) Render() app.UI { return r.Draw().UI() }

// Render implements app.Composer.
func (t *Timing) Render() app.UI { return t.Draw().UI() }

func (l *languageList) Render() app.UI { return l.Draw().UI() }
