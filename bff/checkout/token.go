package checkout

import (
	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/token"
)

// addWallets fills in what wallets can make of a: the family of its address, and the
// links for what is due now.
func addWallets(w *wire.Attempt, a *payment.Attempt, r *token.Registry) {
	if w.Address = a.Address; r.CheckAddress(a.NetworkCode, a.Address) == nil { // else it is told as one of no kind
		w.Family = r.Family(a.NetworkCode, a.Address)
	}
	p := walletPayment(a, r)
	w.URI, w.TokenURI = r.URI(p)
	w.Call = r.Call(p)
}

// walletPayment is what a wallet is to send for a now.
func walletPayment(a *payment.Attempt, r *token.Registry) token.Payment {
	return token.Payment{
		Symbol: a.CurrencySymbol, Network: a.NetworkCode, Address: a.Address,
		Amount: a.AmountDue(a.Digits(r)),
	}
}
