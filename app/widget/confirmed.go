package widget

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
)

// confirmed is the end that everybody wants. On its own page it is the receipt, receipt.go.
type confirmed struct {
	app.Compo

	Page Page
}

// Render draws what was paid, what is unusual about it, and the way on.
func (s *confirmed) Render() app.UI {
	p, a := s.Page, s.attempt()
	if p.Receipt {
		return receipt(p, a)
	}
	return el("div").Class("outcome").Body(
		mark("done"),
		heading(p.say("done.title")),
		el("p").Text(p.say("done.text")),
		unusual(p, a),
		s.facts(a),
		next(p, "done.next", s.surplus(a)),
		el("div").Class("buttons").Body(
			backToShop(p, p.View.SuccessURL, "primary"),
			el("a").Class("button").DataSet("part", "receipt").Attr("href", p.Link("/receipt")).
				Attr("target", "_blank").Attr("rel", "noopener").Text(p.say("done.receipt")),
			closing(p),
		),
		app.If(a.Late || a.OverpaidAmount != "", func() app.UI { return ask(p) }),
	)
}

// unusual says what is not as it should have been: late, or too much.
func unusual(p Page, a wire.Attempt) app.UI {
	return app.If(a.Late || a.OverpaidAmount != "", func() app.UI {
		return el("div").Class("unusual").Body(
			app.If(a.Late, func() app.UI {
				return el("p").Class("note").DataSet("part", "late").Text(p.say("late.text"))
			}),
			surplus(p, a),
		)
	})
}

// surplus is the key of what happens to money that was too much; "" for none.
func (s *confirmed) surplus(a wire.Attempt) string {
	if a.OverpaidAmount == "" {
		return ""
	}
	return "over.next"
}

// facts are the sums and names of the payment.
func (s *confirmed) facts(a wire.Attempt) app.UI {
	p := s.Page
	return el("dl").Class("sums").Body(
		paidLine(p, a),
		fact(p, "done.order", "order", p.View.Order.Ref),
		fact(p, "done.network", "network-name", a.NetworkName),
		fact(p, "done.time", "time", moment(a.PaidAt)),
		transaction(p, a),
	)
}

// attempt is never nil: an order can be settled by hand.
func (s *confirmed) attempt() wire.Attempt {
	if s.Page.View.Attempt == nil {
		return wire.Attempt{}
	}
	return *s.Page.View.Attempt
}

// paidLine is what arrived; the gateway need not say it when it is as asked.
func paidLine(p Page, a wire.Attempt) app.UI {
	paid := a.PaidAmount
	if paid == "" {
		paid = a.PayableAmount
	}
	return app.If(paid != "", func() app.UI { return line(p, "done.paid", "paid", paid, a.CurrencySymbol) })
}

// moment writes a time of RFC 3339 for people, in UTC and without the order of
// day and month that depends on the country; "" if it is none.
func moment(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04") + " UTC"
}

// closing is a button for a modal checkout; frame.js tells the host page.
func closing(p Page) app.UI {
	return app.If(p.Embed == "modal" && p.Origin != "", func() app.UI {
		return el("button").Attr("type", "button").Class("button quiet needs-script").DataSet("part", "close").Text(p.say("close"))
	})
}
