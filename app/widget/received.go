package widget

import (
	"slices"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// Progress shows how much of a payment has arrived.
func Progress(p Page, a wire.Attempt) node.Node {
	return node.If(a.PaidAmount != "" && a.MissingAmount != "", func() node.Node {
		of := Amount(a.PayableAmount, a.CurrencySymbol)
		return el("div").Class("sum").Body(
			el("progress").Attr("max", a.PayableAmount).Attr("value", a.PaidAmount).
				Attr("aria-label", p.T("part.paid")),
			el("p").Body(WithSpaces(
				el("span").Attr("data-part", "paid").Attr("data-value", a.PaidAmount).
					Text(p.T("part.received", "amount", Padded(a.PaidAmount))),
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
	return Line(p, label, Sum("dd", part, number, symbol))
}

// Sum is an amount with a data-part.
func Sum(tag node.Name, part, number, symbol string) *node.Element {
	return el(tag).Attr("data-part", part).Attr("data-value", number).
		Attr("translate", "no").Attr("dir", "ltr").Text(Amount(number, symbol))
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

// Transaction is the row of the transaction on the blockchain, see TransactionLink.
func Transaction(p Page, a wire.Attempt, ends int) node.Node {
	return node.If(a.TxID != "", func() node.Node {
		return Line(p, "tx.label", el("dd").Body(TransactionLink(p, a, ends, "")))
	})
}

// TransactionLink is the transaction with a link to an explorer if one is known. A long id is
// shortened to so many characters at both ends.
func TransactionLink(p Page, a wire.Attempt, ends int, label string) node.Node {
	if a.TxID == "" {
		return nil
	}
	link, shown := el("span"), []rune(a.TxID)
	if a.TxURL != "" {
		link = el("a").Attr("href", a.TxURL).Attr("target", "_blank").
			Attr("rel", "noopener noreferrer").Attr("title", p.T("done.explorer"))
	}
	if len(shown) > 2*ends+1 {
		shown = slices.Concat(shown[:ends], []rune("…"), shown[len(shown)-ends:])
	}
	return link.Class("tx").Attr("data-part", "tx").Attr("data-value", a.TxID).Body(
		node.Text(label+TextIf(label != "", " ")),
		el("span").Attr("translate", "no").Attr("dir", "ltr").Text(string(shown)),
	)
}

// Timeline shows steps: those before current are done, those after it come next.
func Timeline(current int, steps ...*node.Element) node.Node {
	list := make([]node.Node, len(steps))
	for i, step := range steps {
		if list[i] = step.Class(TextIf(i < current, "done")); i == current {
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
