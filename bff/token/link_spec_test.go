package token

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"

	"github.com/shopspring/decimal"
)

// request is what a wallet reads from a link.
type request struct {
	to       string
	contract string // empty: the chain's own coin
	chain    string // of EIP-681; else empty
	units    string // of the smallest unit
}

// Parsers of links, each written from its specification and from nothing else. They reject all that
// the specification does not know, and what it leaves to the wallet.
var parsers = map[Kind]func(link string, decimals int32) (request, error){
	EVM:      parseEIP681,
	TON:      parseTON,
	Solana:   parseSolanaPay,
	Bitcoin:  func(link string, _ int32) (request, error) { return parseBIP21("bitcoin", link) },
	Litecoin: func(link string, _ int32) (request, error) { return parseBIP21("litecoin", link) },
	Dogecoin: func(link string, _ int32) (request, error) { return parseBIP21("dogecoin", link) },
}

// eip681 is the grammar: request = schema_prefix target_address [ "@" chain_id ]
// [ "/" function_name ] [ "?" parameters ].
var eip681 = regexp.MustCompile(
	`^ethereum:(0x[0-9a-fA-F]{40})(?:@([0-9]+))?(?:/([A-Za-z]+))?(?:\?(.*))?$`)

// parseEIP681 reads a payment. "value" is in the atomic unit; a call of transfer has the types of
// its arguments as keys, address and uint256.
// Source: https://eips.ethereum.org/EIPS/eip-681
func parseEIP681(link string, _ int32) (request, error) {
	m := eip681.FindStringSubmatch(link)
	if m == nil {
		return request{}, fmt.Errorf("EIP-681: %q", link)
	}
	parameters, err := parseQuery(m[4])
	if err != nil {
		return request{}, err
	}
	r := request{to: m[1], chain: m[2]}
	number := parameters["value"]
	known := "value"
	if m[3] != "" {
		if m[3] != "transfer" {
			return request{}, fmt.Errorf("EIP-681: function %s", m[3])
		}
		r.contract = m[1]
		r.to = parameters["address"]
		number = parameters["uint256"]
		known = "address uint256"
	}
	units, err := decimal.NewFromString(number) // it may have an exponent, 2.014e18
	if err != nil || !units.IsInteger() || units.IsNegative() {
		return request{}, fmt.Errorf("EIP-681: %q is no number of units, %w", number, err)
	}
	r.units = units.BigInt().String()
	return r, onlyKnown(parameters, known)
}

// parseBIP21 reads a payment. The amount is in the coin, with a point, without commas.
// Source: https://github.com/bitcoin/bips/blob/master/bip-0021.mediawiki
func parseBIP21(scheme, link string) (request, error) {
	const places = 8 // one satoshi, litoshi or koinu
	rest, ok := strings.CutPrefix(link, scheme+":")
	if !ok {
		return request{}, fmt.Errorf("BIP-21: %q", link)
	}
	to, query, _ := strings.Cut(rest, "?")
	parameters, err := parseQuery(query)
	if err != nil {
		return request{}, err
	}
	units, err := shiftPoint(parameters["amount"], places)
	if err != nil {
		return request{}, err
	}
	return request{to: to, units: units}, onlyKnown(parameters, "amount label message")
}

// parseTON reads a transfer. The amount is in elementary units, of the jetton if there is one.
// Source: https://docs.ton.org/overview/wallets/wallet-apps/deep-links
func parseTON(link string, _ int32) (request, error) {
	rest, ok := strings.CutPrefix(link, "ton://transfer/")
	if !ok {
		return request{}, fmt.Errorf("TON: %q", link)
	}
	to, query, _ := strings.Cut(rest, "?")
	parameters, err := parseQuery(query)
	if err != nil {
		return request{}, err
	}
	r := request{to: to, contract: parameters["jetton"], units: parameters["amount"]}
	return r, onlyKnown(parameters, "amount jetton")
}

// parseSolanaPay reads a transfer request. The amount is in user units, without an exponent, and
// with a digit before the point.
// Source: https://docs.solanapay.com/spec
func parseSolanaPay(link string, decimals int32) (request, error) {
	rest, ok := strings.CutPrefix(link, "solana:")
	if !ok {
		return request{}, fmt.Errorf("solana pay: %q", link)
	}
	to, query, _ := strings.Cut(rest, "?")
	parameters, err := parseQuery(query)
	if err != nil {
		return request{}, err
	}
	units, err := shiftPoint(parameters["amount"], int(decimals))
	if err != nil {
		return request{}, err
	}
	r := request{to: to, contract: parameters["spl-token"], units: units}
	return r, onlyKnown(parameters, "amount spl-token")
}

// parseQuery reads "key=value" pairs, each key once, without escapes: no link needs one.
func parseQuery(query string) (map[string]string, error) {
	parameters := map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		key, value, ok := strings.Cut(pair, "=")
		_, twice := parameters[key]
		if !ok || value == "" || twice || strings.ContainsAny(pair, "%+ ") {
			return nil, fmt.Errorf("parameter %q of %q", pair, query)
		}
		parameters[key] = value
	}
	return parameters, nil
}

// onlyKnown returns an error for a parameter that is not one of the words of known.
func onlyKnown(parameters map[string]string, known string) error {
	for key := range parameters {
		if !strings.Contains(" "+known+" ", " "+key+" ") {
			return fmt.Errorf("parameter %q is not in the specification", key)
		}
	}
	return nil
}

var plainNumber = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// shiftPoint writes a decimal number in units of its last place of so many.
func shiftPoint(number string, places int) (string, error) {
	if !plainNumber.MatchString(number) {
		return "", fmt.Errorf("%q is no plain decimal number", number)
	}
	whole, fraction, _ := strings.Cut(number, ".")
	if len(fraction) > places {
		return "", fmt.Errorf("%q has more than %d places", number, places)
	}
	units, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", places-len(fraction)), 10)
	if !ok {
		return "", fmt.Errorf("%q is no number", number)
	}
	return units.String(), nil
}

// A wallet that keeps to the specification reads from every link what is to be paid: the address,
// the token, the chain and the exact amount. All coins that are built in are tried, by each symbol
// that they have had.
func TestLinksByTheirSpecifications(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 681))
	tried := map[Kind]int{}
	for id, token := range Builtin().tokens {
		network := Builtin().networks[id.network]
		parse := parsers[network.Kind]
		if parse == nil {
			continue
		}
		for range 50 {
			units := new(big.Int).SetUint64(1 + random.Uint64()>>(1+random.IntN(62)))
			p := Payment{
				Symbol:  id.symbol,
				Network: codeOf(network.ID),
				Address: examples[network.Kind],
				Amount:  decimal.NewFromBigInt(units, -token.Decimals),
			}
			link, _ := Builtin().URI(p)
			got, err := parse(link, token.Decimals)
			fortest.OK(t, err)
			want := request{to: p.Address, contract: token.Contract, units: units.String()}
			if network.ChainID != 0 {
				want.chain = fmt.Sprint(network.ChainID)
			}
			fortest.Equal(t, got, want, "%s on %s, %s", id.symbol, id.network, link)
		}
		tried[network.Kind]++
	}
	fortest.Equal(t, len(tried), len(parsers), "families with a coin: %v", tried)
}

// codeOf is a code of the built-in network.
func codeOf(id string) string {
	for code, of := range Builtin().codes {
		if of == id {
			return code
		}
	}
	return ""
}

// The parsers read the examples of the specifications, and reject what these forbid.
func TestParsersOfLinks(t *testing.T) {
	const (
		account = "0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359"
		token   = "0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7"
		other   = "0x8e23ee67d1332ad560396262c48ffbb01f93d052"
		coin    = "175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W"
		wallet  = "mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN"
		usdc    = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
	)
	for _, c := range []struct {
		kind     Kind
		link     string
		decimals int32
		want     request
	}{
		{EVM, "ethereum:" + account + "?value=2.014e18", 18,
			request{to: account, units: "2014000000000000000"}},
		{EVM, "ethereum:" + token + "/transfer?address=" + other + "&uint256=1", 18,
			request{to: other, contract: token, units: "1"}},
		{Bitcoin, "bitcoin:" + coin + "?amount=20.3&label=Luke-Jr", 8,
			request{to: coin, units: "2030000000"}},
		{TON, "ton://transfer/" + ton + "?amount=1000000000", 9,
			request{to: ton, units: "1000000000"}},
		{Solana, "solana:" + wallet + "?amount=1", 9, request{to: wallet, units: "1000000000"}},
		{Solana, "solana:" + wallet + "?amount=0.01&spl-token=" + usdc, 6,
			request{to: wallet, contract: usdc, units: "10000"}},
	} {
		got, err := parsers[c.kind](c.link, c.decimals)
		fortest.OK(t, err)
		fortest.Equal(t, got, c.want, "%s", c.link)
	}
	for kind, links := range map[Kind][]string{
		EVM: {"ethereum:" + account + "?amount=1", "ethereum:" + account + "?value=0.5",
			"ethereum:0x12?value=1",
			"ethereum:" + token + "/approve?address=" + other + "&uint256=1"},
		Bitcoin: {"bitcoin:" + coin + "?amount=50,000.00", "bitcoin:" + coin + "?req-x=1&amount=1",
			"litecoin:" + coin + "?amount=1"},
		TON:    {"ton:" + ton + "?amount=1", "ton://transfer/" + ton + "?amount=1&amount=2"},
		Solana: {"solana:" + wallet + "?amount=1e3", "solana:" + wallet + "?amount=.5"},
	} {
		for _, link := range links {
			if got, err := parsers[kind](link, 6); err == nil {
				t.Errorf("%s is read as %+v; want an error", link, got)
			}
		}
	}
}

// The code that scans is that of the link for some coins, of the address for all others.
func TestScansLinks(t *testing.T) {
	for coin, want := range map[[2]string]bool{
		{"BTC", "btc"}: true, {"LTC", "ltc"}: true, {"DOGE", "doge"}: true,
		{"GRAM", "ton"}: true, {"TON", "TON"}: true, {"USDT", "ton"}: false,
		{"ETH", "eth"}: false, {"BNB", "bep20"}: false, {"USDT", "erc20"}: false,
		{"TRX", "tron"}: false, {"USDT", "trc20"}: false,
		{"SOL", "solana"}: false, {"USDC", "solana"}: false, {"X", "y"}: false,
	} {
		fortest.Equal(t, (*Registry)(nil).ScansLinks(coin[0], coin[1]), want, "ScansLinks%v", coin)
	}
}
