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
		list = append(list, el("button").Attr("type", "submit").
			Attr("name", "kind").Attr("value", kind).Attr("data-part", "simulate").
			Text(p.T("simulate."+kind)).
			On("click", func(ctx app.Context, e app.Event) {
				e.PreventDefault()
				ctx.NewActionWithValue(ActionSend,
					Request{Sub: "/simulate", Body: map[string]string{"kind": kind}})
			}, kind))
	}
	return list
}
