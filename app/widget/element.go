package widget

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// el returns an element by its tag. go-app has a type of a hundred methods for
// every tag, all of which would be linked into the WebAssembly program; this
// one type for all of them saves a fifth of what a shopper downloads.
func el(tag string) app.HTMLElem { return app.Elem(tag) }

// void returns an element that has no end tag.
func void(tag string) app.HTMLElemSelfClosing { return app.ElemSelfClosing(tag) }
