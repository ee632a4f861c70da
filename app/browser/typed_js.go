//go:build js

package browser

import "syscall/js"

// ReadPageState reads what the shopper has typed, checked and focused in the page
// as it stands.
func ReadPageState() PageState {
	document := js.Global().Get("document")
	typed := PageState{Values: map[string]string{}, Scroll: js.Global().Get("scrollY").Float()}
	inputs := document.Call(
		"querySelectorAll", "#coinslot input:not([type=hidden]), #coinslot select",
	)
	for i := range inputs.Length() {
		typed.readField(inputs.Index(i))
	}
	details := document.Call("querySelectorAll", "#coinslot details")
	for i := range details.Length() {
		typed.Open = append(typed.Open, details.Index(i).Get("open").Bool())
	}
	typed.readFocus(document)
	typed.readSelection(document)
	return typed
}

// readSelection remembers which text is selected, by the places of its ends
// among the text nodes: both trees have the same, but for what is re-worded or inert.
func (t *PageState) readSelection(document js.Value) {
	selection := document.Call("getSelection")
	if !selection.Truthy() || selection.Get("isCollapsed").Bool() {
		return
	}
	span := selection.Call("getRangeAt", 0)
	for i, text := range textNodes(document) {
		if !span.Call("intersectsNode", text).Bool() {
			continue
		}
		if !t.hasSelection {
			t.hasSelection, t.selectionStart = true, [2]int{i, 0}
			if text.Equal(span.Get("startContainer")) {
				t.selectionStart[1] = span.Get("startOffset").Int()
			}
		}
		t.selectionEnd = [2]int{i, text.Get("length").Int()}
		if text.Equal(span.Get("endContainer")) {
			t.selectionEnd[1] = span.Get("endOffset").Int()
		}
	}
}

// textNodes are the texts of the checkout, in the order of the page.
func textNodes(document js.Value) []js.Value {
	const showText = 4 // NodeFilter.SHOW_TEXT
	walker := document.Call(
		"createTreeWalker", document.Call("getElementById", "coinslot"), showText,
	)
	var list []js.Value
	for node := walker.Call("nextNode"); node.Truthy(); node = walker.Call("nextNode") {
		if inert := node.Get("parentElement").Call("closest", "noscript").Truthy(); !inert &&
			node.Get("length").Int() > 0 {
			list = append(list, node)
		}
	}
	return list
}

// readField takes one field over, if it says anything.
func (t *PageState) readField(input js.Value) {
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
func (t *PageState) readFocus(document js.Value) {
	active := document.Get("activeElement")
	if !active.Truthy() || !active.Call("closest", "#coinslot").Truthy() {
		return
	}
	t.Focus = selectorOf(active)
	if start := active.Get("selectionStart"); start.Type() == js.TypeNumber {
		t.hasCaret, t.CaretStart, t.CaretEnd = true, start.Int(), active.Get("selectionEnd").Int()
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
		if name == "value" && element.Get("localName").String() == "input" &&
			element.Get("type").String() != "radio" {
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
func (t PageState) Restore() {
	document := js.Global().Get("document")
	inputs := document.Call(
		"querySelectorAll",
		"#coinslot input:not([type=hidden]):not([type=radio]), #coinslot select",
	)
	for i := range inputs.Length() {
		if value, ok := t.Values[fieldName(inputs.Index(i))]; ok {
			inputs.Index(i).Set("value", value)
		}
	}
	details := document.Call("querySelectorAll", "#coinslot details")
	for i := range min(details.Length(), len(t.Open)) {
		details.Index(i).Set("open", t.Open[i])
	}
	js.Global().Call("scrollTo", 0, t.Scroll)
	t.restoreFocus(document)
	t.restoreSelection(document)
}

func (t PageState) restoreSelection(document js.Value) {
	if texts := textNodes(document); t.hasSelection && max(t.selectionStart[0], t.selectionEnd[0]) < len(texts) {
		within := func(at [2]int) int { return min(at[1], texts[at[0]].Get("length").Int()) }
		document.Call("getSelection").Call(
			"setBaseAndExtent", texts[t.selectionStart[0]], within(t.selectionStart), texts[t.selectionEnd[0]], within(t.selectionEnd),
		)
	}
}

func (t PageState) restoreFocus(document js.Value) {
	if t.Focus == "" || focusIsOutside() {
		return
	}
	element := document.Call("querySelector", "#coinslot "+t.Focus)
	if !element.Truthy() {
		return
	}
	element.Call("focus", map[string]any{"preventScroll": true})
	if t.hasCaret {
		element.Call("setSelectionRange", t.CaretStart, t.CaretEnd)
	}
}
