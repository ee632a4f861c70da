package statement

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"coinslot/bff/locale"
)

// A spreadsheet takes separators, the decimal sign and dates of a CSV file for those of the computer's
// region, and says nothing when it is mistaken: 1.234 is 1234 in Germany.

// Region is how spreadsheets of a region read a CSV file.
type Region struct {
	Tag       string // BCP 47: "de", "en-US"
	separator string
	decimal   string
	date      string // of package time
}

// dates are the short dates of regions: what a spreadsheet there takes for one. ISO 8601, which is
// one everywhere, is the date of the others.
var dates = map[string]string{
	"en-US": "01/02/2006", "en-GB": "02/01/2006", "en-AU": "02/01/2006", "en-IN": "02/01/2006",
	"de": "02.01.2006", "de-AT": "02.01.2006", "de-CH": "02.01.2006", "cs": "02.01.2006",
	"da": "02.01.2006", "es": "02/01/2006", "fi": "02.01.2006", "fr": "02/01/2006",
	"it": "02/01/2006", "nb": "02.01.2006", "nl": "02-01-2006", "pl": "02.01.2006",
	"pt": "02/01/2006", "pt-BR": "02/01/2006", "ro": "02.01.2006", "ru": "02.01.2006",
	"sv": isoDate, "tr": "02.01.2006", "uk": "02.01.2006", "ja": isoDate, "ko": isoDate,
	"zh": isoDate,
}

const isoDate = "2006-01-02"

// Regions returns the tags of all regions, sorted.
func Regions() []string {
	var tags []string
	for tag := range dates {
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	return tags
}

// DefaultRegion is the tag of the region if none is chosen.
const DefaultRegion = "en-US"

// FindRegion returns the region of a tag, in any case. Errors: it is not known.
func FindRegion(tag string) (Region, error) {
	for known, date := range dates {
		if !strings.EqualFold(known, tag) {
			continue
		}
		r := Region{Tag: known, separator: ",", decimal: ".", date: date}
		half := locale.FormatNumber(known, "0.5")
		if strings.Contains(half, ",") && known != "de-CH" {
			r.decimal = ","
		}
		if r.decimal == "," || known == "de-CH" {
			r.separator = ";"
		}
		return r, nil
	}
	return Region{}, fmt.Errorf("the locale %q is not one of %s", tag,
		strings.Join(Regions(), ", "))
}

// WriteExcel writes the rows for spreadsheets of a region, which open the file by a double click:
// numbers and dates as it writes them, the times of the shop, and text that stays text. The file
// begins with the mark that says that it is UTF-8. Errors: w's.
func (s Statement) WriteExcel(w io.Writer, region Region) error {
	out := bufio.NewWriter(w)
	var cells []string
	for _, c := range columns() {
		cells = append(cells, quoteCell(c.head))
	}
	_, _ = out.WriteString("\ufeff" + strings.Join(cells, region.separator) + "\r\n")

	for _, row := range s.Rows {
		cells = cells[:0]
		for _, c := range columns() {
			switch {
			case c.text != nil:
				cells = append(cells, textCell(c.text(row)))
			case c.number != nil:
				cells = append(cells, region.numberCell(c.number(row)))
			default:
				cells = append(cells, quoteCell(c.time(row).Format(region.date+" 15:04:05")))
			}
		}
		_, _ = out.WriteString(strings.Join(cells, region.separator) + "\r\n")
	}
	return out.Flush() // keeps the first error
}

func quoteCell(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// maxLiteral bounds a text within a formula, in characters: Excel takes 255, and a quotation mark may
// count twice. Source: Microsoft, "Excel specifications and limits".
const maxLiteral = 127

// textCell returns text that a spreadsheet leaves as it is. Quotes do not do that: "0007" would be 7,
// "MAR1" a day, "=1+1" 2 or something worse. What does is a formula that is nothing but the text. It
// calls nothing, and the text cannot leave its quotes.
func textCell(text string) string {
	if text == "" {
		return ""
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' ' // a line break would be a row to simple readers
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))

	var parts []string
	for part := range slices.Chunk([]rune(text), maxLiteral) {
		parts = append(parts, quoteCell(string(part)))
	}
	return quoteCell("=" + strings.Join(parts, "&"))
}

// maxDigits is how many digits a spreadsheet keeps of a number. Source: as of maxLiteral.
const maxDigits = 15

// numberCell returns exact decimal text as the region writes it. One that is too long for a number
// stays text, with all of its digits.
func (r Region) numberCell(text string) string {
	if text == "" {
		return ""
	}
	digits := strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(text), "0")
	text = strings.Replace(text, ".", r.decimal, 1)
	if len(digits) > maxDigits {
		return textCell(text)
	}
	return quoteCell(text)
}
