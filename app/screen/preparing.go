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

// Draw draws the outline of what comes, the age of the last check, and the buttons.
func (pr *preparing) Draw() *node.Element {
	p := pr.Page
	return node.El("div").Class("pay").Body(
		node.El("div").Class("status").Body(
			widget.Heading(p.T("prepare.title")).Class("live").Attr("data-part", "status"),
		),
		ghostSlip(p),
		node.El("div").Class("actions").Body(
			node.El("p").Class("small center").Text(p.T("prepare.text")),
			&widget.Timing{Page: p, At: pr.At, Offline: pr.Offline},
		),
		node.El("div").Class("links").Body(
			actionForm(p, wire.Recheck, "link", "prepare.recheck", pr.Busy),
			reload(p),
			actionForm(p, wire.Cancel, "link", "pay.cancel", pr.Busy),
		),
	)
}

// ghostSlip is the outline of the slip, of the same height, so that nothing jumps when it comes.
// Only the sentence about the network has its words, because these may take two lines.
func ghostSlip(p widget.Page) node.Node {
	ghost := func(class string) *node.Element {
		return node.El("span").Class("ghost " + class).Text("\u00a0")
	}
	address := make([]node.Node, 0, 10)
	for range cap(address) {
		address = append(address, ghost("group"))
	}
	line := func(class, content string) node.Node {
		return node.El("p").Class(class).Body(ghost(content))
	}
	return node.El("div").Class("slip").Attr("aria-hidden", "true").Body(
		node.El("div").Class("copyable amount").Body(node.El("div").Body(
			line("label", ""), line("amount-value", "")), ghost("copy")),
		node.El("div").Class("net").Body(line("label", ""), line("net-name", ""),
			node.El("p").Class("net-lost").Body(node.El("span").Class("ghost text").
				Text(p.T("pay.lost", "coin", coinName(p.View.LatestAttempt()))))),
		node.El("div").Class("code").Body(node.El("div").Class("qr-box").Body(
			node.El("div").Class("qr ghost"))),
		node.El("div").Class("copyable address").Body(line("label", ""), ghost("copy"),
			node.El("p").Class("value").Body(address...)),
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
		return node.El("a").Class("link").Attr("data-part", "reload").
			Attr("href", p.Link("")).Text(p.T("prepare.reload"))
	})
}
