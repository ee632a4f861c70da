// Command locale makes bff/locale/table.json, which has how each language of static/text writes
// prices and days, from Unicode's CLDR in packages of npm:
//
//	npm install --prefix /tmp/cldr cldr-numbers-full@48.2.0 cldr-dates-full@48.2.0
//	go run ./tools/locale -from /tmp/cldr/node_modules
//
// After a new CLDR, copy its LICENSE to tools/licenses/cldr-license.txt, and run
//
//	go test ./bff/locale -update
//
// with a Node that has the same CLDR (node -p process.versions.cldr).
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	from := flag.String("from", "", "folder of the npm packages")
	flag.Parse()
	if err := run(*root, *from); err != nil {
		fmt.Fprintln(os.Stderr, "locale:", err)
		os.Exit(1)
	}
}

func run(root, from string) error {
	var numbers struct{ Version string }
	err := readJSON(&numbers, from, "cldr-numbers-full/package.json")
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(root, "static", "text", "*.json"))
	if err != nil {
		return err
	}

	// One line for each language, so that a difference can be read.
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\n\"made\": \"by go run ./tools/locale\",\n\"cldr\": %q,\n\"languages\": {",
		numbers.Version)
	for i, file := range files {
		tag := strings.TrimSuffix(filepath.Base(file), ".json")
		l, err := readLanguage(from, tag)
		if err != nil {
			return fmt.Errorf("reading the CLDR of %s: %w", tag, err)
		}
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n%q: ", tag)
		writeLine(&out, l)
	}
	out.WriteString("\n}\n}\n")

	fmt.Printf("%d languages, %d bytes\n", len(files), out.Len())
	return os.WriteFile(filepath.Join(root, "bff", "locale", "table.json"), out.Bytes(), 0o644)
}

// language is one of table.json; see bff/locale.
type language struct {
	Price   string            `json:"price"`
	Spaced  string            `json:"spaced,omitempty"`
	Decimal string            `json:"decimal"`
	Group   string            `json:"group"`
	Sizes   [2]int            `json:"sizes"`
	Grouped int               `json:"grouped"`
	Day     string            `json:"day"`
	Months  [12]string        `json:"months"`
	Symbols map[string]string `json:"symbols"`
}

// locales are those whose tag in CLDR is not that of static/text.
var locales = map[string]string{"pt-BR": "pt", "pt": "pt-PT", "zh-TW": "zh-Hant"}

func readLanguage(from, tag string) (l language, err error) {
	locale := tag
	if other, ok := locales[tag]; ok {
		locale = other
	}
	if err := l.readPrices(from, locale); err != nil {
		return l, err
	}
	return l, l.readDays(from, locale)
}

// readPrices reads how prices are written, with Latin digits.
func (l *language) readPrices(from, locale string) error {
	var numbers struct {
		Grouping string `json:"minimumGroupingDigits"`
		Symbols  struct {
			Decimal, Group, CurrencyDecimal, CurrencyGroup string
		} `json:"symbols-numberSystem-latn"`
		Formats struct {
			Standard string
			Spaced   string `json:"standard-alphaNextToNumber"`
		} `json:"currencyFormats-numberSystem-latn"`
	}
	err := readMain(&numbers, from, "cldr-numbers-full", locale, "numbers", "numbers")
	if err != nil {
		return err
	}
	least, err := strconv.Atoi(numbers.Grouping)
	if err != nil {
		return fmt.Errorf("reading minimumGroupingDigits: %w", err)
	}

	l.Price, l.Sizes, err = splitPattern(numbers.Formats.Standard)
	if err != nil {
		return err
	}
	l.Spaced, _, err = splitPattern(numbers.Formats.Spaced)
	if err != nil {
		return err
	}
	if l.Spaced == l.Price {
		l.Spaced = ""
	}
	l.Grouped = l.Sizes[0] + least
	l.Decimal = numbers.Symbols.Decimal
	if other := numbers.Symbols.CurrencyDecimal; other != "" {
		l.Decimal = other
	}
	l.Group = numbers.Symbols.Group
	if other := numbers.Symbols.CurrencyGroup; other != "" {
		l.Group = other
	}

	var names map[string]struct{ Symbol, Decimal string }
	err = readMain(&names, from, "cldr-numbers-full", locale, "currencies", "numbers", "currencies")
	if err != nil {
		return err
	}
	l.Symbols = map[string]string{}
	for code, currency := range names {
		if currency.Decimal != "" { // an old one of this country, which is written in its own way
			continue
		}
		if currency.Symbol != "" && currency.Symbol != code {
			l.Symbols[code] = currency.Symbol
		}
	}
	return nil
}

// splitPattern returns a pattern for prices, like "¤#,##,##0.00", with one "#" for the number, and
// the sizes of its groups.
func splitPattern(pattern string) (price string, sizes [2]int, err error) {
	pattern, _, _ = strings.Cut(pattern, ";") // the other is for negative numbers
	first := strings.IndexAny(pattern, "#0")
	last := strings.LastIndex(pattern, "0.00")
	if first < 0 || last < first || strings.ContainsAny(pattern, "'%") ||
		strings.Count(pattern, "¤") != 1 {
		return "", sizes, fmt.Errorf("the pattern %q is not understood", pattern)
	}
	groups := strings.Split(pattern[first:last+1], ",")
	switch len(groups) {
	case 2:
		sizes = [2]int{len(groups[1]), len(groups[1])}
	case 3:
		sizes = [2]int{len(groups[2]), len(groups[1])}
	default:
		return "", sizes, fmt.Errorf("the pattern %q has %d groups", pattern, len(groups))
	}
	return pattern[:first] + "#" + pattern[last+len("0.00"):], sizes, nil
}

// readDays reads how days of the year are written in the Gregorian calendar.
func (l *language) readDays(from, locale string) error {
	type names struct{ Wide map[string]string }
	var calendar struct {
		Months struct {
			Format     names
			StandAlone names `json:"stand-alone"`
		}
		DateTimeFormats struct{ AvailableFormats map[string]string }
	}
	err := readMain(&calendar, from, "cldr-dates-full", locale, "ca-gregorian",
		"dates", "calendars", "gregorian")
	if err != nil {
		return err
	}

	pattern := calendar.DateTimeFormats.AvailableFormats["MMMMd"]
	var months map[string]string
	for _, part := range patternParts.FindAllString(pattern, -1) {
		switch part {
		case "d":
			l.Day += "#"
		case "M": // as a number
			l.Day += "%"
			months = map[string]string{}
		case "MMMM":
			l.Day += "%"
			months = calendar.Months.Format.Wide
		case "LLLL":
			l.Day += "%"
			months = calendar.Months.StandAlone.Wide
		default:
			if isField.MatchString(part) {
				return fmt.Errorf("the field %s in %q is not known", part, pattern)
			}
			l.Day += strings.Trim(part, "'")
		}
	}
	if months == nil || strings.Count(l.Day, "#") != 1 || strings.Count(l.Day, "%") != 1 {
		return fmt.Errorf("the pattern %q is not understood", pattern)
	}
	for i := range l.Months {
		number := strconv.Itoa(i + 1)
		l.Months[i] = number
		if name, ok := months[number]; ok {
			l.Months[i] = name
		}
	}
	return nil
}

// A pattern for dates has fields, which are repeated letters, and text, which is quoted if it has
// letters. Source: Unicode Technical Standard #35, part 4, "Date Format Patterns".
var (
	patternParts = regexp.MustCompile(`'[^']*'|[A-Za-z]+|[^'A-Za-z]+`)
	isField      = regexp.MustCompile(`^[A-Za-z]`)
)

// readMain decodes what is at path in a locale's file of a package.
func readMain(to any, from, pkg, locale, file string, path ...string) error {
	var object json.RawMessage
	err := readJSON(&object, from, pkg, "main", locale, file+".json")
	if err != nil {
		return err
	}
	for _, key := range append([]string{"main", locale}, path...) {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(object, &members); err != nil {
			return fmt.Errorf("decoding %s of %s: %w", key, file, err)
		}
		object = members[key]
	}
	if object == nil {
		return errors.New(file + " has no " + strings.Join(path, "."))
	}
	return json.Unmarshal(object, to)
}

func readJSON(to any, path ...string) error {
	raw, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, to)
}

// writeLine writes v as JSON in one line, with invisible characters escaped.
func writeLine(out *bytes.Buffer, v any) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // only texts and numbers are encoded
	}
	for _, r := range strings.TrimSpace(line.String()) {
		if !unicode.IsPrint(r) {
			fmt.Fprintf(out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
}
