package rates

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// Rate is what one unit of a currency is worth in dollars.
type Rate struct {
	// Fraction is exact and in the source's own numbers: dollars for one unit, "1.0921", or over
	// the source's base, "1.0921/163.27" and "1/0.9157".
	Fraction   string    `json:"fraction"`
	Source     string    `json:"source"`               // as [Source.Name] has it
	AsOf       time.Time `json:"as_of"`                // UTC
	ValidUntil time.Time `json:"valid_until,omitzero"` // zero = without limit
}

// IsZero reports whether there is no rate.
func (r Rate) IsZero() bool { return r.Fraction == "" }

// ErrTooLarge means that an amount comes to a billion dollars or more.
var ErrTooLarge = errors.New("the amount comes to more than 999,999,999.99 dollars")

var maxDollars = decimal.New(999_999_999_99, -2)

// Charge returns an amount above zero in dollars, at a rate and with a spread in percent. It is
// rounded once, up to the cent, so it is never below the price. Errors: ErrTooLarge; a rate that
// cannot be read.
func Charge(amount decimal.Decimal, rate Rate, spreadPercent decimal.Decimal) (decimal.Decimal, error) {
	dollars, err := rate.value()
	if err != nil {
		return decimal.Zero, err
	}
	hundred := decimal.NewFromInt(100)
	cents := dollars.Mul(dollars, amount.Rat())
	cents.Mul(cents, hundred.Add(spreadPercent).Rat()) // a hundred cents and a hundred percent

	whole, rest := new(big.Int).QuoRem(cents.Num(), cents.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	charge := decimal.NewFromBigInt(whole, -2)
	if charge.GreaterThan(maxDollars) {
		return decimal.Zero, ErrTooLarge
	}
	return charge, nil
}

// significant is how many digits of a rate people are shown.
const significant = 10

// USDPerUnit returns the rate for people: dollars for one unit, rounded half up to ten significant
// digits. It is exact if they suffice. A rate that cannot be read is "".
func (r Rate) USDPerUnit() string {
	value, err := r.value()
	if err != nil {
		return ""
	}

	// places is how many decimals have the last significant digit.
	places := significant
	ten, one := big.NewRat(10, 1), big.NewRat(1, 1)
	for shifted := new(big.Rat).Set(value); shifted.Cmp(one) >= 0 && places > 0; places-- {
		shifted.Quo(shifted, ten)
	}
	for shifted := new(big.Rat).Mul(value, ten); shifted.Cmp(one) < 0; places++ {
		shifted.Mul(shifted, ten)
	}

	return decimal.NewFromBigRat(value, int32(places)).String()
}

// value reads the fraction. It is above zero. Errors: not a fraction.
func (r Rate) value() (*big.Rat, error) {
	above, below, divided := strings.Cut(r.Fraction, "/")
	value, reason := parseNumber(above)
	if reason != "" {
		return nil, fmt.Errorf("the rate is %s", reason)
	}
	if !divided {
		return value, nil
	}
	divisor, reason := parseNumber(below)
	if reason != "" {
		return nil, fmt.Errorf("the divisor of the rate is %s", reason)
	}
	return value.Quo(value, divisor), nil
}

// maxNumber is how long a number of a source may be, in bytes. Encoders write at most 25.
const maxNumber = 40

var numberText = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?$`)

// parseNumber reads a decimal number above zero, perhaps with an exponent as in 1.2e-05. Otherwise
// reason says what the text is.
func parseNumber(text string) (value *big.Rat, reason string) {
	if len(text) > maxNumber {
		return nil, fmt.Sprintf("longer than %d characters", maxNumber)
	}
	if !numberText.MatchString(text) {
		return nil, "not a decimal number above zero"
	}
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, "not a decimal number above zero"
	}
	if value.Sign() == 0 {
		return nil, "zero"
	}
	return value, ""
}

var spreadText = regexp.MustCompile(`^(?:10|[0-9])(?:\.[0-9]{1,4})?$`)

// ParseSpread parses a spread in percent: 0 to 10, with at most four digits after the point.
func ParseSpread(text string) (decimal.Decimal, error) {
	spread, err := decimal.NewFromString(text)
	if err != nil || !spreadText.MatchString(text) || spread.GreaterThan(decimal.NewFromInt(10)) {
		return decimal.Zero, errors.New("must be a percentage from 0 to 10, with at most four " +
			"digits after the point")
	}
	return spread, nil
}
