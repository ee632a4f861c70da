package widget

import (
	"bytes"
	"html"
	"reflect"
	"slices"
	"strings"
	"sync"

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
		w.escaped(textOf(ui))
		return
	}
	if list, ok := ui.(*languageList); ok {
		w.menu(list)
		return
	}
	w.drawn(ui.(app.Composer))
}

// drawn writes what a component draws.
func (w *writer) drawn(c app.Composer) {
	for _, drawn := range app.FilterUIElems(c.Render()) {
		w.write(drawn)
	}
}

// menu is what was written of a list of languages.
type menu struct {
	languages []Language
	html      []byte
}

// menus holds a *menu for each language that was chosen in one: its fifty elements
// would be a quarter of what a page costs.
var menus sync.Map

// menu writes l, which is made only where it is not what it was.
func (w *writer) menu(l *languageList) {
	kept, ok := menus.Load(l.Lang)
	if !ok || !slices.Equal(kept.(*menu).languages, l.Languages) {
		var out bytes.Buffer
		(&writer{page: &out}).drawn(l)
		kept = &menu{slices.Clone(l.Languages), out.Bytes()}
		menus.Store(l.Lang, kept)
	}
	w.page.Write(kept.(*menu).html)
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
	if e.tag != "img" {
		return
	}
	if _, told := e.attributes["alt"]; !told {
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
	w.escaped(strings.ToValidUTF8(a.value, "\ufffd"))
	w.page.WriteByte('"')
}

// escaped writes s with what HTML would take for its own escaped.
func (w *writer) escaped(s string) { w.page.WriteString(html.EscapeString(s)) }

// boolean reports whether an attribute's presence alone is its value.
func boolean(name string) bool {
	switch name {
	case "autofocus", "checked", "disabled", "hidden", "multiple", "open", "readonly", "required", "selected":
		return true
	}
	return false
}
