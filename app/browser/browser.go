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

func (f opError) Error() string { return f.op + ": " + f.err.Error() }

func (f opError) Unwrap() error { return f.err }
