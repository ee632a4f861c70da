package widget

import (
	"strings"

	"coinslot/app/address"
)

const (
	MaxWallets    = 12      // more would be a flood
	maxWalletName = 40      // characters
	MaxWalletIcon = 100_000 // bytes
)

// Wallets in the browser (EIP-6963, EIP-1193). They are asked by this page
// only. In a frame that no wallet looks into, the shopper is given a link to the
// same page in a tab of its own. The transaction is never handed to the host
// page to be sent from there: any script of the host page could change its
// recipient or sum, and to keep them out of reach is what the frame is for.

// Wallet is one that has announced itself in this browser. Its words come from
// a stranger.
type Wallet struct {
	ID   string // of the announcement, unique in the page
	Name string // plain text of at most 40 characters
	Icon string // data: URL of a picture; empty if there is none
	RDNS string // reversed domain name of its maker, as it says; may be empty
}

// Sanitize returns w as it may be shown; ok is false if there is nothing to show.
func (w Wallet) Sanitize() (tidied Wallet, ok bool) {
	w.Name, w.RDNS = sanitizeText(w.Name), sanitizeText(w.RDNS)
	if w.Name == "" {
		w.Name = w.RDNS
	}
	if !strings.HasPrefix(w.Icon, "data:image/") || len(w.Icon) > MaxWalletIcon {
		w.Icon = ""
	}
	return w, w.ID != "" && w.Name != ""
}

// sanitizeText returns one line of text, without invisible characters and cut to what
// fits on a button.
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
