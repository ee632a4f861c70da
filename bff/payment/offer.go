package payment

import (
	"slices"
	"strings"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// Currency is one element of the gateway's currency list.
// Source: gateway-api.md, "Currency".
type Currency struct {
	Name        string          // display name, "Tether"
	Symbol      string          // "USDT", spelt as the gateway spells it
	Type        string          // "stable" and others that are not documented
	PriceInUSDT decimal.Decimal // of one unit; zero = not given
	Icon        string          // reference, may be empty; never loaded
	Networks    []Network
}

// Network is one network of a [Currency].
// Source: gateway-api.md, "Network".
type Network struct {
	Name       string
	Symbol     string
	Code       string          // "trc20", spelt as the gateway spells it
	Fee        decimal.Decimal // unit not documented
	MinimumUSD decimal.Decimal // inclusive; zero = none
	MaximumUSD decimal.Decimal // inclusive; zero = none
	MaxTTL     int             // minutes; zero = not given
	Icon       string
}

// Offer is one network of one coin as it stands for one order.
type Offer struct {
	Currency Currency
	Network  Network
	// Code is why it cannot be chosen; empty if it can.
	Code wire.Code
	// Lowest says that no other network of the coin that can be chosen has a lower fee;
	// [RankOffers] sets it.
	Lowest bool
}

// Offers returns what can be chosen for o, in the gateway's order. Coins and
// networks that the order does not allow are left out; those that its
// amount rules out are in, with the reason.
func Offers(o Order, currencies []Currency) []Offer {
	most := 0
	for _, c := range currencies {
		most += len(c.Networks)
	}
	all := make([]Offer, 0, most)
	for _, c := range currencies {
		for _, n := range c.Networks {
			if allowed(o.Currencies, c.Symbol, n.Code) {
				all = append(all, Offer{Currency: c, Network: n, Code: limitCode(o.AmountUSD, n)})
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

// limitCode returns why amount is not within the network's inclusive bounds.
func limitCode(amount decimal.Decimal, n Network) wire.Code {
	switch {
	case amount.LessThan(n.MinimumUSD):
		return wire.CodeAmountBelowMinimum
	case n.MaximumUSD.IsPositive() && amount.GreaterThan(n.MaximumUSD):
		return wire.CodeAmountAboveMaximum
	}
	return ""
}

// PickOffer finds the offer that a choice names. The network may be written as
// "trc20" or "USDT:trc20", and may be left out if only one can be chosen.
// Errors: *wire.Error with CodeNetworkUnsupported, CodeNetworkRequired, or the
// offer's own Code.
func PickOffer(all []Offer, c wire.Choice) (Offer, error) {
	symbol, network := parseChoice(c)
	var found []Offer
	for _, o := range all {
		if SameName(o.Currency.Symbol, symbol) &&
			(network == "" || SameName(o.Network.Code, network)) {
			found = append(found, o)
		}
	}
	if network == "" {
		found = slices.DeleteFunc(found, func(o Offer) bool { return o.Code != "" })
	}
	switch {
	case symbol == "" || len(found) > 1:
		return Offer{}, NewError(wire.CodeNetworkRequired, "network_code")
	case len(found) == 0:
		return Offer{}, NewError(wire.CodeNetworkUnsupported, "network_code")
	case found[0].Code != "":
		return Offer{}, NewError(found[0].Code, "network_code")
	}
	return found[0], nil
}

// parseChoice reads a choice. Coin and network that contradict each other come out
// as a pair that no offer has.
func parseChoice(c wire.Choice) (symbol, network string) {
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

// EstimateAmount returns about what an order would cost in the coin, which carries
// digits, "" if the price is not known. It is shown with "about"; only
// pay_amount is ever asked for.
func EstimateAmount(usd decimal.Decimal, c Currency, digits int32) string {
	if !c.PriceInUSDT.IsPositive() {
		return ""
	}
	amount := usd.DivRound(c.PriceInUSDT, 12)
	return FormatAmount(amount.RoundCeil(min(digits, usefulDigits(c.PriceInUSDT))))
}

// usefulDigits returns how many fractional digits of a coin are worth looking at: one
// unit of the last is a cent or less.
func usefulDigits(price decimal.Decimal) int32 {
	digits := int32(2)
	for price = price.Shift(-1); price.GreaterThanOrEqual(decimal.New(2, -1)) &&
		digits < 8; price = price.Shift(-1) {
		digits++
	}
	return digits
}

// RankOffers returns the offers in the order in which a shopper sees them: what costs
// the shopper least first. It changes neither what is offered nor what is accepted.
//
// Within a coin, networks that can be chosen come before those that cannot. Then
// counts the network's fee. Its unit is not documented: it may be dollars, or the
// coin. So both readings are taken and the dearer counts: a network is put first
// only if it is cheap whichever way the fee is meant. For dollar coins the readings
// are one; for others the one that is too dear is too dear for all networks of the
// coin alike, so that their order is right in any case. Then counts the lower
// minimum, which leaves the shopper with more room, then the gateway's own order.
//
// Coins are compared by their best network, in the same way. All networks of a
// coin stand together, where the gateway lists the coin twice as well.
func RankOffers(all []Offer) []Offer {
	byCoin := map[string][]priced{}
	var symbols []string
	for i := range all {
		symbol := all[i].Currency.Symbol
		if byCoin[symbol] == nil {
			symbols = append(symbols, symbol)
		}
		byCoin[symbol] = append(byCoin[symbol], priced{&all[i], all[i].feeUSD()})
	}
	for _, offers := range byCoin {
		slices.SortStableFunc(offers, cheaper)
	}
	slices.SortStableFunc(
		symbols, func(a, b string) int { return cheaper(byCoin[a][0], byCoin[b][0]) },
	)
	list := make([]Offer, 0, len(all))
	least := leastFees(all)
	for _, symbol := range symbols {
		for _, p := range byCoin[symbol] {
			o := *p.Offer
			o.Lowest = o.Code == "" && o.Network.Fee.Equal(least[symbol])
			list = append(list, o)
		}
	}
	return list
}

// priced is an offer with its fee, which is worked out once and not for each comparison.
type priced struct {
	*Offer
	fee decimal.Decimal
}

// cheaper compares two offers as ranked does: less than zero if a comes first.
func cheaper(a, b priced) int {
	switch {
	case a.Code == "" && b.Code != "":
		return -1
	case a.Code != "" && b.Code == "":
		return 1
	}
	if fee := a.fee.Cmp(b.fee); fee != 0 {
		return fee
	}
	return a.Network.MinimumUSD.Cmp(b.Network.MinimumUSD)
}

// feeUSD is the dearer reading of the network's fee, in US dollars. Where the
// coin's price is not known there is one reading.
func (o *Offer) feeUSD() decimal.Decimal {
	return decimal.Max(o.Network.Fee, o.Network.Fee.Mul(o.Currency.PriceInUSDT))
}

// leastFees returns the lowest fee of those networks of each coin, by symbol, that
// can be chosen. Fees of one coin are in one unit, whichever that is.
func leastFees(all []Offer) map[string]decimal.Decimal {
	least := map[string]decimal.Decimal{}
	for _, o := range all {
		fee, seen := least[o.Currency.Symbol]
		if o.Code == "" && (!seen || o.Network.Fee.LessThan(fee)) {
			least[o.Currency.Symbol] = o.Network.Fee
		}
	}
	return least
}
