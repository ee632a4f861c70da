package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// wholeTx is more than a transaction's id has characters on both sides.
const wholeTx = 200

// receipt is the printable page with everything that is known of the payment.
func receipt(p widget.Page, a wire.Attempt, zone widget.Zone) *node.Element {
	return box("blocks",
		outcome(p, mark("done"), "done.printed", node.If(merchant(p) != "", func() node.Node {
			return node.El("p").Attr("data-part", "shop").Attr("translate", "no").
				Attr("dir", "auto").Text(merchant(p))
		})),
		unusual(p, a, wholeTx),
		till(p, a,
			node.If(a.PayableAmount != "", func() node.Node {
				return widget.SumLine(p, "part.asked", "asked", a.PayableAmount, a.Shown())
			}),
			widget.Fact(p, "done.order", "order", p.View.Order.Ref),
			networkFact(p, a),
			widget.Fact(p, "pay.to", "paid-address", a.Address),
			widget.Moment(p, "done.time", "time", a.PaidAt, zone),
			widget.Fact(p, "ask.payment", "payment-code", a.TrackingCode),
			widget.Transactions(p, a, wholeTx),
		),
		signature(p),
		node.El("p").Class("small center").Body(widget.WithSpaces(
			node.Text(p.T("done.anytime")),
			node.If(p.URL != "", func() node.Node {
				return node.El("span").Class("printed").Attr("translate", "no").
					Attr("dir", "ltr").Text(p.URL)
			}),
		)...),
		box("actions",
			node.El("button").Attr("type", "button").Class("button primary needs-script").
				Attr("data-part", "print").Text(p.T("done.print")),
			backToShop(p, p.View.SuccessURL, "button"),
		),
		box("links", node.El("a").Class("link").Attr("data-part", "payment").
			Attr("href", p.Link("")).Text(p.T("closed.back"))),
	).Class("saved")
}

// signature is the signed receipt, to be copied for the shop.
func signature(p widget.Page) node.Node {
	return node.If(p.View.Receipt != "", func() node.Node {
		return node.El("div").Class("rows").Body(
			node.El("details").Class("signed").Attr("data-part", "signed").Body(
				node.El("summary").Text(p.T("receipt.signed")),
				&widget.Reference{Lines: []string{p.View.Receipt}, Label: p.T("receipt.signed.why"),
					Text: widget.CopyText{Button: p.T("copy.button"), Copied: p.T("copy.done"),
						Failed: p.T("copy.failed")}},
			))
	})
}

// merchant is the shop's name, or a host: of its page, its SuccessURL, or this checkout; "" if none
// is known.
func merchant(p widget.Page) string {
	if name := p.ShopName(); name != "" {
		return name
	}
	for _, address := range []string{p.View.SuccessURL, p.URL} {
		if host := widget.Host(address); host != "" {
			return host
		}
	}
	return ""
}
