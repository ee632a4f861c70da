//go:build js

package browser

import "errors"

// Errors of wallets. With any other error it is unknown whether something was sent.
var (
	// ErrDeclined: the shopper declined in the wallet.
	ErrDeclined = errors.New("asking a wallet: declined by the shopper")
	// ErrUnknownChain: the wallet is on another chain and did not switch.
	ErrUnknownChain = errors.New("asking a wallet: unknown chain")
)

// WalletInfo is how a wallet describes itself, all of it untrusted. Source: EIP-6963.
type WalletInfo struct {
	ID   string
	Name string
	Icon string
	RDNS string
}

// Transaction is the parameter of eth_sendTransaction, in hexadecimal as of EIP-1474.
type Transaction struct {
	ChainID string
	From    string
	To      string
	Value   string
	Data    string
}
