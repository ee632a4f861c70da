//go:build !js

package browser

// Wallets has no wallets outside a browser.
type Wallets struct{}

// Discover finds nothing.
func (w *Wallets) Discover(func(WalletInfo)) {}

// Connect returns ErrNoBrowser.
func (w *Wallets) Connect(string, string) (string, error) { return "", ErrNoBrowser }

// Send returns ErrNoBrowser.
func (w *Wallets) Send(string, Transaction) error { return ErrNoBrowser }
