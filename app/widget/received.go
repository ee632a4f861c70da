package widget

import (
	"slices"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// Progress shows how much of a payment has arrived.
func Progress(p Page, a wire.Attempt) node.Node {
	return node.If(a.PaidAmount != "" && a.MissingAmount != "", func() node.Node {
		of := p.Amount(a.PayableAmount, a.Shown())
		return el("div").Class("sum").Body(
			el("progress").Attr("max", a.PayableAmount).Attr("value", a.PaidAmount).
				Attr("aria-label", p.T("part.paid")),
			el("p").Body(WithSpaces(
				el("span").Attr("data-part", "paid").Attr("data-value", a.PaidAmount).
					Text(p.T("part.received", "amount", p.Number(a.PaidAmount))),
				el("span").Attr("data-part", "pay-amount").Attr("data-value", a.PayableAmount).
					Text(p.T("part.of", "amount", of)),
			)...),
		)
	})
}

// Line is one row of a definition list: a label and a dd element.
func Line(p Page, label string, dd *node.Element) node.Node {
	return el("div").Body(WithSpaces(el("dt").Text(p.T(label)), dd)...)
}

// SumLine is one row with an amount.
func SumLine(p Page, label, part, number, symbol string) node.Node {
	return Line(p, label, Sum(p, "dd", part, number, symbol))
}

// Sum is an amount with a data-part.
func Sum(p Page, tag node.Name, part, number, symbol string) *node.Element {
	return el(tag).Attr("data-part", part).Attr("data-value", number).
		Attr("translate", "no").Attr("dir", "ltr").Text(p.Amount(number, symbol))
}

// Fact is one row that is no sum; nothing if value is empty.
func Fact(p Page, label, part, value string) node.Node {
	return fact(p, label, part, value, value)
}

// Moment is the row of a time of RFC 3339; nothing if it is empty or invalid.
func Moment(p Page, label, part, at string, zone Zone) node.Node {
	return fact(p, label, part, at, p.FormatTime(at, zone))
}

// fact is one row whose text is a value as people read it; nothing if it is empty.
func fact(p Page, label, part, value, text string) node.Node {
	return node.If(text != "", func() node.Node {
		return Line(p, label, el("dd").Attr("data-part", part).Attr("data-value", value).
			Attr("translate", "no").Attr("dir", "auto").Text(text))
	})
}

// transactions are all of a.
func transactions(a wire.Attempt) []wire.Transaction {
	if len(a.Transactions) == 0 && a.TxID != "" {
		return []wire.Transaction{{TxID: a.TxID, TxURL: a.TxURL}}
	}
	return a.Transactions
}

// Transactions is the row of the transactions on the blockchain, see TransactionLinks.
func Transactions(p Page, a wire.Attempt, ends int) node.Node {
	return node.If(len(transactions(a)) > 0, func() node.Node {
		return Line(p, "tx.label", el("dd").Body(
			WithSpaces(TransactionLinks(p, a, ends, "")...)...,
		))
	})
}

// TransactionLinks are the transactions, with links to an explorer if one is known. Long ids are
// shortened to so many characters at both ends. The first one has a label, which may be empty.
func TransactionLinks(p Page, a wire.Attempt, ends int, label string) []node.Node {
	var list []node.Node
	for _, tx := range transactions(a) {
		part := "tx-earlier"
		if tx.TxID == a.TxID {
			part = "tx"
		}
		list = append(list, TransactionLink(p, tx, part, ends, label))
		label = ""
	}
	return list
}

// TransactionLink is one transaction, as in TransactionLinks.
func TransactionLink(p Page, tx wire.Transaction, part string, ends int, label string) node.Node {
	link := el("span")
	shown := []rune(tx.TxID)
	if tx.TxURL != "" {
		link = el("a").Attr("href", tx.TxURL).Attr("target", "_blank").
			Attr("rel", "noopener noreferrer").Attr("title", p.T("done.explorer"))
	}
	if len(shown) > 2*ends+1 {
		shown = slices.Concat(shown[:ends], []rune("…"), shown[len(shown)-ends:])
	}
	return link.Class("tx").Attr("data-part", part).Attr("data-value", tx.TxID).Body(
		node.Text(label+TextIf(label != "", " ")),
		el("span").Attr("translate", "no").Attr("dir", "ltr").Text(string(shown)),
	)
}

// Timeline shows steps: those before current are done, those after it come next.
func Timeline(current int, steps ...*node.Element) node.Node {
	list := make([]node.Node, len(steps))
	for i, step := range steps {
		list[i] = step.Class(TextIf(i < current, "done"))
		if i == current {
			step.Attr("aria-current", "step")
		}
	}
	return el("ol").Class("trail card").Body(list...)
}

// Step is a step of a Timeline: its title and details, which may be nil.
func Step(title string, details ...node.Node) *node.Element {
	parts := append([]node.Node{el("b").Text(title)}, details...)
	return el("li").Body(el("span").Body(WithSpaces(parts...)...))
}
