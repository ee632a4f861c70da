// Package currency knows the currencies in use, and how their amounts are written for programs. For
// people, package locale writes them.
package currency

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// The currencies in use by the digits of their minor unit. Source: ISO 4217, list one, published by
// SIX on 2026-09-17 (list-one.xml, SHA-256 33139b438657d1cee116ba737807ea71d19d6de4b90f799a09c56f0
// cc6a1b0ff), without its funds (BOV, CHE, CHW, CLF, COU, MXV, USN, UYI, UYW, XAD) and the 13 codes
// without a minor unit: metals, bond units, XDR, XSU, XUA, XTS and XXX.
const (
	noDigits = `
		BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF`
	twoDigits = `
		AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF
		CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD
		HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA
		MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN
		QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP
		TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`
	threeDigits = `
		BHD IQD JOD KWD LYD OMR TND`
)

// USD is the currency that everything is charged in.
const USD = "USD"

var minorDigits = indexDigits()

func indexDigits() map[string]int {
	digits := map[string]int{}
	for count, codes := range map[int]string{0: noDigits, 2: twoDigits, 3: threeDigits} {
		for code := range strings.FieldsSeq(codes) {
			digits[code] = count
		}
	}
	return digits
}

// Digits returns how many digits an amount of a currency may have after the point; false = code is
// not a currency in use, in capitals.
func Digits(code string) (int, bool) {
	count, known := minorDigits[code]
	return count, known
}

// Codes returns all currencies in use, sorted.
func Codes() []string { return slices.Sorted(maps.Keys(minorDigits)) }

// AmountError means that a text is not an amount of its currency.
type AmountError struct {
	Currency string
	Digits   int // that the currency has after the point
}

// Error says what an amount of the currency is.
func (e *AmountError) Error() string {
	if e.Digits == 0 {
		return fmt.Sprintf("an amount in %s is a whole number above zero, as text, of at most %d "+
			"digits", e.Currency, maxWholeDigits)
	}
	return fmt.Sprintf("an amount in %s is a decimal number above zero, as text, with at most %d "+
		"digits after the point and %d before it", e.Currency, e.Digits, maxWholeDigits)
}

// maxWholeDigits leaves room for the most that can be charged in any currency of today: a dollar
// was worth 1.4 million of the least one.
const maxWholeDigits = 15

// mostDigits is how many digits an amount may have after the point if its currency is not known.
const mostDigits = 4

var amountText = regexp.MustCompile(`^(?:0|[1-9][0-9]{0,14})(?:\.([0-9]+))?$`)

// ParseAmount parses an amount of a currency: decimal text, above zero, with at most the currency's
// digits. The amount of a code that is no currency in use may have four: there is no rate for it.
// Errors: *AmountError.
func ParseAmount(text, code string) (decimal.Decimal, error) {
	digits, known := Digits(code)
	if !known {
		digits = mostDigits
	}

	parts := amountText.FindStringSubmatch(text)
	if parts == nil || len(parts[1]) > digits {
		return decimal.Zero, &AmountError{code, digits}
	}
	amount, err := decimal.NewFromString(text)
	if err != nil || !amount.IsPositive() {
		return decimal.Zero, &AmountError{code, digits}
	}
	return amount, nil
}

// Text returns an amount as decimal text with all digits of its currency: "12.50", "1250" of JPY.
func Text(amount decimal.Decimal, code string) string {
	digits, known := Digits(code)
	if !known {
		return amount.String()
	}
	return amount.StringFixed(int32(digits))
}
