// Package screen has the screens of the checkout, one a file, made of the parts in package widget,
// and [Checkout], the root of the page, which chooses the screen by status.
//
// A screen draws a tree of package node, which is rendered twice. The BFF renders HTML; that page
// is complete, and its forms and links work without scripts. WebAssembly then mounts the same
// [Checkout] from the same widget.Page and takes over in place. What differs there depends on
// [Checkout.Host], which is nil on the server.
//
// There are no business rules here: the wire.View says what can be chosen, what is missing and
// what the shopper may do. Exported fields are set by the parent, unexported ones are a component's
// own state.
package screen
