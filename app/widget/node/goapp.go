package node

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// UI returns e as go-app's elements. go-app has a type with a hundred methods for every tag; using
// its generic element instead saves a fifth of what a shopper downloads. A component stays one,
// which go-app draws after a change.
func (e *Element) UI() app.UI {
	if e.component != nil {
		return e.component.(app.Composer)
	}
	if e.tag == "" {
		return app.Text(e.text)
	}
	ui := app.Elem(string(e.tag))
	for _, a := range e.attrs {
		ui.Attr(string(a.name), a.value)
	}
	for _, h := range e.events {
		scope := make([]any, 0, len(h.scope))
		for _, s := range h.scope {
			scope = append(scope, s)
		}
		ui.On(string(h.name), h.handler, app.EventScope(scope...))
	}
	if e.filled {
		return ui.Text(e.text)
	}
	var children []app.UI
	for _, c := range e.children {
		children = append(children, c.UI())
	}
	return ui.Body(children...)
}
