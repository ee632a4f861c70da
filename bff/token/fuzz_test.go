package token

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

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
