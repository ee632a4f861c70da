// Package screen is what a shopper sees: one screen a file, made of the parts in package widget,
// and [Checkout], the root of the page, which chooses the screen by status.
//
// A screen draws a tree of package node, which is rendered twice. The BFF turns it
// into HTML; that page is complete, its forms post and its links go, without any
// script. The WebAssembly program then mounts the same [Checkout] from the same [widget.Page]
// and takes over in place. What a component does differently there hangs on
// [Checkout.Host], which is nil on the server.
//
// There are no business rules here: what can be chosen, what is missing and
// what may be done next is in the [wire.View]. Exported fields are attributes given by the
// parent, unexported ones are a component's own state.
package screen
