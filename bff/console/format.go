package console

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"coinslot/bff/currency"
	"coinslot/bff/locale"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// cleanText returns text with every character that moves other characters, or
// shows nothing at all, replaced by a mark that is seen. Line breaks and tabs
// become spaces.
func cleanText(text string) string {
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

// shortenText returns clean text without its middle, "" if it is short as it is.
func shortenText(text string) string {
	const head, tail = 8, 6
	r := []rune(cleanText(text))
	if len(r) <= head+tail+3 {
		return ""
	}
	return string(r[:head]) + "…" + string(r[len(r)-tail:])
}

// truncateText is text, at most n characters of it.
func truncateText(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n]) + "…"
}

// emailParts are a clean address up to its at sign and behind it; nil if it has none.
func emailParts(text string) []string {
	name, host, found := strings.Cut(cleanText(text), "@")
	if !found {
		return nil
	}
	return []string{name + "@", host}
}

// isExternal reports whether an address leads to another site: no other scheme is a link.
func isExternal(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// coinIcon is the address of a coin's icon.
func coinIcon(symbol string) string {
	for _, r := range symbol {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			return "/icons/default.svg"
		}
	}
	return "/icons/" + strings.ToLower(symbol) + ".svg"
}

// formatCount is a whole number with commas between its thousands.
func formatCount(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// formatCappedCount is a count that ends at 10,000.
func formatCappedCount(n int) string {
	if n >= 10_000 {
		return "10,000 or more"
	}
	return formatCount(n)
}

// formatPlural is n of what word names, "3 payments".
func formatPlural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return formatCount(n) + " " + word + "s"
}

// formatRelative is the time from now to t, in its largest unit.
func formatRelative(t, now time.Time) string {
	d := now.Sub(t)
	if d < 0 {
		return "in " + formatDuration(-d)
	}
	return formatDuration(d) + " ago"
}

// formatDuration is a duration in its largest unit, "3 min".
func formatDuration(d time.Duration) string {
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

// formatTimestamp is a time in a file; "" if it is not known.
func formatTimestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// trimZeros is exact digits without the zeros at their end, but for that many places.
func trimZeros(digits string, places int) string {
	whole, fraction, pointed := strings.Cut(digits, ".")
	if !pointed || places > 0 && len(fraction) <= places {
		return digits
	}
	if fraction = fraction[:places] + strings.TrimRight(fraction[places:], "0"); fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// formatSum is exact digits with two decimals at least, "18.50".
func formatSum(digits string) string {
	if d, err := decimal.NewFromString(digits); err == nil && d.Exponent() > -2 {
		return d.StringFixed(2)
	}
	return digits
}

// capitalize returns word with a capital first letter.
func capitalize(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// priceOf is what an order costs.
func priceOf(o payment.Order) price {
	_, code := o.Price()
	p := price{Amount: locale.FormatPrice("en", code, o.PriceText())}
	if !o.InDollars() {
		p.Charge = formatDollars(o.AmountUSD)
	}
	return p
}

// formatDollars is an amount in US dollars, "$1,234.50".
func formatDollars(usd decimal.Decimal) string {
	return locale.FormatPrice("en", currency.USD, usd.StringFixed(2))
}
