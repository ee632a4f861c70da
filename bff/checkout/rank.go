package checkout

import (
	"slices"

	"github.com/shopspring/decimal"
)

// ranked returns the offers in the order in which a shopper sees them: what costs
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
func ranked(all []Offer) []Offer {
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
	slices.SortStableFunc(symbols, func(a, b string) int { return cheaper(byCoin[a][0], byCoin[b][0]) })
	list := make([]Offer, 0, len(all))
	for _, symbol := range symbols {
		for _, p := range byCoin[symbol] {
			list = append(list, *p.Offer)
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
