package checkout

import (
	"slices"
	"strings"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// Offer is one network of one coin as it stands for one order.
type Offer struct {
	Currency Currency
	Network  Network
	// Code is why it cannot be chosen; empty if it can.
	Code wire.Code
}

// offers returns what can be chosen for o, in the gateway's order. Coins and
// networks that the order does not allow are left out; those that its
// amount rules out are in, with the reason.
func offers(o Order, currencies []Currency) []Offer {
	most := 0
	for _, c := range currencies {
		most += len(c.Networks)
	}
	all := make([]Offer, 0, most)
	for _, c := range currencies {
		for _, n := range c.Networks {
			if allowed(o.Currencies, c.Symbol, n.Code) {
				all = append(all, Offer{Currency: c, Network: n, Code: outside(o.AmountUSD, n)})
			}
		}
	}
	return all
}

// allowed reports whether list, of "USDT" or "USDT_trc20" in any case, names
// the coin. An empty list names all.
func allowed(list []string, symbol, network string) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(entry string) bool {
		return SameName(entry, symbol) || SameName(entry, symbol+"_"+network)
	})
}

// SameName reports whether a and b are the same up to the case of ASCII letters.
// strings.EqualFold also takes U+017F for an s and U+212A for a k.
func SameName(a, b string) bool {
	lower := func(c byte) byte {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}
	for i := range min(len(a), len(b)) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// outside returns why amount is not within the network's inclusive bounds.
func outside(amount decimal.Decimal, n Network) wire.Code {
	switch {
	case amount.LessThan(n.MinimumUSD):
		return wire.CodeAmountBelowMinimum
	case n.MaximumUSD.IsPositive() && amount.GreaterThan(n.MaximumUSD):
		return wire.CodeAmountAboveMaximum
	}
	return ""
}

// pick finds the offer that a choice names. The network may be written as
// "trc20" or "USDT:trc20", and may be left out if only one can be chosen.
// Errors: *wire.Error with CodeNetworkUnsupported, CodeNetworkRequired, or the
// offer's own Code.
func pick(all []Offer, c wire.Choice) (Offer, error) {
	symbol, network := split(c)
	var found []Offer
	for _, o := range all {
		if SameName(o.Currency.Symbol, symbol) && (network == "" || SameName(o.Network.Code, network)) {
			found = append(found, o)
		}
	}
	if network == "" {
		found = slices.DeleteFunc(found, func(o Offer) bool { return o.Code != "" })
	}
	switch {
	case symbol == "" || len(found) > 1:
		return Offer{}, problem(wire.CodeNetworkRequired, "network_code")
	case len(found) == 0:
		return Offer{}, problem(wire.CodeNetworkUnsupported, "network_code")
	case found[0].Code != "":
		return Offer{}, problem(found[0].Code, "network_code")
	}
	return found[0], nil
}

// split reads a choice. Coin and network that contradict each other come out
// as a pair that no offer has.
func split(c wire.Choice) (symbol, network string) {
	symbol, network = c.CurrencySymbol, c.NetworkCode
	prefix, code, both := strings.Cut(network, ":")
	if !both {
		return symbol, network
	}
	if symbol == "" {
		symbol = prefix
	}
	if !SameName(symbol, prefix) {
		return symbol, "?"
	}
	return symbol, code
}

// estimate returns about what an order would cost in the coin, which carries
// digits, "" if the price is not known. It is shown with "about"; only
// pay_amount is ever asked for.
func estimate(usd decimal.Decimal, c Currency, digits int32) string {
	if !c.PriceInUSDT.IsPositive() {
		return ""
	}
	amount := usd.DivRound(c.PriceInUSDT, 12)
	return plain(amount.RoundCeil(min(digits, cents(c.PriceInUSDT))))
}

// cents returns how many fractional digits of a coin are worth looking at: one
// unit of the last is a cent or less.
func cents(price decimal.Decimal) int32 {
	digits := int32(2)
	for price = price.Shift(-1); price.GreaterThanOrEqual(decimal.New(2, -1)) && digits < 8; price = price.Shift(-1) {
		digits++
	}
	return digits
}
