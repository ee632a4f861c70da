package widget

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/widget/node"
)

// refused is shown in a frame of a page that is not listed: words and a link
// instead of a blank.
type refused struct {
	app.Compo

	Page Page
}

// Draw draws them.
func (s *refused) Draw() *node.Element {
	p := s.Page
	return el("div").Class("outcome").Body(
		mark("ended"),
		heading(p.say("refused.title")),
		el("p").Text(p.say("refused.text")),
		el("div").Class("buttons").Body(
			el("a").Class("button primary").Attr("data-part", "standalone").Attr("href", p.alone()).
				Attr("target", "_blank").Attr("rel", "noopener").Text(p.say("refused.link")),
		),
	)
}

// alone is the page's link without what makes it a framed one.
func (p Page) alone() string {
	var carry []Field
	for _, f := range p.Carry {
		if f.Name != "embed" && f.Name != "origin" {
			carry = append(carry, f)
		}
	}
	p.Carry = carry
	return p.Link("")
}
