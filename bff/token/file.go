package token

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"coinslot/bff/internal/yamlfile"
)

// maxBytes bounds the file; the built-in one has 8 KiB.
const maxBytes = 1 << 20

// maxDecimals is more than any coin has.
const maxDecimals = 30

var (
	idText     = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
	codeText   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	symbolText = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+$-]{0,31}$`)
	numberText = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})$`)
	nameText   = regexp.MustCompile(`^[\pL\pN][^\pC]{0,63}$`)
)

// Load reads the operator's file and adds it to what is built in; an empty path
// is no file. Errors name the line and the entry.
func Load(path string) (r *Registry, err error) {
	if path == "" {
		return Builtin(), nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("reading the coins: %w", err)
		}
	}()
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxBytes {
		return nil, fmt.Errorf("%s must be a regular file of at most %d bytes", path, maxBytes)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(raw)
}

// Parse reads the YAML of an operator's file; its format is in docs/tokens.md.
// Its coins take the place of built-in ones of the same symbol and network, and
// its networks' codes that of the same codes. Errors name the line and the entry.
func Parse(raw []byte) (*Registry, error) { return read(raw, Builtin()) }

// read adds the file to base, which it does not change.
func read(raw []byte, base *Registry) (*Registry, error) {
	var written file
	if err := yamlfile.Read(raw, &written, true); err != nil {
		return nil, err
	}

	f := reading{
		Registry: base.clone(),
		base:     base,
		ids:      map[text]bool{},
		codes:    map[string]bool{},
		keys:     map[key]bool{},
	}
	for _, e := range written.Networks {
		if err := f.network(e); err != nil {
			return nil, err
		}
	}
	for _, e := range written.Tokens {
		if err := f.token(e); err != nil {
			return nil, err
		}
	}
	return f.Registry, nil
}

// reading is a registry in the making: what is in it already, and what this
// file has said so far, none of which may be said twice.
type reading struct {
	*Registry
	base  *Registry
	ids   map[text]bool
	codes map[string]bool
	keys  map[key]bool
}

// network adds an entry of networks. One that is built in can be given more
// codes, another name, and whether exchanges withdraw to it; what it is stays.
func (f reading) network(e networkEntry) error {
	if !idText.MatchString(string(e.ID)) {
		return e.fail("id: must be letters a-z, digits and -")
	}
	if f.ids[e.ID] {
		return e.fail("is listed twice")
	}

	n, known := f.base.networks[string(e.ID)]
	var err error
	if known {
		err = e.checkExtension()
	} else {
		n, err = e.newNetwork()
	}
	if err != nil {
		return err
	}
	if e.Exchanges != nil {
		n.Exchanges = bool(*e.Exchanges)
	}
	if e.Name != "" {
		if !nameText.MatchString(string(e.Name)) {
			return e.fail(noName, "name")
		}
		n.Name = string(e.Name)
	}

	f.ids[e.ID] = true
	f.networks[n.ID] = n
	return f.addCodes(e, n)
}

// addCodes makes the codes of an entry mean its network.
func (f reading) addCodes(e networkEntry, n Network) error {
	for _, written := range e.Codes {
		if !codeText.MatchString(string(written)) {
			return e.fail("codes: %.70q must be letters, digits and . _ -", written)
		}
		code := lower(string(written))
		if f.codes[code] {
			return e.fail("codes: %q is listed twice", written)
		}
		f.codes[code] = true
		f.Registry.codes[code] = n.ID
	}
	return nil
}

// checkExtension checks an entry for a network that is built in.
func (e networkEntry) checkExtension() error {
	const builtIn = "%s: the network is built in; give yours an id of its own"
	switch {
	case e.Family != "":
		return e.fail(builtIn, "family")
	case e.ChainID != nil:
		return e.fail(builtIn, "chain_id")
	case len(e.Coins) > 0:
		return e.fail(builtIn, "coins")
	}
	return nil
}

func (e networkEntry) newNetwork() (Network, error) {
	n := Network{ID: string(e.ID), Kind: Kind(e.Family)}
	switch n.Kind {
	case EVM, TRON, TON, Solana, Bitcoin, Litecoin, Dogecoin, Other:
	default:
		return n, e.fail(
			"family: must be evm, tron, ton, solana, bitcoin, litecoin, dogecoin or other",
		)
	}

	if len(e.Codes) == 0 {
		return n, e.fail("codes: must name at least one of the gateway's network codes")
	}
	for _, symbol := range e.Coins {
		if !symbolText.MatchString(string(symbol)) {
			return n, e.fail("coins: %.40q is not a coin's symbol", symbol)
		}
		n.coins = append(n.coins, string(symbol))
	}

	if (e.ChainID != nil) != (n.Kind == EVM) {
		return n, e.fail("chain_id: networks of the family evm have one, and no others")
	}
	if e.ChainID != nil {
		n.ChainID = uint64(*e.ChainID)
		if n.ChainID == 0 {
			return n, e.fail("chain_id: must be a whole number from 1")
		}
	}

	if !isPage(e.Source) {
		return n, e.fail(noPage)
	}
	return n, nil
}

// token adds an entry of tokens.
func (f reading) token(e tokenEntry) error {
	n, known := f.networks[string(e.Network)]
	t := Token{
		Symbol:   string(e.Symbol),
		Name:     string(e.Name),
		Former:   e.formerly(),
		Network:  n,
		Contract: string(e.Contract),
		Source:   string(e.Source),
	}
	id := key{upper(t.Symbol), n.ID}
	switch {
	case !symbolText.MatchString(t.Symbol):
		return e.fail("symbol: must be letters, digits and . + $ -")
	case e.Name != "" && !nameText.MatchString(t.Name):
		return e.fail(noName, "name")
	case e.Former != "" && !nameText.MatchString(string(e.Former)):
		return e.fail(noName, "former")
	case !known:
		return e.fail("network: must be the id of a network, as in the list of networks")
	case f.keys[id]:
		return e.fail("is listed twice")
	case e.Decimals == nil || *e.Decimals > maxDecimals:
		return e.fail("decimals: must be a whole number from 0 to %d", maxDecimals)
	case !isPage(e.Source):
		return e.fail(noPage)
	}
	t.Decimals = int32(*e.Decimals)
	t.Native = f.isNative(e.Symbol, n) || slices.ContainsFunc(e.Symbols,
		func(old text) bool { return f.isNative(old, n) })

	if t.Contract != "" {
		if err := t.checkContract(); err != nil {
			return e.fail("contract: %w", err)
		}
	}
	if e.Exchanges != nil {
		t.Exchanges = bool(*e.Exchanges)
		t.own = true
	}

	f.keys[id] = true
	f.tokens[id] = t
	return f.addOldSymbols(e, t)
}

// addOldSymbols makes the symbols that t had before mean t as well.
func (f reading) addOldSymbols(e tokenEntry, t Token) error {
	t.NewSymbol = t.Symbol
	for _, old := range e.Symbols {
		if !symbolText.MatchString(string(old)) {
			return e.fail("symbols: %.40q must be letters, digits and . + $ -", old)
		}
		id := key{upper(string(old)), t.Network.ID}
		if f.keys[id] {
			return e.fail("symbols: %q is listed twice", old)
		}
		t.Symbol = string(old)
		f.keys[id] = true
		f.tokens[id] = t
	}
	return nil
}

// isNative reports whether a symbol is, or was, that of the network's own coin.
func (f reading) isNative(symbol text, n Network) bool {
	id := key{upper(string(symbol)), n.ID}
	return f.base.tokens[id].Native ||
		slices.ContainsFunc(n.coins, func(coin string) bool { return upper(coin) == id.symbol })
}

// formerly is what the coin was called before: name and symbols, or one of them. It is empty if the
// entry names neither.
func (e tokenEntry) formerly() string {
	symbols := make([]string, 0, len(e.Symbols))
	for _, old := range e.Symbols {
		symbols = append(symbols, string(old))
	}
	list := strings.Join(symbols, ", ")
	if e.Former == "" || list == "" {
		return string(e.Former) + list
	}
	return string(e.Former) + " (" + list + ")"
}

// checkContract checks that t lives where a coin of its network can live. Addresses
// have to carry their checksum: a mistyped contract would be paid.
func (t Token) checkContract() error {
	kind := t.Network.Kind
	switch {
	case t.Native:
		return errors.New("the network's own coin has no contract")
	case !kind.contracts():
		return errors.New("coins of this network have no contract")
	}

	if err := kind.check(t.Contract); err != nil {
		return err
	}
	if kind == EVM && t.Contract != "0x"+eip55(t.Contract[2:]) {
		return errors.New("must be written with its checksum, in upper and lower case (EIP-55)")
	}
	if kind == TON && (rawTON.MatchString(t.Contract) || t.Contract != urlSafe(t.Contract)) {
		return errors.New("must be the 48 characters of the user-friendly form, with - and _")
	}
	return nil
}

// noName is the problem of a member that is not [nameText].
const noName = "%s: must be at most 64 printable characters, the first a letter or digit"

// noPage is the problem of an entry whose source is not [isPage].
const noPage = "source: must be the https address of the page where this is published"

// isPage reports whether source says where an entry is from.
func isPage(source text) bool {
	u, err := url.Parse(string(source))
	return err == nil && u.Scheme == "https" && u.Host != ""
}
