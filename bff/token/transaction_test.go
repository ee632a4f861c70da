package token

import (
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// Ids of real transactions, as the documentation of their chains shows them.
var (
	// of Ethereum's block 46147, and of Bitcoin's first
	evmTx = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"
	btcTx = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"
	solTx = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnb" +
		"JLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"
)

func TestTransactionKey(t *testing.T) {
	zeros := strings.Repeat("0", 64)
	zerosBase64 := strings.Repeat("A", 43)
	for _, c := range []struct {
		network, id, want string // want empty = refused
	}{
		{"erc20", evmTx, evmTx},
		{"bep20", "0x" + strings.ToUpper(evmTx[2:]), evmTx},
		{"erc20", evmTx[2:], ""},
		{"erc20", evmTx + "0", ""},
		{"btc", btcTx, btcTx},
		{"ltc", strings.ToUpper(btcTx), btcTx},
		{"doge", "0x" + btcTx, ""},
		{"trc20", btcTx, btcTx},
		{"trc20", evmTx, ""},
		{"sol", solTx, solTx},
		{"sol", strings.ToLower(solTx), ""},
		{"sol", solTx[2:], ""},
		{"sol", strings.Repeat("1", 64), strings.Repeat("1", 64)}, // 64 zero bytes
		{"ton", zeros, zeros},
		{"ton", zerosBase64, zeros},
		{"ton", zerosBase64 + "=", zeros},
		{"ton", "+/" + zerosBase64[2:] + "=", "fbf" + zeros[3:]},
		{"ton", "-_" + zerosBase64[2:], "fbf" + zeros[3:]},
		{"ton", zerosBase64[:42] + "B", ""}, // bits after the last byte
		{"ton", zerosBase64 + "A", ""},
		{"xrp", strings.ToUpper(btcTx), btcTx},
		{"nowhere", evmTx, evmTx},
		{"nowhere", "0.0.1234@1700000000.1", "0.0.1234@1700000000.1"}, // as Hedera writes them
		{"nowhere", "two words", ""},
		{"nowhere", "é", ""},
		{"nowhere", strings.Repeat("x", 129), ""},
		{"erc20", "", ""},
		{"nowhere", "", ""},
	} {
		got, err := (*Registry)(nil).TransactionKey(c.network, c.id)
		if (err != nil) != (c.want == "") {
			t.Errorf("TransactionKey(%s, %q): %v", c.network, c.id, err)
		}
		fortest.Equal(t, got, c.want, "key of %s on %s", c.id, c.network)
	}
}

// FuzzTransactionKey: what is accepted can be shown and put into a link, and a key is its own key.
func FuzzTransactionKey(f *testing.F) {
	for _, network := range []string{"erc20", "btc", "trc20", "sol", "ton", "nowhere"} {
		f.Add(network, evmTx)
		f.Add(network, btcTx)
		f.Add(network, solTx)
		f.Add(network, strings.Repeat("A", 43)+"=")
	}
	f.Fuzz(func(t *testing.T, network, id string) {
		key, err := Builtin().TransactionKey(network, id)
		if err != nil {
			return
		}
		unsafe := func(r rune) bool { return r <= ' ' || r > '~' }
		if len(id) > 128 || strings.ContainsFunc(id, unsafe) {
			t.Fatalf("%q is an id on %q", id, network)
		}
		again, err := Builtin().TransactionKey(network, key)
		if err != nil || again != key {
			t.Fatalf("the key of %q is %q, whose key is %q, %v", id, key, again, err)
		}
	})
}
