// Package format writes numbers, times and texts of others as the console's pages show them.
// Its functions are pure.
package format

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// Clean returns text with every character that moves other characters, or
// shows nothing at all, replaced by a mark that is seen. Line breaks and tabs
// become spaces.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r == '\u200c' || r == '\u200d': // join letters of Persian and parts of emoji
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// Shorten returns clean text without its middle, "" if it is short as it is.
func Shorten(text string) string {
	const head, tail = 8, 6
	r := []rune(Clean(text))
	if len(r) <= head+tail+3 {
		return ""
	}
	return string(r[:head]) + "…" + string(r[len(r)-tail:])
}

// Truncate is text, at most n characters of it.
func Truncate(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n]) + "…"
}

// EmailParts are a clean address up to its at sign and behind it; nil if it has none.
func EmailParts(text string) []string {
	name, host, found := strings.Cut(Clean(text), "@")
	if !found {
		return nil
	}
	return []string{name + "@", host}
}

// IsExternal reports whether an address leads to another site: no other scheme is a link.
func IsExternal(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// CoinIcon is the address of a coin's icon.
func CoinIcon(symbol string) string {
	for _, r := range symbol {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			return "/icons/default.svg"
		}
	}
	return "/icons/" + strings.ToLower(symbol) + ".svg"
}

// Count is a whole number with commas between its thousands.
func Count(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// CappedCount is a count that ends at 10,000.
func CappedCount(n int) string {
	if n >= 10_000 {
		return "10,000 or more"
	}
	return Count(n)
}

// Plural is n of what word names, "3 payments".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return Count(n) + " " + word + "s"
}

// Relative is the time from now to t, in its largest unit.
func Relative(t, now time.Time) string {
	d := now.Sub(t)
	if d < 0 {
		return "in " + Duration(-d)
	}
	return Duration(d) + " ago"
}

// Duration is a duration in its largest unit, "3 min".
func Duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + " days"
}

// Timestamp is a time in a file; "" if it is not known.
func Timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// TrimZeros is exact digits without the zeros at their end, but for that many places.
func TrimZeros(digits string, places int) string {
	whole, fraction, pointed := strings.Cut(digits, ".")
	if !pointed || places > 0 && len(fraction) <= places {
		return digits
	}
	if fraction = fraction[:places] + strings.TrimRight(fraction[places:], "0"); fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// Sum is exact digits with two decimals at least, "18.50".
func Sum(digits string) string {
	if d, err := decimal.NewFromString(digits); err == nil && d.Exponent() > -2 {
		return d.StringFixed(2)
	}
	return digits
}

// Capitalize returns word with a capital first letter.
func Capitalize(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// Money is an amount in US dollars with commas between its thousands, "1,234.50".
func Money(usd decimal.Decimal) string {
	whole, rest, _ := strings.Cut(usd.StringFixed(2), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + "." + rest
}
