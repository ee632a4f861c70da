package widget

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
)

// simulateBar offers pretended payments in sandbox sessions; a host page presses
// the same buttons by name.
func simulateBar(p Page) app.UI {
	possible := p.View.Attempt != nil && p.View.Status != wire.Confirmed
	return given(len(p.Simulate) > 0 && possible, func() app.UI {
		return el("aside").Class("simulate").Attr("aria-label", p.say("simulate.title")).Body(
			el("p").Text(p.say("simulate.title")),
			el("form").Attr("method", "post").Attr("action", p.Target("/simulate")).Class("simulate-form").Body(append(carried(p), spaced(simulateButtons(p)...)...)...),
		)
	})
}

func simulateButtons(p Page) []app.UI {
	list := make([]app.UI, 0, len(p.Simulate))
	for _, kind := range p.Simulate {
		list = append(list, el("button").Attr("type", "submit").Class("button small").
			Attr("name", "kind").Attr("value", kind).Attr("data-part", "simulate").Text(p.say("simulate."+kind)).
			OnClick(func(ctx app.Context, e app.Event) {
				e.PreventDefault()
				ctx.NewActionWithValue(actionSend, request{Sub: "/simulate", Body: map[string]string{"kind": kind}})
			}, app.EventScope(kind)))
	}
	return list
}
