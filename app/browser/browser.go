// Package browser is the only package that touches JavaScript: requests,
// websockets, the clipboard, the page's own address, and what a shopper has
// typed before the WebAssembly program took over.
//
// It imports the standard library only. Outside a browser every call that can
// fail reports [ErrNoBrowser] and the others do nothing.
package browser

import "errors"

// ErrNoBrowser is reported outside a browser.
var ErrNoBrowser = errors.New("using the browser: there is none")

// PageState is what a shopper has done to the page before the takeover.
type PageState struct {
	// Values are the fields' values by name; a radio's is the checked one, and
	// is missing while none is checked. A field without a name goes by its handle.
	Values map[string]string // by field name
	// Focus finds the focused element; empty if it is not in the checkout.
	Focus string
	// CaretStart and CaretEnd are the selection in the focused field.
	CaretStart, CaretEnd int
	// Open tells of each folded part, in the order of the page, whether it was opened.
	Open []bool
	// Scroll is how far the page was scrolled, in CSS pixels.
	Scroll float64

	hasCaret                     bool   // the focused element has a selection
	hasSelection                 bool   // some text of the checkout is selected
	selectionStart, selectionEnd [2]int // where the selection begins and ends: number of the text node, offset in it
}

// opError is an error with what was being done, as of fmt.Errorf, which
// would be a twentieth of what a shopper downloads.
type opError struct {
	op  string
	err error
}

func (f opError) Error() string { return f.op + ": " + f.err.Error() }

func (f opError) Unwrap() error { return f.err }
