package widget

import (
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// SimulateBar has the buttons that simulate payments in sandbox sessions; simulate() of the host
// page clicks them.
func SimulateBar(p Page) node.Node {
	possible := p.View.Attempt != nil && p.View.Status != wire.Confirmed
	return node.If(len(p.Simulate) > 0 && possible, func() node.Node {
		return el("aside").Class("sandbox").Attr("data-part", "sandbox").
			Attr("aria-label", p.T("simulate.title")).Body(
			el("p").Text(p.T("simulate.title")),
			el("form").Attr("method", "post").Attr("action", p.Target("/simulate")).
				Class("sandbox-form").
				Body(append(HiddenFields(p), WithSpaces(simulateButtons(p)...)...)...),
		)
	})
}

func simulateButtons(p Page) []node.Node {
	list := make([]node.Node, 0, len(p.Simulate))
	for _, kind := range p.Simulate {
		button := el("button").Attr("type", "submit").
			Attr("name", "kind").Attr("value", kind).Attr("data-part", "simulate").
			On("click", func(ctx app.Context, e app.Event) {
				e.PreventDefault()
				ctx.NewActionWithValue(ActionSend,
					Request{Sub: "/simulate", Body: map[string]string{"kind": kind}})
			}, kind)
		if scripted[kind] {
			button = button.Bool("hidden", true).Text(kind)
		} else {
			button = button.Text(p.T("simulate." + kind))
		}
		list = append(list, button)
	}
	return list
}

// scripted are the kinds for simulate() and tests, which the bar does not show.
var scripted = map[string]bool{"tenfold": true, "tolerated": true}
