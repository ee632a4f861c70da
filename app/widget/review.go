package widget

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

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

// Render draws what is known, what happens next, and what to quote.
func (s *review) Render() app.UI {
	p := s.Page
	return el("div").Class("outcome").Body(
		mark("wait"),
		heading(p.say("review.title")),
		given(p.View.Notice == nil, func() app.UI { // else that has been said above
			return el("p").Text(p.say("review.text"))
		}),
		facts(p),
		next(p, "review.next", "review.wait"),
		&timing{Page: p, At: s.At, Offline: s.Offline},
		el("div").Class("buttons").Body(
			given(p.View.Can(wire.Recheck), func() app.UI {
				return press(p, "/recheck", "recheck", "", p.say("prepare.recheck"), s.Busy)
			}),
			reload(p),
			backToShop(p, p.View.CancelURL, ""),
		),
		ask(p),
	)
}

// facts are the sums and names to be quoted when asking for help.
func facts(p Page) app.UI {
	a := p.View.Attempt
	return given(a != nil && (a.PaidAmount != "" || a.TxID != ""), func() app.UI {
		return el("dl").Class("sums").Body(
			given(a.PaidAmount != "", func() app.UI {
				return line(p, "part.paid", "paid", a.PaidAmount, a.CurrencySymbol)
			}),
			transaction(p, *a),
		)
	})
}

// backToShop is a link to the merchant: where the merchant wants the shopper to
// go, else, on a page of its own, to the shop itself.
func backToShop(p Page, url, class string) app.UI {
	if url == "" && p.Embed == "" {
		url = p.Shop
	}
	return given(url != "", func() app.UI {
		return leave(p, "button "+class, "order.back", url)
	})
}
