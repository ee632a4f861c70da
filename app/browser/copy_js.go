//go:build js

package browser

import (
	"errors"
	"syscall/js"
)

// Copy puts text on the clipboard, or returns an error. Where the browser refuses the clipboard
// API, as in a frame without permission, it tries execCommand. It blocks and must not be called
// from a callback.
func Copy(text string) error {
	clipboard := js.Global().Get("navigator").Get("clipboard")
	if clipboard.Truthy() {
		_, err := await(clipboard.Call("writeText", text))
		if err == nil {
			return nil
		}
	}
	return copyBySelection(text)
}

// copyBySelection copies from a temporary field.
func copyBySelection(text string) error {
	document := js.Global().Get("document")
	before := document.Get("activeElement")
	field := document.Call("createElement", "textarea")
	field.Set("value", text)
	field.Set("readOnly", true)
	field.Call("setAttribute", "class", "offscreen")
	field.Call("setAttribute", "aria-hidden", "true")
	document.Get("body").Call("appendChild", field)
	field.Call("select")
	copied := document.Call("execCommand", "copy").Bool()
	field.Call("remove")
	if before.Truthy() {
		before.Call("focus")
	}
	if !copied {
		return errors.New("copying to the clipboard: refused by the browser")
	}
	return nil
}
