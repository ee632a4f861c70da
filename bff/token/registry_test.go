package token

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// least is what the built-in list has at the least: coin, a code of the network, digits.
var least = []struct {
	symbol, code string
	decimals     int32
	native       bool
}{
	{"USDT", "erc20", 6, false}, {"USDT", "bep20", 18, false}, {"USDT", "polygon", 6, false}, {"USDT", "arbitrum", 6, false},
	{"USDT", "optimism", 6, false}, {"USDT", "avaxc", 6, false}, {"USDT", "trc20", 6, false}, {"USDT", "ton", 6, false},
	{"USDC", "erc20", 6, false}, {"USDC", "bsc", 18, false}, {"USDC", "polygon", 6, false}, {"USDC", "arb", 6, false},
	{"USDC", "op", 6, false}, {"USDC", "avaxc", 6, false}, {"USDC", "base", 6, false},
	{"ETH", "eth", 18, true}, {"ETH", "arbitrum", 18, true}, {"ETH", "optimism", 18, true}, {"ETH", "base", 18, true},
	{"BNB", "bnb", 18, true}, {"POL", "matic", 18, true}, {"MATIC", "polygon", 18, true}, {"AVAX", "avaxc", 18, true},
	{"GRAM", "ton", 9, true}, {"TON", "ton", 9, true}, {"TRX", "trx", 6, true}, {"SOL", "sol", 9, true}, {"BTC", "btc", 8, true},
	{"LTC", "ltc", 8, true}, {"DOGE", "doge", 8, true},
}

func TestBuiltinHasTheWellKnown(t *testing.T) {
	for _, c := range least {
		for _, symbol := range []string{c.symbol, strings.ToLower(c.symbol)} {
			got, ok := Builtin().Token(symbol, strings.ToUpper(c.code))
			if !ok || got.Decimals != c.decimals || got.Native != c.native || (got.Contract == "") != c.native || !strings.HasPrefix(got.Source, "https://") {
				t.Errorf("Token(%s, %s) = %+v, %t", symbol, c.code, got, ok)
			}
		}
	}
	for _, pair := range [][2]string{{"USDT", ""}, {"", "erc20"}, {"USDT", "nowhere"}, {"U\u017fDT", "erc20"}, {"ETH", "bep20"}, {"BNB", "opbnb"}, {"USDT", "to\u212a"}} {
		if got, ok := (*Registry)(nil).Token(pair[0], pair[1]); ok {
			t.Errorf("Token(%q, %q) = %+v; want none", pair[0], pair[1], got)
		}
	}
}

// A renamed coin is one coin by each symbol that it has had.
func TestRenamed(t *testing.T) {
	type names struct{ Symbol, NewSymbol, Name, Former string }
	for _, c := range []struct {
		symbol, code string
		want         names
	}{
		{"GRAM", "ton", names{"GRAM", "", "Gram", "Toncoin (TON)"}},
		{"ton", "TON", names{"TON", "GRAM", "Gram", "Toncoin (TON)"}},
		{"POL", "polygon", names{"POL", "", "", "MATIC"}},
		{"MATIC", "matic", names{"MATIC", "POL", "", "MATIC"}},
		{"BTC", "btc", names{"BTC", "", "", ""}},
		{"TON", "bep20", names{}}, // another token, of which nothing is known
	} {
		got, _ := Builtin().Token(c.symbol, c.code)
		fortest.Equal(t, names{got.Symbol, got.NewSymbol, got.Name, got.Former}, c.want,
			"%s on %s", c.symbol, c.code)
	}
	for _, c := range []struct {
		symbol, code string
		want         []string
	}{
		{"GRAM", "ton", []string{"TON"}},
		{"ton", "ton", []string{"GRAM"}},
		{"MATIC", "polygon", []string{"POL"}},
		{"MATIC", "erc20", nil}, // a token of its own
		{"BTC", "btc", nil},
	} {
		fortest.Diff(t, Builtin().OtherSymbols(c.symbol, c.code), c.want, "%s on %s", c.symbol, c.code)
	}

	var listed []string
	for _, token := range Builtin().Tokens() {
		listed = append(listed, token.Symbol)
	}
	for _, old := range []string{"TON", "MATIC"} {
		if slices.Contains(listed, old) {
			t.Errorf("Tokens has %s, whose coin it has by the present symbol", old)
		}
	}

	n, _ := Builtin().Network("ton")
	fortest.Equal(t, n.Name, "TON (The Open Network)", "the network's name")
}

// TestBuiltinContracts checks the list for slips: whatever the parser does, each
// contract carries its checksum, and none is there twice on one network.
func TestBuiltinContracts(t *testing.T) {
	seen := map[string]string{}
	for id, token := range Builtin().tokens {
		n := Builtin().networks[id.network]
		if token.Contract == "" {
			continue
		}
		fortest.OK(t, n.Kind.check(token.Contract))
		if n.Kind == EVM && token.Contract[2:] != eip55(token.Contract[2:]) {
			t.Errorf("%v: %s carries no EIP-55 checksum", id, token.Contract)
		}
		place := n.ID + token.Contract
		fortest.Equal(t, seen[place], "", "%v and are at one contract", id)
		seen[place] = id.symbol
	}
	if len(seen) < 17 {
		t.Errorf("%d contracts; want at least 17", len(seen))
	}
}

// Source of the numbers: chainid.network.
func TestNetworks(t *testing.T) {
	for _, c := range []struct {
		codes   string
		id      string
		family  wire.Family
		chainID uint64
	}{
		{"erc20 ETH ethereum", "ethereum", wire.EVM, 1}, {"bep20 BSC bnb", "bsc", wire.EVM, 56}, {"opBNB", "opbnb", wire.EVM, 204},
		{"polygon matic pol", "polygon", wire.EVM, 137}, {"arbitrum ARB", "arbitrum", wire.EVM, 42161}, {"optimism OP", "optimism", wire.EVM, 10},
		{"base", "base", wire.EVM, 8453}, {"avaxc avalanche", "avalanche", wire.EVM, 43114}, {"trc20 tron TRX", "tron", wire.TRON, 0},
		{"ton TON", "ton", wire.TON, 0}, {"sol solana SPL", "solana", wire.OtherFamily, 0}, {"btc Bitcoin", "bitcoin", wire.OtherFamily, 0},
		{"ltc litecoin", "litecoin", wire.OtherFamily, 0}, {"doge dogecoin", "dogecoin", wire.OtherFamily, 0},
	} {
		for _, code := range strings.Fields(c.codes) {
			n, ok := Builtin().Network(code)
			if !ok || n.ID != c.id || n.Kind.Family() != c.family || n.ChainID != c.chainID {
				t.Errorf("Network(%s) = %+v, %t; want %s, %s, %d", code, n, ok, c.id, c.family, c.chainID)
			}
			if got := n.Mark(); (got == "/icons/net-"+c.id+".svg") == (c.id == "opbnb") {
				t.Errorf("mark of %s = %q", code, got)
			}
		}
	}
	if n, ok := Builtin().Network("brandnew"); ok || n.Mark() != "" {
		t.Errorf("Network(brandnew) = %+v", n)
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		symbol, code string
		want         int32
	}{
		{"USDT", "trc20", 6}, {"usdc", "ERC20", 6}, {"USDT", "bep20", 8}, {"USDC", "BSC", 8}, {"USDT", "opbnb", 8}, {"USDT", "nowhere", 6},
		{"ETH", "erc20", 8}, {"TON", "ton", 8}, {"TRX", "trc20", 6}, {"BTC", "btc", 8}, {"X", "y", 8}, {"", "", 8}, {"ETH", "trc20", 8},
	} {
		fortest.Equal(t, (*Registry)(nil).Places(c.symbol, c.code), c.want,
			"Places(%s, %s)", c.symbol, c.code)
	}
}

// Addresses of coins that the gateway's documentation does not name. Sources: BIP-173 and BIP-350
// test vectors; the genesis block; public examples of the coins' documentation.
func TestOtherAddresses(t *testing.T) {
	good := map[string][]string{
		"btc": {
			"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
			"BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
			"bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
		},
		"ltc":  {"ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9", "LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9"},
		"doge": {"DBXu2kgc3xtvCUWFcxFE3r9hEYgmuaaCyD"},
		"sol":  {"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "11111111111111111111111111111111"},
	}
	good["sui"] = []string{"0x02a212de6a9dfa3a69e22387acfbafbb1a9e591bd9d636e7895dcfc8de05f331"} // longer than any of Ethereum's
	for code, list := range good {
		for _, address := range list {
			fortest.OK(t, (*Registry)(nil).CheckAddress(code, address))
		}
	}
	for _, c := range [][2]string{
		{"btc", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"}, {"btc", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp"}, {"btc", "bc1Qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"},
		{"btc", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"}, {"btc", "bc1zw508d6qejxtdg4y5r3zarvaryvg6kdaj"},
		{"btc", "bc1rw5uspcuf"}, {"btc", "bc1"}, {"btc", "bc1gmk9yu"}, {"btc", "bc1pw5dgrnzv"}, {"btc", "bc1qr508d6qejxtdg4y5r3zarvaryv98gj9p"},
		{"btc", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav"}, {"btc", "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"},
		{"btc", "bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du"}, {"btc", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"},
		{"doge", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"}, {"doge", "doge1qw508d6qejxtdg4y5r3zarvary0c5xw7k"},
		{"sol", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTD"}, {"sol", "0OIl"}, {"sol", ""}, {"btc", ""},
	} {
		fortest.Fails(t, (*Registry)(nil).CheckAddress(c[0], c[1]), "CheckAddress(%s, %s)", c[0],
			c[1])
	}
}

func TestLoad(t *testing.T) {
	if r, err := Load(""); err != nil || r != Builtin() {
		t.Errorf("Load of no file = %p, %v; want what is built in", r, err)
	}
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	fortest.OK(t, os.WriteFile(path, []byte("tokens:\n  - {symbol: DAI, network: ethereum, decimals: 31, source: https://makerdao.com/}\n"), 0o600))
	for _, p := range []string{path, filepath.Dir(path), path + ".none", "/dev/null"} {
		if _, err := Load(p); err == nil || !strings.Contains(err.Error(), "reading the coins") {
			t.Errorf("Load(%s) = %v; want an error", p, err)
		}
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "line 2: token DAI on ethereum: decimals") {
		t.Errorf("Load = %v; want the line and the entry", err)
	}
}

// The worked example of docs/tokens.md is a file that loads, and its table of what
// is built in is complete.
func TestDocs(t *testing.T) {
	page := fortest.Must(os.ReadFile("../../docs/tokens.md"))(t)
	example := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("no example")
	}
	r := fortest.Must(Parse(example[1]))(t)
	if usdc, ok := r.Token("USDC", "bsc"); !ok || usdc.Contract != "" {
		t.Errorf("USDC on bsc = %+v", usdc)
	}
	_, table, _ := strings.Cut(string(page), "## What is built in")
	for id, n := range Builtin().networks {
		fortest.Has(t, "the table lacks "+id, table, "`"+n.ID+"`")
	}
	for code := range Builtin().codes {
		if !regexp.MustCompile(`[ ,` + "`" + `]` + regexp.QuoteMeta(code) + "[ ,`]").MatchString(table) {
			t.Errorf("the table lacks the code %s", code)
		}
	}
	for id := range Builtin().tokens {
		fortest.Has(t, "the table", table, id.symbol)
	}
}
