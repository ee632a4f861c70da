package payment

import (
	"strings"
	"unicode/utf8"
)

// maxEmail is the longest address in bytes. Source: RFC 3696, erratum 1690.
const maxEmail = 254

// Email returns an address as people type or paste it without the blanks around it, and whether it
// can be one: there is something on both sides of one @. Real mailboxes break stricter rules, such
// as those of RFC 5322 for dots.
func Email(typed string) (address string, ok bool) {
	address = strings.TrimFunc(typed, isBlank)
	name, host, found := strings.Cut(address, "@")
	if !found || name == "" || strings.Trim(host, ".-") == "" || strings.Contains(host, "@") {
		return typed, false
	}
	if len(address) > maxEmail || !utf8.ValidString(address) {
		return typed, false
	}
	if strings.IndexFunc(address, isNotInEmail) >= 0 {
		return typed, false
	}

	return address, true
}

// isBlank reports whether r is a space, a tab, or invisible; a line break is none of these.
func isBlank(r rune) bool {
	switch r {
	case ' ', '\t', '\u00a0', '\u061c', '\u3000', '\ufeff':
		return true
	}
	return '\u2000' <= r && r <= '\u200f' || r == '\u202f' || '\u205f' <= r && r <= '\u2064'
}

// isNotInEmail reports whether r separates addresses from other text, or is invisible.
func isNotInEmail(r rune) bool {
	if strings.ContainsRune("<>()[],;:\"\\", r) || isBlank(r) {
		return true
	}
	return r < ' ' || '\x7f' <= r && r < '\u00a0' || '\u2028' <= r && r <= '\u202e' ||
		'\u2066' <= r && r <= '\u206f' || r == utf8.RuneError
}
