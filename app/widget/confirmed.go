package widget

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
)

// confirmed is the end that everybody wants. On its own page it is the receipt.
type confirmed struct {
	app.Compo

	Page Page
}

// Render draws what was paid, what is unusual about it, and the way on.
func (s *confirmed) Render() app.UI {
	p, a := s.Page, s.attempt()
	if p.Receipt {
		return s.receipt(a)
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

// receipt is the page that is kept or printed: nothing to do, all there is to know.
func (s *confirmed) receipt(a wire.Attempt) app.UI {
	p := s.Page
	return el("article").Class("outcome receipt").Body(
		mark("done"),
		heading(p.say("done.printed")),
		unusual(p, a),
		s.facts(a),
		el("p").Class("receipt-note").Text(p.say("done.anytime")),
		el("div").Class("buttons").Body(
			el("button").Attr("type", "button").Class("button primary needs-script").DataSet("part", "print").Text(p.say("done.print")),
			backToShop(p, p.View.SuccessURL, ""),
			el("a").Class("button quiet").DataSet("part", "payment").Attr("href", p.Link("")).Text(p.say("closed.back")),
		),
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

// facts are the sums and names of the payment. Those of a receipt include what
// names it to others.
func (s *confirmed) facts(a wire.Attempt) app.UI {
	p := s.Page
	return el("dl").Class("sums").Body(
		app.If(s.paid(a) != "", func() app.UI {
			return line(p, "done.paid", "paid", s.paid(a), a.CurrencySymbol)
		}),
		fact(p, "done.order", "order", p.View.Order.Ref),
		fact(p, "done.network", "network-name", a.NetworkName),
		fact(p, "done.time", "time", moment(a.PaidAt)),
		app.If(p.Receipt, func() app.UI { return fact(p, "ask.payment", "payment-code", a.TrackingCode) }),
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

// paid is what arrived; the gateway need not say it when it is as asked.
func (s *confirmed) paid(a wire.Attempt) string {
	if a.PaidAmount != "" {
		return a.PaidAmount
	}
	return a.PayableAmount
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
