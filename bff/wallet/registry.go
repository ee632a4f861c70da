// Package wallet knows wallets for phones, and the links that open them: with the payment filled
// in, or with the payment page in the wallet's browser.
//
// The well-known ones are built in (wallets.yaml, each with the source of its links); an operator's
// file adds to them, replaces or hides them, see docs/wallets.md. A link never decides what counts
// as paid.
package wallet

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"coinslot/app/wire"
	"coinslot/bff/token"
)

// Wallet is a wallet app. It is never changed.
type Wallet struct {
	ID        string   // "trust"
	Name      string   // as people know it, "Trust Wallet"
	Mark      string   // one or two letters, in place of a logo
	Platforms []string // "ios", "android"
	forms     []form
	page      *page // nil = it cannot be told to open a page
}

// form is a screen of a wallet that a link fills in.
type form struct {
	networks networkNames
	coin     template // of the network's own coin; may be empty
	token    template // of tokens with a contract; may be empty
	tokens   []string // symbols in upper case; nil = all
	source   string   // https
}

// page opens the payment page in a wallet's browser.
type page struct {
	networks networkNames
	link     template
	source   string // https
}

// Registry is what is known. A nil Registry is the built-in one. It never changes and may be used by
// several goroutines.
type Registry struct {
	wallets []Wallet // in the order of likelihood
}

//go:embed wallets.yaml
var builtinFile []byte

// Builtin returns the registry that is built in.
var Builtin = sync.OnceValue(func() *Registry {
	r, err := read(builtinFile, &Registry{}, nil)
	if err != nil {
		panic("wallets.yaml: " + err.Error()) // a test reads it
	}
	return r
})

func (r *Registry) orBuiltin() *Registry {
	if r == nil {
		return Builtin()
	}
	return r
}

// Wallets returns all wallets in the order of likelihood. The caller must not change them.
func (r *Registry) Wallets() []Wallet { return r.orBuiltin().wallets }

// Links returns a link for each wallet that can pay p: first those that fill in the payment, then
// those that open the page, each in the registry's order. page is the payment page's absolute URL;
// "" = no such links. There are none if exactly p cannot be sent.
func (r *Registry) Links(p token.Payment, tokens *token.Registry, page string) []wire.WalletLink {
	t, units, ok := tokens.Sendable(p)
	address := t.LinkAddress(p.Address)
	if !ok || address == "" {
		return nil
	}

	values := pageValues(page)
	maps.Copy(values, map[string]string{
		"address":  address,
		"amount":   p.Amount.String(),
		"units":    units.String(),
		"contract": t.Contract,
		"chain_id": strconv.FormatUint(t.Network.ChainID, 10),
	})

	var fills, opens []wire.WalletLink
	for _, w := range r.Wallets() {
		link := wire.WalletLink{ID: w.ID, Name: w.Name, Mark: w.Mark}
		if filled, network := w.formOf(t); filled != "" {
			values["network"] = network
			link.Link = filled.fill(values)
			link.Fills = true
			fills = append(fills, link)
			continue
		}

		if w.page == nil || page == "" {
			continue
		}
		if network, ok := w.page.networks[t.Network.ID]; ok {
			values["network"] = network
			link.Link = w.page.link.fill(values)
			opens = append(opens, link)
		}
	}
	return append(fills, opens...)
}

// formOf returns the template that fills in a payment of t, and the wallet's name of its network;
// "" = none.
func (w Wallet) formOf(t token.Token) (filled template, network string) {
	for _, f := range w.forms {
		network, ok := f.networks[t.Network.ID]
		if !ok {
			continue
		}
		if filled := f.of(t); filled != "" {
			return filled, network
		}
	}
	return "", ""
}

// of returns the template for t on a network of the form; "" = none.
func (f form) of(t token.Token) template {
	if t.Native {
		return f.coin
	}
	if f.tokens != nil && !slices.Contains(f.tokens, strings.ToUpper(t.Symbol)) {
		return ""
	}
	return f.token
}
