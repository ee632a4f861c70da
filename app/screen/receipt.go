package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// receipt is the printable page with everything that is known of the payment.
func receipt(p widget.Page, a wire.Attempt) *node.Element {
	return node.El("article").Class("outcome receipt").Body(
		mark("done"),
		widget.Heading(p.T("done.printed")),
		node.If(merchant(p) != "", func() node.Node {
			return node.El("p").Class("receipt-shop").Body(
				node.El("span").Attr("data-part", "shop").Attr("translate", "no").
					Attr("dir", "ltr").Text(merchant(p)))
		}),
		unusual(p, a),
		receiptFacts(p, a),
		signature(p),
		node.El("p").Class("receipt-note").Body(widget.WithSpaces(
			node.Text(p.T("done.anytime")),
			node.If(p.URL != "", func() node.Node {
				return node.El("span").Class("receipt-url").Attr("translate", "no").
					Attr("dir", "ltr").Text(p.URL)
			}),
		)...),
		node.El("div").Class("buttons").Body(
			node.El("button").Attr("type", "button").Class("button primary needs-script").
				Attr("data-part", "print").Text(p.T("done.print")),
			backToShop(p, p.View.SuccessURL, ""),
			node.El("a").Class("button quiet").Attr("data-part", "payment").
				Attr("href", p.Link("")).Text(p.T("closed.back")),
		),
	)
}

// receiptFacts lists amounts, network, address, time and ids.
func receiptFacts(p widget.Page, a wire.Attempt) node.Node {
	return node.El("dl").Class("sums").Body(
		node.If(a.PayableAmount != "", func() node.Node {
			return widget.SumLine(p, "part.asked", "asked", a.PayableAmount, a.CurrencySymbol)
		}),
		paidLine(p, a),
		widget.Fact(p, "done.order", "order", p.View.Order.Ref),
		widget.Fact(p, "done.network", "network-name", a.NetworkName),
		node.If(a.Address != "", func() node.Node {
			return widget.Line(p, "pay.address.where", node.El("dd").Class("tx").
				Attr("data-part", "paid-address").Attr("data-value", a.Address).
				Attr("translate", "no").Attr("dir", "ltr").Text(a.Address))
		}),
		widget.Fact(p, "done.time", "time", widget.FormatTime(a.PaidAt)),
		widget.Fact(p, "ask.payment", "payment-code", a.TrackingCode),
		widget.Transaction(p, a),
	)
}

// signature is the signed receipt, to be copied for the shop.
func signature(p widget.Page) node.Node {
	return node.If(p.View.Receipt != "", func() node.Node {
		return node.El("details").Class("signed").Attr("data-part", "signed").Body(
			node.El("summary").Text(p.T("receipt.signed")),
			widget.NewReference(p, "receipt.signed.why", p.View.Receipt),
		)
	})
}

// merchant names the shop by a host: of its page, its SuccessURL, or this checkout; "" if none is
// known.
func merchant(p widget.Page) string {
	for _, address := range []string{p.Shop, p.View.SuccessURL, p.URL} {
		if host := widget.Host(address); host != "" {
			return host
		}
	}
	return ""
}
