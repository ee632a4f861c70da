package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// expired is shown when the time to pay has passed without a proven payment.
type expired struct {
	app.Compo

	Page widget.Page
	Busy bool
}

// Draw draws one of three stories: nothing came, something did, or nothing was
// ever begun.
func (s *expired) Draw() *node.Element {
	p := s.Page
	switch {
	case moneyCame(p):
		return ended(p, "expired.title", "expired.paid", s.Busy, "expired.paid.next")
	case p.View.Attempt == nil:
		return ended(p, "expired.title", "expired.unchosen", s.Busy)
	}
	return ended(p, "expired.title", "expired.text", s.Busy,
		keyIf(p, wire.Retry, "expired.next"), keyIf(p, wire.Recheck, "expired.sent"))
}

// cancelled is shown when the payment was called off.
type cancelled struct {
	app.Compo

	Page widget.Page
	Busy bool
}

// Draw draws one of two stories: nothing came, or something did.
func (s *cancelled) Draw() *node.Element {
	p := s.Page
	if moneyCame(p) {
		return ended(p, "cancelled.title", "cancelled.paid", s.Busy, "expired.paid.next")
	}
	return ended(p, "cancelled.title", "cancelled.text", s.Busy,
		keyIf(p, wire.Retry, "cancelled.next"), keyIf(p, wire.Recheck, "ended.late"))
}

// keyIf returns key if the shopper can do a now, else "".
func keyIf(p widget.Page, a wire.Action, key string) string {
	if p.View.Can(a) {
		return key
	}
	return ""
}

// moneyCame reports whether any money has arrived.
func moneyCame(p widget.Page) bool { return p.View.Attempt != nil && p.View.Attempt.PaidAmount != "" }

// ended is what expiry and cancellation have in common: what happened, what
// happens next, the ways on, and whom to ask.
func ended(p widget.Page, title, text string, busy bool, after ...string) *node.Element {
	return node.El("div").Class("outcome").Body(
		mark("ended"),
		widget.Heading(p.T(title)),
		node.El("p").Text(p.T(text)),
		receivedSums(p),
		widget.NextSteps(p, after...),
		node.El("div").Class("buttons").Body(
			retryForm(p, busy),
			node.If(p.View.Can(wire.Recheck), func() node.Node {
				return widget.ButtonForm(p, "/recheck", "recheck", "", p.T("ended.recheck"), busy)
			}),
			chooserLink(p),
			backToShop(p, p.View.CancelURL, "quiet"),
			node.If(isDeadEnd(p), func() node.Node { return reload(p) }),
			closeButton(p),
		),
		widget.Help(p),
	)
}

// isDeadEnd reports whether an ended page has nothing that leads on: then it can at
// least be looked at again.
func isDeadEnd(p widget.Page) bool {
	v := p.View
	return !v.Can(wire.Retry) && !v.Can(wire.Recheck) && v.CancelURL+v.Support+p.Shop == ""
}

// receivedSums shows what has arrived.
func receivedSums(p widget.Page) node.Node {
	a := p.View.Attempt
	if a == nil || a.PaidAmount == "" {
		return node.Text("")
	}
	if a.MissingAmount == "" {
		return facts(p)
	}
	return widget.Received(p, *a)
}

// retryForm starts anew with the same coin and network, if they can still be chosen.
// It has the handle of retrying; where the coin is gone, the link to the chooser
// has it.
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

// repeatable returns the attempt if it may be repeated and its network can still
// be chosen.
func repeatable(p widget.Page) (wire.Attempt, bool) {
	if p.View.Attempt == nil || !p.View.Can(wire.Retry) {
		return wire.Attempt{}, false
	}
	_, _, ok := p.Coin(widget.NetworkKey(p.View.Attempt.CurrencySymbol, p.View.Attempt.NetworkCode))
	return *p.View.Attempt, ok
}
