// Package node is the tree that the parts of a page are built from. It has two
// renderers: [Append] writes a tree as HTML on the server, and [Element.UI] makes
// go-app's elements of it in a browser.
//
// Nothing in a value or a text becomes markup: the names of tags and attributes
// are constants of the source ([Name]), every value and text is escaped, addresses
// that would run a script are replaced, and there are no elements whose content
// HTML does not escape, such as script and style.
//
// A tree is built by one goroutine, is rendered, and is forgotten.
package node

import (
	"strings"
	"sync"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Name is the name of a tag, an attribute or an event. It is always a constant of
// the source: never convert a variable to it.
type Name string

// Node is what a tree is built from: an [*Element], or a go-app component that
// draws one. Nil stands for nothing.
type Node interface {
	// Draw returns what is shown. An element returns itself; a component builds its
	// tree anew, which must not be nil.
	Draw() *Element
}

// Element is an HTML element, a text or a component. The zero Element is an empty
// text.
type Element struct {
	tag       Name   // empty for a text and a component
	void      bool   // has no end tag and no content
	filled    bool   // text is the content
	text      string // the words of a text, or the content of an element
	component Node   // nil unless the element stands for a component
	attrs     *attr  // sorted by name
	events    *event // always nil on the server
	child     *Element
	next      *Element // the next child of the same parent
}

// attr is one attribute and a link to the next.
type attr struct {
	name  Name
	value string
	next  *attr
}

// event is one event handler and a link to the next.
type event struct {
	name    Name
	handler app.EventHandler
	scope   []string
	next    *event
}

// block is memory for elements and attributes. Making many at a time is the
// difference between 1,000 allocations for a page and 20. One live element keeps
// its block alive.
type block struct {
	elements []Element
	attrs    []attr
}

const blockElements, blockAttrs = 64, 128

var blocks = sync.Pool{New: func() any { return new(block) }}

func newElement() *Element {
	b := blocks.Get().(*block)
	if len(b.elements) == 0 {
		b.elements = make([]Element, blockElements)
	}
	e := &b.elements[0]
	b.elements = b.elements[1:]
	blocks.Put(b)
	return e
}

func newAttr() *attr {
	b := blocks.Get().(*block)
	if len(b.attrs) == 0 {
		b.attrs = make([]attr, blockAttrs)
	}
	a := &b.attrs[0]
	b.attrs = b.attrs[1:]
	blocks.Put(b)
	return a
}

// El returns an element with an end tag. It panics on a tag whose content HTML reads
// otherwise than that of others.
func El(tag Name) *Element {
	switch tag {
	case "script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext", "listing",
		"template", "math", "":
		panic("building a page: no element can be a " + string(tag))
	}
	e := newElement()
	e.tag = tag
	return e
}

// Void returns an element that has no end tag, such as input and img.
func Void(tag Name) *Element {
	e := El(tag)
	e.void = true
	return e
}

// Text returns words that stand beside elements.
func Text(words string) *Element {
	e := newElement()
	e.text = words
	return e
}

// If returns what draw returns if condition is true, else nil.
func If(condition bool, draw func() Node) Node {
	if !condition {
		return nil
	}
	return draw()
}

// Draw returns e.
func (e *Element) Draw() *Element { return e }

// Attr sets an attribute. An empty value changes nothing. Spaces around a value are
// removed, except for that of the attribute "value". An address that would run a
// script becomes "about:invalid".
func (e *Element) Attr(name Name, value string) *Element {
	if name != "value" {
		value = strings.TrimSpace(value)
	}
	if value == "" {
		return e
	}
	if isAddress(name) && isScriptURL(name, value) {
		value = "about:invalid"
	}
	place := &e.attrs
	for *place != nil && (*place).name < name {
		place = &(*place).next
	}
	if *place != nil && (*place).name == name {
		(*place).value = value
		return e
	}
	a := newAttr()
	a.name, a.value, a.next = name, value, *place
	*place = a
	return e
}

// Bool sets an attribute that is true or false. An attribute whose presence means
// true, such as checked, is left out of the HTML when it is false.
func (e *Element) Bool(name Name, value bool) *Element {
	if value {
		return e.Attr(name, "true")
	}
	return e.Attr(name, "false")
}

// ID sets the attribute id.
func (e *Element) ID(id string) *Element { return e.Attr("id", id) }

// Class adds classes to those that e has, separated by spaces.
func (e *Element) Class(names string) *Element {
	for a := e.attrs; a != nil; a = a.next {
		if a.name == "class" {
			return e.Attr("class", a.value+" "+names)
		}
	}
	return e.Attr("class", names)
}

// Text makes words the only content of e.
func (e *Element) Text(words string) *Element {
	e.text, e.filled, e.child = words, true, nil
	return e
}

// Body makes children the content of e. Nil ones are left out. No child may be in
// two trees, or twice in one.
func (e *Element) Body(children ...Node) *Element {
	e.text, e.filled, e.child = "", false, nil
	place := &e.child
	for _, child := range children {
		c, ok := child.(*Element)
		switch {
		case child == nil, ok && c == nil:
			continue
		case !ok:
			c = newElement()
			c.component = child
		}
		*place = c
		place = &c.next
	}
	return e
}

// On has handler called in a browser; on the server it does nothing. go-app compares
// handlers by their code alone: scope names what a handler holds, so that one with
// yesterday's values is replaced.
func (e *Element) On(name Name, handler app.EventHandler, scope ...string) *Element {
	if app.IsServer {
		return e
	}
	e.events = &event{name, handler, scope, e.events}
	return e
}
