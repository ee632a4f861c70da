package widget

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/widget/node"
)

func el(tag node.Name) *node.Element { return node.El(tag) }

// void returns an element that has no end tag.
func void(tag node.Name) *node.Element { return node.Void(tag) }

// textIf returns text if condition is true, else an empty text.
func textIf(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

// spaced puts a space between neighbors, which a page without styles would run
// together: an address and the word on its button. Boxes in a row or a grid show
// nothing of it.
func spaced(parts ...node.Node) []node.Node {
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
func (c *Checkout) Render() app.UI { return c.Draw().UI() }

func (s *cancelled) Render() app.UI    { return s.Draw().UI() }
func (c *checker) Render() app.UI      { return c.Draw().UI() }
func (c *chooser) Render() app.UI      { return c.Draw().UI() }
func (s *closed) Render() app.UI       { return s.Draw().UI() }
func (s *confirmed) Render() app.UI    { return s.Draw().UI() }
func (c *copyable) Render() app.UI     { return c.Draw().UI() }
func (s *expired) Render() app.UI      { return s.Draw().UI() }
func (l *languageList) Render() app.UI { return l.Draw().UI() }
func (s *pay) Render() app.UI          { return s.Draw().UI() }
func (s *preparing) Render() app.UI    { return s.Draw().UI() }
func (r *reference) Render() app.UI    { return r.Draw().UI() }
func (s *refused) Render() app.UI      { return s.Draw().UI() }
func (s *review) Render() app.UI       { return s.Draw().UI() }
func (t *timing) Render() app.UI       { return t.Draw().UI() }
