package screen

import (
	"time"

	"coinslot/app/widget"
	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// seen is shown when all has arrived and only the confirmation is missing. It has no address.
type seen struct {
	app.Compo

	Page    widget.Page
	At      time.Time // arrival of the view
	Offline bool
}

// Draw draws what is done, what happens now and what comes next.
func (s *seen) Draw() *node.Element {
	p := s.Page
	a := s.Page.View.LatestAttempt()
	amount := p.Amount(a.PaidAmount, a.Shown())
	icon := widget.Icon(p.CoinIcon(a.CurrencySymbol), "", "48", false)
	return box("blocks",
		outcome(p, mark("wait", icon), "seen.title",
			sentence(p, "seen.text")),
		widget.Timeline(1,
			widget.Step(p.T("seen.step.seen", "amount", amount),
				widget.TransactionLinks(p, a, 4, p.T("tx.label"))...).
				Attr("data-part", "paid").Attr("data-value", a.PaidAmount),
			widget.Step(p.T("seen.step.confirm", "network", a.NetworkName),
				node.Text(p.T("seen.step.confirm.why"))),
			widget.Step(p.T("seen.step.told"), node.Text(p.T("seen.step.told.why"))),
		),
		box("", node.El("p").Class("small center").Text(p.T("seen.close")),
			&widget.Timing{Page: p, At: s.At, Offline: s.Offline}),
	)
}
