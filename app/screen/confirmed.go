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
	Zone widget.Zone // of the browser when it was paid
}

// Draw draws what is unusual, the receipt, and the ways on, of which the first is the filled one.
func (c *confirmed) Draw() *node.Element {
	p, a := c.Page, c.Page.View.LatestAttempt() // zero if the merchant resolved the order
	if p.Receipt {
		return receipt(p, a, c.Zone)
	}
	isStuck := shopURL(p, p.View.SuccessURL) == ""
	return box("blocks",
		outcome(p, mark("done"), "done.title", sentence(p, "done.text")),
		unusual(p, a, 8),
		till(p, a,
			widget.Fact(p, "done.order", "order", p.View.Order.Ref),
			networkFact(p, a),
			widget.Moment(p, "done.time", "time", a.PaidAt, c.Zone),
			widget.Transactions(p, a, 8),
		),
		box("actions",
			backToShop(p, p.View.SuccessURL, "button primary"),
			closeButton(p, "button"+widget.TextIf(isStuck, " primary")),
			node.El("a").Class("button"+widget.TextIf(isStuck && !canClose(p), " primary")).
				Attr("data-part", "receipt").Attr("href", p.Link("/receipt")).
				Attr("target", "_blank").Attr("rel", "noopener").Text(p.T("done.receipt")),
		),
		node.If(a.Late || a.OverpaidAmount != "", func() node.Node { return widget.Ask(p, true) }),
	)
}

// unusual says that the payment was late or too much, and what the shop has sent back. Long ids of
// transactions are shortened to so many characters at both ends.
func unusual(p widget.Page, a wire.Attempt, ends int) node.Node {
	over := a.OverpaidAmount
	return node.If(a.Late || over != "" || len(p.View.Refunds) > 0, func() node.Node {
		return node.El("div").Class("note" + widget.TextIf(over != "", " warn")).Body(
			append(refunds(p, ends),
				node.If(a.Late, func() node.Node {
					return node.El("p").Attr("data-part", "late").Text(p.T("late.text"))
				}),
				node.If(over != "", func() node.Node {
					return node.El("p").Attr("data-part", "overpaid").Attr("data-value", over).
						Text(p.T("over.text", "amount", p.Amount(over, a.Shown())))
				}),
			)...,
		)
	})
}

// refunds are sentences about what the shop has sent back, each with its transaction.
func refunds(p widget.Page, ends int) []node.Node {
	var list []node.Node
	for _, r := range p.View.Refunds {
		said := p.T("refund.text", "amount", p.Amount(r.Amount, r.Symbol), "day", r.Day)
		tx := wire.Transaction{TxID: r.TxID, TxURL: r.TxURL}
		list = append(list, node.El("p").Attr("data-part", "refund").
			Attr("data-value", r.Amount).
			Body(node.Text(said+" · "), widget.TransactionLink(p, tx, "refund-tx", ends, "")))
	}
	return list
}
