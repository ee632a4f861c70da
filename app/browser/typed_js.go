//go:build js

package browser

import "syscall/js"

// ReadTyped reads what the shopper has typed, checked and focused in the page
// as it stands.
func ReadTyped() Typed {
	document := js.Global().Get("document")
	typed := Typed{Values: map[string]string{}, Scroll: js.Global().Get("scrollY").Float()}
	inputs := document.Call("querySelectorAll", "#coinslot input:not([type=hidden])")
	for i := range inputs.Length() {
		typed.read(inputs.Index(i))
	}
	details := document.Call("querySelector", "#coinslot details")
	typed.Open = details.Truthy() && details.Get("open").Bool()
	typed.readFocus(document)
	return typed
}

// read takes one field over, if it says anything.
func (t *Typed) read(input js.Value) {
	name := fieldName(input)
	if input.Get("type").String() == "radio" {
		if input.Get("checked").Bool() {
			t.Values[name] = input.Get("value").String()
		}
		return
	}
	t.Values[name] = input.Get("value").String()
}

// fieldName is a field's name, else its handle.
func fieldName(input js.Value) string {
	if name := input.Get("name").String(); name != "" {
		return name
	}
	return input.Get("dataset").Get("part").String()
}

// readFocus remembers the focused element by a selector that finds its
// counterpart, and the caret.
func (t *Typed) readFocus(document js.Value) {
	active := document.Get("activeElement")
	if !active.Truthy() || !active.Call("closest", "#coinslot").Truthy() {
		return
	}
	t.Focus = selectorOf(active)
	if start := active.Get("selectionStart"); start.Type() == js.TypeNumber {
		t.caret, t.CaretStart, t.CaretEnd = true, start.Int(), active.Get("selectionEnd").Int()
	}
}

// selectorOf describes an element by what is the same in both trees.
func selectorOf(element js.Value) string {
	escape := func(s js.Value) string { return js.Global().Get("CSS").Call("escape", s).String() }
	if element.Get("id").String() != "" {
		return "#" + escape(element.Get("id"))
	}
	selector := element.Get("localName").String()
	if part := element.Get("dataset").Get("part"); part.Truthy() {
		selector += "[data-part=" + escape(part) + "]"
	}
	for _, name := range []string{"name", "value", "href"} {
		if name == "value" && element.Get("localName").String() == "input" && element.Get("type").String() != "radio" {
			continue
		}
		if value := element.Call("getAttribute", name); value.Truthy() {
			selector += "[" + name + "=" + escape(value) + "]"
		}
	}
	return selector
}

// Restore puts back into the page what it does not know by itself: texts,
// opened details, the focus with its caret, and the place it was scrolled to.
func (t Typed) Restore() {
	document := js.Global().Get("document")
	inputs := document.Call("querySelectorAll", "#coinslot input:not([type=hidden]):not([type=radio])")
	for i := range inputs.Length() {
		if value, ok := t.Values[fieldName(inputs.Index(i))]; ok {
			inputs.Index(i).Set("value", value)
		}
	}
	if details := document.Call("querySelector", "#coinslot details"); t.Open && details.Truthy() {
		details.Set("open", true)
	}
	js.Global().Call("scrollTo", 0, t.Scroll)
	t.restoreFocus(document)
}

func (t Typed) restoreFocus(document js.Value) {
	if t.Focus == "" || elsewhere() {
		return
	}
	element := document.Call("querySelector", "#coinslot "+t.Focus)
	if !element.Truthy() {
		return
	}
	element.Call("focus", map[string]any{"preventScroll": true})
	if t.caret {
		element.Call("setSelectionRange", t.CaretStart, t.CaretEnd)
	}
}
