package screen

import (
	"time"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// review is shown for a payment that is reported but not proven.
type review struct {
	app.Compo

	Page    widget.Page
	At      time.Time // arrival of the view
	Offline bool
	Busy    bool
}

// Draw draws what is known, what happens next, and what to quote.
func (s *review) Draw() *node.Element {
	p := s.Page
	return node.El("div").Class("outcome").Body(
		mark("wait"),
		widget.Heading(p.T("review.title")),
		node.If(p.View.Notice == nil, func() node.Node { // else it says why, above
			return node.El("p").Text(p.T("review.text"))
		}),
		facts(p),
		widget.NextSteps(p, "review.next", "review.wait"),
		&widget.Timing{Page: p, At: s.At, Offline: s.Offline},
		node.El("div").Class("buttons").Body(
			node.If(p.View.Can(wire.Recheck), func() node.Node {
				return widget.ButtonForm(
					p, "/recheck", "recheck", "", p.T("prepare.recheck"), s.Busy,
				)
			}),
			reload(p),
			backToShop(p, p.View.CancelURL, ""),
		),
		widget.Help(p),
	)
}

// facts are the paid amount and the transaction.
func facts(p widget.Page) node.Node {
	a := p.View.LatestAttempt()
	return node.If(a.PaidAmount != "" || a.TxID != "", func() node.Node {
		return node.El("dl").Class("sums").Body(
			node.If(a.PaidAmount != "", func() node.Node {
				return widget.SumLine(p, "part.paid", "paid", a.PaidAmount, a.CurrencySymbol)
			}),
			widget.Transaction(p, a),
		)
	})
}

// backToShop is a link to url, or outside of a frame to the shop itself.
func backToShop(p widget.Page, url, class string) node.Node {
	if url == "" && p.Embed == "" {
		url = p.Shop
	}
	return node.If(url != "", func() node.Node {
		return widget.ShopLink(p, "button "+class, "order.back", url)
	})
}
