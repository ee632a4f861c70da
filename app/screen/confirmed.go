package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// confirmed is the end that everybody wants. On its own page it is the receipt, receipt.go.
type confirmed struct {
	app.Compo

	Page widget.Page
}

// Draw draws what was paid, what is unusual about it, and the way on.
func (s *confirmed) Draw() *node.Element {
	p, a := s.Page, s.attempt()
	if p.Receipt {
		return receipt(p, a)
	}
	return node.El("div").Class("outcome").Body(
		mark("done"),
		widget.Heading(p.T("done.title")),
		node.El("p").Text(p.T("done.text")),
		unusual(p, a),
		s.facts(a),
		widget.NextSteps(p, "done.next", s.surplus(a)),
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

// unusual says what is not as it should have been: late, or too much.
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

// surplus is the key of what happens to money that was too much; "" for none.
func (s *confirmed) surplus(a wire.Attempt) string {
	if a.OverpaidAmount == "" {
		return ""
	}
	return "over.next"
}

// facts are the sums and names of the payment.
func (s *confirmed) facts(a wire.Attempt) node.Node {
	p := s.Page
	return node.El("dl").Class("sums").Body(
		paidLine(p, a),
		widget.Fact(p, "done.order", "order", p.View.Order.Ref),
		widget.Fact(p, "done.network", "network-name", a.NetworkName),
		widget.Fact(p, "done.time", "time", widget.FormatTime(a.PaidAt)),
		widget.Transaction(p, a),
	)
}

// attempt is never nil: an order can be settled by hand.
func (s *confirmed) attempt() wire.Attempt {
	if s.Page.View.Attempt == nil {
		return wire.Attempt{}
	}
	return *s.Page.View.Attempt
}

// paidLine is what arrived; the gateway need not say it when it is as asked.
func paidLine(p widget.Page, a wire.Attempt) node.Node {
	paid := a.PaidAmount
	if paid == "" {
		paid = a.PayableAmount
	}
	return node.If(paid != "", func() node.Node {
		return widget.SumLine(p, "done.paid", "paid", paid, a.CurrencySymbol)
	})
}

// closeButton is a button for a modal checkout; frame.js tells the host page.
func closeButton(p widget.Page) node.Node {
	return node.If(p.Embed == "modal" && p.Origin != "", func() node.Node {
		return node.El("button").Attr("type", "button").Class("button quiet needs-script").
			Attr("data-part", "close").Text(p.T("close"))
	})
}
