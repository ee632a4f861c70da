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
func (s *ended) Draw() *node.Element {
	p, symbol, title, text := s.Page, "over", "expired.title", sentence(s.Page, "expired.text")
	paid := []node.Node{sentence(p, "expired.paid"), sentence(p, "expired.paid.next")}
	switch {
	case p.View.Status == wire.Cancelled:
		symbol, title, text = "stop", "cancelled.title", sentence(p, "cancelled.text")
		paid = []node.Node{sentence(p, "cancelled.paid")}
	case p.View.Attempt == nil:
		text = reason(p, p.T("expired.unchosen"))
	}
	if p.View.LatestAttempt().PaidAmount != "" {
		return s.withMoney(outcome(p, mark(symbol), title, paid...))
	}
	return s.withoutMoney(outcome(p, mark(symbol), title, text))
}

// withMoney shows what has arrived and whom to ask. The shopper must not pay again.
func (s *ended) withMoney(head node.Node) *node.Element {
	p, a := s.Page, s.Page.View.LatestAttempt()
	return box("blocks",
		head,
		node.El("dl").Class("facts").Body(
			node.If(a.MissingAmount != "", func() node.Node {
				return widget.SumLine(
					p, "part.asked", "pay-amount", a.PayableAmount, a.CurrencySymbol,
				)
			}),
			widget.SumLine(p, "part.paid", "paid", a.PaidAmount, a.CurrencySymbol),
			node.If(a.MissingAmount != "", func() node.Node {
				return widget.SumLine(
					p, "part.missing", "missing", a.MissingAmount, a.CurrencySymbol,
				)
			}),
			widget.Transactions(p, a, 8),
		),
		widget.Ask(p, false),
		box("actions",
			widget.SupportLink(p, "button primary"),
			backToShop(p, p.View.CancelURL, "button"),
			actionForm(p, wire.Recheck, "", "prepare.recheck", s.Busy),
			closeButton(p, "button"),
		),
		box("links", s.wayOut()),
	)
}

// withoutMoney offers to pay again, to look for a payment, and to leave. The data-part "retry" pays
// with the same coin if that is possible.
func (s *ended) withoutMoney(head node.Node) *node.Element {
	p, isCancelled := s.Page, s.Page.View.Status == wire.Cancelled
	choose := func(part, class, text string) node.Node {
		return widget.ChangeLink(p, part, class, p.T(text))
	}
	var first, another node.Node
	switch repeats := s.canRepeat(); {
	case !p.View.Can(wire.Retry):
		first = backToShop(p, p.View.CancelURL, "button primary")
	case repeats && isCancelled:
		first, another = choose("change", "button primary", "ended.choose"), s.retryForm("link")
	case repeats:
		first, another = s.retryForm("primary"), choose("change", "link", "ended.another")
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
		box("actions", first, leave(isCancelled, "button")),
		node.If(p.View.Can(wire.Recheck), func() node.Node {
			return box("card",
				node.El("p").Body(node.El("strong").Text(p.T("ended.late.ask")),
					node.Text(" "+p.T("ended.late"))),
				actionForm(p, wire.Recheck, "", "ended.recheck", s.Busy),
			)
		}),
		box("links", another, leave(!isCancelled, "link"), closeButton(p, "link"), s.wayOut()),
		widget.Ask(p, true),
	)
}

// wayOut is a link to reload a page that has no other way on.
func (s *ended) wayOut() node.Node {
	v := s.Page.View
	isDeadEnd := !v.Can(wire.Retry) && !v.Can(wire.Recheck) &&
		v.CancelURL+v.Support+s.Page.Shop == ""
	return node.If(isDeadEnd, func() node.Node { return reload(s.Page) })
}

// retryForm starts again with the same coin and network.
func (s *ended) retryForm(class string) node.Node {
	p, a := s.Page, s.Page.View.LatestAttempt()
	fields := []widget.Field{{Name: "currency_symbol", Value: a.CurrencySymbol},
		{Name: "network_code", Value: widget.NetworkKey(a.CurrencySymbol, a.NetworkCode)}}
	if p.Email != "" {
		fields = append(fields, widget.Field{Name: "email", Value: p.Email})
	}
	return widget.ButtonForm(p, "/attempts", "retry", class,
		p.T("ended.again", "coin", a.CurrencySymbol, "network", a.NetworkName), s.Busy, fields...)
}

// canRepeat reports whether the shopper may pay again and the attempt's network is available.
func (s *ended) canRepeat() bool {
	a := s.Page.View.LatestAttempt()
	_, _, ok := s.Page.Coin(widget.NetworkKey(a.CurrencySymbol, a.NetworkCode))
	return ok && s.Page.View.Can(wire.Retry)
}
