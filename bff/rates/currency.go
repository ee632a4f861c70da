package rates

import (
	"errors"
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

// ErrUnsupported means that a code is not a currency in use, or that the source has never had a
// rate of it.
var ErrUnsupported = errors.New("the currency is not supported")

// AmountError means that a text is not an amount of its currency.
type AmountError struct {
	Currency string
	Digits   int // that the currency has after the point
}

// Error says what an amount of the currency is.
func (e *AmountError) Error() string {
	return fmt.Sprintf("an amount of %s is a decimal number above zero, with at most %d digits "+
		"after the point and %d before it", e.Currency, e.Digits, maxWholeDigits)
}

// maxWholeDigits leaves room for the most that can be charged in any currency of today: a dollar
// was worth 1.4 million of the least one.
const maxWholeDigits = 15

var amountText = regexp.MustCompile(`^(?:0|[1-9][0-9]{0,14})(?:\.([0-9]+))?$`)

// ParseAmount parses an amount of a currency: decimal text, above zero, with at most the currency's
// digits. Errors: ErrUnsupported, *AmountError.
func ParseAmount(text, currency string) (decimal.Decimal, error) {
	digits, known := Digits(currency)
	if !known {
		return decimal.Zero, ErrUnsupported
	}

	parts := amountText.FindStringSubmatch(text)
	if parts == nil || len(parts[1]) > digits {
		return decimal.Zero, &AmountError{currency, digits}
	}
	amount, err := decimal.NewFromString(text)
	if err != nil || !amount.IsPositive() {
		return decimal.Zero, &AmountError{currency, digits}
	}
	return amount, nil
}
