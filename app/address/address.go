// Package address compares a pasted address with the one to pay. Malware may swap a copied address,
// and shoppers send on the wrong network, so they can compare what their wallet shows.
package address

import (
	"slices"
	"strings"
	"unicode"

	"coinslot/app/wire"
)

// Match is the result of comparing two addresses.
type Match int

// The results of a comparison.
const (
	None         Match = iota // nothing to compare
	Same                      // the same account
	Differs                   // a few characters are different
	Other                     // another address
	OtherNetwork              // of another kind of network, or with the name of another one
)

// Name is the stable name of m in the page.
func (m Match) Name() string {
	return [...]string{"", "same", "differs", "other", "network"}[m]
}

// Comparison is the result of comparing an address with ours.
type Comparison struct {
	Match   Match
	N       int     // characters that differ, of Differs and Other
	Network string  // names of the networks, of OtherNetwork
	Theirs  []Group // the other address
}

// Group is a piece of an address.
type Group struct {
	Text    string
	Differs bool
}

// bitcoin is a family that no view has, to recognize its addresses.
const bitcoin wire.Family = "bitcoin"

// MaxPasted is how many bytes of a pasted text count.
const MaxPasted = 1000

// Compare compares ours with a pasted text: an address, perhaps with spaces in it, or a link around
// it. network is the gateway's code of our network, or its chain id as "0x38"; if the text names
// another one, the same address is not enough.
func Compare(ours, network, pasted string) Comparison {
	ours = Recipient(ours) // some addresses start like a link: bitcoincash:, kaspa:
	theirs, named := parse(pasted)
	if theirs == "" || ours == "" {
		return Comparison{}
	}
	kind := familyOf(theirs)
	chain := chainOf(network)
	switch {
	case chain != "" && named != "" && named != chain && sameAccount(ours, theirs):
		return Comparison{Match: OtherNetwork, Network: named, Theirs: SplitGroups(theirs, nil)}
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

// Recipient returns the address in a pasted text, payment link, or link of an explorer or wallet,
// without spaces and invisible characters. Sources: ERC-681, BIP 21, TEP-2, CAIP-10.
func Recipient(pasted string) string {
	recipient, _ := parse(pasted)
	return recipient
}

// parse returns the address in a pasted text, and the chain that the text names; empty for none.
func parse(pasted string) (recipient, chain string) {
	head, query, _ := strings.Cut(stripInvisible(pasted), "?")
	if familyOf(head) != wire.OtherFamily {
		return head, ""
	}
	recipient = recipientOf(head, query)
	return recipient, namedChain(head, query, recipient)
}

// recipientOf returns the address in a link. head is what stands before its query.
func recipientOf(head, query string) string {
	for _, key := range []string{"address", "to", "recipient", "a"} {
		if value := parameter(query, key); isAddress(value) {
			return value
		}
	}
	if strings.HasSuffix(head, "/transfer") { // of a token, without a recipient
		return parameter(query, "address")
	}
	segments := strings.FieldsFunc(head, func(r rune) bool { return r == '/' || r == '#' })
	for _, segment := range slices.Backward(segments) {
		segment = trimLink(segment)
		if familyOf(segment) == wire.OtherFamily { // a raw TON address has a colon
			segment = trimLink(segment[strings.LastIndexByte(segment, ':')+1:])
		}
		if isAddress(segment) {
			return segment
		}
	}
	scheme, rest, found := strings.Cut(head, ":")
	if found && isScheme(scheme) {
		return trimLink(strings.TrimLeft(rest, "/"))
	}
	return trimLink(head)
}

// trimLink removes what EIP-681 has around an address.
func trimLink(s string) string {
	s = strings.TrimPrefix(s, "pay-")
	target, _, found := strings.Cut(s, "@")
	if found && strings.HasPrefix(s, "0x") {
		return target
	}
	return s
}

// isAddress reports whether s may be an address of any kind.
func isAddress(s string) bool {
	if familyOf(s) != wire.OtherFamily {
		return true
	}
	return len(s) >= 26 && consistsOf(s, base64Digits) && !strings.Contains(s, "/")
}

// isScheme reports whether s is a URL scheme. A raw TON address has a number before its colon.
func isScheme(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", r)) {
			return false
		}
	}
	return s != ""
}

// stripInvisible cuts s to MaxPasted and removes spaces and invisible characters.
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

// IsInvisible reports whether r is a control, zero-width or direction character.
func IsInvisible(r rune) bool {
	return r < ' ' || r >= 0x7f && r <= 0x9f || r == 0xad || r == 0xfeff ||
		r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f
}

// sameAccount reports whether two addresses belong to the same account.
func sameAccount(ours, theirs string) bool {
	if ours == theirs {
		return true
	}
	if a, b := foldCase(ours, theirs); a == b {
		return true
	}
	a := tonAccount(ours)
	b := tonAccount(theirs)
	return a != "" && a == b
}

// foldCase returns both in lower case where case means nothing: in hexadecimal digits, unless both
// have a checksum in it (EIP-55), and in bech32.
func foldCase(ours, theirs string) (string, string) {
	lower := strings.ToLower
	kind := familyOf(ours)
	switch {
	case kind == wire.EVM && !(isMixedCase(ours) && isMixedCase(theirs)),
		(strings.HasPrefix(lower(ours), "bc1") || strings.HasPrefix(lower(ours), "ltc1")) &&
			!isMixedCase(theirs),
		kind == wire.TON && strings.Contains(ours, ":"):
		return lower(ours), lower(theirs)
	case kind == wire.EVM: // the prefix has no case
		return "0x" + ours[2:], strings.Replace(theirs, "0X", "0x", 1)
	}
	return ours, theirs
}

// isMixedCase reports whether s has letters of both cases after its first two characters.
func isMixedCase(s string) bool {
	if len(s) < 2 {
		return false
	}
	s = s[2:]
	return s != strings.ToLower(s) && s != strings.ToUpper(s)
}

// diff counts and marks the characters of theirs that differ from ours. If the lengths differ,
// everything between a common prefix and suffix is marked.
func diff(ours, theirs string) (n int, marks []bool) {
	a := []rune(ours)
	b := []rune(theirs)
	marks = make([]bool, len(b))
	if len(a) == len(b) {
		for i := range b {
			marks[i] = a[i] != b[i]
			if marks[i] {
				n++
			}
		}
		return n, marks
	}
	short := min(len(a), len(b))
	start := 0
	end := 0
	for start < short && a[start] == b[start] {
		start++
	}
	for end < short-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for i := start; i < len(b)-end; i++ {
		marks[i] = true
	}
	if start == len(b)-end { // theirs lacks something
		marks[min(start, len(b)-1)] = true
	}
	return max(len(a), len(b)) - start - end, marks
}

// SplitGroups splits an address into groups of four. Groups with a mark differ; marks may be nil.
func SplitGroups(s string, marks []bool) []Group {
	runes := []rune(s)
	list := make([]Group, 0, len(runes)/4+1)
	for i := 0; i < len(runes); i += 4 {
		end := min(i+4, len(runes))
		list = append(list, Group{
			string(runes[i:end]), marks != nil && slices.Contains(marks[i:end], true),
		})
	}
	return list
}

// familyOf guesses the family of an address by its form, without checking a checksum.
func familyOf(s string) wire.Family {
	switch {
	case len(s) == 42 && (s[:2] == "0x" || s[:2] == "0X") && consistsOf(s[2:], hexDigits):
		return wire.EVM
	case len(s) == 34 && s[0] == 'T' && consistsOf(s, base58Digits):
		return wire.TRON
	case len(s) == 48 && consistsOf(s, base64Digits), rawTON(s) != "":
		return wire.TON
	case len(s) >= 26 && len(s) <= 35 && (s[0] == '1' || s[0] == '3') &&
		consistsOf(s, base58Digits),
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

// consistsOf reports whether s has no characters but digits.
func consistsOf(s, digits string) bool { return strings.Trim(s, digits) == "" }

// networkNames names the networks of a family, the same in every language.
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

// tonAccount returns a TON address in raw form; empty if it is none, its checksum is wrong, or it
// is of the test network. Bounceable and other addresses of an account differ in their first letter
// and their end. Source: TEP-2.
func tonAccount(s string) string {
	if raw := rawTON(s); raw != "" || len(s) != 48 {
		return raw
	}
	b := decodeBase64(s)
	if len(b) != 36 || CRC16(b) != 0 || b[0] != 0x11 && b[0] != 0x51 {
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

// decodeBase64 decodes whole groups of four in either alphabet; nil if s is invalid. Package
// encoding/base64 would add 9 kB to the download.
func decodeBase64(s string) []byte {
	b := make([]byte, 0, len(s)/4*3)
	bits := 0
	for i := range len(s) {
		digit := strings.IndexByte(base64Digits, s[i])
		if digit < 0 {
			return nil
		}
		if digit >= 64 { // the other alphabet
			digit -= 2
		}
		bits = bits<<6 | digit
		if i%4 == 3 {
			b = append(b, byte(bits>>16), byte(bits>>8), byte(bits))
		}
	}
	return b
}

// rawTON returns a TON address in raw form, in lower case; empty if s is none.
func rawTON(s string) string {
	chain, account, _ := strings.Cut(s, ":")
	if (chain != "0" && chain != "-1") || len(account) != 64 || !consistsOf(account, hexDigits) {
		return ""
	}
	return strings.ToLower(s)
}

// CRC16 is CRC-16/XMODEM; it is zero for data followed by its checksum.
func CRC16(data []byte) uint16 {
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
