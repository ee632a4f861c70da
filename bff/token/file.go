package token

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
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
	var lists map[string][]entry
	if err := yamlfile.Read(raw, &lists, true); err != nil {
		return nil, err
	}
	for name := range lists {
		if name != "networks" && name != "tokens" {
			return nil, fmt.Errorf("unknown section %.40q; use networks and tokens", name)
		}
	}
	f := reading{
		Registry: base.clone(),
		base:     base,
		ids:      map[string]bool{},
		codes:    map[string]bool{},
		keys:     map[key]bool{},
	}
	for _, e := range lists["networks"] {
		if err := f.network(e); err != nil {
			return nil, err
		}
	}
	for _, e := range lists["tokens"] {
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
	ids   map[string]bool
	codes map[string]bool
	keys  map[key]bool
}

// network adds an entry of networks. One that is built in can be given more
// codes, and whether exchanges withdraw to it; what it is stays.
func (f reading) network(e entry) error {
	e.labels = [2]string{"network", short(e.texts["id"])}
	if err := e.checkMembers(
		[]string{"id", "family", "chain_id", "exchanges", "source"}, []string{"codes", "coins"},
	); err != nil {
		return err
	}
	n, known := f.base.networks[e.texts["id"]]
	switch {
	case !idText.MatchString(e.texts["id"]):
		return e.fail("id: must be letters a-z, digits and -")
	case f.ids[e.texts["id"]]:
		return e.fail("is listed twice")
	}
	var err error
	if known {
		err = e.checkExtension()
	} else {
		n, err = e.newNetwork()
	}
	if err == nil {
		n.Exchanges, err = e.flag("exchanges", n.Exchanges)
	}
	if err != nil {
		return err
	}
	f.ids[n.ID], f.networks[n.ID] = true, n
	return f.addCodes(e, n)
}

// addCodes makes the codes of an entry mean its network.
func (f reading) addCodes(e entry, n Network) error {
	for _, code := range e.lists["codes"] {
		if !codeText.MatchString(code) {
			return e.fail("codes: %.70q must be letters, digits and . _ -", code)
		}
		if f.codes[lower(code)] {
			return e.fail("codes: %q is listed twice", code)
		}
		f.codes[lower(code)], f.Registry.codes[lower(code)] = true, n.ID
	}
	return nil
}

// checkExtension checks an entry for a network that is built in.
func (e entry) checkExtension() error {
	for _, member := range []string{"family", "chain_id", "coins"} {
		if e.texts[member] != "" || e.lists[member] != nil {
			return e.fail("%s: the network is built in; give yours an id of its own", member)
		}
	}
	return nil
}

func (e entry) newNetwork() (Network, error) {
	n := Network{ID: e.texts["id"], Kind: Kind(e.texts["family"]), coins: e.lists["coins"]}
	switch n.Kind {
	case EVM, TRON, TON, Solana, Bitcoin, Litecoin, Dogecoin, Other:
	default:
		return n, e.fail(
			"family: must be evm, tron, ton, solana, bitcoin, litecoin, dogecoin or other",
		)
	}
	if len(e.lists["codes"]) == 0 {
		return n, e.fail("codes: must name at least one of the gateway's network codes")
	}
	for _, symbol := range n.coins {
		if !symbolText.MatchString(symbol) {
			return n, e.fail("coins: %.40q is not a coin's symbol", symbol)
		}
	}
	id, given := e.texts["chain_id"]
	if given != (n.Kind == EVM) {
		return n, e.fail("chain_id: networks of the family evm have one, and no others")
	}
	if given {
		if !numberText.MatchString(id) || id == "0" {
			return n, e.fail("chain_id: must be a whole number from 1")
		}
		n.ChainID, _ = strconv.ParseUint(id, 10, 64) // 18 digits at most
	}
	return n, e.checkSource()
}

// token adds an entry of tokens.
func (f reading) token(e entry) error {
	e.labels = [2]string{"token", short(e.texts["symbol"]) + " on " + short(e.texts["network"])}
	if err := e.checkMembers(
		[]string{"symbol", "network", "decimals", "contract", "exchanges", "source"}, nil,
	); err != nil {
		return err
	}
	n, known := f.networks[e.texts["network"]]
	t := Token{
		Symbol:   e.texts["symbol"],
		Network:  n,
		Contract: e.texts["contract"],
		Source:   e.texts["source"],
	}
	id := key{upper(t.Symbol), n.ID}
	switch {
	case !symbolText.MatchString(t.Symbol):
		return e.fail("symbol: must be letters, digits and . + $ -")
	case !known:
		return e.fail("network: must be the id of a network, as in the list of networks")
	case f.keys[id]:
		return e.fail("is listed twice")
	}
	t.Native = slices.ContainsFunc(n.coins,
		func(coin string) bool { return upper(coin) == id.symbol })
	if err := e.decimals(&t); err != nil {
		return err
	}
	if err := e.contract(t); err != nil {
		return err
	}
	var err error
	if t.Exchanges, err = e.flag("exchanges", false); err != nil {
		return err
	}
	if _, t.own = e.texts["exchanges"]; e.checkSource() != nil {
		return e.checkSource()
	}
	f.keys[id], f.tokens[id] = true, t
	return nil
}

func (e entry) decimals(t *Token) error {
	digits, err := strconv.Atoi(e.texts["decimals"])
	if err != nil || !numberText.MatchString(e.texts["decimals"]) || digits > maxDecimals {
		return e.fail("decimals: must be a whole number from 0 to %d", maxDecimals)
	}
	t.Decimals = int32(digits)
	return nil
}

// contract checks that t lives where a coin of its network can live. Addresses
// have to carry their checksum: a mistyped contract would be paid.
func (e entry) contract(t Token) error {
	text, given := e.texts["contract"]
	switch {
	case !given:
		return nil
	case t.Native:
		return e.fail("contract: the network's own coin has no contract")
	case !t.Network.Kind.contracts():
		return e.fail("contract: coins of this network have no contract")
	}
	if err := t.Network.Kind.check(text); err != nil {
		return e.fail("contract: %w", err)
	}
	if t.Network.Kind == EVM && text != "0x"+eip55(text[2:]) {
		return e.fail(
			"contract: must be written with its checksum, in upper and lower case (EIP-55)",
		)
	}
	if t.Network.Kind == TON && (rawTON.MatchString(text) || text != urlSafe(text)) {
		return e.fail("contract: must be the 48 characters of the user-friendly form, with - and _")
	}
	return nil
}

// checkSource checks that an entry says where it is from.
func (e entry) checkSource() error {
	u, err := url.Parse(e.texts["source"])
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return e.fail("source: must be the https address of the page where this is published")
	}
	return nil
}

func (e entry) flag(name string, otherwise bool) (bool, error) {
	switch text, given := e.texts[name]; {
	case !given:
		return otherwise, nil
	case text == "true":
		return true, nil
	case text == "false":
		return false, nil
	}
	return false, e.fail("%s: must be true or false", name)
}

// checkMembers refuses members that are not of the entry, and empty ones.
func (e entry) checkMembers(texts, lists []string) error {
	for _, name := range slices.Sorted(maps.Keys(e.texts)) {
		if !slices.Contains(texts, name) {
			return e.fail("%.40q is not allowed here, or must be a list", name)
		}
		if strings.TrimSpace(e.texts[name]) == "" {
			return e.fail("%s: is empty", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.lists)) {
		if !slices.Contains(lists, name) {
			return e.fail("%.40q is not allowed here, or must be a plain value", name)
		}
	}
	return nil
}

// short is text for an error; it may be anything.
func short(text string) string {
	if text == "" {
		return "?"
	}
	return strings.Trim(strconv.Quote(fmt.Sprintf("%.32s", text)), `"`)
}
