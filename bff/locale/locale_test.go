package locale

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

func TestFormatPrice(t *testing.T) {
	for _, c := range []struct{ lang, currency, amount, want string }{
		{"en", "EUR", "1234.50", "€1,234.50"},
		{"de", "EUR", "1234.50", "1.234,50\u00a0€"},
		{"es", "EUR", "1234.50", "1234,50\u00a0€"},
		{"es", "EUR", "12345.00", "12.345,00\u00a0€"},
		{"hi", "INR", "1234567.89", "₹12,34,567.89"},
		{"ja", "JPY", "1234", "￥1,234"},
		{"ar", "KWD", "1234.500", "\u200f1,234.500\u00a0د.ك.\u200f"},
		{"en", "CHF", "0.05", "CHF\u00a00.05"},
		{"hu", "HUF", "990.00", "990,00\u00a0Ft"},

		{"en", "EUR", "0.0050", "€0.0050"},
		{"en", "EUR", "-1234.5", "-€1,234.5"},
		{"en", "EUR", "123456789012345678901234.56", "€123,456,789,012,345,678,901,234.56"},
		{"en", "EUR", "1e30", "€1e30"},
		{"en", "EUR", "NaN", "€NaN"},
		{"en", "EUR", "", "€"},

		{"fr-CH", "CHF", "1234.00", "1\u202f234,00\u00a0CHF"},
		{"sr-Latn-RS", "RSD", "1.00", "1,00\u00a0RSD"},
		{"tlh", "EUR", "1.00", "€1.00"},
		{"", "EUR", "1.00", "€1.00"},
		{"-", "EUR", "1.00", "€1.00"},
		{"de", "XYZ", "1.50", "1,50\u00a0XYZ"},
		{"de", "", "1.50", "1,50\u00a0"},
		{"de", "#¤", "1.00", "1,00\u00a0#¤"},
	} {
		fortest.Equal(t, FormatPrice(c.lang, c.currency, c.amount), c.want,
			"%s %s in %q", c.amount, c.currency, c.lang)
	}
}

func TestFormatDay(t *testing.T) {
	day := time.Date(2026, 11, 26, 23, 30, 0, 0, time.FixedZone("", -3600)) // in UTC it is the 27th
	for lang, want := range map[string]string{
		"en": "November 26", "de": "26. November", "ja": "11月26日", "he": "26 בנובמבר",
		"de-AT": "26. November", "tlh": "November 26", "": "November 26",
	} {
		fortest.Equal(t, FormatDay(lang, day), want, "26 November in %q", lang)
	}
}

// TestLanguages: the table has the languages of the checkout.
func TestLanguages(t *testing.T) {
	var want []string
	for _, file := range fortest.Must(filepath.Glob("../../static/text/*.json"))(t) {
		want = append(want, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	slices.Sort(want)
	fortest.Diff(t, slices.Sorted(maps.Keys(readLanguages())), want,
		"languages of table.json, which tools/locale writes")
}

// FuzzFormatPrice: whatever the language and the currency are, the digits are those of the amount.
func FuzzFormatPrice(f *testing.F) {
	f.Fuzz(func(t *testing.T, lang, currency, amount string) {
		if strings.ContainsAny(currency, "0123456789") {
			return
		}
		price := FormatPrice(lang, currency, amount)
		fortest.Equal(t, onlyDigits(price), onlyDigits(amount),
			"digits of %q, which is %q %q in %q", price, amount, currency, lang)
	})
}

func onlyDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}
