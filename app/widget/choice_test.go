package widget

import (
	"strings"
	"testing"

	"coinslot/app/wire"
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
				Code:      strings.Trim(code, "-*!"),
				Available: code[0] != '-',
				Exchanges: strings.Contains(code, "*"),
				Lowest:    strings.Contains(code, "!"),
			})
		}
		list = append(list, c)
	}
	return list
}

func TestInitialChoice(t *testing.T) {
	for name, c := range map[string]struct {
		offer, chosen, network string
		want                   Choice
		soleCoin, soleNetwork  bool
	}{
		"nothing yet":                     {"A: a\nB: b", "", "", Choice{}, false, false},
		"one coin, one network":           {"A: a", "", "", Choice{"A", "A:a"}, true, true},
		"one coin, several networks":      {"A: a b", "", "", Choice{"A", "A:a"}, true, false},
		"most exchanges can send to it":   {"A: a! b* c*", "", "", Choice{"A", "A:b"}, true, false},
		"they can, but not now":           {"A: a -b*", "", "", Choice{"A", "A:a"}, true, false},
		"one coin, one network is left":   {"A: a -b", "", "", Choice{"A", "A:a"}, true, false},
		"one coin that cannot be had":     {"A: -a", "", "", Choice{}, false, false},
		"one coin is left":                {"A: a\nB: -b", "", "", Choice{"A", "A:a"}, false, false},
		"remembered":                      {"A: a b\nB: b", "A", "A:b", Choice{"A", "A:b"}, false, false},
		"remembered, now impossible":      {"A: a b -c", "A", "A:c", Choice{"A", "A:a"}, true, false},
		"remembered, another one is left": {"A: a -c\nB: b", "A", "A:c", Choice{"A", "A:a"}, false, false},
		"remembered coin only":            {"A: a\nB: b", "B", "", Choice{"B", "B:b"}, false, false},
		"a network of another coin":       {"A: a b\nB: b", "A", "B:b", Choice{"A", "A:a"}, false, false},
		"a coin that is gone":             {"A: a\nB: b", "C", "C:c", Choice{"C", ""}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := Page{
				View:          wire.View{Currencies: offer(c.offer)},
				Chosen:        c.chosen,
				ChosenNetwork: c.network,
			}
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
		c := offer(text)[0]
		got := []string{}
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
