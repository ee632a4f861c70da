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

// reported is the amount that the gateway reports; nothing without one.
func reported(p widget.Page, a wire.Attempt) node.Node {
	return node.If(a.PaidAmount != "", func() node.Node {
		return node.El("span").Body(
			widget.Sum(p, "span", "paid", a.PaidAmount, a.Shown()),
			node.Text(" · "+a.NetworkName))
	})
}

// Draw draws what is known, what happens next, and what to quote.
func (r *review) Draw() *node.Element {
	p := r.Page
	a := r.Page.View.LatestAttempt()
	now := 1
	text := p.T("review.text")
	steps := []*node.Element{
		widget.Step(p.T("review.step.reported"),
			append([]node.Node{reported(p, a)},
				widget.TransactionLinks(p, a, 4, p.T("tx.label"))...)...),
		widget.Step(p.T("review.step.check"), node.Text(p.T("review.step.check.why"))),
		widget.Step(p.T("review.step.result"), node.Text(p.T("review.step.result.why"))),
	}
	if n := p.View.Notice; n != nil { // nothing was reported
		now = 0
		text = n.Message
		steps = steps[1:]
	}
	return box("blocks",
		outcome(p, mark("ask"), "review.title", reason(p, text)),
		widget.Timeline(now, steps...),
		widget.Ask(p, false),
		box("actions",
			widget.SupportLink(p, "button primary"),
			actionForm(p, wire.Recheck, "", "prepare.recheck", r.Busy),
		),
		&widget.Timing{Page: p, At: r.At, Offline: r.Offline},
		box("links", reload(p), backToShop(p, p.View.CancelURL, "link")),
	)
}
