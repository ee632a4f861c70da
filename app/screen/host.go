package screen

import (
	"context"

	"coinslot/app/feed"
	"coinslot/app/widget"
	"coinslot/app/wire"
)

// Host is what the checkout needs of its browser. Every func may be called from any goroutine;
// those that take a context may block.
type Host struct {
	// Send makes one request on the page's own origin. body is JSON, nil for GET. Errors: there
	// was no answer.
	Send func(ctx context.Context, method, path string, body []byte) (int, []byte, error)
	// Dial opens the websocket at path.
	Dial func(ctx context.Context, path string) (feed.Socket, error)
	// Copy puts text on the clipboard.
	Copy func(text string) error
	// Select selects the text of the first element that selector finds. May be nil.
	Select func(selector string)
	// Wallets asks the browser's wallets to announce themselves and calls found for each, now and
	// later. Nil if there are none.
	Wallets func(found func(widget.Wallet))
	// LastWallet is the id of the wallet that was opened last by a link; empty for none. Nil for none.
	LastWallet func() string
	// Connect asks a wallet for its account and to switch to a chain ("0x1"). It blocks until the
	// shopper answers. Errors: ErrWalletRefused, ErrWalletNetwork, others.
	Connect func(id, chainID string) (from string, err error)
	// Pay asks a connected wallet to send a transaction. It blocks until the shopper answers; nil
	// means that the wallet claims to have sent it.
	Pay func(id, from string, call wire.Call) error
	// ReplaceURL changes the page's address without loading anything.
	ReplaceURL func(path string)
	// Focus focuses the first element that selector finds.
	Focus func(selector string)
	// ScrollTo scrolls the first element that selector finds into view.
	ScrollTo func(selector string)
	// WatchTab calls leave when the tab is left, and back when it is back, online again or shown.
	// Only the funcs of the last call are called.
	WatchTab func(back, leave func())
	// WatchNetwork calls changed when the browser goes online or offline.
	WatchNetwork func(changed func())
	// Zone is the browser's time zone at a time of RFC 3339, named in a language. Nil for UTC.
	Zone func(at, lang string) widget.Zone
}
