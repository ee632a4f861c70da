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

// Draw draws what happened, what happens next, the buttons, and whom to ask. The texts depend on
// whether money arrived, and whether there was an attempt at all.
func (s *ended) Draw() *node.Element {
	p := s.Page
	title, text, paid := "expired.title", "expired.text", "expired.paid"
	next := []string{keyIf(p, wire.Retry, "expired.next"), keyIf(p, wire.Recheck, "expired.sent")}
	if p.View.Status == wire.Cancelled {
		title, text, paid = "cancelled.title", "cancelled.text", "cancelled.paid"
		next = []string{
			keyIf(p, wire.Retry, "cancelled.next"), keyIf(p, wire.Recheck, "ended.late"),
		}
	}
	switch {
	case moneyCame(p):
		text, next = paid, []string{"expired.paid.next"}
	case p.View.Attempt == nil && p.View.Status == wire.Expired:
		text, next = "expired.unchosen", nil
	}
	return node.El("div").Class("outcome").Body(
		mark("ended"),
		widget.Heading(p.T(title)),
		node.El("p").Text(p.T(text)),
		receivedSums(p),
		widget.NextSteps(p, next...),
		node.El("div").Class("buttons").Body(
			retryForm(p, s.Busy),
			actionForm(p, wire.Recheck, "", "ended.recheck", s.Busy),
			chooserLink(p),
			backToShop(p, p.View.CancelURL, "quiet"),
			node.If(isDeadEnd(p), func() node.Node { return reload(p) }),
			closeButton(p),
		),
		widget.Help(p),
	)
}

// keyIf returns key if the shopper can do a now, else "".
func keyIf(p widget.Page, a wire.Action, key string) string {
	if p.View.Can(a) {
		return key
	}
	return ""
}

// moneyCame reports whether any money has arrived.
func moneyCame(p widget.Page) bool { return p.View.LatestAttempt().PaidAmount != "" }

// isDeadEnd reports whether an ended page has no way on, so that it gets a reload link.
func isDeadEnd(p widget.Page) bool {
	v := p.View
	return !v.Can(wire.Retry) && !v.Can(wire.Recheck) && v.CancelURL+v.Support+p.Shop == ""
}

// receivedSums shows what has arrived.
func receivedSums(p widget.Page) node.Node {
	switch a := p.View.LatestAttempt(); {
	case a.PaidAmount == "":
		return node.Text("")
	case a.MissingAmount == "":
		return facts(p)
	default:
		return widget.Received(p, a)
	}
}

// retryForm starts again with the same coin and network, if they are still available. The data-part
// "retry" is here, or at the link to the chooser.
func retryForm(p widget.Page, busy bool) node.Node {
	a, ok := repeatable(p)
	return node.If(ok, func() node.Node {
		fields := []widget.Field{{Name: "currency_symbol", Value: a.CurrencySymbol},
			{Name: "network_code", Value: widget.NetworkKey(a.CurrencySymbol, a.NetworkCode)}}
		if p.Email != "" {
			fields = append(fields, widget.Field{Name: "email", Value: p.Email})
		}
		return widget.ButtonForm(p, "/attempts", "retry", "primary",
			p.T("ended.again", "coin", a.CurrencySymbol, "network", a.NetworkName), busy,
			fields...)
	})
}

// chooserLink leads to the chooser.
func chooserLink(p widget.Page) node.Node {
	return node.If(p.View.Can(wire.Retry), func() node.Node {
		if _, ok := repeatable(p); ok {
			return widget.ChangeLink(p, "change", "button quiet", p.T("ended.another"))
		}
		return widget.ChangeLink(p, "retry", "button primary", p.T("ended.choose"))
	})
}

// repeatable returns the attempt; true if it may be repeated and its network is available.
func repeatable(p widget.Page) (wire.Attempt, bool) {
	a := p.View.LatestAttempt()
	_, _, ok := p.Coin(widget.NetworkKey(a.CurrencySymbol, a.NetworkCode))
	return a, ok && p.View.Can(wire.Retry)
}
