package widget

import (
	"strings"
	"testing"

	"coinslot/app/wire"

	"github.com/google/go-cmp/cmp"
)

// offer reads a list of coins: "USDT: trc20*! bep20 -erc20*" is a coin of three
// networks, where * is one that most exchanges can send to, ! the one with the
// lowest fee, and - one that cannot be chosen.
func offer(text string) []wire.Currency {
	var list []wire.Currency
	for line := range strings.SplitSeq(text, "\n") {
		symbol, networks, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found {
			continue
		}
		c := wire.Currency{Symbol: symbol, Name: symbol}
		for code := range strings.FieldsSeq(networks) {
			c.Networks = append(c.Networks, wire.Network{
				Code: strings.Trim(code, "-*!"), Available: code[0] != '-',
				Exchanges: strings.Contains(code, "*"), Lowest: strings.Contains(code, "!"),
			})
		}
		list = append(list, c)
	}
	return list
}

// keys lists the networks of all coins as they stand.
func keys(list []wire.Currency) string {
	var all []string
	for _, c := range list {
		for _, n := range c.Networks {
			all = append(all, NetworkKey(c.Symbol, n.Code))
		}
	}
	return strings.Join(all, " ")
}

func TestOrderedCurrencies(t *testing.T) {
	for name, c := range map[string]struct {
		offer, wallet, exchange string
	}{
		"the server's order": {"A: a b\nB: c d", "A:a A:b B:c B:d", "A:a A:b B:c B:d"},
		"a network":          {"A: a b* c d*", "A:a A:b A:c A:d", "A:b A:d A:a A:c"},
		"a coin":             {"A: a\nB: b c*\nC: d*", "A:a B:b B:c C:d", "B:c B:b C:d A:a"},
		"what cannot be had": {"A: a\nB: -b*\nC: -c* d e*", "A:a B:b C:c C:d C:e", "C:e C:c C:d A:a B:b"},
		"everything":         {"A: a*\nB: b*", "A:a B:b", "A:a B:b"},
		"nothing":            {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := Page{View: wire.View{Currencies: offer(c.offer)}}
			if got := keys(p.OrderedCurrencies()); got != c.wallet {
				t.Errorf("from a wallet: %s; want %s", got, c.wallet)
			}
			if got := keys(p.WithExchange(true).OrderedCurrencies()); got != c.exchange {
				t.Errorf("from an exchange: %s; want %s", got, c.exchange)
			}
			if got := keys(p.View.Currencies); got != c.wallet {
				t.Errorf("the view has changed: %s", got)
			}
		})
	}
}

func TestInitialChoice(t *testing.T) {
	for name, c := range map[string]struct {
		offer, chosen, network string
		want                   Choice
		soleCoin, soleNetwork  bool
	}{
		"nothing yet":                     {"A: a\nB: b", "", "", Choice{}, false, false},
		"one coin, one network":           {"A: a", "", "", Choice{"A", "A:a"}, true, true},
		"one coin, several networks":      {"A: a b", "", "", Choice{"A", ""}, true, false},
		"one coin, one network is left":   {"A: a -b", "", "", Choice{"A", "A:a"}, true, false},
		"one coin that cannot be had":     {"A: -a", "", "", Choice{}, false, false},
		"one coin is left":                {"A: a\nB: -b", "", "", Choice{"A", "A:a"}, false, false},
		"remembered":                      {"A: a b\nB: b", "A", "A:b", Choice{"A", "A:b"}, false, false},
		"remembered, now impossible":      {"A: a b -c", "A", "A:c", Choice{"A", ""}, true, false},
		"remembered, another one is left": {"A: a -c\nB: b", "A", "A:c", Choice{"A", "A:a"}, false, false},
		"remembered coin only":            {"A: a\nB: b", "B", "", Choice{"B", "B:b"}, false, false},
		"a network of another coin":       {"A: a b\nB: b", "A", "B:b", Choice{"A", ""}, false, false},
		"a coin that is gone":             {"A: a\nB: b", "C", "C:c", Choice{"C", ""}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := Page{View: wire.View{Currencies: offer(c.offer)}, Chosen: c.chosen, ChosenNetwork: c.network}
			if got := p.InitialChoice(); got != c.want {
				t.Errorf("startingChoice() = %+v; want %+v", got, c.want)
			}
			if p.SoleCoin() != c.soleCoin || p.SoleNetwork() != c.soleNetwork {
				t.Errorf("soleCoin() = %t, soleNetwork() = %t; want %t, %t", p.SoleCoin(), p.SoleNetwork(), c.soleCoin, c.soleNetwork)
			}
		})
	}
}

func TestIsCheapest(t *testing.T) {
	for text, want := range map[string]string{
		"A: a! b c":  "a", // the ordinary case
		"A: a! b! c": "a b",
		"A: a!":      "", // nothing to compare with
		"A: a! b!":   "", // all cost the same
		"A: a! -b":   "",
		"A: -a! b":   "",
		"A: a b":     "",
	} {
		c, got := offer(text)[0], []string{}
		for _, n := range c.Networks {
			if IsCheapest(c, n) {
				got = append(got, n.Code)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: the lowest fee is marked at %q; want %q", text, got, want)
		}
	}
}

func TestWithExchange(t *testing.T) {
	p := Page{Base: "/checkout/cs_1", Carry: []Field{{"lang", "de"}}}
	there := p.WithExchange(true).WithExchange(true)
	if diff := cmp.Diff([]Field{{"lang", "de"}, {"from", "exchange"}}, there.Carry); diff != "" || !there.Exchange {
		t.Errorf("from an exchange: %t, carry (-want +got):\n%s", there.Exchange, diff)
	}
	if got := there.Link("/receipt"); got != "/checkout/cs_1/receipt?lang=de&from=exchange" {
		t.Errorf("a later link is %s", got)
	}
	back := there.WithExchange(false)
	if diff := cmp.Diff(p.Carry, back.Carry); diff != "" || back.Exchange {
		t.Errorf("back again: %t, carry (-want +got):\n%s", back.Exchange, diff)
	}
}
