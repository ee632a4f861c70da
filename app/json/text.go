package json

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// number decodes a number into an integer. Source: RFC 8259, section 6.
func (r *reader) number(into reflect.Value) {
	start := r.at
	r.one("-")
	if !r.one("0") {
		r.digits()
	}
	if r.one(".") {
		r.digits()
	}
	if r.one("eE") {
		r.one("+-")
		r.digits()
	}
	if !into.IsValid() || r.err != nil {
		return
	}
	n, err := strconv.ParseInt(r.text[start:r.at], 10, 64)
	if err != nil || !into.CanInt() || into.OverflowInt(n) {
		r.fail("not the " + into.Type().String() + " expected")
		return
	}
	into.SetInt(n)
}

// one consumes the next byte if it is in of.
func (r *reader) one(of string) bool {
	if r.at == len(r.text) || strings.IndexByte(of, r.text[r.at]) < 0 {
		return false
	}
	r.at++
	return true
}

// digits consumes one or more digits.
func (r *reader) digits() {
	if !r.one("0123456789") {
		r.fail("malformed")
	}
	for r.one("0123456789") {
	}
}

// string decodes a string whose quotation mark is next. Invalid UTF-8 becomes U+FFFD.
func (r *reader) string() string {
	r.at++
	var out []byte
	for start := r.at; r.at < len(r.text); {
		c := r.text[r.at]
		switch {
		case c == '"':
			rest := r.text[start:r.at]
			r.at++
			if out == nil {
				return valid(rest)
			}
			return valid(string(out) + rest)
		case c == '\\':
			out = append(out, r.text[start:r.at]...)
			r.at++
			out = r.escape(out)
			start = r.at
		case c < ' ':
			r.fail("malformed")
		default:
			r.at++
		}
	}
	r.fail("malformed")
	return ""
}

// escape decodes what follows a backslash and appends it.
func (r *reader) escape(to []byte) []byte {
	const letters, meant = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if r.at < len(r.text) {
		if i := strings.IndexByte(letters, r.text[r.at]); i >= 0 {
			r.at++
			return append(to, meant[i])
		}
	}
	first, ok := r.unit()
	if !ok {
		r.fail("malformed")
		return to
	}
	if utf16.IsSurrogate(first) && strings.HasPrefix(r.text[r.at:], `\`) {
		back := r.at
		r.at++
		if second, ok := r.unit(); ok {
			both := utf16.DecodeRune(first, second)
			if both != utf8.RuneError {
				return utf8.AppendRune(to, both)
			}
		}
		r.at = back
	}
	return utf8.AppendRune(to, first)
}

// unit decodes u and four hexadecimal digits, if they are next.
func (r *reader) unit() (rune, bool) {
	if len(r.text)-r.at < 5 || r.text[r.at] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(r.text[r.at+1:r.at+5], 16, 16)
	if err != nil {
		return 0, false
	}
	r.at += 5
	return rune(n), true
}

// valid returns s with U+FFFD for each invalid byte.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// Marshal encodes an object of strings, sorted by name. Errors: a member is no string.
func Marshal(members map[string]any) ([]byte, error) {
	out := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(members)) {
		text, ok := members[name].(string)
		if !ok {
			return nil, errors.New("encoding JSON: " + name + " is no string")
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(quote(out, name), ':')
		out = quote(out, text)
	}
	return append(out, '}'), nil
}

// quote appends a string in quotation marks.
func quote(out []byte, s string) []byte {
	out = append(out, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', byte(c))
		case c < ' ':
			const digits = "0123456789abcdef"
			out = append(out, `\u00`...)
			out = append(out, digits[c>>4], digits[c&15])
		default:
			out = utf8.AppendRune(out, c)
		}
	}
	return append(out, '"')
}
