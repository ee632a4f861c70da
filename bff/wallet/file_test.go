package wallet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"coinslot/bff/fortest"
	"coinslot/bff/token"

	"github.com/shopspring/decimal"
)

const whole = `
wallets:
  - id: acme                       # a new one
    name: Acme Wallet
    mark: A
    platforms: [ios]
    sends:
      - networks: {tron: 195, ethereum: eth}
        token: https://acme.example/pay/{network}/{contract}?to={address}&sum={amount}
        source: https://acme.example/docs
      - networks: [ethereum]
        coin: https://acme.example/pay?to={address}&wei={units}&chain={chain_id}
        source: https://acme.example/docs
    opens:
      networks: [bitcoin, tron]
      link: acme://open?url={url}
      source: https://acme.example/docs
  - id: phantom                    # instead of the built-in one
    name: Phantom of the shop
    mark: Ph
    platforms: [ios, android]
    opens:
      networks: [solana]
      link: https://phantom.example/{page}
      source: https://phantom.example/
hide: [okx, trust]
`

// ids of the links for a payment, those that fill in with a plus.
func ids(r *Registry, p token.Payment) string {
	var list []string
	for _, link := range r.Links(p, nil, orderPage) {
		id := link.ID
		if link.Fills {
			id += "+"
		}
		list = append(list, id)
	}
	return strings.Join(list, " ")
}

func TestOperatorsFile(t *testing.T) {
	r := fortest.Must(Parse([]byte(whole), nil))(t)
	usdt := pay("USDT", "trc20", tron, "25.03")
	for _, c := range []struct {
		p    token.Payment
		want string
	}{
		{usdt, "acme+ tronlink"},
		{pay("TRX", "trx", tron, "1"), "acme tronlink"},
		{pay("ETH", "erc20", evm, "1"), "acme+ metamask+ base bitget imtoken"},
		{pay("USDC", "sol", sol, "1"), "phantom metamask"},
		{pay("BTC", "btc", btc, "1"), "acme"},
	} {
		fortest.Equal(t, ids(r, c.p), c.want, "%s on %s", c.p.Symbol, c.p.Network)
	}

	links := r.Links(usdt, nil, orderPage)
	fortest.Equal(t, links[0].Link,
		"https://acme.example/pay/195/"+usdtTRON+"?to="+tron+"&sum=25.03", "a token of acme")
	fortest.Equal(t, links[0].Name+" "+links[0].Mark, "Acme Wallet A", "name and mark")
	eth := linkOf(r.Links(pay("ETH", "erc20", evm, "1"), nil, orderPage), "acme")
	fortest.Equal(t, eth.Link,
		"https://acme.example/pay?to="+evm+"&wei=1000000000000000000&chain=1", "a coin of acme")

	if got := ids(nil, usdt); !strings.HasPrefix(got, "trust+") {
		t.Errorf("a file has changed what is built in: %s", got)
	}
}

func TestTokensByName(t *testing.T) {
	r := fortest.Must(Parse([]byte(`
wallets:
  - id: acme
    name: Acme
    mark: A
    platforms: [android]
    sends:
      - networks: [ethereum]
        tokens: [usdc]
        token: https://acme.example/usdc?to={address}&sum={amount}
        source: https://acme.example/docs
`), nil))(t)
	usdc := linkOf(r.Links(pay("USDC", "erc20", evm, "1"), nil, orderPage), "acme")
	usdt := linkOf(r.Links(pay("USDT", "erc20", evm, "1"), nil, orderPage), "acme")
	eth := linkOf(r.Links(pay("ETH", "erc20", evm, "1"), nil, orderPage), "acme")
	fortest.Equal(t, usdc.Link, "https://acme.example/usdc?to="+evm+"&sum=1", "USDC")
	fortest.Equal(t, usdt.Link+eth.Link, "", "USDT and ETH")
}

// Networks of an operator's own are known if the list of coins has them.
func TestOwnNetworks(t *testing.T) {
	file := []byte(strings.Replace(whole, "{tron: 195, ethereum: eth}", "[fantom]", 1))
	if _, err := Parse(file, nil); err == nil {
		t.Error("a network that nobody knows is accepted")
	}
	tokens := fortest.Must(token.Parse([]byte(`
networks:
  - {id: fantom, codes: [ftm], family: evm, chain_id: 250, coins: [FTM], source: https://chainid.network/}
`)))(t)
	fortest.Must(Parse(file, tokens))(t)
}

func TestEmptyFileIsWhatIsBuiltIn(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "wallets: []\n", "hide: []\n"} {
		r, err := Parse([]byte(text), nil)
		if err != nil || len(r.wallets) != len(Builtin().wallets) {
			t.Errorf("Parse(%q) = %v", text, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const head = "wallets:\n  - id: x\n    name: X\n    mark: X\n    platforms: [ios]\n"
	const source = "source: https://x.example/"
	form := func(members string) string {
		return head + "    sends: [{networks: [ethereum], " + members + ", " + source + "}]\n"
	}
	opens := func(link string) string {
		return head + "    opens: {networks: [tron], link: '" + link + "', " + source + "}\n"
	}
	entry := func(old, replacement string) string {
		return strings.Replace(whole, old, replacement, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"not YAML", "wallets: [", ""},
		{"a list", "- a", "line 1"},
		{"two documents", "hide: []\n---\nhide: []", "2 documents"},
		{"unknown list", "apps: []", "apps: unknown member"},
		{"no list", "wallets: {a: b}", "must be a list"},
		{"entry no mapping", "wallets:\n  - trust", "line 2"},
		{"unknown member", entry("mark: A", "logo: a.svg"), "line 3: wallet acme: logo: unknown member"},
		{"unknown member of sends", entry("coin: https", "coins: https"), "wallet acme: sends[1].coins: unknown member"},
		{"list for text", entry("id: acme", "id: [acme]"), "line 3: wallet ?: id: must be text"},
		{"text for list", entry("platforms: [ios]", "platforms: ios"), "platforms: must be a list"},
		{"anchor", "wallets:\n  - &a {id: x}", "plain value"},
		{"no id", entry("id: acme ", "mark: B "), ""},
		{"id in capitals", entry("id: acme ", "id: Acme "), "id: must be letters"},
		{"id twice", entry("id: phantom ", "id: acme "), "wallet acme: is listed twice"},
		{"no name", entry("    name: Acme Wallet\n", ""), "wallet acme: name"},
		{"long name", entry("Acme Wallet", strings.Repeat("a", 41)), "name"},
		{"no mark", entry("    mark: A\n", ""), "mark"},
		{"long mark", entry("mark: A", "mark: ACM"), "mark: must be one or two letters"},
		{"mark of signs", entry("mark: A", "mark: '<>'"), "mark"},
		{"no platforms", entry("    platforms: [ios]\n", ""), "platforms"},
		{"unknown platform", entry("[ios]", "[symbian]"), "platforms: must be ios, android or both"},
		{"platform twice", entry("[ios]", "[ios, ios]"), "platforms"},
		{"no links", head, "line 2: wallet x: must have sends or opens"},
		{"form without links", form("tokens: [USDT]"), "sends[0].coin"},
		{"tokens without a link", form("tokens: [USDT], coin: 'https://x.example/{address}/{amount}'"), "sends[0].tokens"},
		{"token with a space", form("tokens: [U SD], token: 'https://x.example/{contract}/{address}/{amount}'"), "sends[0].tokens"},
		{"token without a contract", form("token: 'https://x.example/{address}/{amount}'"), "sends[0].token: must have {contract}"},
		{"coin with a contract", form("coin: 'https://x.example/{contract}/{address}/{amount}'"), "sends[0].coin: the network's own coin"},
		{"unknown placeholder", form("coin: 'https://x.example/{address}/{amount}/{memo}'"), "sends[0].coin: unknown placeholder {memo}"},
		{"placeholder of pages", form("coin: 'https://x.example/{address}/{amount}/{url}'"), "unknown placeholder {url}"},
		{"empty placeholder", form("coin: 'https://x.example/{address}/{amount}/{}'"), "unknown placeholder {?}"},
		{"single brace", form("coin: 'https://x.example/{address}/{amount}/}'"), "single braces"},
		{"space in a link", form("coin: 'https://x.example/{address}/{amount} '"), "without spaces"},
		{"quote in a link", form("coin: \"https://x.example/{address}/{amount}'\""), "without spaces, quotes"},
		{"no address", form("coin: 'https://x.example/{amount}'"), "must have {address}"},
		{"no amount", form("coin: 'https://x.example/{address}'"), "either {amount} or {units}"},
		{"two amounts", form("coin: 'https://x.example/{address}/{amount}/{units}'"), "either {amount} or {units}"},
		{"plain http", form("coin: 'http://x.example/{address}/{amount}'"), "must be an https link"},
		{"form of an app", form("coin: 'x://pay/{address}/{amount}'"), "must be an https link"},
		{"host from a placeholder", form("coin: 'https://{address}.example/{amount}'"), "host of its own"},
		{"host behind a user", form("coin: 'https://x.example@{address}/{amount}'"), "host of its own"},
		{"host without a name", form("coin: 'https://x/{address}/{amount}'"), "host of its own"},
		{"long link", form("coin: 'https://x.example/{address}/{amount}" + strings.Repeat("a", 300) + "'"), "longer than 300"},
		{"page without an address", opens("https://x.example/"), "opens.link: must have {url}"},
		{"page with an amount", opens("https://x.example/{url}/{amount}"), "unknown placeholder {amount}"},
		{"script", opens("javascript://x.example/?%0aalert(1)//{url}"), "opens.link: must be an https link"},
		{"script in capitals", opens("JavaScript://x.example/?{url}"), "opens.link: must be an https link"},
		{"data", opens("data://x.example/?{url}"), "opens.link: must be an https link"},
		{"intent", opens("intent://x.example/?{url}"), "opens.link: must be an https link"},
		{"page of http", opens("http://x.example/?{url}"), "opens.link: must be an https link"},
		{"no scheme", opens("x.example/{url}"), "opens.link: must be an https link"},
		{"no networks", entry("networks: [bitcoin, tron]", "networks: []"), "opens.networks: must name"},
		{"networks not written", entry("      networks: [bitcoin, tron]\n", ""), "opens.networks: must name"},
		{"unknown network", entry("[bitcoin, tron]", "[erc20]"), "opens.networks: erc20 is not the id"},
		{"network twice", entry("[bitcoin, tron]", "[tron, tron]"), "tron is listed twice"},
		{"name of a network with a space", entry("ethereum: eth}", "ethereum: e th}"), "networks: the name of ethereum"},
		{"chain of TRON", entry("networks: [ethereum]", "networks: [tron]"), "sends[1].networks: tron has no {chain_id}"},
		{"no source", strings.Replace(opens("https://x.example/?{url}"), ", "+source, "", 1), "opens.source"},
		{"plain source", strings.Replace(opens("https://x.example/?{url}"), "source: https", "source: http", 1), "opens.source"},
		{"hides nobody", "hide: [nobody]", "hide: nobody is not the id"},
		{"hides its own", entry("hide: [okx", "hide: [phantom"), "hide: phantom is in the list"},
	} {
		r, err := Parse([]byte(c.text), nil)
		if err == nil || r != nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v; want one line with %q", c.name, err, c.want)
		}
	}
}

func TestLoad(t *testing.T) {
	if r, err := Load("", nil); err != nil || r != Builtin() {
		t.Errorf("Load of no file = %p, %v; want what is built in", r, err)
	}
	path := filepath.Join(t.TempDir(), "wallets.yaml")
	fortest.OK(t, os.WriteFile(path, []byte("wallets:\n  - {id: x, name: X}\n"), 0o600))
	for _, p := range []string{path, filepath.Dir(path), path + ".none", "/dev/null"} {
		if _, err := Load(p, nil); err == nil || !strings.Contains(err.Error(), "reading the wallets") {
			t.Errorf("Load(%s) = %v; want an error", p, err)
		}
	}
	if _, err := Load(path, nil); err == nil || !strings.Contains(err.Error(), "line 2: wallet x: mark") {
		t.Errorf("Load = %v; want the line and the entry", err)
	}
}

// FuzzParse reads any file: what is taken makes links that a page can hold, on a host of the file's,
// and what is refused is refused in words that can be logged.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add(builtinFile)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := Parse(raw, nil)
		if err != nil {
			if r != nil || !utf8.ValidString(err.Error()) && utf8.Valid(raw) {
				t.Fatalf("refused with %q and %v", err, r)
			}
			return
		}
		for _, coin := range token.Builtin().Tokens() {
			p := token.Payment{
				Symbol:  coin.Symbol,
				Network: coin.Network.ID,
				Address: addresses[coin.Network.Kind],
				Amount:  decimal.NewFromInt(1),
			}
			for _, link := range r.Links(p, nil, orderPage) {
				scheme, _, _ := strings.Cut(link.Link, ":")
				if strings.ContainsAny(link.Link, " \"'<>\\{}\r\n") || scheme == "javascript" ||
					scheme == "data" || link.Fills && scheme != "https" {
					t.Fatalf("%s has the link %q", link.ID, link.Link)
				}
				if link.Fills && !strings.Contains(link.Link, p.Address) {
					t.Fatalf("%s fills in %q, without the address", link.ID, link.Link)
				}
			}
		}
	})
}
