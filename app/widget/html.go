package widget

import (
	"bytes"
	"html"
	"reflect"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// HTML returns ui as HTML.
func HTML(ui app.UI) string {
	var page bytes.Buffer
	WriteHTML(&page, ui)
	return page.String()
}

// WriteHTML writes ui as HTML.
//
// go-app's own printer is not for pages that browsers read without WebAssembly:
// it quotes attribute values as Go strings, so that a quotation mark in a
// product's title ends the attribute; it writes a value of "true" as none, which
// is wrong for aria-*, and "false" as present, which checks a radio; it indents,
// which puts spaces into an address; its attribute order is random; and for every
// call it makes an engine with queues of 64 kB. So the tree is read as it is.
func WriteHTML(page *bytes.Buffer, ui app.UI) {
	looked.Do(look)
	w := writer{page: page}
	w.write(ui)
}

// writer writes trees.
type writer struct {
	page *bytes.Buffer
	list []pair // the attributes of one element
}

// pair is one attribute.
type pair struct{ name, value string }

// write writes ui with all that is in it. It panics on what is neither an
// element, a text nor a component: nothing else is drawn here.
func (w *writer) write(ui app.UI) {
	switch reflect.TypeOf(ui) {
	case elementType, voidType:
		w.element(elementOf(ui))
		return
	case textType:
		w.page.WriteString(html.EscapeString(textOf(ui)))
		return
	}
	for _, drawn := range app.FilterUIElems(ui.(app.Composer).Render()) {
		w.write(drawn)
	}
}

func (w *writer) element(e *element) {
	w.page.WriteByte('<')
	w.page.WriteString(e.tag)
	w.attributes(e)
	w.page.WriteByte('>')
	if e.isSelfClosing {
		return
	}
	for _, child := range e.children {
		w.write(child)
	}
	w.page.WriteString("</")
	w.page.WriteString(e.tag)
	w.page.WriteByte('>')
}

// attributes writes those of e, sorted, with the empty text of a picture, which
// go-app forgets, behind them.
func (w *writer) attributes(e *element) {
	w.list = w.list[:0]
	for name, value := range e.attributes {
		w.list = append(w.list, pair{name, value})
	}
	slices.SortFunc(w.list, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	for _, a := range w.list {
		w.attribute(a)
	}
	if _, told := e.attributes["alt"]; e.tag == "img" && !told {
		w.page.WriteString(` alt=""`)
	}
}

// attribute writes one attribute; nothing of a boolean one that is not set.
func (w *writer) attribute(a pair) {
	whole := boolean(a.name)
	if whole && a.value == "false" {
		return
	}
	w.page.WriteByte(' ')
	w.page.WriteString(a.name)
	if whole {
		return
	}
	w.page.WriteString(`="`)
	w.page.WriteString(html.EscapeString(strings.ToValidUTF8(a.value, "\ufffd")))
	w.page.WriteByte('"')
}

// boolean reports whether an attribute's presence alone is its value.
func boolean(name string) bool {
	switch name {
	case "autofocus", "checked", "disabled", "hidden", "multiple", "open", "readonly", "required", "selected":
		return true
	}
	return false
}
