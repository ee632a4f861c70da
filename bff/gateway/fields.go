package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// fields reads the members of one object of an answer, by exact name. The first member that
// cannot be read is kept in err. Numbers may be strings and the other way round, null is the
// same as absent, and unknown names are ignored.
type fields struct {
	object map[string]any
	err    error
}

// open returns the fields of v, which must be an object.
func open(v any) *fields {
	object, ok := v.(map[string]any)
	if !ok {
		return &fields{err: errors.New("not an object")}
	}
	return &fields{object: object}
}

func list(v any) ([]any, error) {
	array, ok := v.([]any)
	if !ok {
		return nil, errors.New("not an array")
	}
	return array, nil
}

func (f *fields) fail(name, why string) {
	if f.err == nil {
		f.err = fmt.Errorf("reading %s: %s", name, why)
	}
}

// scalar returns the text of a string or the literal of a number; ok is false for any other type.
func scalar(v any) (text string, ok bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}

// numeral is scalar for what is read as a number: a JSON number with an
// exponent comes out in plain notation. Encoders write 1e-05 for small floats.
func numeral(v any) (text string, ok bool) {
	if n, is := v.(json.Number); is {
		return plainNotation(n.String()), true
	}
	return scalar(v)
}

// Bounds of a number with an exponent: parseDecimal refuses what is beyond
// them anyway, and 1e999999999 must not be written out.
const (
	maxExponent = 60
	maxMantissa = 100 // characters
)

// plainNotation writes a valid JSON number without its exponent, exactly. One
// out of bounds is returned as it is, which parseDecimal refuses.
func plainNotation(number string) string {
	at := strings.IndexAny(number, "eE")
	if at < 0 || at > maxMantissa {
		return number
	}
	exponent, err := strconv.Atoi(number[at+1:])
	if err != nil || exponent < -maxExponent || exponent > maxExponent {
		return number
	}
	mantissa, err := decimal.NewFromString(number[:at])
	if err != nil {
		return number
	}
	return mantissa.Shift(int32(exponent)).String()
}

// text returns a string that something is decided by: one with control
// characters, or of another type, is an error.
func (f *fields) text(name string) string {
	s, ok := scalar(f.object[name])
	if !ok || strings.ContainsFunc(s, control) {
		f.fail(name, "not a string")
		return ""
	}
	return s
}

func control(r rune) bool { return r < ' ' || r == 0x7f }

// present is text, and an error if the member is not there at all.
func (f *fields) present(name string) string {
	if _, ok := f.object[name]; !ok {
		f.fail(name, "missing")
	}
	return f.text(name)
}

// status returns a status in lower case. Unknown ones are kept; no member is
// an error, since an absent status says nothing.
func (f *fields) status() string { return lower(strings.TrimSpace(f.present("status"))) }

// label returns a text that is only shown, made printable; "" if it is none.
func (f *fields) label(name string) string {
	s, _ := scalar(f.object[name])
	return clean(s)
}

// verbatim returns a text as it was written, and what is no text as JSON.
func (f *fields) verbatim(name string) string {
	v := f.object[name]
	if s, ok := scalar(v); ok {
		return s
	}
	doc, err := json.Marshal(v)
	if err != nil {
		f.fail(name, "not a string")
	}
	return string(doc)
}

// amountText returns the text of a decimal, in plain notation.
func (f *fields) amountText(name string) string {
	text := f.text(name)
	if _, is := f.object[name].(json.Number); is {
		return plainNotation(text)
	}
	return text
}

// money returns an exact decimal that must be there.
func (f *fields) money(name string) decimal.Decimal {
	if f.label(name) == "" {
		f.fail(name, "missing or not a decimal")
	}
	return f.optional(name)
}

// optional returns an exact decimal; zero if absent, null or empty.
func (f *fields) optional(name string) decimal.Decimal {
	s, ok := numeral(f.object[name])
	if ok && s == "" {
		return decimal.Zero
	}
	d, exact := parseDecimal(s)
	if !ok || !exact {
		f.fail(name, "not a decimal")
	}
	return d
}

// lenient is optional for what no payment is decided by, or for which zero is
// the careful reading: zero if unreadable.
func (f *fields) lenient(name string) decimal.Decimal {
	s, _ := numeral(f.object[name])
	d, _ := parseDecimal(s)
	return d
}

// integer returns an integer from zero up; zero if absent, null or empty.
func (f *fields) integer(name string) int {
	s, ok := numeral(f.object[name])
	if ok && s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if !ok || err != nil || !digits(s, 18) {
		f.fail(name, "not a whole number")
		return 0
	}
	return n
}

// boolean returns a boolean; 1 and "true" are tolerated, all else is false.
func (f *fields) boolean(name string) bool {
	if b, ok := f.object[name].(bool); ok {
		return b
	}
	s, _ := scalar(f.object[name])
	return s == "1" || strings.EqualFold(s, "true")
}

// timestamp returns a timestamp; zero = unset or not plausible.
func (f *fields) timestamp(name string) time.Time { return parseTime(f.object[name]) }

// parseDecimal reads an amount: digits, with digits behind a point or without, at most 30 of each.
// Everything else that decimal would take (signs, exponents, ".5", "1.") is refused; numeral
// removes the exponents of JSON numbers.
func parseDecimal(s string) (decimal.Decimal, bool) {
	whole, fraction, pointed := strings.Cut(s, ".")
	if !digits(whole, 30) || pointed && !digits(fraction, 30) {
		return decimal.Zero, false
	}
	d, err := decimal.NewFromString(s)
	return d, err == nil
}

// digits reports whether s is 1 to most ASCII digits.
func digits(s string, most int) bool {
	for _, b := range []byte(s) {
		if b < '0' || b > '9' {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// parseTime reads a timestamp whose unit is not documented: a number of seconds, milli-,
// micro- or nanoseconds since 1970, by magnitude, or RFC 3339, in UTC. The zero time stands
// for 0, for what cannot be read and for years outside 2009…2099.
func parseTime(v any) time.Time {
	s, _ := numeral(v)
	s = strings.TrimSpace(s)
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t = sinceEpoch(s)
	}
	if t = t.UTC(); t.Year() < 2009 || t.Year() > 2099 {
		return time.Time{}
	}
	return t
}

// sinceEpoch reads a number, less its fraction, in the unit of its magnitude: 10^11 seconds
// would be the year 5138, 10^11 milliseconds 1973.
func sinceEpoch(s string) time.Time {
	if _, ok := parseDecimal(s); !ok {
		return time.Time{}
	}
	s, _, _ = strings.Cut(s, ".")
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err != nil:
		return time.Time{}
	case n < 1e11:
		return time.Unix(n, 0)
	case n < 1e14:
		return time.UnixMilli(n)
	case n < 1e17:
		return time.UnixMicro(n)
	}
	return time.Unix(0, n)
}

// lower makes ASCII letters small, and no other: a dotted capital I must not
// turn into a word that means paid.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}
