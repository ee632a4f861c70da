package widget

import (
	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// languageMenu is a form that reloads the page in another language. It works without scripts and
// changes nothing before its button is pressed (WCAG 3.2.2). The server's page has only the present
// language, because fifty cost a slow phone as much as the coins: frame.js adds the others, or the
// button leads to a page with all.
func languageMenu(p Page) node.Node {
	if len(p.Languages) < 2 {
		return node.Text("")
	}
	languages := p.Languages
	ask := ""
	if app.IsServer && !p.AllLanguages {
		languages = p.ownLanguage()
		ask = "languages"
	}
	return el("form").Class("languages").Attr("method", "get").Attr("action", p.path()).
		Body(append(HiddenFields(p.Without("lang", "key")), WithSpaces(
			el("label").Body(el("span").Class("offscreen").Text(p.T("lang.label")),
				&languageList{Languages: languages, Lang: p.Lang}),
			el("button").Attr("type", "submit").Attr("data-part", "language-set").
				Attr("name", ask).Attr("value", TextIf(ask != "", "1")).
				Text(p.T("lang.set")),
		)...)...)
}

// ownLanguage is the page's language in the menu; empty if the menu does not have it.
func (p *Page) ownLanguage() []Language {
	for i, language := range p.Languages {
		if language.Tag == p.Lang {
			return p.Languages[i : i+1]
		}
	}
	return nil
}

// path is the path of this page.
func (p *Page) path() string {
	if p.Receipt {
		return p.Base + "/receipt"
	}
	return p.Base
}

// languageList is the field of the menu. It is a component because it is the same on all pages of
// a language: a browser never redraws it.
type languageList struct {
	app.Compo

	Languages []Language
	Lang      string // the chosen one
}

// Draw draws the list.
func (l *languageList) Draw() *node.Element {
	list := make([]node.Node, 0, len(l.Languages))
	for _, one := range l.Languages {
		list = append(list, el("option").Attr("value", one.Tag).Attr("lang", one.Tag).
			Bool("selected", one.Tag == l.Lang).Class(TextIf(one.Tag == l.Lang, "now")).
			Text(one.Name))
	}
	return el("select").Attr("name", "lang").Attr("data-part", "language").Body(list...)
}
