package gateway

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
)

// The members of the gateway's records have the types of this file. Each accepts what the gateway
// may write: numbers may be strings and the other way round, and null is the same as absent. What
// something is decided by is an error if it cannot be read; what is only shown is then left out.

// scalar is a string, or a number as it is written; the zero scalar is null.
type scalar struct {
	text   string
	number bool
}

// readScalar reads a JSON value; ok is false if it is neither a string nor a number nor null.
func readScalar(raw []byte) (s scalar, ok bool) {
	switch jsontext.Value(raw).Kind() {
	case 'n':
		return scalar{}, true
	case '"':
		err := json.Unmarshal(raw, &s.text, checked)
		return s, err == nil
	case '0':
		return scalar{text: string(raw), number: true}, true
	}
	return scalar{}, false
}

// numeral is the text of what is read as a number: a JSON number with an exponent comes out in
// plain notation. Encoders write 1e-05 for small floats.
func (s scalar) numeral() string {
	if s.number {
		return plainNotation(s.text)
	}
	return s.text
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

// text is a string that something is decided by, "" if absent. One with control characters is an
// error.
type text string

// UnmarshalJSON reads a string or a number.
func (t *text) UnmarshalJSON(raw []byte) error {
	s, ok := readScalar(raw)
	if !ok || strings.ContainsFunc(s.text, isControl) {
		return errors.New("not a string")
	}
	*t = text(s.text)
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// status is a status in lower case; unknown ones are kept.
type status struct {
	text  string
	given bool // false if the member is absent, which says nothing
}

// UnmarshalJSON reads what text reads.
func (s *status) UnmarshalJSON(raw []byte) error {
	var t text
	err := t.UnmarshalJSON(raw)
	*s = status{text: lower(strings.TrimSpace(string(t))), given: true}
	return err
}

// label is a text that is only shown, on one line; "" if it is none.
type label string

// UnmarshalJSON reads a string or a number.
func (l *label) UnmarshalJSON(raw []byte) error {
	s, _ := readScalar(raw)
	*l = label(clean(s.text))
	return nil
}

// shown is a label whose numbers are in plain notation.
type shown string

// UnmarshalJSON reads a string or a number.
func (sh *shown) UnmarshalJSON(raw []byte) error {
	s, _ := readScalar(raw)
	*sh = shown(clean(s.numeral()))
	return nil
}

// verbatim is a text as it is written, with numbers in plain notation; what is no text is JSON.
type verbatim string

// UnmarshalJSON reads any value.
func (v *verbatim) UnmarshalJSON(raw []byte) error {
	if s, ok := readScalar(raw); ok {
		*v = verbatim(s.numeral())
		return nil
	}
	doc := jsontext.Value(bytes.Clone(raw))
	err := doc.Compact(checked)
	*v = verbatim(doc)
	return err
}

// amount is an exact decimal from zero up; the zero amount if absent, null or empty.
type amount struct {
	value decimal.Decimal
	text  string // in plain notation, with all of its digits
}

// UnmarshalJSON reads a number, or a string of one.
func (a *amount) UnmarshalJSON(raw []byte) error {
	s, ok := readScalar(raw)
	text := s.numeral()
	if ok && text == "" {
		return nil
	}
	value, exact := parseDecimal(text)
	if !ok || !exact {
		return errors.New("not a decimal")
	}
	*a = amount{value: value, text: text}
	return nil
}

// estimate is a decimal that no payment is decided by, or for which zero is the careful reading:
// zero if it cannot be read.
type estimate decimal.Decimal

// UnmarshalJSON reads what amount reads.
func (e *estimate) UnmarshalJSON(raw []byte) error {
	s, _ := readScalar(raw)
	value, _ := parseDecimal(s.numeral())
	*e = estimate(value)
	return nil
}

// number is a whole number from zero up; zero if absent, null or empty.
type number struct {
	value int
	given bool // false if the member is absent
}

// UnmarshalJSON reads a number, or a string of one.
func (n *number) UnmarshalJSON(raw []byte) error {
	value, err := readNumber(raw)
	*n = number{value: value, given: true}
	return err
}

// count is a number that is only shown: zero if it cannot be read.
type count int

// UnmarshalJSON reads what number reads.
func (c *count) UnmarshalJSON(raw []byte) error {
	value, _ := readNumber(raw)
	*c = count(value)
	return nil
}

func readNumber(raw []byte) (int, error) {
	s, ok := readScalar(raw)
	text := s.numeral()
	if ok && text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if !ok || err != nil || !digits(text, 18) {
		return 0, errors.New("not a whole number")
	}
	return n, nil
}

// flag is a boolean; 1 and "true" are tolerated, all else is false.
type flag bool

// UnmarshalJSON reads any value.
func (f *flag) UnmarshalJSON(raw []byte) error {
	s, _ := readScalar(raw)
	*f = flag(string(raw) == "true" || s.text == "1" || strings.EqualFold(s.text, "true"))
	return nil
}

// timestamp is a time whose unit is not documented: a number of seconds, milli-, micro- or
// nanoseconds since 1970, by magnitude, or RFC 3339, in UTC. The zero time stands for 0, for what
// cannot be read and for years outside 2009…2099.
type timestamp time.Time

// UnmarshalJSON reads a number or a string.
func (t *timestamp) UnmarshalJSON(raw []byte) error {
	s, _ := readScalar(raw)
	*t = timestamp(parseTime(s.numeral()))
	return nil
}

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

// parseTime reads the text of a timestamp, see timestamp.
func parseTime(s string) time.Time {
	s = strings.TrimSpace(s)
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t = sinceEpoch(s)
	}
	t = t.UTC()
	if t.Year() < 2009 || t.Year() > 2099 {
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
