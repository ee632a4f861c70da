package widget

import (
	"context"

	"coinslot/app/feed"
)

// Host is what the checkout asks of the browser it runs in. Every func may be
// called from any goroutine; those that take a context may block.
type Host struct {
	// Send makes one request on the page's own origin. body is JSON, nil for
	// GET. The error says that no answer came.
	Send func(ctx context.Context, method, path string, body []byte) (status int, answer []byte, err error)
	// Dial opens the websocket at path.
	Dial func(ctx context.Context, path string) (feed.Socket, error)
	// Copy puts text on the clipboard; an error means that it is not there.
	Copy func(text string) error
	// Replace changes the page's address without loading anything.
	Replace func(path string)
	// Focus moves the keyboard to the first element that selector finds.
	Focus func(selector string)
	// Show scrolls until the first element that selector finds can be seen.
	Show func(selector string)
	// Restore puts back what was typed and focused before the takeover. It is
	// called once, when the tree is in the document.
	Restore func()
	// Watch tells when the tab is left (leave) and when it is back, online
	// again or shown (back). Only the two of the last call are told.
	Watch func(back, leave func())
}
