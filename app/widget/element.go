package widget

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// el returns an element by its tag. go-app has a type of a hundred methods for
// every tag, all of which would be linked into the WebAssembly program; this
// one type for all of them saves a fifth of what a shopper downloads. Attributes
// are set by Attr, for Aria and DataSet format what they are given.
func el(tag string) app.HTMLElem { return app.Elem(tag) }

// void returns an element that has no end tag.
func void(tag string) app.HTMLElemSelfClosing { return app.ElemSelfClosing(tag) }

// given returns what draw draws if it is so, else nothing: nil among the parts of
// an element is no part of it.
func given(so bool, draw func() app.UI) app.UI {
	if !so {
		return nil
	}
	return draw()
}

// spaced puts a space between neighbours, which a page without styles would run
// together: an address and the word on its button. Boxes in a row or a grid show
// nothing of it.
func spaced(parts ...app.UI) []app.UI {
	list := make([]app.UI, 0, 2*len(parts))
	for i, part := range parts {
		if i > 0 {
			list = append(list, app.Text(" "))
		}
		list = append(list, part)
	}
	return list
}
