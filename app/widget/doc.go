// Package widget has the parts of the checkout's screens: the input of a page ([Page]), texts and
// numbers in the shopper's language, and go-app components such as the QR code, an address to copy
// or compare, and the time left. Package screen puts them together.
package widget
