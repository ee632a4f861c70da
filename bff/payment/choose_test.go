package payment

import (
	"errors"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/token"
)

func market() []Currency {
	return []Currency{
		{Symbol: "USDT", Name: "Tether", PriceInUSDT: dec("1"), Networks: []Network{
			{Code: "trc20", MinimumUSD: dec("1"), MaximumUSD: dec("1000"), MaxTTL: 60},
			{Code: "bep20", MinimumUSD: dec("50"), MaximumUSD: dec("1000")},
		}},
		{
			Symbol:      "TON",
			Name:        "Toncoin",
			PriceInUSDT: dec("3.1"),
			Networks:    []Network{{Code: "ton", OtherSymbols: []string{"GRAM"}}},
		},
	}
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		usd             string
		allow           []string
		symbol, network string
		want            string // network, or the code of the error
	}{
		{"100", nil, "USDT", "trc20", "trc20"},
		{"100", nil, "usdt", "TRC20", "trc20"},
		{"100", nil, "USDT", "USDT:trc20", "trc20"},
		{"100", nil, "", "USDT:trc20", "trc20"},
		{"100", nil, "", "usdt:BEP20", "bep20"},
		{"100", nil, "TON", "", "ton"},
		{"25", nil, "USDT", "", "trc20"}, // the only one for this amount
		{"100", nil, "USDT", "", string(wire.CodeNetworkRequired)},
		{"100", nil, "", "", string(wire.CodeNetworkRequired)},
		{"100", nil, "", "trc20", string(wire.CodeNetworkRequired)},
		{"100", nil, "TON", "USDT:trc20", string(wire.CodeNetworkUnsupported)},
		{"100", nil, "USDT", "erc20", string(wire.CodeNetworkUnsupported)},
		{"100", nil, "U\u017fDT", "trc20", string(wire.CodeNetworkUnsupported)}, // a long s
		{"100", nil, "DOGE", "", string(wire.CodeNetworkUnsupported)},
		{"100", nil, "USDT", ":", string(wire.CodeNetworkUnsupported)},
		{"25", nil, "USDT", "bep20", string(wire.CodeAmountBelowMinimum)},
		{"1000", nil, "USDT", "bep20", "bep20"}, // inclusive
		{"50", nil, "USDT", "bep20", "bep20"},
		{"1000.01", nil, "USDT", "trc20", string(wire.CodeAmountAboveMaximum)},
		{"9999999", nil, "TON", "ton", "ton"}, // no bounds given
		{"100", []string{"USDT_trc20"}, "USDT", "", "trc20"},
		{"100", []string{"usdt_TRC20"}, "USDT", "bep20", string(wire.CodeNetworkUnsupported)},
		{"100", []string{"TON"}, "USDT", "trc20", string(wire.CodeNetworkUnsupported)},
		{"100", nil, "gram", "ton", "ton"},
		{"100", nil, "GRAM", "trc20", string(wire.CodeNetworkUnsupported)},
		{"100", []string{"gram"}, "TON", "", "ton"},
		{"100", []string{"GRAM_ton"}, "TON", "", "ton"},
		{"100", []string{"GRAM_trc20"}, "TON", "", string(wire.CodeNetworkUnsupported)},
	} {
		o := Order{AmountUSD: dec(c.usd), Currencies: c.allow}
		offer, err := PickOffer(Offers(o, market()),
			wire.Choice{CurrencySymbol: c.symbol, NetworkCode: c.network})
		got := offer.Network.Code
		if p := (*wire.Error)(nil); errors.As(err, &p) {
			got = string(p.Code)
		}
		fortest.Equal(t, got, c.want, "%s USD in %q on %q", c.usd, c.symbol, c.network)
	}
}

func TestSameName(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", true},
		{"USDT", "usdt", true},
		{"trc20", "TRC20", true},
		{"@[`{", "@[`{", true},
		{"é", "é", true},
		{"@", "`", false},
		{"[", "{", false},
		{"usd", "usdt", false},
		{"usdt", "usd", false},
		{"k", "\u212a", false},
		{"s", "\u017f", false},
		{"É", "é", false},
		{"kK", "K\u212a", false}, {"\xff", "\ufffd", false},
	} {
		fortest.Equal(t, SameName(c.a, c.b), c.want, "SameName(%q, %q)", c.a, c.b)
	}
}

func TestTTL(t *testing.T) {
	for _, c := range []struct{ wanted, most, want int }{
		{0, 0, 30}, {0, 60, 30}, {0, 15, 15}, {45, 60, 45}, {90, 60, 60}, {90, 0, 90}, {1, 60, 1},
	} {
		fortest.Equal(t, Minutes(c.wanted, c.most), c.want, "Minutes(%d, %d)", c.wanted, c.most)
	}
}

func TestAmountsAsText(t *testing.T) {
	for in, want := range map[string]string{
		"0":           "0",
		"0.00":        "0",
		"25":          "25",
		"100":         "100",
		"25.03000000": "25.03",
		"0.00000001":  "0.00000001",
		"1e3":         "1000",
		"-1.50":       "-1.5",
	} {
		fortest.Equal(t, FormatAmount(dec(in)), want, "FormatAmount(%s)", in)
	}
	for _, c := range []struct{ symbol, network, amount, want string }{
		{"USDT", "trc20", "25.03000000", "25.03"},
		{"USDT", "trc20", "25.03000001", "25.030001"},
		{"usdc", "ERC20", "1.00000099", "1.000001"},
		{"USDT", "bep20", "25.03000001", "25.03000001"},
		{"ETH", "erc20", "0.00123456", "0.00123456"},
	} {
		got := FormatAmount(dec(c.amount).RoundCeil(token.Builtin().Places(c.symbol, c.network)))
		if got != c.want {
			t.Errorf("payable(%s on %s, %s) = %s; want %s", c.symbol, c.network, c.amount, got,
				c.want)
		}
	}
	for _, c := range []struct{ symbol, network, price, usd, want string }{
		{"USDT", "trc20", "1", "25", "25"},
		{"TON", "ton", "3.1", "25", "8.065"},
		{"TON", "ton", "0", "25", ""},
		{"X", "y", "-1", "25", ""},
		{"USDT", "trc20", "0.9997", "25", "25.01"},
	} {
		got := EstimateAmount(dec(c.usd), Currency{Symbol: c.symbol, PriceInUSDT: dec(c.price)},
			token.Builtin().Places(c.symbol, c.network))
		fortest.Equal(t, got, c.want, "estimate(%s USD in %s at %s)", c.usd, c.symbol, c.price)
	}
}

// TestSchedule prints when a session is checked next, state by state.
func TestSchedule(t *testing.T) {
	p := DefaultSchedule()
	for _, c := range []struct {
		name    string
		a       Attempt
		now     time.Duration // after noon
		watched bool
		want    time.Duration // after noon; -1 = never
	}{
		{"creating", Attempt{State: Creating, StartedAt: noon}, 0, false, 12 * time.Second},
		{"unknown, not searched", Attempt{State: Unknown}, time.Second, false, 4 * time.Second},
		{
			"unknown, missed once",
			Attempt{State: Unknown, Misses: 1, MissedAt: noon},
			0,
			false,
			31 * time.Second,
		},
		{"waiting", Attempt{State: Waiting}, 0, false, 15 * time.Second},
		{"waiting, watched", Attempt{State: Waiting}, 0, true, 3 * time.Second},
		{"confirmed", Attempt{State: Confirmed, EndedAt: noon}, 0, true, time.Minute},
		{
			"confirmed, checked twice",
			Attempt{State: Confirmed, EndedAt: noon, ChecksDone: 2},
			16 * time.Minute,
			true,
			time.Hour,
		},
		{
			"confirmed, checked",
			Attempt{State: Confirmed, EndedAt: noon, ChecksDone: 5},
			73 * time.Hour,
			true,
			-1,
		},
		{
			"confirmed, taken back",
			Attempt{
				State:       Confirmed,
				EndedAt:     noon,
				ChecksDone:  5,
				Regressions: 2,
				RegressedAt: noon,
			},
			300 * time.Second,
			true,
			402 * time.Second,
		},
		{
			"confirmed, withdrawn and reported",
			Attempt{
				State:       Confirmed,
				EndedAt:     noon,
				ChecksDone:  5,
				Regressions: 3,
				RegressedAt: noon,
				Alert:       reasonRegressed,
			},
			11 * time.Minute,
			true,
			30 * time.Hour,
		},
		{
			"confirmed, withdrawn for two weeks",
			Attempt{
				State:       Confirmed,
				EndedAt:     noon,
				ChecksDone:  57,
				Regressions: 50,
				RegressedAt: noon,
				Alert:       reasonRegressed,
			},
			337 * time.Hour,
			true,
			-1,
		},
		{
			"confirmed again",
			Attempt{State: Confirmed, EndedAt: noon, ChecksDone: 9, Alert: reasonRegressed},
			31 * time.Hour,
			true,
			-1,
		},
		{"refused", Attempt{State: Refused}, 0, true, -1},
		{"expired", Attempt{State: Expired, EndedAt: noon}, 0, true, 5 * time.Minute},
		{
			"expired, checked once",
			Attempt{State: Expired, EndedAt: noon, ChecksDone: 1},
			time.Hour,
			true,
			time.Hour,
		},
		{
			"cancelled, checked eight times",
			Attempt{State: Cancelled, EndedAt: noon, ChecksDone: 8},
			49 * time.Hour,
			true,
			72 * time.Hour,
		},
		{
			"cancelled, done",
			Attempt{State: Cancelled, EndedAt: noon, ChecksDone: 9},
			73 * time.Hour,
			true,
			-1,
		},
		{"review", Attempt{State: InReview, ReviewedAt: noon}, 0, true, time.Minute},
		{
			"review, hours later",
			Attempt{State: InReview, ReviewedAt: noon},
			2 * time.Hour,
			true,
			3 * time.Hour,
		},
		{
			"review, days later",
			Attempt{State: InReview, ReviewedAt: noon},
			72 * time.Hour,
			true,
			-1,
		},
		{
			"abandoned",
			Attempt{State: Abandoned, StartedAt: noon, TTLMinutes: 60},
			time.Minute,
			false,
			2 * time.Minute,
		},
		{
			"lost, searched twice",
			Attempt{State: Abandoned, StartedAt: noon, TTLMinutes: 60, ChecksDone: 2},
			11 * time.Minute,
			false,
			time.Hour + 30*time.Second,
		},
		{
			"lost, a window of five minutes",
			Attempt{State: Abandoned, StartedAt: noon, TTLMinutes: 5, ChecksDone: 1},
			3 * time.Minute,
			false,
			5*time.Minute + 30*time.Second,
		},
		{"duplicate", Attempt{State: Duplicate, TrackingCode: "T2"}, 0, false, 15 * time.Second},
		{
			"lost, searched for",
			Attempt{State: Abandoned, StartedAt: noon, ChecksDone: 3},
			2 * time.Hour,
			false,
			-1,
		},
		{
			"lost, found",
			Attempt{State: Abandoned, StartedAt: noon, TrackingCode: "T1"},
			time.Minute,
			false,
			75 * time.Second,
		},
		{
			"lost, ended",
			Attempt{State: Abandoned, StartedAt: noon, TrackingCode: "T1", EndedAt: noon},
			time.Minute,
			false,
			5 * time.Minute,
		},
		{"rejected", Attempt{State: Rejected, TrackingCode: "T1"}, 0, false, 15 * time.Second},
	} {
		s := Session{Attempts: []Attempt{c.a}}
		s.Status = s.status()
		if s.Status == wire.Open {
			s.Status = "" // its own expiry is the next test's
		}
		var want time.Time
		if c.want >= 0 {
			want = noon.Add(c.want)
		}
		got := s.Due(p, noon.Add(c.now), c.watched)
		if !got.Equal(want) {
			t.Errorf("%s: due %v after noon; want %v", c.name, got.Sub(noon), c.want)
		}
		t.Logf("%-34s at +%-8v next at +%v", c.name, c.now, c.want)
	}
}

func TestDueIsTheSoonest(t *testing.T) {
	s := Session{Status: wire.Open, ExpiresAt: noon.Add(time.Hour), Attempts: []Attempt{
		{State: Abandoned, StartedAt: noon, TTLMinutes: 30}, {State: Refused},
	}}
	if got := s.Due(DefaultSchedule(), noon, false); !got.Equal(noon.Add(2 * time.Minute)) {
		t.Errorf("due = %v; want the orphan's search", got)
	}
	s.Attempts = nil
	if got := s.Due(DefaultSchedule(), noon, false); !got.Equal(s.ExpiresAt) {
		t.Errorf("due = %v; want the session's end", got)
	}
}

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
		{
			"by fee",
			[]Currency{
				coin("USDT", "1", net("erc20", "3.5", "1", "0"), net("trc20", "1", "1", "0"),
					net("ton", "0.2", "1", "0")),
			},
			"USDT:ton* USDT:trc20 USDT:erc20",
		},
		{
			"what cannot be chosen is last, however cheap",
			[]Currency{
				coin("USDT", "1", net("a", "0", "100", "0"), net("b", "0", "0", "10"),
					net("c", "9", "1", "0")),
			},
			"USDT:c* USDT:b+ USDT:a+",
		},
		{
			"one fee, by minimum",
			[]Currency{
				coin("USDT", "1", net("a", "1", "10", "0"), net("b", "1", "1", "0"),
					net("c", "1.00", "5", "0")),
			},
			"USDT:b* USDT:c* USDT:a*",
		},
		{
			"all the same, as the gateway has it",
			[]Currency{coin("USDT", "1", net("b", "1", "1", "0"), net("a", "1", "1", "0"))},
			"USDT:b* USDT:a*",
		},
		{
			"dearer reading: 0.001 coins of 3000 are 3 dollars",
			[]Currency{
				coin("ETH", "3000", net("eth", "0.001", "1", "0")),
				coin("USDT", "1", net("trc20", "1", "1", "0")),
			},
			"USDT:trc20* ETH:eth*",
		},
		{
			"dearer reading: 2 may be dollars of a coin worth a cent",
			[]Currency{
				coin("DOGE", "0.01", net("doge", "2", "1", "0")),
				coin("USDT", "1", net("trc20", "1", "1", "0")),
			},
			"USDT:trc20* DOGE:doge*",
		},
		{
			"no price, one reading",
			[]Currency{
				coin("X", "0", net("x", "2", "1", "0")),
				coin("USDT", "1", net("trc20", "1", "1", "0")),
			},
			"USDT:trc20* X:x*",
		},
		{
			"coins by their best",
			[]Currency{
				coin("A", "1", net("a1", "5", "1", "0"), net("a2", "0.3", "1", "0")),
				coin("B", "1", net("b1", "0.5", "1", "0"), net("b2", "0.4", "1", "0")),
			},
			"A:a2* A:a1 B:b2* B:b1",
		},
		{
			"a coin that cannot be chosen at all is last",
			[]Currency{
				coin("A", "1", net("a", "0", "100", "0")), coin("B", "1", net("b", "9", "1", "0")),
			},
			"B:b* A:a+",
		},
		{
			"a coin is ranked by what can be chosen",
			[]Currency{
				coin("A", "1", net("a1", "0", "100", "0"), net("a2", "9", "1", "0")),
				coin("B", "1", net("b", "1", "1", "0")),
			},
			"B:b* A:a2* A:a1+",
		},
		{
			"the most used first, by cost only after them",
			[]Currency{
				coin("A", "1", net("a", "0", "1", "0")),
				coin("ETH", "3000", net("e", "1", "1", "0")),
				coin("usdc", "1", net("u", "9", "1", "0")),
			},
			"usdc:u* ETH:e* A:a*",
		},
		{
			"a coin that is listed twice stands together",
			[]Currency{
				coin("A", "1", net("a1", "3", "1", "0")), coin("B", "1", net("b", "2", "1", "0")),
				coin("A", "1", net("a2", "1", "1", "0")),
			},
			"A:a2* A:a1 B:b*",
		},
	} {
		o := Order{AmountUSD: dec("25")}
		got := []string{}
		for _, offer := range RankOffers(o, Offers(o, c.market)) {
			sign := map[bool]string{false: "+"}[offer.Code == ""] +
				map[bool]string{true: "*"}[offer.Lowest]
			got = append(got, offer.Currency.Symbol+":"+offer.Network.Code+sign)
		}
		fortest.Diff(t, got, strings.Fields(c.want), "%s", c.name)
	}
}

// The display order does not change which offers a choice matches.
func TestRankingChangesNoOffer(t *testing.T) {
	market := []Currency{
		coin("USDT", "1", net("erc20", "3.5", "100", "0"), net("trc20", "1", "1", "0"),
			net("ton", "0.2", "1", "0")),
	}
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
