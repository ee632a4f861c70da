package payment

import (
	"strings"
	"testing"

	"coinslot/app/wire"

	"github.com/google/go-cmp/cmp"
)

// net is a network of a market: its fee and bounds as decimal text.
func net(code, fee, least, most string) Network {
	return Network{Code: code, Fee: dec(fee), MinimumUSD: dec(least), MaximumUSD: dec(most)}
}

func coin(symbol, price string, networks ...Network) Currency {
	return Currency{Symbol: symbol, PriceInUSDT: dec(price), Networks: networks}
}

// The display of a 25-dollar order: coin:network, + = unavailable, * = lowest fee of the coin.
func TestRanked(t *testing.T) {
	for _, c := range []struct {
		name   string
		market []Currency
		want   string
	}{
		{"nothing", nil, ""},
		{"by fee", []Currency{coin("USDT", "1", net("erc20", "3.5", "1", "0"), net("trc20", "1", "1", "0"), net("ton", "0.2", "1", "0"))}, "USDT:ton* USDT:trc20 USDT:erc20"},
		{"what cannot be chosen is last, however cheap", []Currency{coin("USDT", "1", net("a", "0", "100", "0"), net("b", "0", "0", "10"), net("c", "9", "1", "0"))}, "USDT:c* USDT:b+ USDT:a+"},
		{"one fee, by minimum", []Currency{coin("USDT", "1", net("a", "1", "10", "0"), net("b", "1", "1", "0"), net("c", "1.00", "5", "0"))}, "USDT:b* USDT:c* USDT:a*"},
		{"all the same, as the gateway has it", []Currency{coin("USDT", "1", net("b", "1", "1", "0"), net("a", "1", "1", "0"))}, "USDT:b* USDT:a*"},
		{"dearer reading: 0.001 coins of 3000 are 3 dollars", []Currency{coin("ETH", "3000", net("eth", "0.001", "1", "0")), coin("USDT", "1", net("trc20", "1", "1", "0"))}, "USDT:trc20* ETH:eth*"},
		{"dearer reading: 2 may be dollars of a coin worth a cent", []Currency{coin("DOGE", "0.01", net("doge", "2", "1", "0")), coin("USDT", "1", net("trc20", "1", "1", "0"))}, "USDT:trc20* DOGE:doge*"},
		{"no price, one reading", []Currency{coin("X", "0", net("x", "2", "1", "0")), coin("USDT", "1", net("trc20", "1", "1", "0"))}, "USDT:trc20* X:x*"},
		{"coins by their best", []Currency{coin("A", "1", net("a1", "5", "1", "0"), net("a2", "0.3", "1", "0")), coin("B", "1", net("b1", "0.5", "1", "0"), net("b2", "0.4", "1", "0"))}, "A:a2* A:a1 B:b2* B:b1"},
		{"a coin that cannot be chosen at all is last", []Currency{coin("A", "1", net("a", "0", "100", "0")), coin("B", "1", net("b", "9", "1", "0"))}, "B:b* A:a+"},
		{"a coin is ranked by what can be chosen", []Currency{coin("A", "1", net("a1", "0", "100", "0"), net("a2", "9", "1", "0")), coin("B", "1", net("b", "1", "1", "0"))}, "B:b* A:a2* A:a1+"},
		{"the most used first, by cost only after them", []Currency{coin("A", "1", net("a", "0", "1", "0")), coin("ETH", "3000", net("e", "1", "1", "0")), coin("usdc", "1", net("u", "9", "1", "0"))}, "usdc:u* ETH:e* A:a*"},
		{"a coin that is listed twice stands together", []Currency{coin("A", "1", net("a1", "3", "1", "0")), coin("B", "1", net("b", "2", "1", "0")), coin("A", "1", net("a2", "1", "1", "0"))}, "A:a2* A:a1 B:b*"},
	} {
		o := Order{AmountUSD: dec("25")}
		got := []string{}
		for _, offer := range RankOffers(o, Offers(o, c.market)) {
			sign := map[bool]string{false: "+"}[offer.Code == ""] + map[bool]string{true: "*"}[offer.Lowest]
			got = append(got, offer.Currency.Symbol+":"+offer.Network.Code+sign)
		}
		if diff := cmp.Diff(strings.Fields(c.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// The display order does not change which offers a choice matches.
func TestRankingChangesNoOffer(t *testing.T) {
	market := []Currency{coin("USDT", "1", net("erc20", "3.5", "100", "0"), net("trc20", "1", "1", "0"), net("ton", "0.2", "1", "0"))}
	all := Offers(Order{AmountUSD: dec("25")}, market)
	before := append([]Offer{}, all...)
	if len(RankOffers(Order{}, all)) != len(all) {
		t.Fatal("offers are lost")
	}
	for i := range all {
		if all[i].Network.Code != before[i].Network.Code {
			t.Fatal("ranking has moved the gateway's order")
		}
	}
	if _, err := PickOffer(all, wire.Choice{CurrencySymbol: "USDT"}); err == nil {
		t.Error("a choice without a network is taken, although two can be chosen")
	}
}
