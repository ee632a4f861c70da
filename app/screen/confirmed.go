package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// confirmed is shown for a paid order, and as the printable receipt, see receipt.go.
type confirmed struct {
	app.Compo

	Page widget.Page
}

// Draw draws what was paid, what is unusual about it, and what happens next.
func (s *confirmed) Draw() *node.Element {
	p, a := s.Page, s.Page.View.LatestAttempt() // zero if the merchant resolved the order
	if p.Receipt {
		return receipt(p, a)
	}
	return node.El("div").Class("outcome").Body(
		mark("done"),
		widget.Heading(p.T("done.title")),
		node.El("p").Text(p.T("done.text")),
		unusual(p, a),
		node.El("dl").Class("sums").Body(
			paidLine(p, a),
			widget.Fact(p, "done.order", "order", p.View.Order.Ref),
			widget.Fact(p, "done.network", "network-name", a.NetworkName),
			widget.Fact(p, "done.time", "time", widget.FormatTime(a.PaidAt)),
			widget.Transaction(p, a),
		),
		widget.NextSteps(p, "done.next", widget.TextIf(a.OverpaidAmount != "", "over.next")),
		node.El("div").Class("buttons").Body(
			backToShop(p, p.View.SuccessURL, "primary"),
			node.El("a").Class("button").Attr("data-part", "receipt").
				Attr("href", p.Link("/receipt")).
				Attr("target", "_blank").Attr("rel", "noopener").Text(p.T("done.receipt")),
			closeButton(p),
		),
		node.If(a.Late || a.OverpaidAmount != "", func() node.Node { return widget.Help(p) }),
	)
}

// unusual says that the payment was late or too much.
func unusual(p widget.Page, a wire.Attempt) node.Node {
	return node.If(a.Late || a.OverpaidAmount != "", func() node.Node {
		return node.El("div").Class("unusual").Body(
			node.If(a.Late, func() node.Node {
				return node.El("p").Class("note").Attr("data-part", "late").Text(p.T("late.text"))
			}),
			widget.Overpaid(p, a),
		)
	})
}

// paidLine is the amount that was paid. The gateway may leave it out if it is the requested one.
func paidLine(p widget.Page, a wire.Attempt) node.Node {
	paid := a.PaidAmount
	if paid == "" {
		paid = a.PayableAmount
	}
	return node.If(paid != "", func() node.Node {
		return widget.SumLine(p, "done.paid", "paid", paid, a.CurrencySymbol)
	})
}

// closeButton closes a modal checkout, by frame.js.
func closeButton(p widget.Page) node.Node {
	return node.If(p.Embed == "modal" && p.Origin != "", func() node.Node {
		return node.El("button").Attr("type", "button").Class("button quiet needs-script").
			Attr("data-part", "close").Text(p.T("close"))
	})
}
