package payment

import (
	"cmp"
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
	// OtherSymbols are those that the currency has or had on this network besides its own: an order
	// may name a renamed coin by each. The gateway does not send them.
	OtherSymbols []string
}

// Offer is one network of one coin, for one order.
type Offer struct {
	Currency Currency
	Network  Network
	// Code is why it cannot be chosen; empty if it can.
	Code wire.Code
	// Lowest is set by [RankOffers] if no other available network of the coin has a lower fee.
	Lowest bool
}

// Offers returns the choices for o, in the gateway's order. Coins and networks that the order
// does not allow are left out; those that its amount rules out have a Code.
func Offers(o Order, currencies []Currency) []Offer {
	most := 0
	for _, c := range currencies {
		most += len(c.Networks)
	}

	all := make([]Offer, 0, most)
	for _, c := range currencies {
		for _, n := range c.Networks {
			if allowed(o.Currencies, c, n) {
				all = append(all, Offer{Currency: c, Network: n, Code: limitCode(o.AmountUSD, n)})
			}
		}
	}

	return all
}

// allowed reports whether list, of "USDT" or "USDT_trc20" in any case, contains the coin, by any of
// its symbols. An empty list allows all.
func allowed(list []string, c Currency, n Network) bool {
	if len(list) == 0 {
		return true
	}

	for _, symbol := range append([]string{c.Symbol}, n.OtherSymbols...) {
		if containsName(list, symbol) || containsName(list, symbol+"_"+n.Code) {
			return true
		}
	}
	return false
}

// SameName reports whether a and b are equal but for the case of ASCII letters.
// strings.EqualFold also matches U+017F with s and U+212A with k.
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

// containsName reports whether a list contains a name by [SameName].
func containsName(list []string, name string) bool {
	return slices.ContainsFunc(list, func(entry string) bool { return SameName(entry, name) })
}

// limitCode returns why amount is outside the network's inclusive limits.
func limitCode(amount decimal.Decimal, n Network) wire.Code {
	switch {
	case amount.LessThan(n.MinimumUSD):
		return wire.CodeAmountBelowMinimum
	case n.MaximumUSD.IsPositive() && amount.GreaterThan(n.MaximumUSD):
		return wire.CodeAmountAboveMaximum
	}
	return ""
}

// PickOffer finds the offer of a choice. The network may be "trc20" or "USDT:trc20", and may be
// omitted if only one is available. The symbol may be another one of a renamed coin, unless that is
// listed itself. Errors: *wire.Error with CodeNetworkUnsupported,
// CodeNetworkRequired, or the offer's own Code.
func PickOffer(all []Offer, c wire.Choice) (Offer, error) {
	symbol, network := parseChoice(c)
	isChosen := func(o Offer) bool { return SameName(o.Currency.Symbol, symbol) }
	if !slices.ContainsFunc(all, isChosen) {
		isChosen = func(o Offer) bool { return containsName(o.Network.OtherSymbols, symbol) }
	}

	var found []Offer
	for _, o := range all {
		if isChosen(o) && (network == "" || SameName(o.Network.Code, network)) {
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

// parseChoice returns the coin and network of a choice. If they contradict each other, the
// result matches no offer.
func parseChoice(c wire.Choice) (symbol, network string) {
	symbol = c.CurrencySymbol
	network = c.NetworkCode
	prefix, code, both := strings.Cut(network, ":")
	if !both {
		return symbol, network
	}
	symbol = cmp.Or(symbol, prefix)
	if !SameName(symbol, prefix) {
		return symbol, "?"
	}
	return symbol, code
}

// EstimateAmount returns about what an order costs in the coin, rounded up to digits; "" if the
// price is unknown. It is shown with "about"; only pay_amount is ever asked for.
func EstimateAmount(usd decimal.Decimal, c Currency, digits int32) string {
	if !c.PriceInUSDT.IsPositive() {
		return ""
	}
	amount := usd.DivRound(c.PriceInUSDT, 12)
	return FormatAmount(amount.RoundCeil(min(digits, usefulDigits(c.PriceInUSDT))))
}

// usefulDigits returns how many fractional digits of a coin matter: one unit of the last is
// worth a cent or less.
func usefulDigits(price decimal.Decimal) int32 {
	digits := int32(2)
	for price = price.Shift(-1); price.GreaterThanOrEqual(decimal.New(2, -1)) &&
		digits < 8; price = price.Shift(-1) {
		digits++
	}
	return digits
}

// popular are the coins that are used most, in this order, after the shop's own.
var popular = []string{"USDT", "USDC", "BTC", "ETH", "SOL"}

// RankOffers returns the offers for o in display order. It changes neither what is offered nor
// what is accepted.
//
// Coins that can be chosen come first; then those that the order names, in its order; then the
// most used ones; then the cheapest. All networks of a coin stand together, even if the gateway
// lists the coin twice.
//
// Within a coin, available networks come first, then the lower fee. The unit of the fee is not
// documented: dollars or the coin. Both readings are computed and the higher one counts, so a
// network ranks first only if it is cheap either way. For dollar coins both are equal; for
// other coins the wrong reading is wrong for all networks alike. Then comes the lower minimum,
// then the gateway's order.
func RankOffers(o Order, all []Offer) []Offer {
	byCoin := map[string][]priced{}
	var symbols []string
	for i := range all {
		symbol := all[i].Currency.Symbol
		if byCoin[symbol] == nil {
			symbols = append(symbols, symbol)
		}
		fee := all[i].Network.Fee
		inUSD := fee.Mul(all[i].Currency.PriceInUSDT) // if the fee is in the coin
		byCoin[symbol] = append(byCoin[symbol], priced{&all[i], decimal.Max(fee, inUSD)})
	}

	for _, offers := range byCoin {
		slices.SortStableFunc(offers, cheaper)
	}

	wanted := slices.Concat(o.Currencies, popular)
	slices.SortStableFunc(symbols, func(a, b string) int {
		first := byCoin[a][0]
		second := byCoin[b][0]
		if (first.Code == "") != (second.Code == "") {
			return cheaper(first, second)
		}
		return cmp.Or(cmp.Compare(rank(wanted, first), rank(wanted, second)), cheaper(first, second))
	})
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

// rank is the place of a coin, by any of its symbols, in a list of "USDT" or "USDT_trc20"; the
// list's length if it is not in it.
func rank(list []string, o priced) int {
	symbols := append([]string{o.Currency.Symbol}, o.Network.OtherSymbols...)
	i := slices.IndexFunc(list, func(entry string) bool {
		named, _, _ := strings.Cut(entry, "_")
		return containsName(symbols, named)
	})
	if i < 0 {
		return len(list)
	}
	return i
}

// priced is an offer with its fee, computed once.
type priced struct {
	*Offer
	fee decimal.Decimal
}

// cheaper compares two offers as RankOffers does: negative if a comes first.
func cheaper(a, b priced) int {
	switch {
	case a.Code == "" && b.Code != "":
		return -1
	case a.Code != "" && b.Code == "":
		return 1
	}
	return cmp.Or(a.fee.Cmp(b.fee), a.Network.MinimumUSD.Cmp(b.Network.MinimumUSD))
}

// leastFees returns the lowest fee of each coin's available networks, by symbol.
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
