package console

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"coinslot/app/wire"
)

// clean returns text with every character that moves other characters, or
// shows nothing at all, replaced by a mark that is seen. Line breaks and tabs
// become spaces.
func clean(text string) string {
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

// shorten returns clean text without its middle, "" if it is short as it is.
func shorten(text string) string {
	const head, tail = 8, 6
	r := []rune(clean(text))
	if len(r) <= head+tail+3 {
		return ""
	}
	return string(r[:head]) + "…" + string(r[len(r)-tail:])
}

// emailParts are a clean address up to its at sign and behind it; nil if it has none.
func emailParts(text string) []string {
	name, host, found := strings.Cut(clean(text), "@")
	if !found {
		return nil
	}
	return []string{name + "@", host}
}

// external reports whether an address leads to another site: no other scheme is a link.
func external(address string) bool {
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

// count is a whole number with commas between its thousands.
func count(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// atMost is a count that ends at 10,000.
func atMost(n int) string {
	if n >= 10_000 {
		return "10,000 or more"
	}
	return count(n)
}

// plural is n of what word names, "3 payments".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return count(n) + " " + word + "s"
}

// relative says how long before or after now t is, in its largest unit.
func relative(t, now time.Time) string {
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

// timestamp is a time in a file; "" if it is not known.
func timestamp(t time.Time) string {
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

func capitalized(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// withQuery returns the address of path with query, in which name has that value;
// empty values are left out.
func withQuery(path string, query url.Values, name, value string) string {
	q := without(query, name)
	if value != "" {
		q.Set(name, value)
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// without returns a copy of form without a field, and without empty ones.
func without(form url.Values, name string) url.Values {
	kept := url.Values{}
	for n, values := range form {
		if n != name && len(values) > 0 && values[0] != "" {
			kept.Set(n, values[0])
		}
	}
	return kept
}

// parseDay reads a date as browsers send it; "" is the zero time. Errors: *wire.Error.
func parseDay(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return parseTime("date", text, time.DateOnly)
}

// parseTime reads a time of UTC in one of some layouts, of a year that can be meant. Errors:
// *wire.Error about param.
func parseTime(param, text string, layouts ...string) (time.Time, error) {
	for _, layout := range layouts {
		t, err := time.Parse(layout, text)
		if err == nil && t.Year() >= 2000 && t.Year() <= 2200 {
			return t, nil
		}
	}
	return time.Time{}, &wire.Error{Code: wire.CodeInvalid, Param: param}
}

// dayRange reads the fields "from" and "to" of a form, both inclusive; to is the day after.
func dayRange(form url.Values) (from, to time.Time, err error) {
	if from, err = parseDay(form.Get("from")); err != nil {
		return from, to, err
	}
	if to, err = parseDay(form.Get("to")); err == nil && !to.IsZero() {
		to = to.AddDate(0, 0, 1)
	}
	return from, to, err
}
