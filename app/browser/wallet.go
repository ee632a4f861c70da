package browser

import "errors"

// Errors of wallets. Any other one means that it is not known whether something
// was sent.
var (
	// ErrDeclined is reported when the shopper has said no in the wallet.
	ErrDeclined = errors.New("asking a wallet: declined there")
	// ErrUnknownChain is reported when the wallet is not on the chain that is
	// asked for and does not go there.
	ErrUnknownChain = errors.New("asking a wallet: it does not know the chain")
)

// WalletInfo is what a wallet in this browser tells of itself. Nothing of it can
// be believed. Source: EIP-6963.
type WalletInfo struct {
	ID, Name, Icon, RDNS string
}

// Transaction is what eth_sendTransaction is asked to send. Its values are
// hexadecimal as EIP-1474 writes them.
type Transaction struct {
	ChainID, From, To, Value, Data string
}
