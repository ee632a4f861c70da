package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// refused is shown in a frame of a page that is not listed: words and a link
// instead of a blank.
type refused struct {
	app.Compo

	Page widget.Page
}

// Draw draws them.
func (s *refused) Draw() *node.Element {
	p := s.Page
	return node.El("div").Class("outcome").Body(
		mark("ended"),
		widget.Heading(p.T("refused.title")),
		node.El("p").Text(p.T("refused.text")),
		node.El("div").Class("buttons").Body(
			node.El("a").Class("button primary").Attr("data-part", "standalone").
				Attr("href", standaloneLink(p)).
				Attr("target", "_blank").Attr("rel", "noopener").Text(p.T("refused.link")),
		),
	)
}

// standaloneLink is the page's link without what makes it a framed one.
func standaloneLink(p widget.Page) string {
	var carry []widget.Field
	for _, f := range p.Carry {
		if f.Name != "embed" && f.Name != "origin" {
			carry = append(carry, f)
		}
	}
	p.Carry = carry
	return p.Link("")
}
