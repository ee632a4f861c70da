package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// refused is shown in a frame of a host page that is not in COINSLOT_ORIGINS.
type refused struct {
	app.Compo

	Page widget.Page
}

// Draw draws the reason and a link to the page without a frame.
func (r *refused) Draw() *node.Element {
	p := r.Page
	return box("blocks",
		outcome(p, mark("stop"), "refused.title", sentence(p, "refused.text")),
		box("actions", node.El("a").Class("button primary").Attr("data-part", "standalone").
			Attr("data-fix", fixes[wire.CodeOriginRefused]).
			Attr("href", p.Without("embed", "origin").Link("")).
			Attr("target", "_blank").Attr("rel", "noopener").Text(p.T("refused.link"))),
	)
}
