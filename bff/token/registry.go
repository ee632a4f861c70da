// Package token knows coins and networks, which the gateway does not describe: what a
// network's addresses look like, how many digits a coin's transfers carry, its contract, and
// how a wallet is asked to send it.
//
// The well-known ones are built in (tokens.yaml, each with its source); an operator's file
// adds to them or replaces them, see docs/tokens.md. Everything computed from the registry is
// for display, for links, and for the names by which orders allow a coin: whether a payment counts
// is decided in package payment, from the gateway's own amounts.
package token

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"coinslot/app/wire"
	"coinslot/static"
)

// Kind is what a network's addresses and payment links look like.
type Kind string

// The kinds that are known. Addresses of kind Other are checked for their
// characters only, and no payment link exists for them.
const (
	EVM      Kind = "evm"
	TRON     Kind = "tron"
	TON      Kind = "ton"
	Solana   Kind = "solana"
	Bitcoin  Kind = "bitcoin"
	Litecoin Kind = "litecoin"
	Dogecoin Kind = "dogecoin"
	Other    Kind = "other"
)

// Family is the kind as the view names it: one of three, or other.
func (k Kind) Family() wire.Family {
	switch k {
	case EVM:
		return wire.EVM
	case TRON:
		return wire.TRON
	case TON:
		return wire.TON
	}
	return wire.OtherFamily
}

// contracts reports whether coins of the kind's networks can live at contracts.
func (k Kind) contracts() bool { return k == EVM || k == TRON || k == TON || k == Solana }

// Network is a blockchain.
type Network struct {
	ID        string // "ethereum"; names its mark
	Name      string // as shoppers read it; empty: as the gateway writes it
	Kind      Kind
	ChainID   uint64 // as in EIP-155; zero unless Kind is EVM
	Exchanges bool   // most exchanges withdraw to it
	coins     []string
}

// Mark returns the path of the network's mark on the BFF's origin, "" if static/icons has none.
func (n Network) Mark() string {
	path := "icons/net-" + n.ID + ".svg"
	file, err := static.Files.Open(path)
	if err != nil {
		return ""
	}
	_ = file.Close()
	return "/" + path
}

// Token is a coin on a network.
type Token struct {
	Symbol    string // as its entry spells it, "USDT"; it may be an old one
	NewSymbol string // the present symbol if Symbol is an old one, else empty
	Name      string // as shoppers read it; empty: as the gateway writes it
	Former    string // what it was called before, "Toncoin (TON)"; empty if it was not renamed
	Network   Network
	Decimals  int32  // fractional digits of a transfer, 0…30
	Native    bool   // the chain's own coin
	Contract  string // empty if Native, and if it is not known: then there are no links
	Exchanges bool   // most exchanges withdraw it on this network
	Source    string // where all this is from
	own       bool   // Exchanges is its own; else it is the network's
}

// Registry is what is known, by network code and by coin. A nil Registry is the
// built-in one. It never changes and may be used by several goroutines.
type Registry struct {
	networks map[string]Network // by id
	codes    map[string]string  // id by lower-case network code
	tokens   map[key]Token
}

// key names a coin: its symbol in upper case and the id of its network.
type key struct{ symbol, network string }

//go:embed tokens.yaml
var builtinFile []byte

// Builtin returns the registry that is built in.
var Builtin = sync.OnceValue(func() *Registry {
	r, err := read(builtinFile, &Registry{})
	if err != nil {
		panic("tokens.yaml: " + err.Error()) // a test reads it
	}
	return r
})

func (r *Registry) orBuiltin() *Registry {
	if r == nil {
		return Builtin()
	}
	return r
}

func (r *Registry) clone() *Registry {
	c := &Registry{
		networks: map[string]Network{},
		codes:    map[string]string{},
		tokens:   map[key]Token{},
	}
	maps.Copy(c.networks, r.networks)
	maps.Copy(c.codes, r.codes)
	maps.Copy(c.tokens, r.tokens)
	return c
}

// Network returns the network that a gateway's code means, in any case of ASCII
// letters: "ERC20", "eth" and "ethereum" are one.
func (r *Registry) Network(code string) (Network, bool) {
	r = r.orBuiltin()
	n, ok := r.networks[r.codes[lower(code)]]
	return n, ok
}

// NetworkByID returns the network with exactly that id.
func (r *Registry) NetworkByID(id string) (Network, bool) {
	n, ok := r.orBuiltin().networks[id]
	return n, ok
}

// Token returns the coin of that symbol on the network that code means, both in
// any case of ASCII letters. A renamed coin is found by each symbol that it has had.
func (r *Registry) Token(symbol, code string) (Token, bool) {
	r = r.orBuiltin()
	n := r.networks[r.codes[lower(code)]]
	t, ok := r.tokens[key{upper(symbol), n.ID}]
	if !ok {
		return Token{}, false
	}
	if t.Network = n; !t.own {
		t.Exchanges = n.Exchanges
	}
	return t, true
}

// Tokens returns the coins by network id, each network's own coin first. One that has had several
// symbols is there once.
func (r *Registry) Tokens() []Token {
	r = r.orBuiltin()
	var list []Token
	for id, t := range r.tokens {
		if t.NewSymbol != "" {
			continue
		}
		t.Network = r.networks[id.network]
		list = append(list, t)
	}

	slices.SortFunc(list, func(a, b Token) int {
		byNetwork := strings.Compare(a.Network.ID, b.Network.ID)
		if byNetwork == 0 && a.Native != b.Native {
			if a.Native {
				return -1
			}
			return 1
		}
		return cmp.Or(byNetwork, strings.Compare(a.Symbol, b.Symbol))
	})
	return list
}

// OtherSymbols returns the symbols besides this one that a coin has or had on the network that code
// means: the present one of an old one, and the old ones. Nil = none.
func (r *Registry) OtherSymbols(symbol, code string) []string {
	t, ok := r.Token(symbol, code)
	if !ok {
		return nil
	}

	present := cmp.Or(t.NewSymbol, t.Symbol)
	var list []string
	for id, other := range r.orBuiltin().tokens {
		isSame := id.network == t.Network.ID && cmp.Or(other.NewSymbol, other.Symbol) == present
		if isSame && other.Symbol != t.Symbol {
			list = append(list, other.Symbol)
		}
	}
	slices.Sort(list)
	return list
}

// gatewayPlaces are the fractional digits in which the gateway speaks.
const gatewayPlaces = 8

// Places returns how many fractional digits a transfer can carry, capped at those in which the
// gateway speaks.
func (r *Registry) Places(symbol, code string) int32 {
	return min(r.Decimals(symbol, code), gatewayPlaces)
}

// maxPlaces are the fractional digits of an EVM network's own coin, and of most of its tokens.
const maxPlaces = 18

// Decimals returns how many fractional digits a transfer can carry. Of coins that are not known,
// USDT and USDC carry six everywhere but on BNB Smart Chain and its like, and others 18.
func (r *Registry) Decimals(symbol, code string) int32 {
	if t, ok := r.Token(symbol, code); ok {
		return t.Decimals
	}
	if s := upper(symbol); s != "USDT" && s != "USDC" {
		return maxPlaces
	}
	if n, ok := r.Network(code); ok && (n.ID == "bsc" || n.ID == "opbnb") {
		return maxPlaces
	}
	return 6
}

// Family returns what the addresses of a network look like; one that is not
// known is judged by the address, which may be empty.
func (r *Registry) Family(code, address string) wire.Family {
	return r.kind(code, address).Family()
}

func (r *Registry) kind(code, address string) Kind {
	if n, ok := r.Network(code); ok {
		return n.Kind
	}
	return guessKind(address)
}

// CheckAddress returns nil if address is well formed for the network and its checksum, where the
// kind has one, is right. An EVM address in one case carries no checksum and is accepted (EIP-55).
// An address on a network that is not known is checked by what it looks like.
func (r *Registry) CheckAddress(code, address string) error {
	return r.kind(code, address).check(address)
}

// lower and upper change ASCII letters only: the Kelvin sign is no k.
func lower(s string) string { return ascii(s, 'A', 'Z', 'a'-'A') }
func upper(s string) string { return ascii(s, 'a', 'z', -('a' - 'A')) }

func ascii(s string, from, to, shift rune) string {
	return strings.Map(func(c rune) rune {
		if from <= c && c <= to {
			return c + shift
		}
		return c
	}, s)
}
