package screen

import (
	"time"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// preparing is shown while the gateway's answer is missing. There is nothing to pay yet.
type preparing struct {
	app.Compo

	Page    widget.Page
	At      time.Time // arrival of the view
	Offline bool
	Busy    bool
}

// Draw draws the text, the age of the last check, and the buttons.
func (s *preparing) Draw() *node.Element {
	p := s.Page
	return node.El("div").Class("outcome").Body(
		mark("wait"),
		widget.Heading(p.T("prepare.title")),
		node.El("p").Text(p.T("prepare.text")),
		&widget.Timing{Page: p, At: s.At, Offline: s.Offline},
		node.El("div").Class("buttons").Body(
			node.If(p.View.Can(wire.Recheck), func() node.Node {
				return widget.ButtonForm(
					p, "/recheck", "recheck", "", p.T("prepare.recheck"), s.Busy,
				)
			}),
			reload(p),
			actionForm(p, wire.Cancel, "quiet", "pay.cancel", s.Busy),
		),
	)
}

// actionForm is a button for an action, if the shopper can do it now.
func actionForm(p widget.Page, a wire.Action, class, text string, busy bool) node.Node {
	return node.If(p.View.Can(a), func() node.Node {
		return widget.ButtonForm(p, "/"+string(a), string(a), class, p.T(text), busy)
	})
}

// reload is the way on of a waiting page in browsers where it cannot update by itself.
func reload(p widget.Page) node.Node {
	return node.If(!p.View.Can(wire.Recheck), func() node.Node {
		return node.El("a").Class("button quiet").Attr("data-part", "reload").
			Attr("href", p.Link("")).Text(p.T("prepare.reload"))
	})
}

// mark is the symbol above an outcome's heading, drawn by CSS and hidden from screen readers.
func mark(kind string) node.Node {
	return node.El("div").Class("mark mark-"+kind).Attr("aria-hidden", "true")
}
