package checkout

import (
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/token"

	"github.com/shopspring/decimal"
)

// The money rule keeps to what the gateway says and to what is built in. Whether
// a payment counts is decided by amounts alone (leastPaid of gate.go: the
// gateway's pay_amount, its tolerance, eight digits); no coin's digits enter
// there. An answer to create is believed only if its address passes the built-in
// checks, and what merchants are told is missing or too much is rounded to
// built-in digits. So an operator's file of coins cannot let a payment through,
// an address in, or change a webhook.
//
// Showing.Tokens, the operator's registry, decides what a shopper sees: the
// amount rounded up to what the token carries, never below pay_amount; what is
// missing or too much of that; the links. A file that gives a coin too few
// digits makes shoppers be asked for more, which is why it takes the operator to
// write one; one that gives too many makes nothing less than pay_amount of it.

// owed returns what has to be sent now, rounded up to digits; zero if nothing has
// to be.
func (a *Attempt) owed(digits int32) decimal.Decimal {
	switch {
	case a.State != Waiting:
		return decimal.Zero
	case a.short():
		return a.PayAmount.Sub(a.Paid).RoundCeil(digits)
	case a.Paid.IsPositive():
		return decimal.Zero
	}
	return a.PayAmount.RoundCeil(digits)
}

// addWallets fills in what wallets can make of a: the family of its address, and the
// links for what is due now.
func addWallets(w *wire.Attempt, a *Attempt, r *token.Registry) {
	if w.Address = a.Address; r.CheckAddress(a.NetworkCode, a.Address) == nil { // else it is told as one of no kind
		w.Family = r.Family(a.NetworkCode, a.Address)
	}
	p := walletPayment(a, r)
	w.URI, w.TokenURI = r.URI(p)
	w.Call = r.Call(p)
}

// walletPayment is what a wallet is to send for a now.
func walletPayment(a *Attempt, r *token.Registry) token.Payment {
	return token.Payment{
		Symbol: a.CurrencySymbol, Network: a.NetworkCode, Address: a.Address,
		Amount: a.owed(a.places(r)),
	}
}

// plain writes an amount without trailing zeros; zero as "0".
func plain(d decimal.Decimal) string {
	s := d.String() // never an exponent
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
