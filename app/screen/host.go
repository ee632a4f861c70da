package screen

import (
	"context"

	"coinslot/app/feed"
	"coinslot/app/widget"
	"coinslot/app/wire"
)

// Host is what the checkout asks of the browser it runs in. Every func may be
// called from any goroutine; those that take a context may block.
type Host struct {
	// Send makes one request on the page's own origin. body is JSON, nil for
	// GET. The error says that no answer came.
	Send func(ctx context.Context, method, path string, body []byte) (status int, answer []byte,
		err error)
	// Dial opens the websocket at path.
	Dial func(ctx context.Context, path string) (feed.Socket, error)
	// Copy puts text on the clipboard; an error means that it is not there.
	Copy func(text string) error
	// Select selects the text of the first element that selector finds. May be nil.
	Select func(selector string)
	// Wallets asks the browser's wallets to announce themselves and tells found
	// of each, now and later. Nil if there are none.
	Wallets func(found func(widget.Wallet))
	// Connect asks a wallet for its account and to be on a chain ("0x1"). It
	// blocks for as long as the shopper takes. The errors are those of wallets.
	Connect func(id, chainID string) (from string, err error)
	// Pay asks a connected wallet to send a transaction. It blocks for as long as
	// the shopper takes; nil means that the wallet says it is sent.
	Pay func(id, from string, call wire.Call) error
	// ReplaceURL changes the page's address without loading anything.
	ReplaceURL func(path string)
	// Focus moves the keyboard to the first element that selector finds.
	Focus func(selector string)
	// ScrollTo scrolls until the first element that selector finds can be seen.
	ScrollTo func(selector string)
	// Restore puts back what was typed and focused before the takeover. It is
	// called once, when the tree is in the document.
	Restore func()
	// WatchTab tells when the tab is left (leave) and when it is back, online
	// again or shown (back). Only the two of the last call are told.
	WatchTab func(back, leave func())
	// WatchNetwork tells when the network has come or gone.
	WatchNetwork func(changed func())
}
