package checkout

import (
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/token"
	"coinslot/bff/wallet"

	"github.com/shopspring/decimal"
)

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// net is a network of a market: its fee and limits as decimal text.
func net(code, fee, least, most string) payment.Network {
	return payment.Network{Code: code, Fee: dec(fee), MinimumUSD: dec(least), MaximumUSD: dec(most)}
}

func coin(symbol, price string, networks ...payment.Network) payment.Currency {
	return payment.Currency{Symbol: symbol, PriceInUSDT: dec(price), Networks: networks}
}

// waiting returns a session with one attempt whose address is shown.
func waiting() *payment.Session {
	return &payment.Session{
		ID: "cs_1", Version: 3, Status: wire.Pending,
		Order: payment.Order{AmountUSD: dec("25.00")}, ExpiresAt: noon.Add(time.Hour),
		Attempts: []payment.Attempt{{
			Number: 1, State: payment.Waiting, TrackingCode: "T1", OrderID: 123456,
			CurrencySymbol: "USDT", NetworkCode: "trc20", AmountUSD: dec("25"),
			PayAmount: dec("25.03"), PayText: "25.03000000", Tolerance: dec("1"),
			Address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", TTLMinutes: 30,
			StartedAt: noon, ExpiresAt: noon.Add(30 * time.Minute),
		}},
	}
}

const evmAccount = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

// tokens parses an operator's file.
func tokens(t *testing.T, file string) *token.Registry {
	t.Helper()
	return fortest.Must(token.Parse([]byte(file)))(t)
}

// Links and wallet calls are for the amount due: the rest of a partial payment; nothing once
// paid or ended.
func TestLinksAreForWhatIsDue(t *testing.T) {
	const base = "ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=" +
		evmAccount + "&uint256="
	for _, c := range []struct {
		name  string
		state payment.State
		paid  string
		units string // "" = no link
	}{
		{"nothing paid", payment.Waiting, "0", "25030001"}, // rounded up to six digits
		{"half paid", payment.Waiting, "12.51", "12520001"},
		{"a little short, but tolerated", payment.Waiting, "25.02", ""},
		{"paid, not yet confirmed", payment.Waiting, "25.030001", ""},
		{"confirmed", payment.Confirmed, "25.030001", ""},
		{"expired", payment.Expired, "0", ""},
		{"expired with money", payment.Expired, "12", ""},
		{"cancelled", payment.Cancelled, "0", ""},
		{"in review", payment.InReview, "1", ""},
		{"unknown", payment.Unknown, "0", ""},
	} {
		s := waiting()
		a := &s.Attempts[0]
		a.State = c.state
		a.Paid = dec(c.paid)
		a.PayAmount = dec("25.03000001")
		a.PayText = "25.03000001"
		a.Tolerance = dec("1")
		a.CurrencySymbol, a.NetworkCode, a.Address = "USDT", "erc20", evmAccount
		v := View(s, ViewOptions{Now: noon}).Attempt
		want := ""
		if c.units != "" {
			want = base + c.units
		}
		if v.URI != want || v.TokenURI != (want != "") || (v.Call != nil) != (want != "") {
			t.Errorf("%s: link %q, call %+v; want %q", c.name, v.URI, v.Call, want)
		}
		if (v.Wallets != nil) != (want != "") {
			t.Errorf("%s: wallets %+v", c.name, v.Wallets)
		}
		if c.units != "" {
			fortest.Has(t, c.name, v.Wallets[0].Link, "&uint256="+c.units)
		}
	}
}

func TestEventsOfAttemptsDiffer(t *testing.T) {
	for _, c := range []struct {
		symbol, network, address, mark string
		family                         wire.Family
	}{
		{"USDT", "trc20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "/icons/net-tron.svg", wire.TRON},
		{"USDT", "BEP20", evmAccount, "/icons/net-bsc.svg", wire.EVM},
		{
			"TON", "ton", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA", "/icons/net-ton.svg",
			wire.TON,
		},
		{
			"BTC", "btc", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "/icons/net-bitcoin.svg",
			wire.OtherFamily,
		},
		{"X", "brandnew", evmAccount, "", wire.EVM},
		{"X", "brandnew", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "", wire.TRON},
		{"X", "brandnew", "r1qwertzuiop", "", wire.OtherFamily},
	} {
		s := waiting()
		a := &s.Attempts[0]
		a.CurrencySymbol = c.symbol
		a.NetworkCode = c.network
		a.Address = c.address
		a.TrackingCode = "TRK-7"
		a.PaidAt = time.Date(2026, 11, 21, 14, 30, 0, 0, time.FixedZone("", 2*3600))
		v := View(s, ViewOptions{Now: noon}).Attempt
		got := []string{v.NetworkMark, string(v.Family), v.TrackingCode, v.PaidAt}
		fortest.Diff(t, got, []string{
			c.mark, string(c.family), "TRK-7", "2026-11-21T12:30:00.000Z",
		},
			"%s on %s", c.symbol, c.network)
	}
}

func TestNetworksOfTheView(t *testing.T) {
	market := []payment.Currency{
		coin("USDT", "1", net("trc20", "1", "1", "0"), net("optimism", "2", "1", "0"),
			net("brandnew", "3", "1", "0")),
		coin("PEPE", "1", net("erc20", "4", "1", "0")),
	}
	show := ViewOptions{
		Currencies: market,
		Translate:  func(key string, _ ...string) string { return key },
	}
	type row struct {
		Mark      string
		Exchanges bool
	}
	rows := func() map[string]row {
		got := map[string]row{}
		for _, c := range currenciesView(payment.Order{AmountUSD: dec("25")}, show) {
			for _, n := range c.Networks {
				got[c.Symbol+" "+n.Code] = row{n.Mark, n.Exchanges}
			}
		}
		return got
	}
	want := map[string]row{
		"USDT trc20":    {"/icons/net-tron.svg", true},
		"USDT optimism": {"/icons/net-optimism.svg", false},
		"USDT brandnew": {},
		"PEPE erc20":    {"/icons/net-ethereum.svg", false}, // unknown on that network
	}
	fortest.Diff(t, rows(), want, "networks")
	show.Tokens = tokens(t, `
networks:
  - {id: new, codes: [brandnew], family: evm, chain_id: 7, exchanges: true, source: https://new.example/}
  - {id: optimism, exchanges: true}
tokens:
  - {symbol: USDT, network: new, decimals: 2, source: https://new.example/}
`)
	want["USDT brandnew"] = row{"", true}
	want["USDT optimism"] = row{"/icons/net-optimism.svg", true}
	fortest.Diff(t, rows(), want, "networks with the operator's file")
}

// A file of coins changes the display only: neither the confirm gate, nor accepted addresses,
// nor webhooks.
func TestMoneyRuleIgnoresTheOperator(t *testing.T) {
	odd := tokens(t, `
networks:
  - {id: anything, codes: [trc20], family: other, source: https://shop.example/}
tokens:
  - {symbol: USDT, network: anything, decimals: 0, source: https://shop.example/}
`)
	s := waiting()
	a := &s.Attempts[0]
	a.PayAmount, a.PayText, a.Tolerance = dec("25.03"), "25.03", dec("1")
	shown := func(coins *token.Registry) *wire.Attempt {
		return View(s, ViewOptions{Now: noon, Tokens: coins}).Attempt
	}
	merchant := func() payment.Object {
		return s.Object(payment.EventOptions{Coins: token.Builtin()})
	}

	fortest.Equal(t, shown(nil).PayableAmount, "25.03", "what is shown to pay")
	fortest.Equal(t, shown(odd).PayableAmount, "26", "what is shown to pay, without digits")
	a.Paid = dec("12.5")
	fortest.Equal(t, shown(odd).MissingAmount, "13", "what is shown as missing")
	fortest.Equal(t, merchant().MissingAmount, "12.53", "missing_amount")
	a.Paid = dec("26")
	fortest.Equal(t, shown(odd).OverpaidAmount, "", "too much, for the shopper asked for 26")
	fortest.Equal(t, merchant().OverpaidAmount, "0.97", "overpaid_amount")

	if odd.CheckAddress("trc20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u") != nil ||
		token.Builtin().CheckAddress("trc20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u") == nil {
		t.Error("the operator's word about addresses counts where an answer is believed")
	}
}

// Whatever digits a file gives a coin, paying the shown amount suffices.
func TestShownIsNeverTooLittle(t *testing.T) {
	for _, decimals := range []string{"0", "1", "6", "8", "18", "30"} {
		r := tokens(
			t,
			"tokens:\n  - {symbol: USDT, network: tron, decimals: "+decimals+
				", source: https://shop.example/}\n",
		)
		for _, pay := range []string{"25.03000001", "0.00000001", "25", "99.99999999"} {
			s := waiting()
			a := &s.Attempts[0]
			a.PayAmount, a.PayText, a.Tolerance = dec(pay), pay, dec("0")
			shown := dec(View(s, ViewOptions{Now: noon, Tokens: r}).Attempt.PayableAmount)
			if shown.LessThan(dec(pay)) ||
				shown.LessThan(payment.LeastPaid(a.PayAmount, a.Tolerance)) {
				t.Errorf("%s digits: %s is asked for, %s is shown", decimals, pay, shown)
			}
		}
	}
}

func TestViewHidesWhatMayNotBePaid(t *testing.T) {
	show := ViewOptions{Now: noon, Currencies: []payment.Currency{
		coin("USDT", "1", net("trc20", "0", "1", "1000"), net("bep20", "0", "50", "1000")),
		coin("TON", "3.1", net("ton", "0", "0", "0")),
	}, Translate: func(key string, pairs ...string) string { return key }}
	statuses := map[payment.State]wire.Status{
		payment.Creating:  wire.Preparing,
		payment.Unknown:   wire.Preparing,
		payment.Refused:   wire.Open,
		payment.Abandoned: wire.Open,
		payment.Rejected:  wire.Open, payment.Waiting: wire.Pending,
	}
	for state, want := range map[payment.State]bool{
		payment.Creating:  false,
		payment.Unknown:   false,
		payment.Refused:   false,
		payment.Abandoned: false,
		payment.Rejected:  false,
		payment.Waiting:   true,
	} {
		s := waiting()
		s.Attempts[0].State = state
		s.Status = statuses[state]
		v := View(s, show)
		fortest.Equal(t, v.Attempt != nil && v.Attempt.Address != "", want,
			"%s: address shown", state)
	}
	v := View(waiting(), show)
	if v.Attempt.ExpiresInMs != 1_800_000 || v.Attempt.PayAmount != "25.03000000" ||
		v.Attempt.PayableAmount != "25.03" || v.CheckedMsAgo != -1 {
		t.Errorf("attempt = %+v", v.Attempt)
	}
	got := []string{}
	for _, c := range v.Currencies {
		for _, n := range c.Networks {
			got = append(got, c.Symbol+" "+n.Code+" "+n.Estimate+" "+n.Reason)
		}
	}
	want := []string{"USDT trc20 25 ", "USDT bep20 25 reason.minimum", "TON ton 8.065 "}
	fortest.Diff(t, got, want, "offers")
}

// The view has the links of wallets for the amount due, which open the session's page, the same in
// every language.
func TestViewHasWallets(t *testing.T) {
	s := waiting()
	show := ViewOptions{Now: noon, Page: "https://pay.shop.example/checkout/"}
	links := View(s, show).Attempt.Wallets
	if len(links) == 0 {
		t.Fatal("no wallets")
	}
	var opens int
	for _, link := range links {
		if link.Fills {
			fortest.Has(t, link.ID, link.Link, s.Current().Address)
			continue
		}
		opens++
		if !strings.Contains(link.Link, s.ID) {
			t.Errorf("%s opens %s", link.ID, link.Link)
		}
	}
	if opens == 0 {
		t.Error("no wallet opens the page")
	}

	show.Lang = "de"
	fortest.Diff(t, View(s, show).Attempt.Wallets, links, "wallets in German")

	show.Page = ""
	for _, link := range View(s, show).Attempt.Wallets {
		if !link.Fills {
			t.Errorf("without a page, %s opens %s", link.ID, link.Link)
		}
	}

	hidden := fortest.Must(wallet.Parse([]byte("hide: [trust]\n"), nil))(t)
	show.Wallets = hidden
	for _, link := range View(s, show).Attempt.Wallets {
		if link.ID == "trust" {
			t.Error("a hidden wallet is in the view")
		}
	}
}

// The page has what went back, with the day in its language and a renamed coin by its present
// name, and only the excess that is left.
func TestRefundsInTheView(t *testing.T) {
	s := waiting()
	s.Status = wire.Confirmed
	a := &s.Attempts[0]
	a.State = payment.Confirmed
	a.Paid = dec("28.03")
	a.TxID = strings.Repeat("1", 64)
	a.TxURL = "https://tronscan.example/" + a.TxID
	back := strings.Repeat("d", 64)
	s.Refunds = []payment.Refund{
		{Amount: dec("1.00"), CurrencySymbol: "USDT", NetworkCode: "trc20"},
		{Amount: dec("7"), CurrencySymbol: "TON", NetworkCode: "ton"},
	}
	for i := range s.Refunds {
		s.Refunds[i].TxID = back
		s.Refunds[i].RecordedAt = noon
	}

	v := View(s, ViewOptions{Now: noon, Lang: "de"})
	fortest.Diff(t, v.Refunds, []wire.Refund{
		{
			Amount: "1", Symbol: "USDT", Day: "21. November", TxID: back,
			TxURL: "https://tronscan.example/" + back,
		},
		{Amount: "7", Symbol: "GRAM", Day: "21. November", TxID: back},
	}, "refunds")
	fortest.Equal(t, v.Attempt.OverpaidAmount, "2", "the excess that is left")
}
