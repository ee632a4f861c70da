package wallet

import (
	"math/big"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/token"

	"github.com/shopspring/decimal"
)

const (
	evm  = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	ton  = "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"
	tron = "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"
	sol  = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
	btc  = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
	ltc  = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
	doge = "DBXu2kgc3xtvCUWFcxFE3r9hEYgmuaaCyD"

	usdtETH  = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
	usdtBSC  = "0x55d398326f99059fF775485246999027B3197955"
	usdcBase = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
	usdtTRON = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	usdtTON  = "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"
	usdcSOL  = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"

	orderPage = "https://pay.shop.example/checkout/cs_gxgmnqajn3xse75gpyn7wtum26"
)

// addresses are of each kind, from public documentation.
var addresses = map[token.Kind]string{
	token.EVM: evm, token.TON: ton, token.TRON: tron, token.Solana: sol,
	token.Bitcoin: btc, token.Litecoin: ltc, token.Dogecoin: doge,
}

func pay(symbol, network, address, amount string) token.Payment {
	return token.Payment{
		Symbol:  symbol,
		Network: network,
		Address: address,
		Amount:  decimal.RequireFromString(amount),
	}
}

// linkOf returns the link of one wallet, "" if it has none.
func linkOf(links []wire.WalletLink, id string) wire.WalletLink {
	for _, link := range links {
		if link.ID == id {
			return link
		}
	}
	return wire.WalletLink{}
}

// The whole numbers are reckoned by hand: the amount with its point moved by the coin's digits.
func TestFilledLinks(t *testing.T) {
	const (
		metamask = "https://link.metamask.io/send/"
		trust    = "https://link.trustwallet.com/send?asset="
		keeper   = "https://app.keeperwallet.com/transfer/"
	)
	for _, c := range []struct {
		wallet string
		p      token.Payment
		want   string
	}{
		{"metamask", pay("ETH", "erc20", evm, "0.00123456"), metamask + evm + "@1?value=1234560000000000"},
		{"metamask", pay("BNB", "bep20", evm, "0.000000000000000001"), metamask + evm + "@56?value=1"},
		{"metamask", pay("POL", "matic", evm, "7"), metamask + evm + "@137?value=7000000000000000000"},
		{"metamask", pay("ETH", "arbitrum", evm, "1.5"), metamask + evm + "@42161?value=1500000000000000000"},
		{"metamask", pay("ETH", "optimism", evm, "1.5"), metamask + evm + "@10?value=1500000000000000000"},
		{"metamask", pay("ETH", "base", evm, "1.5"), metamask + evm + "@8453?value=1500000000000000000"},
		{"metamask", pay("AVAX", "avaxc", evm, "123456789"), metamask + evm + "@43114?value=123456789000000000000000000"},
		{"metamask", pay("USDT", "erc20", evm, "25.03"), metamask + usdtETH + "@1/transfer?address=" + evm + "&uint256=25030000"},
		{"metamask", pay("USDC", "base", evm, "0.000001"), metamask + usdcBase + "@8453/transfer?address=" + evm + "&uint256=1"},
		{"metamask", pay("USDT", "bsc", evm, "25.03000001"), metamask + usdtBSC + "@56/transfer?address=" + evm + "&uint256=25030000010000000000"},
		{"metamask", pay("USDT", "trc20", tron, "25"), ""},
		{"metamask", pay("BTC", "btc", btc, "1"), ""},

		{"trust", pay("ETH", "erc20", evm, "0.00123456"), trust + "c60&address=" + evm + "&amount=0.00123456"},
		{"trust", pay("BNB", "bep20", evm, "0.000000000000000001"), trust + "c20000714&address=" + evm + "&amount=0.000000000000000001"},
		{"trust", pay("POL", "matic", evm, "7"), trust + "c966&address=" + evm + "&amount=7"},
		{"trust", pay("ETH", "arbitrum", evm, "1.5"), trust + "c10042221&address=" + evm + "&amount=1.5"},
		{"trust", pay("ETH", "optimism", evm, "1.5"), trust + "c10000070&address=" + evm + "&amount=1.5"},
		{"trust", pay("ETH", "base", evm, "1.5"), trust + "c8453&address=" + evm + "&amount=1.5"},
		{"trust", pay("AVAX", "avaxc", evm, "1e2"), trust + "c10009000&address=" + evm + "&amount=100"},
		{"trust", pay("TRX", "trx", tron, "25.000001"), trust + "c195&address=" + tron + "&amount=25.000001"},
		{"trust", pay("TON", "ton", ton, "8.064517"), trust + "c607&address=" + ton + "&amount=8.064517"},
		{"trust", pay("SOL", "sol", sol, "0.000000001"), trust + "c501&address=" + sol + "&amount=0.000000001"},
		{"trust", pay("BTC", "btc", btc, "20.30000000"), trust + "c0&address=" + btc + "&amount=20.3"},
		{"trust", pay("LTC", "ltc", ltc, "0.5"), trust + "c2&address=" + ltc + "&amount=0.5"},
		{"trust", pay("DOGE", "doge", doge, "0.5"), trust + "c3&address=" + doge + "&amount=0.5"},
		{"trust", pay("USDT", "erc20", evm, "25.03"), trust + "c60_t" + usdtETH + "&address=" + evm + "&amount=25.03"},
		{"trust", pay("USDT", "bsc", evm, "25.03000001"), trust + "c20000714_t" + usdtBSC + "&address=" + evm + "&amount=25.03000001"},
		{"trust", pay("USDT", "trc20", tron, "25.03"), trust + "c195_t" + usdtTRON + "&address=" + tron + "&amount=25.03"},
		{"trust", pay("USDT", "ton", ton, "25.030001"), trust + "c607_t" + usdtTON + "&address=" + ton + "&amount=25.030001"},
		{"trust", pay("USDC", "solana", sol, "25.03"), trust + "c501_t" + usdcSOL + "&address=" + sol + "&amount=25.03"},

		{"keeper", pay("TON", "ton", ton, "8.064517"), keeper + ton + "?amount=8064517000"},
		{"keeper", pay("USDT", "ton", ton, "25.030001"), keeper + ton + "?jetton=" + usdtTON + "&amount=25030001"},
		{"keeper", pay("TON", "ton", strings.Replace(ton, "-", "+", 1), "1"), keeper + ton + "?amount=1000000000"},
		{"keeper", pay("ETH", "erc20", evm, "1"), ""},
	} {
		got := linkOf((*Registry)(nil).Links(c.p, nil, orderPage), c.wallet)
		if !got.Fills {
			got.Link = ""
		}
		fortest.Equal(t, got.Link, c.want, "%s: %s %s on %s", c.wallet, c.p.Amount, c.p.Symbol,
			c.p.Network)
	}
}

func TestOpeningLinks(t *testing.T) {
	const escaped = "https%3A%2F%2Fpay.shop.example%2Fcheckout%2Fcs_gxgmnqajn3xse75gpyn7wtum26"
	const twice = "https%253A%252F%252Fpay.shop.example%252Fcheckout%252Fcs_gxgmnqajn3xse75gpyn7wtum26"
	want := map[string]string{
		"metamask": "https://link.metamask.io/dapp/pay.shop.example/checkout/cs_gxgmnqajn3xse75gpyn7wtum26",
		"phantom":  "https://phantom.app/ul/browse/" + escaped + "?ref=https%3A%2F%2Fpay.shop.example",
		"tronlink": "tronlinkoutside://pull.activity?param=%7B%22url%22%3A%22" + escaped + "%22%2C%22action%22%3A%22open%22%2C%22protocol%22%3A%22TronLink%22%2C%22version%22%3A%221.0%22%7D",
		"okx":      "https://web3.okx.com/download?deeplink=okx%3A%2F%2Fwallet%2Fdapp%2Furl%3FdappUrl%3D" + twice,
		"base":     "https://go.cb-w.com/dapp?cb_url=" + escaped,
		"bitget":   "https://bkcode.vip?action=dapp&url=" + escaped,
		"imtoken":  "imtokenv2://navigate/DappView?url=" + escaped,
	}
	for _, c := range []struct {
		p     token.Payment
		opens string // in order
	}{
		{pay("ETH", "erc20", evm, "1"), "phantom okx base bitget imtoken"},
		{pay("USDC", "base", evm, "1"), "phantom okx base bitget"},
		{pay("BNB", "bep20", evm, "1"), "okx base bitget"},
		{pay("USDT", "trc20", tron, "1"), "tronlink okx"},
		{pay("TON", "ton", ton, "1"), "okx"},
		{pay("USDC", "sol", sol, "1"), "metamask phantom okx"},
		{pay("BTC", "btc", btc, "1"), "phantom okx"},
		{pay("LTC", "ltc", ltc, "1"), ""},
	} {
		var opens []string
		for _, link := range (*Registry)(nil).Links(c.p, nil, orderPage) {
			if link.Fills {
				if len(opens) > 0 {
					t.Errorf("%s on %s: %s fills in, and comes late", c.p.Symbol, c.p.Network, link.ID)
				}
				continue
			}
			opens = append(opens, link.ID)
			fortest.Equal(t, link.Link, want[link.ID], "link of %s", link.ID)
		}
		fortest.Equal(t, strings.Join(opens, " "), c.opens, "%s on %s", c.p.Symbol, c.p.Network)
	}

	for _, link := range (*Registry)(nil).Links(pay("USDT", "trc20", tron, "1"), nil, "") {
		if !link.Fills {
			t.Errorf("without a page, %s opens %s", link.ID, link.Link)
		}
	}
}

func TestNoLinks(t *testing.T) {
	for _, p := range []token.Payment{
		pay("USDT", "erc20", evm, "25.0300001"), // more digits than the token has
		pay("USDT", "trc20", tron, "25.0300001"),
		pay("BTC", "btc", btc, "0.000000001"),
		pay("ETH", "erc20", evm, "0"),
		pay("ETH", "erc20", evm, "-1"),
		pay("ETH", "erc20", evm, "1e10000"),
		pay("TRX", "trx", tron, "9223372036854.775808"), // beyond 63 bits
		pay("ETH", "erc20", "", "1"),
		pay("ETH", "erc20", strings.Replace(evm, "Aed", "aed", 1), "1"), // checksum
		pay("ETH", "erc20", tron, "1"),
		pay("TON", "ton", "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", "1"), // no checksum
		pay("BNB", "opbnb", evm, "1"), // not in the list of coins
		pay("X", "y", evm, "1"),
	} {
		if links := (*Registry)(nil).Links(p, nil, orderPage); links != nil {
			t.Errorf("Links(%+v) = %+v; want none", p, links)
		}
	}
}

// request is what a wallet reads from a link that fills in a payment.
type request struct {
	address  string
	contract string // "" = the network's own coin
	network  string // as the wallet names it
	units    string // "" = amount is set
	amount   string
}

// parsers read links as the wallets' documentation describes them.
var parsers = map[string]func(t *testing.T, u *url.URL) request{
	// https://link.metamask.io/send/{recipient}@{chainId}?value=… or
	// https://link.metamask.io/send/{contractAddress}@{chainId}/transfer?address=…&uint256=…
	"metamask": func(t *testing.T, u *url.URL) request {
		parts := strings.Split(strings.TrimPrefix(u.Path, "/send/"), "/")
		to, chain, ok := strings.Cut(parts[0], "@")
		q := query(t, u, map[int][]string{1: {"value"}, 2: {"address", "uint256"}}[len(parts)]...)
		if u.Host != "link.metamask.io" || !ok || len(parts) == 2 && parts[1] != "transfer" {
			t.Fatalf("not a link of MetaMask: %s", u)
		}
		if len(parts) == 1 {
			return request{address: to, network: chain, units: q.Get("value")}
		}
		return request{
			address: q.Get("address"), contract: to, network: chain, units: q.Get("uint256"),
		}
	},
	// https://link.trustwallet.com/send?asset={UAI}&address=…&amount=…; a UAI is c{coin}_t{token_id}
	"trust": func(t *testing.T, u *url.URL) request {
		q := query(t, u, "asset", "address", "amount")
		coin, contract, _ := strings.Cut(q.Get("asset"), "_t")
		if u.Host != "link.trustwallet.com" || u.Path != "/send" || !strings.HasPrefix(coin, "c") {
			t.Fatalf("not a link of Trust Wallet: %s", u)
		}
		return request{
			address: q.Get("address"), contract: contract, network: coin[1:], amount: q.Get("amount"),
		}
	},
	// {PREFIX}transfer/{ADDRESS}?jetton={JETTON_ADDRESS}&amount={AMOUNT}; unknown parameters are rejected
	"keeper": func(t *testing.T, u *url.URL) request {
		names := []string{"amount"}
		if u.Query().Has("jetton") {
			names = append(names, "jetton")
		}
		q := query(t, u, names...)
		address, ok := strings.CutPrefix(u.Path, "/transfer/")
		if u.Host != "app.keeperwallet.com" || !ok {
			t.Fatalf("not a link of Keeper: %s", u)
		}
		return request{
			address: address, contract: q.Get("jetton"), network: "ton", units: q.Get("amount"),
		}
	},
}

// query returns the parameters of u, which must be exactly those named, each once.
func query(t *testing.T, u *url.URL, names ...string) url.Values {
	t.Helper()
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil || len(q) != len(names) || u.Fragment != "" {
		t.Fatalf("%s: parameters %v, %v; want %v", u, q, err, names)
	}
	for _, name := range names {
		if len(q[name]) != 1 {
			t.Fatalf("%s: %s is there %d times", u, name, len(q[name]))
		}
	}
	return q
}

// Random numbers of the smallest unit go through the decimal text of each coin: each link, read as
// its wallet's documentation says, asks for that number again at the address and contract.
func TestAmountsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 3))
	read := map[string]int{}
	for _, coin := range token.Builtin().Tokens() {
		for range 100 {
			units := new(big.Int).SetUint64(1 + random.Uint64()>>(1+random.IntN(62)))
			p := token.Payment{
				Symbol:  coin.Symbol,
				Network: coin.Network.ID,
				Address: addresses[coin.Network.Kind],
				Amount:  decimal.NewFromBigInt(units, -coin.Decimals),
			}
			for _, link := range (*Registry)(nil).Links(p, nil, orderPage) {
				if link.Fills {
					checkRequest(t, link, coin, p.Address, units)
					read[link.ID]++
				}
			}
		}
	}
	for id := range parsers {
		if read[id] < 100 {
			t.Errorf("%d links of %s were read", read[id], id)
		}
	}
}

func checkRequest(
	t *testing.T, link wire.WalletLink, coin token.Token, address string, units *big.Int,
) {
	t.Helper()
	parse := parsers[link.ID]
	if parse == nil {
		t.Fatalf("no parser for the links of %s", link.ID)
	}
	got := parse(t, fortest.Must(url.Parse(link.Link))(t))

	asked := got.units
	if got.amount != "" {
		asked = exactUnits(t, got.amount, int(coin.Decimals))
	}
	if asked != units.String() || got.address != address || got.contract != coin.Contract {
		t.Fatalf("%s of %s on %s: %s is read as %+v; want %s units", link.ID, coin.Symbol,
			coin.Network.ID, link.Link, got, units)
	}
}

// exactUnits moves the point of a decimal text by hand.
func exactUnits(t *testing.T, amount string, decimals int) string {
	t.Helper()
	whole, fraction, _ := strings.Cut(amount, ".")
	if len(fraction) > decimals {
		t.Fatalf("%s has more than %d digits", amount, decimals)
	}
	digits := whole + fraction + strings.Repeat("0", decimals-len(fraction))
	units, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		t.Fatalf("%s is no number", amount)
	}
	return units.String()
}
