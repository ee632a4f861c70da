package widget

import (
	"slices"
	"sync"

	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// languageMenu is a form that reloads the page in another language. It works without scripts and
// changes nothing before its button is pressed (WCAG 3.2.2).
func languageMenu(p Page) node.Node {
	return node.If(len(p.Languages) > 1, func() node.Node {
		return el("form").Class("languages").Attr("method", "get").Attr("action", p.path()).
			Body(append(HiddenFields(p.Without("lang", "key")), WithSpaces(
				el("label").Body(
					el("span").Class("offscreen").Text(p.T("lang.label")),
					&languageList{Languages: p.Languages, Lang: p.Lang},
				),
				el("button").Attr("type", "submit").Attr("data-part", "language-set").
					Text(p.T("lang.set")),
			)...)...)
	})
}

// path is the path of this page.
func (p *Page) path() string {
	if p.Receipt {
		return p.Base + "/receipt"
	}
	return p.Base
}

// languageList is the field of the menu. It is a component because it is the same on all pages of
// a language: a browser never redraws it, and the server caches its tree.
type languageList struct {
	app.Compo

	Languages []Language
	Lang      string // the chosen one
}

// cachedLists holds a *cachedList by chosen language: its fifty elements would be a quarter of the
// cost of a page.
var cachedLists sync.Map

// cachedList is the tree of a list of languages.
type cachedList struct {
	languages []Language
	tree      *node.Element
}

// Draw draws the list; the server draws it again only after a change.
func (l *languageList) Draw() *node.Element {
	if app.IsClient {
		return l.draw()
	}
	drawn, ok := cachedLists.Load(l.Lang)
	if !ok || !slices.Equal(drawn.(*cachedList).languages, l.Languages) {
		drawn = &cachedList{slices.Clone(l.Languages), l.draw()}
		cachedLists.Store(l.Lang, drawn)
	}
	return drawn.(*cachedList).tree
}

func (l *languageList) draw() *node.Element {
	list := make([]node.Node, 0, len(l.Languages))
	for _, one := range l.Languages {
		list = append(list, el("option").Attr("value", one.Tag).Attr("lang", one.Tag).
			Bool("selected", one.Tag == l.Lang).Class(TextIf(one.Tag == l.Lang, "now")).
			Text(one.Name))
	}
	return el("select").Attr("name", "lang").Attr("data-part", "language").Body(list...)
}
