package widget

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
)

// expired is shown when the time to pay has passed without a proven payment.
type expired struct {
	app.Compo

	Page Page
	Busy bool
}

// Render draws one of two stories: nothing came, or something did.
func (s *expired) Render() app.UI {
	p := s.Page
	text := "expired.text"
	if came(p) {
		text = "expired.paid"
	}
	return ended(p, "expired.title", text, s.Busy)
}

// cancelled is shown when the payment was called off.
type cancelled struct {
	app.Compo

	Page Page
	Busy bool
}

// Render draws one of two stories: nothing came, or something did.
func (s *cancelled) Render() app.UI {
	p := s.Page
	text := "cancelled.text"
	if came(p) {
		text = "cancelled.paid"
	}
	return ended(p, "cancelled.title", text, s.Busy)
}

// came reports whether any money has arrived.
func came(p Page) bool { return p.View.Attempt != nil && p.View.Attempt.PaidAmount != "" }

// ended is what expiry and cancellation have in common: nothing is lost, there
// is always a way on.
func ended(p Page, title, text string, busy bool) app.UI {
	return el("div").Class("outcome").Body(
		mark("ended"),
		heading(p.say(title)),
		el("p").Text(p.say(text)),
		sums(p),
		app.If(p.View.Can(wire.Recheck), func() app.UI {
			return el("p").Class("note").Text(p.say("ended.late"))
		}),
		el("div").Class("buttons").Body(
			again(p, busy),
			app.If(p.View.Can(wire.Recheck), func() app.UI {
				return press(p, "/recheck", "recheck", "", p.say("ended.recheck"), busy)
			}),
			another(p),
			backToShop(p, p.View.CancelURL, "quiet"),
			closing(p),
		),
	)
}

// sums shows what has arrived.
func sums(p Page) app.UI {
	a := p.View.Attempt
	if a == nil || a.PaidAmount == "" {
		return app.Text("")
	}
	if a.MissingAmount == "" {
		return facts(p)
	}
	return received(p, *a)
}

// again starts anew with the same coin and network, if they can still be chosen.
// It has the handle of retrying; where the coin is gone, the link to the chooser
// has it.
func again(p Page, busy bool) app.UI {
	a, ok := offered(p)
	return app.If(ok, func() app.UI {
		return press(p, "/attempts", "retry", "primary",
			p.say("ended.again", "coin", a.CurrencySymbol, "network", a.NetworkName), busy,
			Field{"currency_symbol", a.CurrencySymbol},
			Field{"network_code", key(a.CurrencySymbol, a.NetworkCode)})
	})
}

// another leads to the chooser.
func another(p Page) app.UI {
	return app.If(p.View.Can(wire.Retry), func() app.UI {
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
