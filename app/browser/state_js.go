//go:build js

package browser

import "syscall/js"

// ReadPageState reads what the shopper has typed, checked and focused in the page.
func ReadPageState() PageState {
	document := js.Global().Get("document")
	typed := PageState{Values: map[string]string{}, Scroll: js.Global().Get("scrollY").Float()}
	for _, input := range findAll("#coinslot input:not([type=hidden]), #coinslot select") {
		if input.Get("type").String() != "radio" || input.Get("checked").Bool() {
			typed.Values[fieldName(input)] = input.Get("value").String()
		}
	}
	for _, details := range findAll("#coinslot details") {
		typed.Open = append(typed.Open, details.Get("open").Bool())
	}
	typed.readFocus(document)
	typed.readSelection(document)
	return typed
}

func findAll(selector string) (list []js.Value) {
	found := js.Global().Get("document").Call("querySelectorAll", selector)
	for i := range found.Length() {
		list = append(list, found.Index(i))
	}
	return list
}

// readSelection stores the ends of the selected text as positions among the text nodes, which the
// server's page and WebAssembly's have in common.
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

// textNodes returns the non-empty text nodes of the checkout in document order, without noscript.
func textNodes(document js.Value) (list []js.Value) {
	const showText = 4 // NodeFilter.SHOW_TEXT
	root := document.Call("getElementById", "coinslot")
	walker := document.Call("createTreeWalker", root, showText)
	for node := walker.Call("nextNode"); node.Truthy(); node = walker.Call("nextNode") {
		if inert := node.Get("parentElement").Call("closest", "noscript").Truthy(); !inert &&
			node.Get("length").Int() > 0 {
			list = append(list, node)
		}
	}
	return list
}

// fieldName is a field's name, else its data-part.
func fieldName(input js.Value) string {
	if name := input.Get("name").String(); name != "" {
		return name
	}
	return input.Get("dataset").Get("part").String()
}

// readFocus stores the caret, and a selector that finds the focused element in both pages.
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

// selectorOf identifies an element by what the server's page and WebAssembly's have in common.
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

// Restore puts back what WebAssembly's page does not have: texts, opened details, scroll position,
// focus and selection. Radios are restored from Values by the caller.
func (t PageState) Restore() {
	document := js.Global().Get("document")
	const fields = "#coinslot input:not([type=hidden]):not([type=radio]), #coinslot select"
	for _, input := range findAll(fields) {
		if value, ok := t.Values[fieldName(input)]; ok {
			input.Set("value", value)
		}
	}
	for i, details := range findAll("#coinslot details") {
		if i < len(t.Open) {
			details.Set("open", t.Open[i])
		}
	}
	js.Global().Call("scrollTo", 0, t.Scroll)
	t.restoreFocus()
	t.restoreSelection(document)
}

func (t PageState) restoreSelection(document js.Value) {
	texts, start, end := textNodes(document), t.selectionStart, t.selectionEnd
	if t.hasSelection && max(start[0], end[0]) < len(texts) {
		within := func(at [2]int) int { return min(at[1], texts[at[0]].Get("length").Int()) }
		document.Call("getSelection").Call("setBaseAndExtent",
			texts[start[0]], within(start), texts[end[0]], within(end))
	}
}

func (t PageState) restoreFocus() {
	if t.Focus == "" || focusIsOutside() {
		return
	}
	element := find("#coinslot " + t.Focus)
	if !element.Truthy() {
		return
	}
	element.Call("focus", map[string]any{"preventScroll": true})
	if t.hasCaret {
		element.Call("setSelectionRange", t.CaretStart, t.CaretEnd)
	}
}
