package widget

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// expired is shown when the time to pay has passed without a proven payment.
type expired struct {
	app.Compo

	Page Page
	Busy bool
}

// Draw draws one of three stories: nothing came, something did, or nothing was
// ever begun.
func (s *expired) Draw() *node.Element {
	p := s.Page
	switch {
	case came(p):
		return ended(p, "expired.title", "expired.paid", s.Busy, "expired.paid.next")
	case p.View.Attempt == nil:
		return ended(p, "expired.title", "expired.unchosen", s.Busy)
	}
	return ended(p, "expired.title", "expired.text", s.Busy,
		p.keyIf(wire.Retry, "expired.next"), p.keyIf(wire.Recheck, "expired.sent"))
}

// cancelled is shown when the payment was called off.
type cancelled struct {
	app.Compo

	Page Page
	Busy bool
}

// Draw draws one of two stories: nothing came, or something did.
func (s *cancelled) Draw() *node.Element {
	p := s.Page
	if came(p) {
		return ended(p, "cancelled.title", "cancelled.paid", s.Busy, "expired.paid.next")
	}
	return ended(p, "cancelled.title", "cancelled.text", s.Busy,
		p.keyIf(wire.Retry, "cancelled.next"), p.keyIf(wire.Recheck, "ended.late"))
}

// keyIf returns key if the shopper can do a now, else "".
func (p Page) keyIf(a wire.Action, key string) string {
	if p.View.Can(a) {
		return key
	}
	return ""
}

// came reports whether any money has arrived.
func came(p Page) bool { return p.View.Attempt != nil && p.View.Attempt.PaidAmount != "" }

// ended is what expiry and cancellation have in common: what happened, what
// happens next, the ways on, and whom to ask.
func ended(p Page, title, text string, busy bool, after ...string) *node.Element {
	return el("div").Class("outcome").Body(
		mark("ended"),
		heading(p.say(title)),
		el("p").Text(p.say(text)),
		sums(p),
		next(p, after...),
		el("div").Class("buttons").Body(
			again(p, busy),
			node.If(p.View.Can(wire.Recheck), func() node.Node {
				return press(p, "/recheck", "recheck", "", p.say("ended.recheck"), busy)
			}),
			another(p),
			backToShop(p, p.View.CancelURL, "quiet"),
			node.If(stuck(p), func() node.Node { return reload(p) }),
			closing(p),
		),
		ask(p),
	)
}

// stuck reports whether an ended page has nothing that leads on: then it can at
// least be looked at again.
func stuck(p Page) bool {
	v := p.View
	return !v.Can(wire.Retry) && !v.Can(wire.Recheck) && v.CancelURL+v.Support+p.Shop == ""
}

// sums shows what has arrived.
func sums(p Page) node.Node {
	a := p.View.Attempt
	if a == nil || a.PaidAmount == "" {
		return node.Text("")
	}
	if a.MissingAmount == "" {
		return facts(p)
	}
	return received(p, *a)
}

// again starts anew with the same coin and network, if they can still be chosen.
// It has the handle of retrying; where the coin is gone, the link to the chooser
// has it.
func again(p Page, busy bool) node.Node {
	a, ok := offered(p)
	return node.If(ok, func() node.Node {
		fields := []Field{{"currency_symbol", a.CurrencySymbol},
			{"network_code", key(a.CurrencySymbol, a.NetworkCode)}}
		if p.Email != "" {
			fields = append(fields, Field{"email", p.Email})
		}
		return press(p, "/attempts", "retry", "primary",
			p.say("ended.again", "coin", a.CurrencySymbol, "network", a.NetworkName), busy,
			fields...)
	})
}

// another leads to the chooser.
func another(p Page) node.Node {
	return node.If(p.View.Can(wire.Retry), func() node.Node {
		if _, ok := offered(p); ok {
			return changeLink(p, "change", "button quiet", p.say("ended.another"))
		}
		return changeLink(p, "retry", "button primary", p.say("ended.choose"))
	})
}

// offered returns the attempt if it may be repeated and its network can still
// be chosen.
func offered(p Page) (wire.Attempt, bool) {
	if p.View.Attempt == nil || !p.View.Can(wire.Retry) {
		return wire.Attempt{}, false
	}
	_, _, ok := p.find(key(p.View.Attempt.CurrencySymbol, p.View.Attempt.NetworkCode))
	return *p.View.Attempt, ok
}
