// Package node is the tree that pages are built from. It has two renderers: [HTML] for the
// server, and [Element.UI] for a browser, which makes go-app's elements.
//
// Values and texts never become markup: names of tags and attributes are constants of the source
// ([Name]), values and texts are escaped, URLs that would run a script are replaced, and there are
// no elements whose content HTML does not escape, such as script and style.
//
// One goroutine builds a tree, renders it once, and drops it.
package node

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Name is the name of a tag, an attribute or an event. Never convert a variable to it.
type Name string

// Node is an [*Element], or a go-app component that draws one. Nil draws nothing.
type Node interface {
	// Draw returns the element itself, or a component's new tree, never nil.
	Draw() *Element
}

// Element is an HTML element, a text or a component. The zero Element is an empty text.
type Element struct {
	tag       Name   // empty for a text and a component
	void      bool   // has no end tag and no content
	filled    bool   // text is the content
	text      string // a text, or the content of an element
	component Node   // nil unless the element stands for a component
	attrs     []attr
	events    []event // always empty on the server
	children  []*Element
}

type attr struct {
	name  Name
	value string
}

type event struct {
	name    Name
	handler app.EventHandler
	scope   []string
}

// El returns an element with an end tag. It panics on tags whose content HTML parses differently.
func El(tag Name) *Element {
	switch tag {
	case "script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext", "listing",
		"template", "math", "":
		panic("building a page: element not allowed: " + string(tag))
	}
	return &Element{tag: tag}
}

// Void returns an element that has no end tag, such as input and img.
func Void(tag Name) *Element {
	e := El(tag)
	e.void = true
	return e
}

// Text returns a text beside elements.
func Text(text string) *Element { return &Element{text: text} }

// If returns draw() if condition is true, else nil.
func If(condition bool, draw func() Node) Node {
	if !condition {
		return nil
	}
	return draw()
}

// Draw returns e.
func (e *Element) Draw() *Element { return e }

// Attr sets an attribute. An empty value changes nothing. Values are trimmed, except of the
// attribute "value". A URL that would run a script becomes "about:invalid".
func (e *Element) Attr(name Name, value string) *Element {
	if name != "value" {
		value = strings.TrimSpace(value)
	}
	if value == "" {
		return e
	}
	if isURL(name) && isScriptURL(name, value) {
		value = "about:invalid"
	}

	for i := range e.attrs {
		if e.attrs[i].name == name {
			e.attrs[i].value = value
			return e
		}
	}
	e.attrs = append(e.attrs, attr{name, value})
	return e
}

// Bool sets an attribute to "true" or "false". HTML leaves out a false attribute whose presence
// means true, such as checked.
func (e *Element) Bool(name Name, value bool) *Element {
	if value {
		return e.Attr(name, "true")
	}
	return e.Attr(name, "false")
}

// ID sets the attribute id.
func (e *Element) ID(id string) *Element { return e.Attr("id", id) }

// Class adds classes, separated by spaces.
func (e *Element) Class(names string) *Element {
	for _, a := range e.attrs {
		if a.name == "class" {
			return e.Attr("class", a.value+" "+names)
		}
	}
	return e.Attr("class", names)
}

// Text makes text the only content of e.
func (e *Element) Text(text string) *Element {
	e.text = text
	e.filled = true
	e.children = nil
	return e
}

// Body makes children the content of e, without nil ones.
func (e *Element) Body(children ...Node) *Element {
	e.text = ""
	e.filled = false
	e.children = nil
	for _, child := range children {
		element, ok := child.(*Element)
		if child == nil || ok && element == nil {
			continue
		}
		if !ok {
			element = &Element{component: child}
		}
		e.children = append(e.children, element)
	}
	return e
}

// On sets an event handler; it does nothing on the server. go-app compares handlers by their code
// alone: list the values that a handler captures in scope, or go-app keeps one with old values.
func (e *Element) On(name Name, handler app.EventHandler, scope ...string) *Element {
	if app.IsServer {
		return e
	}
	e.events = append(e.events, event{name, handler, scope})
	return e
}
