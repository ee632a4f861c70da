package widget

import (
	"slices"
	"sync"

	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// languageMenu lets the shopper read the page in another language. It is a form
// that loads the page anew, so it works everywhere and changes nothing before
// the button is pressed (WCAG 3.2.2).
func languageMenu(p Page) node.Node {
	return node.If(len(p.Languages) > 1, func() node.Node {
		return el("form").Class("languages").Attr("method", "get").Attr("action", p.path()).
			Body(append(p.HiddenFieldsExcept("lang", "key"), WithSpaces(
				el("label").Body(
					el("span").Class("offscreen").Text(p.T("lang.label")),
					&languageList{Languages: p.Languages, Lang: p.Lang},
				),
				el("button").Attr("type", "submit").Attr("data-part", "language-set").
					Text(p.T("lang.set")),
			)...)...)
	})
}

// path is the path of the page that is shown.
func (p Page) path() string {
	if p.Receipt {
		return p.Base + "/receipt"
	}
	return p.Base
}

// HiddenFieldsExcept are the fields that a form takes along, without some of them.
func (p Page) HiddenFieldsExcept(names ...string) []node.Node {
	var kept []Field
	for _, f := range p.Carry {
		if !slices.Contains(names, f.Name) {
			kept = append(kept, f)
		}
	}
	p.Carry = kept
	return HiddenFields(p)
}

// languageList is the field of the menu. It is a component, because it is the same
// on all pages of a language: in a browser nothing of it is drawn again, and the
// server keeps its tree.
type languageList struct {
	app.Compo

	Languages []Language
	Lang      string // the one that is chosen
}

// cachedLists holds a *drawnList for each language that was chosen in one: its fifty
// elements would be a quarter of what a page costs.
var cachedLists sync.Map

// cachedList is what was drawn of a list of languages.
type cachedList struct {
	languages []Language
	tree      *node.Element
}

// Draw draws it, on the server only where it is not what it was.
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
			Bool("selected", one.Tag == l.Lang).Text(one.Name))
	}
	return el("select").Attr("name", "lang").Attr("data-part", "language").Body(list...)
}
