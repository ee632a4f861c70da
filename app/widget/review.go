package widget

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// review is shown for a payment that is reported but not proven: neither paid
// nor lost.
type review struct {
	app.Compo

	Page    Page
	At      time.Time // when the view came
	Offline bool
	Busy    bool
}

// Draw draws what is known, what happens next, and what to quote.
func (s *review) Draw() *node.Element {
	p := s.Page
	return el("div").Class("outcome").Body(
		mark("wait"),
		heading(p.say("review.title")),
		node.If(p.View.Notice == nil, func() node.Node { // else that has been said above
			return el("p").Text(p.say("review.text"))
		}),
		facts(p),
		next(p, "review.next", "review.wait"),
		&timing{Page: p, At: s.At, Offline: s.Offline},
		el("div").Class("buttons").Body(
			node.If(p.View.Can(wire.Recheck), func() node.Node {
				return press(p, "/recheck", "recheck", "", p.say("prepare.recheck"), s.Busy)
			}),
			reload(p),
			backToShop(p, p.View.CancelURL, ""),
		),
		ask(p),
	)
}

// facts are the sums and names to be quoted when asking for help.
func facts(p Page) node.Node {
	a := p.View.Attempt
	return node.If(a != nil && (a.PaidAmount != "" || a.TxID != ""), func() node.Node {
		return el("dl").Class("sums").Body(
			node.If(a.PaidAmount != "", func() node.Node {
				return line(p, "part.paid", "paid", a.PaidAmount, a.CurrencySymbol)
			}),
			transaction(p, *a),
		)
	})
}

// backToShop is a link to the merchant: where the merchant wants the shopper to
// go, else, on a page of its own, to the shop itself.
func backToShop(p Page, url, class string) node.Node {
	if url == "" && p.Embed == "" {
		url = p.Shop
	}
	return node.If(url != "", func() node.Node {
		return leave(p, "button "+class, "order.back", url)
	})
}
