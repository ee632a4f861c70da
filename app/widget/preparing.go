package widget

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// preparing is shown while the gateway's answer is awaited or unknown. There is
// nothing to pay yet, and it says so.
type preparing struct {
	app.Compo

	Page    Page
	At      time.Time // when the view came
	Offline bool
	Busy    bool
}

// Draw draws words, freshness and the ways on.
func (s *preparing) Draw() *node.Element {
	p := s.Page
	return el("div").Class("outcome").Body(
		mark("wait"),
		heading(p.say("prepare.title")),
		el("p").Text(p.say("prepare.text")),
		&timing{Page: p, At: s.At, Offline: s.Offline},
		el("div").Class("buttons").Body(
			node.If(p.View.Can(wire.Recheck), func() node.Node {
				return press(p, "/recheck", "recheck", "", p.say("prepare.recheck"), s.Busy)
			}),
			reload(p),
			node.If(p.View.Can(wire.Cancel), func() node.Node {
				return press(p, "/cancel", "cancel", "quiet", p.say("pay.cancel"), s.Busy)
			}),
		),
	)
}

// reload is the way on of a page that waits, for browsers in which it cannot
// look again by itself.
func reload(p Page) node.Node {
	return node.If(!p.View.Can(wire.Recheck), func() node.Node {
		return el("a").Class("button quiet").Attr("data-part", "reload").Attr("href", p.Link("")).
			Text(p.say("prepare.reload"))
	})
}

// mark is the sign above an outcome's heading; drawn by CSS, silent for screen
// readers.
func mark(kind string) node.Node {
	return el("div").Class("mark mark-"+kind).Attr("aria-hidden", "true")
}
