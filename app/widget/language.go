package widget

import (
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// languageMenu lets the shopper read the page in another language. It is a form
// that loads the page anew, so it works everywhere and changes nothing before
// the button is pressed (WCAG 3.2.2).
func languageMenu(p Page) app.UI {
	return app.If(len(p.Languages) > 1, func() app.UI {
		return el("form").Class("languages").Attr("method", "get").Attr("action", p.here()).
			Body(append(p.carriedBut("lang", "key"), spaced(
				el("label").Body(
					el("span").Class("offscreen").Text(p.say("lang.label")),
					el("select").Attr("name", "lang").DataSet("part", "language").Body(p.languages()...),
				),
				el("button").Attr("type", "submit").DataSet("part", "language-set").Text(p.say("lang.set")),
			)...)...)
	})
}

// here is the path of the page that is shown.
func (p Page) here() string {
	if p.Receipt {
		return p.Base + "/receipt"
	}
	return p.Base
}

// carriedBut are the fields that a form takes along, without some of them.
func (p Page) carriedBut(names ...string) []app.UI {
	var kept []Field
	for _, f := range p.Carry {
		if !slices.Contains(names, f.Name) {
			kept = append(kept, f)
		}
	}
	p.Carry = kept
	return carried(p)
}

func (p Page) languages() []app.UI {
	list := make([]app.UI, 0, len(p.Languages))
	for _, l := range p.Languages {
		list = append(list, el("option").Attr("value", l.Tag).Attr("lang", l.Tag).Attr("selected", l.Tag == p.Lang).Text(l.Name))
	}
	return list
}
