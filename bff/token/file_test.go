package token

import (
	"strings"
	"testing"
	"unicode/utf8"

	"coinslot/bff/fortest"

	"github.com/shopspring/decimal"
)

// whole is a file with everything in it that an operator can say.
const whole = `
networks:
  - id: ethereum # is built in: more codes for it
    codes: [ETH-Mainnet]
  - id: fantom
    codes: [fantom, ftm]
    family: evm
    chain_id: 250
    coins: [FTM]
    exchanges: true
    source: https://chainid.network/
  - id: sepolia
    codes: [erc20] # from now on not ethereum's
    family: evm
    chain_id: 11155111
    source: https://chainid.network/
tokens:
  - {symbol: FTM, network: fantom, decimals: 18, source: https://chainid.network/}
  - {symbol: usdt, network: optimism, decimals: 6, exchanges: true, source: https://shop.example/}
  - symbol: DAI
    network: ethereum
    decimals: 18
    contract: 0x6B175474E89094C44Da98b954EedeAC495271d0F
    source: https://makerdao.com/
`

func TestParse(t *testing.T) {
	r := fortest.Must(Parse([]byte(whole)))(t)
	for _, c := range []struct{ symbol, code, network, contract string }{
		{"DAI", "eth", "ethereum", "0x6B175474E89094C44Da98b954EedeAC495271d0F"}, // not the number that YAML reads
		{"dai", "eth-MAINNET", "ethereum", "0x6B175474E89094C44Da98b954EedeAC495271d0F"},
		{"FTM", "ftm", "fantom", ""},
		{"USDT", "op", "optimism", ""}, // no contract, no links
		{"USDT", "ethereum", "ethereum", "0xdAC17F958D2ee523a2206206994597C13D831ec7"},
	} {
		got, ok := r.Token(c.symbol, c.code)
		if !ok || got.Network.ID != c.network || got.Contract != c.contract {
			t.Errorf("Token(%s, %s) = %+v, %t", c.symbol, c.code, got, ok)
		}
	}
	ftm, _ := r.Token("FTM", "fantom")
	usdt, _ := r.Token("USDT", "optimism")
	if !ftm.Native || !ftm.Exchanges || usdt.Native || !usdt.Exchanges {
		t.Errorf("FTM %+v, USDT %+v", ftm, usdt)
	}
	if n, _ := r.Network("ERC20"); n.ID != "sepolia" {
		t.Errorf("erc20 is %s; want the network that the file says", n.ID)
	}
	if got, ok := r.Token("USDT", "erc20"); ok {
		t.Errorf("USDT on sepolia = %+v; want none", got)
	}
	if n, _ := Builtin().Network("erc20"); n.ID != "ethereum" {
		t.Error("a file has changed what is built in")
	}
}

// An operator's file renames coins as the built-in one does, also those that are built in, and an
// entry for one symbol leaves the others alone.
func TestParseRenamed(t *testing.T) {
	r := fortest.Must(Parse([]byte(`
networks:
  - {id: avalanche, name: Avalanche (C-Chain)}
tokens:
  - {symbol: S, symbols: [FTM, sonic], former: Fantom, name: Sonic, network: bsc, decimals: 18, source: https://x.example/}
  - {symbol: AVA, symbols: [AVAX], network: avalanche, decimals: 18, source: https://x.example/}
  - {symbol: TON, network: ton, decimals: 9, source: https://x.example/}
`)))(t)
	for _, c := range []struct {
		symbol, code, present, name, former string
		native                              bool
	}{
		{"S", "bsc", "", "Sonic", "Fantom (FTM, sonic)", false},
		{"ftm", "bsc", "S", "Sonic", "Fantom (FTM, sonic)", false},
		{"Sonic", "bsc", "S", "Sonic", "Fantom (FTM, sonic)", false},
		{"AVA", "avaxc", "", "", "AVAX", true},
		{"AVAX", "avaxc", "AVA", "", "AVAX", true},
		{"TON", "ton", "", "", "", true}, // as the file says
		{"GRAM", "ton", "", "Gram", "Toncoin (TON)", true},
	} {
		got, ok := r.Token(c.symbol, c.code)
		if !ok || got.NewSymbol != c.present || got.Name != c.name || got.Former != c.former ||
			got.Native != c.native {
			t.Errorf("Token(%s, %s) = %+v, %t", c.symbol, c.code, got, ok)
		}
	}
	n, _ := r.Network("avax-c")
	fortest.Equal(t, n.Name, "Avalanche (C-Chain)", "the network's name")
}

func TestExchangesOfABuiltInNetwork(t *testing.T) {
	r := fortest.Must(Parse([]byte("networks:\n  - {id: ethereum, exchanges: false}\n")))(t)
	usdt, _ := r.Token("USDT", "erc20")
	avax, _ := r.Token("AVAX", "avaxc") // says so itself
	if usdt.Exchanges || usdt.Network.Exchanges || !avax.Exchanges {
		t.Errorf("USDT %+v, AVAX %+v", usdt, avax)
	}
}

func TestEmptyFileIsWhatIsBuiltIn(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "tokens: []\n"} {
		r, err := Parse([]byte(text))
		if err != nil || len(r.tokens) != len(Builtin().tokens) {
			t.Errorf("Parse(%q) = %v", text, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const network, dai = "networks:\n  - {id: x, codes: [x], family: evm, chain_id: 7, source: https://x.example/", "tokens:\n  - {symbol: DAI, network: ethereum, decimals: 18, source: https://x.example/"
	const contract = `, contract: "0x6B175474E89094C44Da98b954EedeAC495271d0F"`
	for _, c := range []struct{ name, text, want string }{
		{"not YAML", "tokens: [", ""},
		{"a list", "- a", "line 1"},
		{"two documents", "tokens: []\n---\ntokens: []", "2 documents"},
		{"unknown list", "coins: []", "coins: unknown member"},
		{"list twice", "tokens: []\ntokens: []", "tokens"},
		{"no YAML", "a: b\ns3cr3t: a: b", "line 2: mapping value"},
		{"no list", "tokens: {a: b}", "line 1: tokens: must be a list"},
		{"entry no mapping", "tokens:\n  - DAI", "line 2"},
		{"unknown member", dai + ", colour: red}", "line 2: token DAI on ethereum: colour: unknown member"},
		{"member twice", dai + ", symbol: DAI}", "symbol"},
		{"list for text", "tokens:\n  - {symbol: [DAI]}", "line 2: token ? on ?: symbol: must be text"},
		{"text for list", "networks:\n  - {id: x, codes: x}", "line 2: network x: codes: must be a list"},
		{"anchor", "tokens:\n  - &a {symbol: DAI}", "line 2"},
		{"alias", "tokens:\n  - {symbol: DAI, network: &n ethereum, decimals: 6, source: *n}", "plain value"},
		{"tag", "tokens:\n  - {symbol: !!str DAI}", "plain value"},
		{"null", "tokens:\n  - {symbol: null}", "plain value"},
		{"merge", "tokens:\n  - <<: {symbol: DAI}", ""},
		{"no symbol", "tokens:\n  - {network: ethereum, decimals: 1, source: https://x.example/}", "token ? on ethereum: symbol"},
		{"empty symbol", "tokens:\n  - {symbol: '', network: ethereum}", "symbol: is empty"},
		{"symbol with a space", "tokens:\n  - {symbol: D AI, network: ethereum}", "symbol"},
		{"unknown network", "tokens:\n  - {symbol: DAI, network: erc20, decimals: 1, source: https://x.example/}", "network: must be the id"},
		{"coin twice", dai + "}\n  - {symbol: dai, network: ethereum, decimals: 6, source: https://x.example/}", "line 3: token dai on ethereum: is listed twice"},
		{"no source", "tokens:\n  - {symbol: DAI, network: ethereum, decimals: 18}", "source"},
		{"plain http", strings.Replace(dai, "https", "http", 1) + "}", "source"},
		{"digits in words", strings.Replace(dai, "18", "many", 1) + "}", "decimals"},
		{"31 digits", strings.Replace(dai, "18", "31", 1) + "}", "decimals: must be a whole number from 0 to 30"},
		{"less than none", strings.Replace(dai, "18", "-1", 1) + "}", "decimals"},
		{"digits in octal", strings.Replace(dai, "18", "018", 1) + "}", "decimals"},
		{"digits in hexadecimal", strings.Replace(dai, "18", "0x12", 1) + "}", "decimals"},
		{"digits with a sign", strings.Replace(dai, "18", "+18", 1) + "}", "decimals"},
		{"half a digit", strings.Replace(dai, "18", "1.5", 1) + "}", "decimals"},
		{"no digits", "tokens:\n  - {symbol: DAI, network: ethereum, source: https://x.example/}", "decimals"},
		{"one letter of a contract", dai + strings.Replace(contract, "71d0F", "71d0E", 1) + "}", "EIP-55"},
		{"contract in lower case", dai + strings.ToLower(contract) + "}", "with its checksum"},
		{"contract elsewhere", dai + ", contract: TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t}", "contract"},
		{"contract of the chain's own coin", strings.Replace(dai, "DAI", "ETH", 1) + contract + "}", "own coin"},
		{"contract on Bitcoin", strings.Replace(dai, "ethereum", "bitcoin", 1) + ", contract: 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa}", "have no contract"},
		{"raw jetton", strings.Replace(dai, "ethereum", "ton", 1) + ", contract: \"0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e\"}", "user-friendly"},
		{"jetton in the other alphabet", strings.Replace(dai, "ethereum", "ton", 1) + ", contract: EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPrHF}", "user-friendly"},
		{"one letter of a jetton", strings.Replace(dai, "ethereum", "ton", 1) + ", contract: EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDt}", "checksum"},
		{"old symbol with a space", dai + ", symbols: [S AI]}", `line 2: token DAI on ethereum: symbols: "S AI" must be`},
		{"old symbol is the new one", dai + ", symbols: [dai]}", `symbols: "dai" is listed twice`},
		{"old symbol twice", dai + ", symbols: [SAI, sai]}", `symbols: "sai" is listed twice`},
		{"old symbol of another entry", dai + "}\n  - {symbol: DAI2, symbols: [Dai], network: ethereum, decimals: 18, source: https://x.example/}", `line 3: token DAI2 on ethereum: symbols: "Dai" is listed twice`},
		{"another entry's old symbol", dai + ", symbols: [SAI]}\n  - {symbol: SAI, network: ethereum, decimals: 18, source: https://x.example/}", "line 3: token SAI on ethereum: is listed twice"},
		{"contract of the chain's own coin by its old symbol", dai + ", symbols: [ETH]" + contract + "}", "own coin"},
		{"name on two lines", dai + `, name: "D\nAI"}`, "name: must be at most 64 printable"},
		{"former name too long", dai + ", former: " + strings.Repeat("x", 65) + "}", "former: must be at most 64 printable"},
		{"name of a network that turns the page", "networks:\n  - {id: ton, name: \"T\\u202EON\"}", "name: must be"},
		{"perhaps", dai + ", exchanges: maybe}", "exchanges: must be true or false"},
		{"no id", "networks:\n  - {codes: [x]}", "id"},
		{"id in capitals", "networks:\n  - {id: X}", "id"},
		{"id twice", network + "}\n  - {id: x, codes: [y], family: ton, source: https://x.example/}", "line 3: network x: is listed twice"},
		{"code twice", network + "}\n  - {id: y, codes: [X], family: ton, source: https://x.example/}", `codes: "X" is listed twice`},
		{"code with a colon", "networks:\n  - {id: ethereum, codes: ['a:b']}", "codes"},
		{"no codes", "networks:\n  - {id: x, family: ton, source: https://x.example/}", "codes"},
		{"no family", "networks:\n  - {id: x, codes: [x], source: https://x.example/}", "family"},
		{"chain of TON", "networks:\n  - {id: x, codes: [x], family: ton, chain_id: 1, source: https://x.example/}", "chain_id"},
		{"EVM without a chain", "networks:\n  - {id: x, codes: [x], family: evm, source: https://x.example/}", "chain_id"},
		{"chain 0", "networks:\n  - {id: x, codes: [x], family: evm, chain_id: 0, source: https://x.example/}", "chain_id"},
		{"coin with a space", strings.Replace(network, "family", "coins: [A B], family", 1) + "}", "coins"},
		{"another chain for what is built in", "networks:\n  - {id: ethereum, chain_id: 5}", "chain_id: the network is built in"},
		{"another family", "networks:\n  - {id: ethereum, family: ton}", "family: the network is built in"},
		{"other coins", "networks:\n  - {id: ethereum, coins: [USDT]}", "coins: the network is built in"},
	} {
		r, err := Parse([]byte(c.text))
		if err == nil || r != nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v; want one line with %q", c.name, err, c.want)
		}
	}
}

// FuzzParse reads any file: what is taken keeps every bound that links and amounts rely on, leaves
// what is built in alone, and what is refused is refused in words that can be logged.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := Parse(raw)
		if err != nil {
			if r != nil || !utf8.ValidString(err.Error()) && utf8.Valid(raw) {
				t.Fatalf("refused with %q and %v", err, r)
			}
			return
		}
		for id, token := range r.tokens {
			checkToken(t, r, id, token)
		}
		for code, id := range r.codes {
			if n, ok := r.networks[id]; !ok || n.ID != id || lower(code) != code || (n.Kind == EVM) != (n.ChainID > 0) {
				t.Fatalf("code %q is of %+v", code, n)
			}
		}
		for id, n := range Builtin().networks {
			if got := r.networks[id]; got.Kind != n.Kind || got.ChainID != n.ChainID || len(got.coins) != len(n.coins) {
				t.Fatalf("%s has become %+v", id, got)
			}
		}
	})
}

// examples are addresses by kind, to try links with.
var examples = map[Kind]string{EVM: evm, TON: ton, TRON: tron, Solana: sol, Bitcoin: btc, Litecoin: ltc, Dogecoin: doge, Other: "r1qwertzuiop"}

func checkToken(t *testing.T, r *Registry, id key, token Token) {
	t.Helper()
	n, ok := r.networks[id.network]
	if !ok || token.Decimals < 0 || token.Decimals > maxDecimals || upper(token.Symbol) != id.symbol || !strings.HasPrefix(strings.ToLower(token.Source), "https://") {
		t.Fatalf("%v is %+v", id, token)
	}
	if token.Contract != "" && (token.Native || n.Kind.check(token.Contract) != nil) {
		t.Fatalf("%v has the contract %q", id, token.Contract)
	}
	for code, of := range r.codes {
		if of != n.ID {
			continue
		}
		uri, contract := r.URI(Payment{Symbol: token.Symbol, Network: code, Address: examples[n.Kind], Amount: decimal.NewFromInt(1)})
		if strings.ContainsAny(uri, " \"'<>\\\r\n#") || contract != (uri != "" && token.Contract != "") || uri != "" && !token.Native && token.Contract == "" {
			t.Fatalf("%v on %s has the link %q", id, code, uri)
		}
	}
}

func FuzzCheckAddress(f *testing.F) {
	for _, c := range goodAddresses {
		f.Add(c.network, c.address)
	}
	f.Fuzz(func(t *testing.T, network, address string) {
		if Builtin().CheckAddress(network, address) == nil && (len(address) < 10 || len(address) > 128 || strings.ContainsAny(address, " \t\r\n\x00<>\"'")) {
			t.Errorf("CheckAddress(%q, %q) = nil; want an error", network, address)
		}
	})
}
