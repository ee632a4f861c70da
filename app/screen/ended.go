package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// ended is shown for an expired or canceled payment.
type ended struct {
	app.Compo

	Page widget.Page
	Busy bool
}

// Draw draws what happened and the ways on. Texts and buttons depend on whether money arrived, and
// whether there was an attempt at all.
func (e *ended) Draw() *node.Element {
	p := e.Page
	symbol := "over"
	title := "expired.title"
	text := sentence(e.Page, "expired.text")
	paid := []node.Node{sentence(p, "expired.paid")}
	if len(p.View.Refunds) == 0 { // or the shop has decided
		paid = append(paid, sentence(p, "expired.paid.next"))
	}
	switch {
	case p.View.Status == wire.Cancelled:
		symbol = "stop"
		title = "cancelled.title"
		text = sentence(p, "cancelled.text")
		paid = []node.Node{sentence(p, "cancelled.paid")}
	case p.View.Attempt == nil:
		text = reason(p, p.T("expired.unchosen"))
	}
	if p.View.LatestAttempt().PaidAmount != "" {
		return e.withMoney(outcome(p, mark(symbol), title, paid...))
	}
	return e.withoutMoney(outcome(p, mark(symbol), title, text))
}

// withMoney shows what has arrived and whom to ask. The shopper must not pay again.
func (e *ended) withMoney(head node.Node) *node.Element {
	p := e.Page
	a := e.Page.View.LatestAttempt()
	return box("blocks",
		head,
		unusual(p, a, 8),
		node.El("dl").Class("facts").Body(
			node.If(a.MissingAmount != "", func() node.Node {
				return widget.SumLine(
					p, "part.asked", "pay-amount", a.PayableAmount, a.Shown(),
				)
			}),
			widget.SumLine(p, "part.paid", "paid", a.PaidAmount, a.Shown()),
			node.If(a.MissingAmount != "", func() node.Node {
				return widget.SumLine(
					p, "part.missing", "missing", a.MissingAmount, a.Shown(),
				)
			}),
			widget.Transactions(p, a, 8),
		),
		widget.Ask(p, false),
		box("actions",
			widget.SupportLink(p, "button primary"),
			backToShop(p, p.View.CancelURL, "button"),
			actionForm(p, wire.Recheck, "", "prepare.recheck", e.Busy),
			closeButton(p, "button"),
		),
		box("links", e.wayOut()),
	)
}

// withoutMoney offers to pay again, to look for a payment, and to leave. The data-part "retry" pays
// with the same coin if that is possible.
func (e *ended) withoutMoney(head node.Node) *node.Element {
	p := e.Page
	isCancelled := e.Page.View.Status == wire.Cancelled
	choose := func(part, class, text string) node.Node {
		return widget.ChangeLink(p, part, class, p.T(text))
	}
	var first, another node.Node
	repeats := e.canRepeat()
	switch {
	case !p.View.Can(wire.Retry):
		first = backToShop(p, p.View.CancelURL, "button primary")
	case repeats && isCancelled:
		first = choose("change", "button primary", "ended.choose")
		another = e.retryForm("link")
	case repeats:
		first = e.retryForm("primary")
		another = choose("change", "link", "ended.another")
	default:
		first = choose("retry", "button primary", "ended.choose")
	}
	leave := func(is bool, class string) node.Node {
		return node.If(is && p.View.Can(wire.Retry), func() node.Node {
			return backToShop(p, p.View.CancelURL, class)
		})
	}
	return box("blocks",
		head,
		unusual(p, p.View.LatestAttempt(), 8),
		box("actions", first, leave(isCancelled, "button")),
		node.If(p.View.Can(wire.Recheck), func() node.Node {
			return box("card",
				node.El("p").Body(node.El("strong").Text(p.T("ended.late.ask")),
					node.Text(" "+p.T("ended.late"))),
				actionForm(p, wire.Recheck, "", "ended.recheck", e.Busy),
			)
		}),
		box("links", another, leave(!isCancelled, "link"), closeButton(p, "link"), e.wayOut()),
		widget.Ask(p, true),
	)
}

// wayOut is a link to reload a page that has no other way on.
func (e *ended) wayOut() node.Node {
	v := e.Page.View
	isDeadEnd := !v.Can(wire.Retry) && !v.Can(wire.Recheck) &&
		v.CancelURL+v.Support+e.Page.Shop == ""
	return node.If(isDeadEnd, func() node.Node { return reload(e.Page) })
}

// retryForm starts again with the same coin and network.
func (e *ended) retryForm(class string) node.Node {
	p := e.Page
	a := e.Page.View.LatestAttempt()
	fields := []widget.Field{{Name: "currency_symbol", Value: a.CurrencySymbol},
		{Name: "network_code", Value: widget.NetworkKey(a.CurrencySymbol, a.NetworkCode)}}
	if p.Email != "" {
		fields = append(fields, widget.Field{Name: "email", Value: p.Email})
	}
	return widget.ButtonForm(p, "/attempts", "retry", class,
		p.T("ended.again", "coin", a.Shown(), "network", a.NetworkName), e.Busy, fields...)
}

// canRepeat reports whether the shopper may pay again and the attempt's network is available.
func (e *ended) canRepeat() bool {
	a := e.Page.View.LatestAttempt()
	_, _, ok := e.Page.Coin(widget.NetworkKey(a.CurrencySymbol, a.NetworkCode))
	return ok && e.Page.View.Can(wire.Retry)
}
