// Package widget is the parts that the screens of a checkout are made of: what a page is given
// ([Page]), its sentences and numbers in the shopper's language, and go-app components such as the
// QR code, an address to copy or to compare, and the time left. Package screen puts them together.
package widget
