// Package address compares what a shopper pastes with the address that has to be paid: pure rules.
package address

import (
	"strings"
	"unicode"

	"coinslot/app/wire"
)

// A shopper's computer may swap a copied address for a thief's, and shoppers
// send on the wrong network. What a wallet shows can therefore be compared here
// with what has to be paid.

// Match is what a comparison of two addresses has found.
type Match int

// What a comparison finds.
const (
	None         Match = iota // nothing was given
	Same                      // both mean the same account
	Differs                   // a few characters are different
	Other                     // another address
	OtherNetwork              // an address of another kind of network
)

// Name is the comparison's stable name, for the page's handles.
func (m Match) Name() string {
	return [...]string{"", "same", "differs", "other", "network"}[m]
}

// Comparison is the result of comparing an address with ours.
type Comparison struct {
	Match   Match
	N       int     // how many characters differ; zero if Match does not tell
	Network string  // proper names, only of OtherNetwork
	Theirs  []Group // the other address, without what was around it
}

// Group is a piece of an address with what is to be said about it.
type Group struct {
	Text    string
	Differs bool
}

// bitcoin is a kind of address that is recognised although nothing is known of
// networks that use it.
const bitcoin wire.Family = "bitcoin"

// MaxPasted is how many bytes of a pasted text are looked at.
const MaxPasted = 1000

// Compare compares ours with a pasted text: an address, perhaps broken by
// spaces, or a payment link.
func Compare(ours, pasted string) Comparison {
	ours = Recipient(ours) // some addresses begin like a link: bitcoincash:, kaspa:
	theirs := Recipient(pasted)
	if theirs == "" || ours == "" {
		return Comparison{}
	}
	kind := familyOf(theirs)
	switch {
	case sameAccount(ours, theirs):
		return Comparison{Match: Same, Theirs: SplitGroups(theirs, nil)}
	case kind != wire.OtherFamily && kind != familyOf(ours):
		return Comparison{Match: OtherNetwork, Network: networkNames(kind),
			Theirs: SplitGroups(theirs, nil)}
	}
	n, marks := diff(foldCase(ours, theirs))
	c := Comparison{Match: Other, N: n, Theirs: SplitGroups(theirs, marks)}
	if n*4 <= len(ours) {
		c.Match = Differs
	}
	return c
}

// Recipient returns the address in a pasted text, without spaces and invisible
// characters. A payment link is taken apart. Sources: ERC-681, BIP 21, TEP-2.
func Recipient(pasted string) string {
	s := stripInvisible(pasted)
	scheme, rest, found := strings.Cut(s, ":")
	if !found || !isScheme(scheme) {
		s, _, _ = strings.Cut(s, "?")
		return s
	}
	if _, after, found := strings.Cut(rest, "transfer/"); found {
		rest = after // ton://transfer/… and its https form
	}
	rest = strings.TrimPrefix(strings.TrimLeft(rest, "/"), "pay-")
	target, query, _ := strings.Cut(rest, "?")
	if strings.HasSuffix(target, "/transfer") { // of a token: the recipient is a parameter
		_, to, _ := strings.Cut("&"+query, "&address=")
		to, _, _ = strings.Cut(to, "&")
		return to
	}
	if strings.HasPrefix(target, "0x") {
		if end := strings.IndexAny(target, "@/"); end > 0 {
			target = target[:end]
		}
	}
	return target
}

// isScheme reports whether s may stand before the colon of a link. A TON
// address in raw form has a number there.
func isScheme(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", r)) {
			return false
		}
	}
	return s != ""
}

// stripInvisible returns the beginning of s without what cannot be seen.
func stripInvisible(s string) string {
	if len(s) > MaxPasted {
		s = s[:MaxPasted]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || IsInvisible(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// IsInvisible reports whether r shows nothing or changes how others show: control,
// zero-width and direction characters.
func IsInvisible(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r <= 0x9f, r == 0xad:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r == 0xfeff:
		return true
	}
	return false
}

// sameAccount reports whether two addresses mean the same account.
func sameAccount(ours, theirs string) bool {
	if ours == theirs {
		return true
	}
	if a, b := foldCase(ours, theirs); a == b {
		return true
	}
	a, b := tonAccount(ours), tonAccount(theirs)
	return a != "" && a == b
}

// foldCase returns both in lower case where case says nothing: in hexadecimal
// digits, unless both carry a checksum in it (EIP-55), and in bech32.
func foldCase(ours, theirs string) (string, string) {
	lower := func(s string) string { return strings.ToLower(s) }
	switch kind := familyOf(ours); {
	case kind == wire.EVM && !(isMixedCase(ours) && isMixedCase(theirs)),
		(strings.HasPrefix(lower(ours), "bc1") || strings.HasPrefix(lower(ours), "ltc1")) &&
			!isMixedCase(theirs),
		kind == wire.TON && strings.Contains(ours, ":"):
		return lower(ours), lower(theirs)
	case kind == wire.EVM: // what stands before the digits has no case
		return "0x" + ours[2:], strings.Replace(theirs, "0X", "0x", 1)
	}
	return ours, theirs
}

// isMixedCase reports whether s has letters of both cases, the first two characters
// aside.
func isMixedCase(s string) bool {
	if len(s) < 2 {
		return false
	}
	s = s[2:]
	return s != strings.ToLower(s) && s != strings.ToUpper(s)
}

// diff tells how many characters of theirs are not those of ours, and
// which. Where the lengths differ, what is alike at both ends is left out.
func diff(ours, theirs string) (n int, marks []bool) {
	a, b := []rune(ours), []rune(theirs)
	marks = make([]bool, len(b))
	if len(a) == len(b) {
		for i := range b {
			if marks[i] = a[i] != b[i]; marks[i] {
				n++
			}
		}
		return n, marks
	}
	short := min(len(a), len(b))
	start, end := 0, 0
	for start < short && a[start] == b[start] {
		start++
	}
	for end < short-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for i := start; i < len(b)-end; i++ {
		marks[i] = true
	}
	if start == len(b)-end { // something is missing between two characters
		marks[min(start, len(b)-1)] = true
	}
	return max(len(a), len(b)) - start - end, marks
}

// SplitGroups cuts an address into groups of four and tells which of them hold a
// mark; nil marks none.
func SplitGroups(s string, marks []bool) []Group {
	runes := []rune(s)
	list := make([]Group, 0, len(runes)/4+1)
	for i := 0; i < len(runes); i += 4 {
		end := min(i+4, len(runes))
		g := Group{Text: string(runes[i:end])}
		for j := i; j < end && marks != nil; j++ {
			g.Differs = g.Differs || marks[j]
		}
		list = append(list, g)
	}
	return list
}

// familyOf tells the kind of an address by what it looks like, without looking at
// its checksum.
func familyOf(s string) wire.Family {
	switch {
	case len(s) == 42 && (s[:2] == "0x" || s[:2] == "0X") && consistsOf(s[2:], hexDigits):
		return wire.EVM
	case len(s) == 34 && s[0] == 'T' && consistsOf(s, base58Digits):
		return wire.TRON
	case len(s) == 48 && consistsOf(s, base64Digits), rawTON(s) != "":
		return wire.TON
	case len(s) >= 26 && len(s) <= 35 && (s[0] == '1' || s[0] == '3') && consistsOf(s, base58Digits),
		len(s) >= 14 && len(s) <= 90 && strings.HasPrefix(strings.ToLower(s), "bc1") &&
			consistsOf(strings.ToLower(s[3:]), bech32Digits):
		return bitcoin
	}
	return wire.OtherFamily
}

// The characters of addresses. Sources: base58 of Bitcoin, BIP 173, TEP-2, which
// allows both alphabets of RFC 4648.
const (
	hexDigits    = "0123456789abcdefABCDEF"
	base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/"
	bech32Digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
)

// consistsOf reports whether s consists of digits only.
func consistsOf(s, digits string) bool { return strings.Trim(s, digits) == "" }

// networkNames names the networks of a kind of address. They are proper names and
// the same in every language.
func networkNames(kind wire.Family) string {
	switch kind {
	case wire.EVM:
		return "Ethereum, BNB Smart Chain, Polygon, Arbitrum …"
	case wire.TRON:
		return "TRON"
	case wire.TON:
		return "TON"
	}
	return "Bitcoin"
}

// Checksummed reports whether an address of a family carries a checksum, which
// the BFF has verified before it was shown.
func Checksummed(kind wire.Family, address string) bool {
	switch kind {
	case wire.EVM:
		return familyOf(address) == wire.EVM && isMixedCase(address)
	case wire.TRON:
		return familyOf(address) == wire.TRON
	case wire.TON:
		return familyOf(address) == wire.TON && rawTON(address) == ""
	case wire.OtherFamily:
	}
	return false
}

// tonAccount returns what a TON address stands for, in raw form; empty if it is
// none, its checksum is wrong, or it is of the test network. Wallets show the
// same account with another first letter and end, according to whether a
// payment may bounce. Source: TEP-2.
func tonAccount(s string) string {
	if raw := rawTON(s); raw != "" || len(s) != 48 {
		return raw
	}
	b := decodeBase64(s)
	if len(b) != 36 || crc16(b) != 0 || b[0] != 0x11 && b[0] != 0x51 {
		return ""
	}
	chain := "0:"
	if b[1] == 0xff {
		chain = "-1:"
	} else if b[1] != 0 {
		return ""
	}
	var account strings.Builder
	account.WriteString(chain)
	for _, c := range b[2:34] {
		account.WriteByte(hexDigits[c>>4])
		account.WriteByte(hexDigits[c&15])
	}
	return account.String()
}

// decodeBase64 decodes base64 of either alphabet and whole groups of four; nil if s is
// none.
func decodeBase64(s string) []byte {
	b := make([]byte, 0, len(s)/4*3)
	bits := 0
	for i := range len(s) {
		digit := strings.IndexByte(base64Digits, s[i])
		if digit < 0 {
			return nil
		}
		if digit >= 64 { // the same two in the other alphabet
			digit -= 2
		}
		bits = bits<<6 | digit
		if i%4 == 3 {
			b = append(b, byte(bits>>16), byte(bits>>8), byte(bits))
		}
	}
	return b
}

// rawTON returns a TON address in raw form in lower case; empty if it is none.
func rawTON(s string) string {
	chain, account, _ := strings.Cut(s, ":")
	if (chain != "0" && chain != "-1") || len(account) != 64 || !consistsOf(account, hexDigits) {
		return ""
	}
	return strings.ToLower(s)
}

// crc16 is CRC-16/XMODEM; over data followed by its own checksum it is zero.
func crc16(data []byte) uint16 {
	var crc uint16
	for _, b := range data {
		crc ^= uint16(b) << 8
		for range 8 {
			carry := crc & 0x8000
			crc <<= 1
			if carry != 0 {
				crc ^= 0x1021
			}
		}
	}
	return crc
}
