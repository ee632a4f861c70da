package screen

import (
	"slices"
	"strings"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// closed is shown when there is nothing to choose from: the order is unknown, or the gateway cannot
// be reached. The notice above says why.
type closed struct {
	app.Compo

	Page widget.Page
}

// Draw draws title, reason and buttons, of which the first is the filled one. If nothing has
// failed, or the server could not look the order up, the shopper may have paid, so the page does
// not say that nothing was charged.
func (c *closed) Draw() *node.Element {
	p := c.Page
	symbol := "stop"
	title := "closed.title"
	switch {
	case c.hasCode("", wire.CodeSessionUnknown, wire.CodeNotFound, wire.CodeMethod):
		symbol = "ask"
		title = "closed.news"
	case p.View.Session == "" && c.hasCode(wire.CodeRateLimited, wire.CodeStorageUnavailable,
		wire.CodeInternal):
		title = "choose.busy"
	}
	if id, ok := strings.CutPrefix(p.Base, "/checkout/cs_"); ok {
		p.View.Session = "cs_" + id // known or not, to be quoted
	}
	return box("blocks",
		outcome(p, mark(symbol), title,
			node.If(p.View.Notice != nil, func() node.Node {
				return reason(p, p.View.Notice.Message)
			}),
			node.If(
				title == "closed.title", func() node.Node { return sentence(p, "closed.text") },
			)),
		box("actions", c.buttons()...),
		widget.Ask(p, true),
	)
}

// buttons are "try again" where that can help, the way to the shop, and "back", which frame.js
// handles.
func (c *closed) buttons() []node.Node {
	p := c.Page
	again := c.isTransient()
	back := !again && p.Embed == ""
	isStuck := shopURL(p, p.View.CancelURL) == ""
	filled := func(is bool) string { return "button" + widget.TextIf(is, " primary") }
	return []node.Node{
		node.If(again, func() node.Node { return reloadButton(p, filled(true)) }),
		backToShop(p, p.View.CancelURL, filled(!again)),
		closeButton(p, filled(!again && isStuck)),
		node.If(back, func() node.Node {
			return node.El("button").Attr("type", "button").
				Class(filled(isStuck)+" needs-script").Attr("data-part", "back").
				Text(p.T("closed.back"))
		}),
		node.If(back && isStuck && p.View.Support == "", func() node.Node {
			return reloadButton(p, filled(false))
		}),
	}
}

func reloadButton(p widget.Page, class string) node.Node {
	return node.El("a").Class(class).Attr("data-part", "reload").Attr("href", p.Link("")).
		Text(p.T("closed.again"))
}

// hasCode reports whether there is a notice with one of the codes.
func (c *closed) hasCode(codes ...wire.Code) bool {
	n := c.Page.View.Notice
	return n != nil && slices.Contains(codes, n.Code)
}

// isTransient reports whether another try can help.
func (c *closed) isTransient() bool {
	return c.Page.View.Notice == nil || c.hasCode(wire.CodeGatewayUnavailable,
		wire.CodeStorageUnavailable, wire.CodeRateLimited, wire.CodeInternal)
}
