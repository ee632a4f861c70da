package screen

import (
	"time"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// review is shown for a payment that is reported but not proven: neither paid
// nor lost.
type review struct {
	app.Compo

	Page    widget.Page
	At      time.Time // when the view came
	Offline bool
	Busy    bool
}

// Draw draws what is known, what happens next, and what to quote.
func (s *review) Draw() *node.Element {
	p := s.Page
	return node.El("div").Class("outcome").Body(
		mark("wait"),
		widget.Heading(p.T("review.title")),
		node.If(p.View.Notice == nil, func() node.Node { // else that has been said above
			return node.El("p").Text(p.T("review.text"))
		}),
		facts(p),
		widget.NextSteps(p, "review.next", "review.wait"),
		&widget.Timing{Page: p, At: s.At, Offline: s.Offline},
		node.El("div").Class("buttons").Body(
			node.If(p.View.Can(wire.Recheck), func() node.Node {
				return widget.ButtonForm(p, "/recheck", "recheck", "", p.T("prepare.recheck"), s.Busy)
			}),
			reload(p),
			backToShop(p, p.View.CancelURL, ""),
		),
		widget.Help(p),
	)
}

// facts are the sums and names to be quoted when asking for help.
func facts(p widget.Page) node.Node {
	a := p.View.Attempt
	return node.If(a != nil && (a.PaidAmount != "" || a.TxID != ""), func() node.Node {
		return node.El("dl").Class("sums").Body(
			node.If(a.PaidAmount != "", func() node.Node {
				return widget.SumLine(p, "part.paid", "paid", a.PaidAmount, a.CurrencySymbol)
			}),
			widget.Transaction(p, *a),
		)
	})
}

// backToShop is a link to the merchant: where the merchant wants the shopper to
// go, else, on a page of its own, to the shop itself.
func backToShop(p widget.Page, url, class string) node.Node {
	if url == "" && p.Embed == "" {
		url = p.Shop
	}
	return node.If(url != "", func() node.Node {
		return widget.ShopLink(p, "button "+class, "order.back", url)
	})
}
