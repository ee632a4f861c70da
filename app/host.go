//go:build js

package main

import (
	"context"
	"errors"
	"strconv"

	"coinslot/app/browser"
	"coinslot/app/feed"
	"coinslot/app/json"
	"coinslot/app/screen"
	"coinslot/app/widget"
	"coinslot/app/wire"
)

// pageID is the id of the data block that holds the widget.Page.
const pageID = "coinslot-page"

// newCheckout builds the root component from the page's data block and what the shopper has typed.
// It is several tasks; what the shopper does until the last one counts.
func newCheckout() (*screen.Checkout, error) {
	data, sentences, err := browser.DataBlock(pageID)
	if err != nil {
		return nil, err
	}
	var page widget.Page
	for _, members := range [][]byte{data, sentences} {
		if err := json.Unmarshal(members, &page); err != nil {
			return nil, errors.New("decoding the page's data: " + err.Error())
		}
	}
	if err := browser.WaitForTurn(); err != nil {
		return nil, err
	}
	var fields map[string]string
	if err := json.Unmarshal(browser.Fields(), &fields); err != nil {
		return nil, errors.New("decoding the page's fields: " + err.Error())
	}
	if page.View.Status == wire.Open || page.Changing {
		page.Chosen = fields["currency_symbol"]
		page.ChosenNetwork = fields[widget.NetworkField(page.Chosen)]
		page.Email = fields["email"]
		if page.Offer != nil {
			page.Offer.Amount = fields["amount"]
			page.Offer.Quantity, _ = strconv.Atoi(fields["quantity"]) // of a select
		}
	}
	page.Phone = page.Phone || browser.IsPhone()
	page.LastWallet = browser.LastWallet()
	return &screen.Checkout{Page: page, Host: newHost(), Search: fields["search"]}, nil
}

// newHost connects the checkout to the browser.
func newHost() *screen.Host {
	var tab browser.Tab
	var wallets browser.Wallets
	return &screen.Host{
		Send:   browser.Fetch,
		Dial:   dial,
		Copy:   browser.Copy,
		Select: browser.SelectText,
		Wallets: func(found func(widget.Wallet)) {
			wallets.Discover(func(a browser.WalletInfo) { found(widget.Wallet(a)) })
		},
		LastWallet: browser.LastWallet,
		Connect: func(id, chain string) (string, error) {
			from, err := wallets.Connect(id, chain)
			return from, walletError(err)
		},
		Pay: func(id, from string, c wire.Call) error {
			return walletError(wallets.Send(id, browser.Transaction{
				ChainID: c.ChainID, From: from, To: c.To, Value: c.Value, Data: c.Data,
			}))
		},
		ReplaceURL:   browser.ReplaceURL,
		Focus:        browser.Focus,
		ScrollTo:     browser.ScrollTo,
		WatchTab:     tab.Watch,
		WatchNetwork: browser.WatchNetwork,
		Zone: func(at, lang string) widget.Zone {
			name, ahead := browser.ZoneAt(at, lang)
			return widget.Zone{Name: name, Ahead: ahead}
		},
	}
}

// walletError translates an error for package screen, which does not import browser.
func walletError(err error) error {
	switch {
	case errors.Is(err, browser.ErrDeclined):
		return screen.ErrWalletRefused
	case errors.Is(err, browser.ErrUnknownChain):
		return screen.ErrWalletNetwork
	}
	return err
}

// dial opens a socket of views.
func dial(ctx context.Context, path string) (feed.Socket, error) {
	socket, err := browser.Dial(ctx, path)
	if err != nil {
		return nil, err
	}
	return views{socket}, nil
}

// views decodes the messages of a socket.
type views struct{ *browser.Socket }

// Next returns the next view.
func (v views) Next(ctx context.Context) (wire.View, error) {
	message, err := v.Read(ctx)
	if err != nil {
		return wire.View{}, err
	}
	return wire.ParseView(message)
}
