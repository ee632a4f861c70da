package currency

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/currency"

	"coinslot/bff/fortest"
)

// The table has as many currencies of each kind as ISO's list of 2026-09-17 has without funds.
func TestDigitsAsPublished(t *testing.T) {
	counts := map[int]int{}
	for _, code := range Codes() {
		digits, known := Digits(code)
		if !known || !regexp.MustCompile(`^[A-Z]{3}$`).MatchString(code) {
			t.Errorf("%q is no code", code)
		}
		counts[digits]++
	}
	fortest.Diff(t, counts, map[int]int{0: 16, 2: 132, 3: 7}, "currencies by digits")
	written := len(strings.Fields(noDigits + twoDigits + threeDigits))
	fortest.Equal(t, len(Codes()), written, "each code is written once")

	for _, code := range strings.Fields("XAU XAG XXX XTS XDR CHE CHW CLF UYW USN XAD DEM BGN HRK usd EU") {
		if _, known := Digits(code); known {
			t.Errorf("%s is a metal, a fund, a test or no longer in use", code)
		}
	}
}

// CLDR, a second source, has the same digits, or none for a unit that people no longer use.
func TestDigitsAsInCLDR(t *testing.T) {
	seen := 0
	for _, code := range Codes() {
		unit, err := currency.ParseISO(code)
		if err != nil {
			continue // newer than the CLDR of x/text
		}
		seen++
		digits, _ := Digits(code)
		places, _ := currency.Standard.Rounding(unit)
		if places != digits && (places != 0 || digits == 0) {
			t.Errorf("%s has %d digits; CLDR has %d", code, digits, places)
		}
	}
	if seen < 140 {
		t.Errorf("CLDR knows %d of the currencies; want at least 140", seen)
	}
}

func TestParseAmount(t *testing.T) {
	for _, text := range []string{
		"25 EUR", "25.5 EUR", "25.50 EUR", "0.01 EUR", "1 JPY", "0.001 KWD", "999999999999999 IDR",
		"999999999999999.999 KWD",
	} {
		amount, code, _ := strings.Cut(text, " ")
		parsed, err := ParseAmount(amount, code)
		fortest.OK(t, err)
		digits, _ := Digits(code)
		if got := parsed.String(); got != amount && parsed.StringFixed(int32(digits)) != amount {
			t.Errorf("%s is read as %s", text, got)
		}
	}

	for _, text := range []string{
		" EUR", "0 EUR", "0.00 EUR", "-1 EUR", "+1 EUR", "1. EUR", ".5 EUR", "1.005 EUR", "1,50 EUR", "1e2 EUR",
		"007 EUR", "١ EUR", "1_000 EUR", "1.0 JPY", "1.0000 KWD", "NaN EUR", "1000000000000000 IDR", "1\n EUR",
		"0x1 EUR",
	} {
		amount, code, _ := strings.Cut(text, " ")
		_, err := ParseAmount(amount, code)
		digits, _ := Digits(code)
		problem, ok := errors.AsType[*AmountError](err)
		if !ok || problem.Digits != digits || problem.Currency != code {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, err := ParseAmount("1.5", "JPY")
	fortest.Has(t, "the error", err.Error(), "an amount in JPY is a whole number")

	for _, code := range []string{"", "eur", "EURO", "XAU", "XTS", "BGN"} {
		if _, known := Digits(code); known {
			t.Errorf("%q is a currency in use", code)
		}
		if _, err := ParseAmount("1.2345", code); err != nil {
			t.Errorf("an amount of %q: %v", code, err)
		}
	}
}

// Every currency takes all of its digits, and not one more.
func TestParseAmountInEveryCurrency(t *testing.T) {
	for _, code := range Codes() {
		digits, _ := Digits(code)
		least := "1"
		if digits > 0 {
			least = "0." + strings.Repeat("0", digits-1) + "1"
		}
		if _, err := ParseAmount(least, code); err != nil {
			t.Errorf("%s %s: %v", least, code, err)
		}
		more := "0." + strings.Repeat("0", digits) + "1"
		if _, err := ParseAmount(more, code); err == nil {
			t.Errorf("%s %s is an amount", more, code)
		}
	}
}

func FuzzAmount(f *testing.F) {
	f.Add("25.50", "EUR")
	f.Fuzz(func(t *testing.T, text, code string) {
		amount, err := ParseAmount(text, code)
		if err != nil {
			return
		}
		digits, _ := Digits(code)
		if !amount.IsPositive() || amount.Exponent() < -int32(digits) || len(text) > 19 {
			t.Errorf("%q %q is read as %s", text, code, amount)
		}
	})
}
