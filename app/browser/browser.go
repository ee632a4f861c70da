//go:build js

// Package browser is the only package that calls JavaScript: requests, websockets, the clipboard,
// the page's address, wallets, and what the shopper typed before WebAssembly started. It imports
// the standard library only.
package browser

// opError names the failed operation. fmt.Errorf would do the same, but would be a twentieth of
// what a shopper downloads.
type opError struct {
	op  string
	err error
}

func (e opError) Error() string { return e.op + ": " + e.err.Error() }

func (e opError) Unwrap() error { return e.err }
