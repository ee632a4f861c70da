//go:build js

// Package browser is the only package that calls JavaScript: requests, websockets, the clipboard,
// the page's address, wallets, and what the shopper typed before WebAssembly started. It imports
// the standard library only.
package browser

// PageState is what the shopper has typed, opened and selected before WebAssembly takes over the
// page.
type PageState struct {
	// Values are the fields' values by name, or by data-part for a field without a name. A radio
	// group that has nothing checked is missing.
	Values map[string]string
	// Focus is a selector of the focused element; empty if it is not in the checkout.
	Focus string
	// CaretStart and CaretEnd are the selection in the focused field.
	CaretStart, CaretEnd int
	// Open is whether each details element is open, in the order of the page.
	Open []bool
	// Scroll is the vertical scroll position in CSS pixels.
	Scroll float64

	hasCaret     bool // the focused field has CaretStart and CaretEnd
	hasSelection bool // some text of the checkout is selected
	// Number of the text node, and the offset in it.
	selectionStart, selectionEnd [2]int
}

// opError names the failed operation. fmt.Errorf would do the same, but would be a twentieth of
// what a shopper downloads.
type opError struct {
	op  string
	err error
}

func (f opError) Error() string { return f.op + ": " + f.err.Error() }

func (f opError) Unwrap() error { return f.err }
