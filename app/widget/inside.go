package widget

import (
	"reflect"
	"sync"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// What go-app's elements hold is not told by any method of theirs, so that their
// memory is read: by two types that are laid out as its own. look compares them
// with those once and panics where they differ, which every test of a page would
// show on the day of another go-app.

// element is laid out as go-app's htmlElement.
type element struct {
	tag           string
	xmlns         string
	treeDepth     uint
	isSelfClosing bool
	jsElement     app.Value
	attributes    map[string]string
	eventHandlers map[string]struct{} // nobody reads them
	parentElement app.UI
	children      []app.UI
}

// text is laid out as go-app's.
type text struct {
	jsvalue       app.Value
	parentElement app.UI
	value         string
}

// go-app's types of what is drawn here, after look.
var elementType, voidType, textType reflect.Type

// looked is when look was called. None of this is a variable with a value, which
// would be made in the WebAssembly program, where nothing is printed.
var looked sync.Once

func look() {
	elementType, voidType, textType = reflect.TypeOf(el("i")), reflect.TypeOf(void("i")), reflect.TypeOf(app.Text(""))
	mine, mineText := reflect.TypeFor[element](), reflect.TypeFor[text]()
	for _, t := range []reflect.Type{elementType, voidType} {
		if t.Elem().NumField() != 1 || !alike(t.Elem().Field(0).Type, mine) {
			panic("printing: go-app's " + t.String() + " is not what it was")
		}
	}
	if !alike(textType.Elem(), mineText) {
		panic("printing: go-app's " + textType.String() + " is not what it was")
	}
}

// alike reports whether two types have the same fields in the same places.
func alike(a, b reflect.Type) bool {
	if a.NumField() != b.NumField() || a.Size() != b.Size() {
		return false
	}
	for i := range a.NumField() {
		f, g := a.Field(i), b.Field(i)
		same := f.Type.ConvertibleTo(g.Type) || f.Name == "eventHandlers" && f.Type.Kind() == g.Type.Kind()
		if f.Name != g.Name || f.Offset != g.Offset || !same {
			return false
		}
	}
	return true
}

// elementOf returns what an element holds, which is of elementType or voidType.
func elementOf(ui app.UI) *element { return (*element)(reflect.ValueOf(ui).UnsafePointer()) }

// textOf returns the words of a text, which is of textType.
func textOf(ui app.UI) string { return (*text)(reflect.ValueOf(ui).UnsafePointer()).value }
