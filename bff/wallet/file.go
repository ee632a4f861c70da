package wallet

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"coinslot/bff/internal/yamlfile"
	"coinslot/bff/token"
)

// maxBytes bounds the file; the built-in one has 5 KiB.
const maxBytes = 1 << 20

// maxLink bounds a template, and with it the bytes that each wallet adds to every view.
const maxLink = 300

var (
	idText      = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
	nameText    = regexp.MustCompile(`^[^\p{C}]{1,40}$`)
	markText    = regexp.MustCompile(`^[\p{L}\p{N}]{1,2}$`)
	networkText = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,64}$`)
	symbolText  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+$-]{0,31}$`)
)

// Load reads the operator's file and adds it to what is built in; an empty path is no file. tokens
// has the networks that it may name; nil = the built-in ones. Errors name the line and the entry.
func Load(path string, tokens *token.Registry) (r *Registry, err error) {
	if path == "" {
		return Builtin(), nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("reading the wallets: %w", err)
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
	return Parse(raw, tokens)
}

// Parse reads the YAML of an operator's file; its format is in docs/wallets.md. Its wallets come
// before the built-in ones, and one of the same id takes the place of that. Errors name the line
// and the entry.
func Parse(raw []byte, tokens *token.Registry) (*Registry, error) {
	return read(raw, Builtin(), tokens)
}

// read adds the file to base, which it does not change.
func read(raw []byte, base *Registry, tokens *token.Registry) (*Registry, error) {
	var written file
	if err := yamlfile.Read(raw, &written, true); err != nil {
		return nil, err
	}

	r := &Registry{}
	for _, e := range written.Wallets {
		w, err := e.wallet(tokens)
		if err != nil {
			return nil, err
		}
		if r.has(w.ID) {
			return nil, e.fail("is listed twice")
		}
		r.wallets = append(r.wallets, w)
	}

	for _, id := range written.Hide {
		switch {
		case !base.has(string(id)):
			return nil, fmt.Errorf("hide: %s is not the id of a built-in wallet", short(id))
		case r.has(string(id)):
			return nil, fmt.Errorf("hide: %s is in the list of wallets", short(id))
		}
	}

	for _, w := range base.wallets {
		if !r.has(w.ID) && !slices.Contains(written.Hide, text(w.ID)) {
			r.wallets = append(r.wallets, w)
		}
	}
	return r, nil
}

// has reports whether a wallet has that id.
func (r *Registry) has(id string) bool {
	return slices.ContainsFunc(r.wallets, func(w Wallet) bool { return w.ID == id })
}

// wallet checks an entry and returns its wallet.
func (e *walletEntry) wallet(tokens *token.Registry) (w Wallet, err error) {
	switch {
	case !idText.MatchString(string(e.ID)):
		return w, e.fail("id: must be letters a-z, digits and -")
	case !nameText.MatchString(string(e.Name)):
		return w, e.fail("name: must be at most 40 characters")
	case !markText.MatchString(string(e.Mark)):
		return w, e.fail("mark: must be one or two letters or digits")
	case len(e.Sends) == 0 && e.Opens == nil:
		return w, e.fail("must have sends or opens")
	}

	w = Wallet{ID: string(e.ID), Name: string(e.Name), Mark: string(e.Mark)}
	for _, platform := range e.Platforms {
		known := platform == "ios" || platform == "android"
		if !known || slices.Contains(w.Platforms, string(platform)) {
			return w, e.fail("platforms: must be ios, android or both")
		}
		w.Platforms = append(w.Platforms, string(platform))
	}
	if w.Platforms == nil {
		return w, e.fail("platforms: must be ios, android or both")
	}

	for i, written := range e.Sends {
		f, err := written.form(tokens)
		if err != nil {
			return w, e.fail("sends[%d].%w", i, err)
		}
		w.forms = append(w.forms, f)
	}
	if e.Opens != nil {
		w.page, err = e.Opens.page(tokens)
		if err != nil {
			return w, e.fail("opens.%w", err)
		}
	}
	return w, nil
}

// form checks an entry of sends. Errors begin with the member.
func (e formEntry) form(tokens *token.Registry) (f form, err error) {
	f = form{
		networks: e.Networks,
		coin:     template(e.Coin),
		token:    template(e.Token),
		source:   string(e.Source),
	}
	for _, symbol := range e.Tokens {
		if !symbolText.MatchString(string(symbol)) {
			return f, fmt.Errorf("tokens: %.40q is not a coin's symbol", symbol)
		}
		f.tokens = append(f.tokens, strings.ToUpper(string(symbol)))
	}

	switch {
	case f.coin == "" && f.token == "":
		return f, fmt.Errorf("coin: an entry has a link for the network's coin, tokens or both")
	case f.tokens != nil && f.token == "":
		return f, fmt.Errorf("tokens: there is no link for tokens")
	case f.coin.has("contract"):
		return f, fmt.Errorf("coin: the network's own coin has no {contract}")
	case f.token != "" && !f.token.has("contract") && len(f.tokens) != 1:
		return f, fmt.Errorf("token: must have {contract}, unless tokens names the one that it sends")
	}

	if f.coin != "" {
		if err := f.coin.checkForm(); err != nil {
			return f, fmt.Errorf("coin: %w", err)
		}
	}
	if f.token != "" {
		if err := f.token.checkForm(); err != nil {
			return f, fmt.Errorf("token: %w", err)
		}
	}
	return f, checkPlace(f.networks, f.source, tokens, f.coin, f.token)
}

// page checks opens. Errors begin with the member.
func (e pageEntry) page(tokens *token.Registry) (*page, error) {
	p := &page{networks: e.Networks, link: template(e.Link), source: string(e.Source)}
	if err := p.link.checkPage(); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	return p, checkPlace(p.networks, p.source, tokens, p.link)
}

// checkPlace checks what all links have: known networks, a source and a bounded length.
func checkPlace(
	networks networkNames, source string, tokens *token.Registry, links ...template,
) error {
	if len(networks) == 0 {
		return fmt.Errorf("networks: must name at least one network")
	}

	chains := slices.ContainsFunc(links, func(t template) bool { return t.has("chain_id") })
	for _, id := range slices.Sorted(maps.Keys(networks)) {
		n, known := tokens.NetworkByID(id)
		switch {
		case !known:
			return fmt.Errorf("networks: %s is not the id of a network, as in docs/tokens.md",
				short(text(id)))
		case !networkText.MatchString(networks[id]):
			return fmt.Errorf("networks: the name of %s must be letters, digits and . _ : -", id)
		case chains && n.ChainID == 0:
			return fmt.Errorf("networks: %s has no {chain_id}", id)
		}
	}

	for _, link := range links {
		if len(link) > maxLink {
			return fmt.Errorf("networks: a link is longer than %d characters", maxLink)
		}
	}

	u, err := url.Parse(source)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("source: must be the https address of the page where this is published")
	}
	return nil
}
