package widget

import (
	"slices"
	"strings"

	"coinslot/app/address"
	"coinslot/app/wire"
)

// Limits of what wallets announce about themselves.
const (
	MaxWallets    = 12      // shown on a page
	maxWalletName = 40      // characters
	MaxWalletIcon = 100_000 // bytes
)

// Wallets in the browser (EIP-6963, EIP-1193) get requests from this page only. In a frame without
// wallets, the shopper gets a link to the page in a new tab. The host page never sends the
// transaction: any of its scripts could change recipient or sum, which the frame protects.

// Wallet is a browser wallet that has announced itself. Its texts are untrusted.
type Wallet struct {
	ID   string // of the announcement, unique in the page
	Name string // plain text of at most 40 characters
	Icon string // data: URL of a picture; empty if there is none
	RDNS string // reversed domain name of its vendor, unverified; may be empty
}

// Sanitize returns w as it may be shown; false if it has no id or no name.
func (w Wallet) Sanitize() (Wallet, bool) {
	w.Name, w.RDNS = sanitizeText(w.Name), sanitizeText(w.RDNS)
	if w.Name == "" {
		w.Name = w.RDNS
	}
	if !strings.HasPrefix(w.Icon, "data:image/") || len(w.Icon) > MaxWalletIcon {
		w.Icon = ""
	}
	return w, w.ID != "" && w.Name != ""
}

// sanitizeText returns one line without invisible characters that fits on a button.
func sanitizeText(s string) string {
	if len(s) > address.MaxPasted {
		s = s[:address.MaxPasted]
	}
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if address.IsInvisible(r) && r != '\t' && r != '\n' && r != '\r' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))), " ")
	if runes := []rune(s); len(runes) > maxWalletName {
		s = strings.TrimSpace(string(runes[:maxWalletName-1])) + "…"
	}
	return s
}

// LeadsToWallets reports whether the pay screen shows links that open wallets, with the QR code
// folded below them.
func (p *Page) LeadsToWallets() bool {
	return p.Phone && len(p.View.LatestAttempt().Wallets) > 0
}

// WalletLinks returns the links that open wallets, the likeliest first: that is the wallet that the
// shopper opened last.
func (p *Page) WalletLinks() []wire.WalletLink {
	links := p.View.LatestAttempt().Wallets
	last := slices.IndexFunc(links, func(w wire.WalletLink) bool { return w.ID == p.LastWallet })
	if last <= 0 {
		return links
	}
	return slices.Concat(links[last:last+1], links[:last], links[last+1:])
}
