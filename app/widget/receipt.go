package widget

import (
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// receipt is the page that is kept or printed: nothing to do, all there is to know.
func receipt(p Page, a wire.Attempt) *node.Element {
	return el("article").Class("outcome receipt").Body(
		mark("done"),
		heading(p.say("done.printed")),
		node.If(p.merchant() != "", func() node.Node {
			return el("p").Class("receipt-shop").Body(
				el("span").Attr("data-part", "shop").Attr("translate", "no").Attr("dir", "ltr").
					Text(p.merchant()))
		}),
		unusual(p, a),
		record(p, a),
		signature(p),
		el("p").Class("receipt-note").Body(spaced(
			node.Text(p.say("done.anytime")),
			node.If(p.URL != "", func() node.Node {
				return el("span").Class("receipt-url").Attr("translate", "no").Attr("dir", "ltr").
					Text(p.URL)
			}),
		)...),
		el("div").Class("buttons").Body(
			el("button").Attr("type", "button").Class("button primary needs-script").
				Attr("data-part", "print").Text(p.say("done.print")),
			backToShop(p, p.View.SuccessURL, ""),
			el("a").Class("button quiet").Attr("data-part", "payment").Attr("href", p.Link("")).
				Text(p.say("closed.back")),
		),
	)
}

// record is all that is known of the payment, and what names it to others.
func record(p Page, a wire.Attempt) node.Node {
	return el("dl").Class("sums").Body(
		node.If(a.PayableAmount != "", func() node.Node {
			return line(p, "part.asked", "asked", a.PayableAmount, a.CurrencySymbol)
		}),
		paidLine(p, a),
		fact(p, "done.order", "order", p.View.Order.Ref),
		fact(p, "done.network", "network-name", a.NetworkName),
		node.If(a.Address != "", func() node.Node {
			return el("div").Class("line").Body(
				el("dt").Text(p.say("pay.address.where")),
				el("dd").Class("tx").Attr("data-part", "paid-address").
					Attr("data-value", a.Address).Attr("translate", "no").Attr("dir", "ltr").
					Text(a.Address),
			)
		}),
		fact(p, "done.time", "time", moment(a.PaidAt)),
		fact(p, "ask.payment", "payment-code", a.TrackingCode),
		transaction(p, a),
	)
}

// signature is the proof for the shop's server, to be copied and sent along.
func signature(p Page) node.Node {
	return node.If(p.View.Receipt != "", func() node.Node {
		return el("details").Class("signed").Attr("data-part", "signed").Body(
			el("summary").Text(p.say("receipt.signed")),
			&reference{Lines: []string{p.View.Receipt}, Label: p.say("receipt.signed.why"),
				Text: copyText{Button: p.say("ask.copy"), Copied: p.say("ask.copied"),
					Failed: p.say("copy.failed")}},
		)
	})
}

// merchant names the shop by where it is: its own page, else where it wants
// shoppers to go afterwards, else this checkout; "" if none of them is known.
func (p Page) merchant() string {
	for _, address := range []string{p.Shop, p.View.SuccessURL, p.URL} {
		if host := hostOf(address); host != "" {
			return host
		}
	}
	return ""
}
