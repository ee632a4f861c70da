package widget

import (
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// Received shows the sums of a partial payment: asked, paid, missing. The pay screen shows the
// missing sum itself, where it can be copied.
func Received(p Page, a wire.Attempt) node.Node {
	return node.If(a.PaidAmount != "" && a.MissingAmount != "", func() node.Node {
		return el("div").Class("received").Body(
			node.If(p.View.Status == wire.Pending, func() node.Node {
				return el("p").Text(p.T("part.text"))
			}),
			el("dl").Class("sums").Body(
				SumLine(p, "part.asked", "pay-amount", a.PayableAmount, a.CurrencySymbol),
				SumLine(p, "part.paid", "paid", a.PaidAmount, a.CurrencySymbol),
				node.If(p.View.Status != wire.Pending, func() node.Node {
					return SumLine(p, "part.missing", "missing", a.MissingAmount, a.CurrencySymbol)
				}),
			),
		)
	})
}

// Line is one row of a definition list: a label and a dd element.
func Line(p Page, label string, dd *node.Element) node.Node {
	return el("div").Class("line").Body(el("dt").Text(p.T(label)), dd)
}

// SumLine is one row with an amount.
func SumLine(p Page, label, part, number, symbol string) node.Node {
	return Line(p, label, el("dd").Attr("data-part", part).Attr("data-value", number).
		Attr("translate", "no").Attr("dir", "ltr").Text(Amount(number, symbol)))
}

// Overpaid shows what was paid too much and whom to ask.
func Overpaid(p Page, a wire.Attempt) node.Node {
	return node.If(a.OverpaidAmount != "", func() node.Node {
		return el("p").Class("note warn").Attr("data-part", "overpaid").
			Attr("data-value", a.OverpaidAmount).
			Text(p.T("over.text", "amount", Amount(a.OverpaidAmount, a.CurrencySymbol)))
	})
}

// Fact is one row that is no sum; nothing if value is empty.
func Fact(p Page, label, part, value string) node.Node {
	return node.If(value != "", func() node.Node {
		return Line(p, label, el("dd").Attr("data-part", part).Attr("data-value", value).
			Attr("translate", "no").Attr("dir", "auto").Text(value))
	})
}

// Transaction is the transaction on the blockchain, with a link to an explorer if one is known.
func Transaction(p Page, a wire.Attempt) node.Node {
	return node.If(a.TxID != "", func() node.Node {
		return Line(p, "tx.label", el("dd").Body(transactionID(p, a)))
	})
}

func transactionID(p Page, a wire.Attempt) node.Node {
	id := el("span").Class("tx-id").Attr("translate", "no").Attr("dir", "ltr").Text(a.TxID)
	if a.TxURL == "" {
		return el("span").Class("tx").Attr("data-part", "tx").Attr("data-value", a.TxID).Body(id)
	}
	return el("a").Class("tx").Attr("data-part", "tx").Attr("data-value", a.TxID).
		Attr("href", a.TxURL).Attr("target", "_blank").Attr("rel", "noopener noreferrer").
		Body(id, node.Text(" "), el("span").Class("tx-where").Text(p.T("done.explorer")))
}
