package checkout

import (
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// listed is a coin with its networks as a gateway lists it.
func listed(symbol, name string, codes ...string) payment.Currency {
	c := coin(symbol, "3")
	c.Name = name
	for _, code := range codes {
		n := net(code, "0", "1", "0")
		n.Name = strings.ToUpper(code)
		c.Networks = append(c.Networks, n)
	}
	return c
}

// Shoppers read the present name of a renamed coin and what it was called before, whichever symbol
// the gateway has; programs read the gateway's.
func TestRenamedCoinsInTheList(t *testing.T) {
	type row struct{ Symbol, Shown, Name, Formerly, Icon, Networks string }
	for name, c := range map[string]struct {
		market []payment.Currency
		want   []row
	}{
		"the old symbol": {
			[]payment.Currency{listed("TON", "Toncoin", "ton")},
			[]row{{"TON", "GRAM", "Gram", "Toncoin (TON)", "gram", "ton TON (The Open Network)"}},
		},
		"the new one": {
			[]payment.Currency{listed("GRAM", "GRAM", "ton")},
			[]row{{"GRAM", "GRAM", "Gram", "Toncoin (TON)", "gram", "ton TON (The Open Network)"}},
		},
		"both": {
			[]payment.Currency{listed("TON", "Toncoin", "ton"), listed("GRAM", "Gram", "ton")},
			[]row{{"TON", "GRAM", "Gram", "Toncoin (TON)", "gram", "ton TON (The Open Network)"}},
		},
		"the gateway's own name, which is still right": {
			[]payment.Currency{listed("matic", "Polygon", "polygon")},
			[]row{{"matic", "POL", "Polygon", "MATIC", "pol", "polygon POLYGON"}},
		},
		"another token of the old symbol on one network": {
			[]payment.Currency{listed("MATIC", "Polygon", "polygon", "erc20")},
			[]row{{"MATIC", "MATIC", "Polygon", "", "matic", "polygon POLYGON, erc20 ERC20"}},
		},
		"a coin that was never renamed": {
			[]payment.Currency{listed("BTC", "Bitcoin", "btc")},
			[]row{{"BTC", "BTC", "Bitcoin", "", "btc", "btc BTC"}},
		},
	} {
		v := Preview(payment.Order{AmountUSD: dec("25")}, ViewOptions{
			Now: noon, Currencies: c.market, Icon: strings.ToLower,
			Translate: func(key string, _ ...string) string { return key },
		}, false)
		var got []row
		for _, c := range v.Currencies {
			var networks []string
			for _, n := range c.Networks {
				networks = append(networks, n.Code+" "+n.Name)
			}
			got = append(got, row{
				c.Symbol, c.Shown(), c.Name, c.Formerly, c.Icon, strings.Join(networks, ", "),
			})
		}
		fortest.Diff(t, got, c.want, "%s", name)
	}
}

// The attempt, its notices and its QR code are about the coin as the shopper's wallet calls it; its
// symbol stays the gateway's.
func TestRenamedCoinOfAnAttempt(t *testing.T) {
	s := waiting()
	a := &s.Attempts[0]
	a.CurrencySymbol = "TON"
	a.CurrencyName = "Toncoin"
	a.NetworkCode = "ton"
	a.NetworkName = "TON"
	a.Address = "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"
	s.Notice.Code = wire.CodePaymentRefused
	v := View(s, ViewOptions{
		Now:       noon,
		Translate: func(key string, pairs ...string) string { return strings.Join(pairs, " ") },
	})

	got := []string{
		v.Attempt.CurrencySymbol, v.Attempt.Shown(), v.Attempt.CurrencyName, v.Attempt.Formerly,
		v.Attempt.NetworkCode, v.Attempt.NetworkName, v.Attempt.URI, v.Attempt.QR, v.Notice.Message,
	}
	fortest.Diff(t, got, []string{
		"TON", "GRAM", "Gram", "Toncoin (TON)",
		"ton", "TON (The Open Network)", "ton://transfer/" + a.Address + "?amount=25030000000", "uri",
		"coin GRAM network TON (The Open Network)",
	}, "attempt")
}

// The view names the kind of QR code that scans, and never that of a link that it does not have.
func TestQRKindOfTheView(t *testing.T) {
	for _, c := range []struct{ symbol, network, address, paid, want string }{
		{"BTC", "btc", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "0", "uri"},
		{"BTC", "btc", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "25.03", ""}, // nothing is due
		{"ETH", "erc20", evmAccount, "0", ""},
		{"USDT", "trc20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "0", ""},
	} {
		s := waiting()
		a := &s.Attempts[0]
		a.CurrencySymbol, a.NetworkCode, a.Address, a.Paid = c.symbol, c.network, c.address,
			dec(c.paid)
		fortest.Equal(t, View(s, ViewOptions{Now: noon}).Attempt.QR, c.want,
			"QR code of %s on %s, %s paid", c.symbol, c.network, c.paid)
	}
}
