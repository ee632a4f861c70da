package widget

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
)

// confirmed is the end that everybody wants.
type confirmed struct {
	app.Compo

	Page Page
}

// Render draws what was paid, what is unusual about it, and the way on.
func (s *confirmed) Render() app.UI {
	p, a := s.Page, s.attempt()
	return el("div").Class("outcome").Body(
		mark("done"),
		heading(p.say("done.title")),
		el("p").Text(p.say("done.text")),
		app.If(a.Late, func() app.UI { return el("p").Class("note").Text(p.say("late.text")) }),
		surplus(p, a),
		el("dl").Class("sums").Body(
			app.If(s.paid(a) != "", func() app.UI {
				return line(p, "done.paid", "paid", s.paid(a), a.CurrencySymbol)
			}),
			app.If(a.NetworkName != "", func() app.UI {
				return el("div").Class("line").Body(el("dt").Text(p.say("done.network")), el("dd").Text(a.NetworkName))
			}),
			transaction(p, a),
		),
		el("div").Class("buttons").Body(
			backToShop(p, p.View.SuccessURL, "primary"),
			app.If(!p.Receipt, func() app.UI {
				return el("a").Class("button").DataSet("part", "receipt").Attr("href", p.Link("/receipt")).
					Attr("target", "_blank").Attr("rel", "noopener").Text(p.say("done.receipt"))
			}),
			closing(p),
		),
	)
}

// attempt is never nil: an order can be settled by hand.
func (s *confirmed) attempt() wire.Attempt {
	if s.Page.View.Attempt == nil {
		return wire.Attempt{}
	}
	return *s.Page.View.Attempt
}

// paid is what arrived; the gateway need not say it when it is as asked.
func (s *confirmed) paid(a wire.Attempt) string {
	if a.PaidAmount != "" {
		return a.PaidAmount
	}
	return a.PayableAmount
}

// closing is a button for a modal checkout; frame.js tells the host page.
func closing(p Page) app.UI {
	return app.If(p.Embed == "modal" && p.Origin != "", func() app.UI {
		return el("button").Attr("type", "button").Class("button quiet needs-script").DataSet("part", "close").Text(p.say("close"))
	})
}
