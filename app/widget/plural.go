package widget

import "strings"

// plural returns the category of a whole number in a language: "zero", "one", "two", "few", "many"
// or "other". Unknown languages have one and other.
// Source: Unicode CLDR 42, cardinal plural rules; a test compares all.
func plural(lang string, n int) string {
	if n < 0 {
		n = -n
	}
	base, _, _ := strings.Cut(lang, "-")
	if rule, ok := plurals[base]; ok {
		return rule(n)
	}
	if n == 1 {
		return "one"
	}
	return "other"
}

// plurals are the rules that differ from one and other.
var plurals = map[string]func(n int) string{
	"ja": noPlural, "zh": noPlural, "ko": noPlural, "vi": noPlural, "th": noPlural, "id": noPlural,
	"ms": noPlural,
	"fr": zeroIsOne, "pt": zeroIsOne, "hi": zeroIsOne, "bn": zeroIsOne, "fa": zeroIsOne,
	"hy": zeroIsOne,
	"ru": eastSlavic, "uk": eastSlavic, "pl": polish, "cs": westSlavic, "sk": westSlavic,
	"hr": southSlavic, "sr": southSlavic, "sl": slovene, "lt": lithuanian, "lv": latvian,
	"ro": romanian, "ar": arabic, "he": hebrew, "fil": filipino,
}

func noPlural(int) string { return "other" }

func zeroIsOne(n int) string {
	if n <= 1 {
		return "one"
	}
	return "other"
}

// endsInFew reports whether n ends in 2, 3 or 4, but not in 12, 13 or 14.
func endsInFew(n int) bool { return n%10 >= 2 && n%10 <= 4 && (n%100 < 12 || n%100 > 14) }

// endsInOne reports whether n ends in 1, but not in 11.
func endsInOne(n int) bool { return n%10 == 1 && n%100 != 11 }

func eastSlavic(n int) string {
	switch {
	case endsInOne(n):
		return "one"
	case endsInFew(n):
		return "few"
	}
	return "many"
}

func southSlavic(n int) string {
	if form := eastSlavic(n); form != "many" {
		return form
	}
	return "other"
}

func polish(n int) string {
	switch {
	case n == 1:
		return "one"
	case endsInFew(n):
		return "few"
	}
	return "many"
}

func westSlavic(n int) string {
	switch {
	case n == 1:
		return "one"
	case n >= 2 && n <= 4:
		return "few"
	}
	return "other"
}

func slovene(n int) string {
	switch n % 100 {
	case 1:
		return "one"
	case 2:
		return "two"
	case 3, 4:
		return "few"
	}
	return "other"
}

func lithuanian(n int) string {
	teens := n%100 >= 11 && n%100 <= 19
	switch {
	case endsInOne(n) && !teens:
		return "one"
	case n%10 >= 2 && !teens:
		return "few"
	}
	return "other"
}

func latvian(n int) string {
	switch {
	case n%10 == 0 || n%100 >= 11 && n%100 <= 19:
		return "zero"
	case endsInOne(n):
		return "one"
	}
	return "other"
}

func romanian(n int) string {
	switch {
	case n == 1:
		return "one"
	case n == 0 || n%100 >= 1 && n%100 <= 19:
		return "few"
	}
	return "other"
}

func arabic(n int) string {
	switch {
	case n <= 2:
		return []string{"zero", "one", "two"}[n]
	case n%100 >= 3 && n%100 <= 10:
		return "few"
	case n%100 >= 11:
		return "many"
	}
	return "other"
}

func hebrew(n int) string {
	switch n {
	case 1:
		return "one"
	case 2:
		return "two"
	}
	return "other"
}

func filipino(n int) string {
	if d := n % 10; d == 4 || d == 6 || d == 9 {
		return "other"
	}
	return "one"
}
