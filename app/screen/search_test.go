package screen

import (
	"regexp"
	"strings"
	"testing"

	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// keys lists the networks of all coins as they stand.
func keys(list []wire.Currency) string {
	var all []string
	for _, c := range list {
		for _, n := range c.Networks {
			all = append(all, widget.NetworkKey(c.Symbol, n.Code))
		}
	}
	return strings.Join(all, " ")
}

func TestMatching(t *testing.T) {
	list := screentest.Coins()
	for filter, want := range map[string]string{
		"":             keys(list),
		"usdt":         "USDT:trc20 USDT:erc20 USDT:bep20",
		"tether":       "USDT:trc20 USDT:erc20 USDT:bep20",
		"erc20":        "USDT:erc20 USDC:erc20 ETH:erc20",
		"usdc ether":   "USDC:erc20",
		"eth  usd":     "USDT:trc20 USDT:erc20 USDT:bep20 USDC:erc20", // t-eth-er is in Tether
		"smart chain":  "USDT:bep20 BNB:bep20",
		"doge":         "",
		"usdt polygon": "",
	} {
		var found []wire.Currency
		for _, c := range list {
			c.Networks = matching(c, filter)
			found = append(found, c)
		}
		fortest.Equal(t, keys(found), want, "searching %q finds", filter)
	}
}

func TestSearch(t *testing.T) {
	for query, want := range map[string]struct {
		said, class, hidden string
		picked              widget.Choice // by Enter
	}{
		"":           {"", "offscreen", "", widget.Choice{}},
		"  ":         {"", "offscreen", "", widget.Choice{}},
		"litecoin":   {"Litecoin", "offscreen", "DOGE POL TRX", widget.Choice{Symbol: "LTC", Network: "LTC:litecoin"}},
		"tether":     {"Tether", "offscreen", "LTC DOGE POL TRX", widget.Choice{Symbol: "USDT", Network: "USDT:trc20"}},
		"usdt eth":   {"Tether", "offscreen", "LTC DOGE POL TRX", widget.Choice{Symbol: "USDT", Network: "USDT:trc20"}},
		"usdt bep20": {"Tether", "offscreen", "LTC DOGE POL TRX", widget.Choice{}}, // not for this amount
		"erc20":      {"Tether, USD Coin, Ether", "offscreen", "LTC DOGE POL TRX", widget.Choice{}},
		" Monero ":   {"Nothing found for “Monero”.", "note", "LTC DOGE POL TRX", widget.Choice{}},
	} {
		t.Run(query, func(t *testing.T) {
			c := &chooser{Page: named(t, "open-many"), Search: query} // as typed before the takeover
			page := node.HTML(c)
			fortest.Has(t, "the page does not say "+want.said+" in class "+want.class, page,
				`<p class="`+want.class+`" role="status">`+want.said+`</p>`)
			hidden := regexp.MustCompile(`(?U)class="coin" hidden.* value="(\w+)"`)
			var got []string
			for _, coin := range hidden.FindAllStringSubmatch(page, -1) {
				got = append(got, coin[1])
			}
			if strings.Join(got, " ") != want.hidden {
				t.Errorf("hidden are %s; want %s", got, want.hidden)
			}
			c.pickFound()
			if got := c.selection(); got != want.picked {
				t.Errorf("Enter picks %+v; want %+v", got, want.picked)
			}
		})
	}
}

// A renamed coin is found by both names and both symbols, and sent by the gateway's.
func TestSearchFindsRenamedCoins(t *testing.T) {
	for _, query := range []string{"gram", "GRAM", "toncoin", "ton", "gram open network"} {
		p := named(t, "open-many")
		p.View.Currencies = append(p.View.Currencies, wire.Currency{
			Symbol:        "TON",
			DisplaySymbol: "GRAM",
			Name:          "Gram",
			Formerly:      "Toncoin (TON)",
			Networks: []wire.Network{
				{Code: "ton", Name: "TON (The Open Network)", Available: true},
			},
		})
		c := &chooser{Page: p, Search: query}
		fortest.Has(t, "the page", node.HTML(c), "Gram", ">GRAM<", "formerly Toncoin (TON)",
			`value="TON:ton"`)
		c.pickFound()
		fortest.Equal(t, c.selection(), widget.Choice{Symbol: "TON", Network: "TON:ton"},
			"Enter after searching %q picks", query)
		fortest.Equal(t, c.continueText(), "Continue with GRAM on TON (The Open Network)",
			"the button")
	}
}

// Enter in the search field takes nothing back.
func TestEnterKeepsNetwork(t *testing.T) {
	for _, query := range []string{"", "tether"} {
		c := &chooser{Page: named(t, "open-chosen"), Search: query}
		if c.pickFound(); c.selection() != (widget.Choice{Symbol: "USDT", Network: "USDT:trc20"}) {
			t.Errorf("after searching %q, Enter leaves %+v", query, c.selection())
		}
	}
}

// A search of one list must not hide the coins of the next.
func TestSearchIsClearedWithList(t *testing.T) {
	c, ctx, _ := live(t, "open", &browserFake{})
	c.Search = "ton"
	c.show(ctx, pendingView())
	fortest.Equal(t, c.Search, "", "the search is still")
}
