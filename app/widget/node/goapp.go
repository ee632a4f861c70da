package node

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// UI returns e as go-app's elements, for a browser. go-app has a type of a hundred
// methods for every tag, all of which would be linked into the WebAssembly program:
// one type for all of them saves a fifth of what a shopper downloads. A component
// stays one, for go-app to draw when it has changed.
func (e *Element) UI() app.UI {
	if e.component != nil {
		return e.component.(app.Composer)
	}
	if e.tag == "" {
		return app.Text(e.text)
	}
	ui := app.Elem(string(e.tag))
	for a := e.attrs; a != nil; a = a.next {
		ui.Attr(string(a.name), a.value)
	}
	for h := e.events; h != nil; h = h.next {
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
	for c := e.child; c != nil; c = c.next {
		children = append(children, c.UI())
	}
	return ui.Body(children...)
}
