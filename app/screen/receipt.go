package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// receipt is the page that is kept or printed: nothing to do, all there is to know.
func receipt(p widget.Page, a wire.Attempt) *node.Element {
	return node.El("article").Class("outcome receipt").Body(
		mark("done"),
		widget.Heading(p.Say("done.printed")),
		node.If(merchant(p) != "", func() node.Node {
			return node.El("p").Class("receipt-shop").Body(
				node.El("span").Attr("data-part", "shop").Attr("translate", "no").
					Attr("dir", "ltr").
					Text(merchant(p)))
		}),
		unusual(p, a),
		record(p, a),
		signature(p),
		node.El("p").Class("receipt-note").Body(widget.Spaced(
			node.Text(p.Say("done.anytime")),
			node.If(p.URL != "", func() node.Node {
				return node.El("span").Class("receipt-url").Attr("translate", "no").
					Attr("dir", "ltr").
					Text(p.URL)
			}),
		)...),
		node.El("div").Class("buttons").Body(
			node.El("button").Attr("type", "button").Class("button primary needs-script").
				Attr("data-part", "print").Text(p.Say("done.print")),
			backToShop(p, p.View.SuccessURL, ""),
			node.El("a").Class("button quiet").Attr("data-part", "payment").
				Attr("href", p.Link("")).
				Text(p.Say("closed.back")),
		),
	)
}

// record is all that is known of the payment, and what names it to others.
func record(p widget.Page, a wire.Attempt) node.Node {
	return node.El("dl").Class("sums").Body(
		node.If(a.PayableAmount != "", func() node.Node {
			return widget.SumLine(p, "part.asked", "asked", a.PayableAmount, a.CurrencySymbol)
		}),
		paidLine(p, a),
		widget.Fact(p, "done.order", "order", p.View.Order.Ref),
		widget.Fact(p, "done.network", "network-name", a.NetworkName),
		node.If(a.Address != "", func() node.Node {
			return node.El("div").Class("line").Body(
				node.El("dt").Text(p.Say("pay.address.where")),
				node.El("dd").Class("tx").Attr("data-part", "paid-address").
					Attr("data-value", a.Address).Attr("translate", "no").Attr("dir", "ltr").
					Text(a.Address),
			)
		}),
		widget.Fact(p, "done.time", "time", widget.Moment(a.PaidAt)),
		widget.Fact(p, "ask.payment", "payment-code", a.TrackingCode),
		widget.Transaction(p, a),
	)
}

// signature is the proof for the shop's server, to be copied and sent along.
func signature(p widget.Page) node.Node {
	return node.If(p.View.Receipt != "", func() node.Node {
		return node.El("details").Class("signed").Attr("data-part", "signed").Body(
			node.El("summary").Text(p.Say("receipt.signed")),
			&widget.Reference{Lines: []string{p.View.Receipt}, Label: p.Say("receipt.signed.why"),
				Text: widget.CopyText{Button: p.Say("ask.copy"), Copied: p.Say("ask.copied"),
					Failed: p.Say("copy.failed")}},
		)
	})
}

// merchant names the shop by where it is: its own page, else where it wants
// shoppers to go afterwards, else this checkout; "" if none of them is known.
func merchant(p widget.Page) string {
	for _, address := range []string{p.Shop, p.View.SuccessURL, p.URL} {
		if host := widget.HostOf(address); host != "" {
			return host
		}
	}
	return ""
}
