package widget

import (
	"strconv"
	"strings"

	"coinslot/app/wire"
)

// T returns the text of key, see [Translate].
func (p *Page) T(key string, pairs ...string) string {
	return Translate(p.Text, p.Dir, key, pairs...)
}

// Plural is T for a text that depends on a whole number, its {n}.
func (p *Page) Plural(key string, n int, pairs ...string) string {
	form := key + "#" + plural(p.Lang, n)
	if _, ok := p.Text[form]; !ok {
		form = key + "#other"
	}
	return p.T(form, append(pairs, "n", strconv.Itoa(n))...)
}

// Translate returns the text of key with each {name} replaced by the value that follows the name
// in pairs; the key itself if there is no text. If a value is missing, it returns a general sentence
// instead: a placeholder is never shown. In a right-to-left language (dir) values are isolated,
// because an amount or a Latin name would change places with its neighbors.
func Translate(text map[string]string, dir, key string, pairs ...string) string {
	sentence, ok := text[key]
	if !ok {
		return key
	}
	if strings.IndexByte(sentence, '{') < 0 { // most have no value
		return sentence
	}
	var out strings.Builder
	out.Grow(len(sentence) + 32)
	for {
		before, rest, found := strings.Cut(sentence, "{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		value, ok := valueOf(pairs, name)
		if !ok || !closed {
			return text["error.unknown"]
		}
		out.WriteString(Isolate(dir, value))
		sentence = after
	}
}

// valueOf returns the value that follows name in pairs.
func valueOf(pairs []string, name string) (string, bool) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1], true
		}
	}
	return "", false
}

// Isolate puts a value between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE in right-to-left
// text.
// Source: Unicode Standard Annex #9, section 2.4.
func Isolate(dir, value string) string {
	if dir != "rtl" || value == "" {
		return value
	}
	return "\u2068" + value + "\u2069"
}

// Decimal formats decimal text with a point in the page's language. It is for reading only: an amount
// for a wallet keeps its point.
func (p *Page) Decimal(number string) string {
	return strings.Replace(number, ".", p.Text["number.decimal"], 1)
}

// Amount formats decimal text of a coin in the page's language, with the coin, kept on one line.
func (p *Page) Amount(number, symbol string) string { return p.Number(number) + "\u00a0" + symbol }

// Number formats decimal text in the page's language, with at least two places. Thousands are not
// grouped, because people type amounts of coins into wallets.
func (p *Page) Number(number string) string {
	return p.Decimal(Padded(number))
}

// Padded returns decimal text with at least two places, and no other zeros at its end. It is for
// reading: what is copied stays as it is.
func Padded(number string) string {
	whole, places, _ := strings.Cut(number, ".")
	if number == "" || strings.Trim(whole+places, "0123456789") != "" {
		return number
	}
	places = strings.TrimRight(places, "0")
	return whole + "." + places + "00"[min(2, len(places)):]
}

// NetworkName is a network's name without what exchanges call it, "TRON" of "TRON (TRC20)".
func NetworkName(n wire.Network) string {
	return strings.TrimSuffix(n.Name, " ("+strings.ToUpper(n.Code)+")")
}

// NetworkTitle is a network's name with what exchanges call it, "TRON (TRC20)", unless the name
// says it already.
func NetworkTitle(name, code string) string {
	code = strings.ToUpper(code)
	if strings.Contains(strings.ToUpper(name), code) {
		return name
	}
	return name + " (" + code + ")"
}
