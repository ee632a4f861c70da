package token

import (
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// goodAddresses are public ones, by network. Sources: EIP-55, the contracts of
// USDT on Ethereum and TRON, the TON documentation of address forms.
var goodAddresses = []struct{ network, address string }{
	{"erc20", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
	{"bep20", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"},
	{"ETH", "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB"},
	{"polygon", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"},
	{"erc20", "0xdAC17F958D2ee523a2206206994597C13D831ec7"},
	{"trc20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"},
	{"ton", "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF"},
	{"ton", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"},
	{"ton", "kQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPgpP"},
	{"ton", "0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK"},
}

func TestGoodAddresses(t *testing.T) {
	for _, c := range goodAddresses {
		fortest.OK(t, Builtin().CheckAddress(c.network, c.address))
	}
	for _, c := range []struct{ network, address string }{
		{"erc20", strings.ToLower("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")}, // no checksum
		{"erc20", "0x" + strings.ToUpper("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")},
		{"ton", "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPrHF"}, // the other base64 alphabet
		{"ton", "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e"},
		{"brandnew", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
		{"brandnew", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"},
		{"btc", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"},
	} {
		fortest.OK(t, Builtin().CheckAddress(c.network, c.address))
	}
}

// Every single character of an address is covered by its checksum.
func TestOneCharacterChanged(t *testing.T) {
	for _, c := range goodAddresses {
		for i := range c.address {
			for _, other := range "012345679abcdefABCDEF" {
				if byte(other) == c.address[i] {
					continue
				}
				changed := c.address[:i] + string(other) + c.address[i+1:]
				fortest.Fails(t, Builtin().CheckAddress(c.network, changed),
					"CheckAddress(%q, %q), once %q", c.network, changed, c.address)
			}
		}
	}
}

func TestBadAddresses(t *testing.T) {
	for _, c := range []struct{ network, address string }{
		{"erc20", ""}, {"trc20", ""}, {"ton", ""}, {"btc", ""},
		{"trc20", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
		{"erc20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"},
		{"erc20", "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"},
		{"erc20", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed\n"},
		{"erc20", " 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"},
		{"erc20", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1bea"},
		{"trc20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t\n"},
		{"trc20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6"},
		{"trc20", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"}, // base58check, of Bitcoin
		// The decoder skips line breaks, so that this used to be shown as it is.
		{"ton", "EQDKbjIcfM6ezt8KjKJJLshZ\nJJSqX7XOA4ff-W72r5gqPrHF"},
		{"ton", "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF="},
		{"ton", "0:ca6e321c"},
		{"ton", "7:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e"},
		{"btc", "short"}, {"btc", "has space in it"}, {"btc", "<script>alert(1)</script>"}, {"btc", strings.Repeat("a", 129)},
		{"btc", "javascript:alert(1)"},
	} {
		fortest.Fails(t, Builtin().CheckAddress(c.network, c.address),
			"CheckAddress(%q, %q)", c.network, c.address)
	}
}
