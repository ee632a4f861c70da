// Package locale writes prices and days as people of the checkout's languages write them, equal to
// what Intl has in a browser. Digits are Latin in all languages, as everywhere on the page: an
// amount on it is compared with one in a wallet.
//
// table.json is the data, which go run ./tools/locale makes from Unicode's CLDR of the version that
// is in it.
package locale

import (
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

//go:embed table.json
var tableJSON []byte

// readLanguages is called on first use, and returns all languages by BCP 47 tag.
var readLanguages = sync.OnceValue(func() map[string]language {
	var table struct{ Languages map[string]language }
	err := json.Unmarshal(tableJSON, &table)
	if err != nil {
		panic("decoding the embedded table of languages: " + err.Error())
	}
	return table.Languages
})

// language is how one language writes prices and days.
type language struct {
	// Price is a price with "#" for its number and "¤" for the symbol. Spaced is the same for a
	// symbol that would run into the number, like "CHF"; empty = Price.
	Price, Spaced string
	// Decimal and Group are between whole and fraction, and between groups of digits.
	Decimal, Group string
	// Sizes are of the last group and of those before it.
	Sizes [2]int
	// Grouped is the least number of digits that are grouped.
	Grouped int
	// Symbols are by currency; one that has none is written as its code.
	Symbols map[string]string
	// Day is a day of the year, with "#" for the day's number and "%" for the month.
	Day    string
	Months [12]string
}

// find returns a language by its BCP 47 tag, else what its tag begins with, else English.
// Source: RFC 4647, section 3.4.
func find(tag string) language {
	languages := readLanguages()
	for tag != "" {
		found, ok := languages[tag]
		if ok {
			return found
		}
		tag = tag[:max(0, strings.LastIndexByte(tag, '-'))]
	}
	return languages["en"]
}

// FormatPrice formats an amount, decimal text like "1234.50", of a currency (ISO 4217) in a language
// (BCP 47): "1.234,50 €". All digits stay as they are: the caller pads to those of the currency by
// ISO 4217, which are more than people and Intl write in some, like HUF. An unknown language is
// written as its parent, else as English; an unknown currency as its code.
func FormatPrice(lang, currency, amount string) string {
	l := find(lang)
	symbol, ok := l.Symbols[currency]
	if !ok {
		symbol = currency
	}
	pattern := l.Price
	if l.Spaced != "" && touches(symbol, pattern) {
		pattern = l.Spaced
	}

	unsigned, negative := strings.CutPrefix(amount, "-")
	number := l.formatNumber(unsigned)
	price := strings.NewReplacer("#", number, "¤", symbol).Replace(pattern)
	if negative {
		return "-" + price
	}
	return price
}

// FormatNumber formats decimal text like "1234.50" in a language, as FormatPrice does: "1.234,50".
func FormatNumber(lang, decimal string) string { return find(lang).formatNumber(decimal) }

// touches reports whether the end of a symbol that is beside the number in a pattern is a letter or
// the like. Source: Unicode Technical Standard #35, part 3, "Currency Formats".
func touches(symbol, pattern string) bool {
	edge, _ := utf8.DecodeRuneInString(symbol)
	if strings.Index(pattern, "¤") < strings.Index(pattern, "#") {
		edge, _ = utf8.DecodeLastRuneInString(symbol)
	}
	return !unicode.In(edge, unicode.S, unicode.Z)
}

// formatNumber formats decimal text without a sign. Other text stays as it is.
func (l language) formatNumber(decimal string) string {
	whole, fraction, found := strings.Cut(decimal, ".")
	if strings.Trim(whole+fraction, "0123456789") != "" {
		return decimal
	}

	if len(whole) >= l.Grouped {
		size := l.Sizes[0]
		for i := len(whole) - size; i > 0; i -= size {
			whole = whole[:i] + l.Group + whole[i:]
			size = l.Sizes[1]
		}
	}
	if !found {
		return whole
	}
	return whole + l.Decimal + fraction
}

// FormatDay formats the day and the month of t, in t's own time zone and the Gregorian calendar, in
// a language (BCP 47): "26. November". An unknown language is as for [FormatPrice].
func FormatDay(lang string, t time.Time) string {
	l := find(lang)
	day := strconv.Itoa(t.Day())
	month := l.Months[t.Month()-1]
	return strings.NewReplacer("#", day, "%", month).Replace(l.Day)
}
