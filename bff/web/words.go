package web

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"coinslot/app/widget"
	"coinslot/bff/checkout"

	"golang.org/x/text/language"
)

// words are the sentences that shoppers read. They are read from
// text/<language>.json and travel with the page, in one language.
type words struct {
	texts   map[string]map[string]string // by tag and key
	tags    []string                     // in the matcher's order, the fallback first
	matcher language.Matcher
	menu    []widget.Language
}

// fallback is the language of everybody whose own one is not there.
const fallback = "en"

func readWords(static fs.FS) (*words, error) {
	names, err := fs.Glob(static, "text/*.json")
	if err != nil {
		return nil, err
	}
	w := &words{texts: map[string]map[string]string{}}
	for _, name := range names {
		raw, err := fs.ReadFile(static, name)
		if err != nil {
			return nil, err
		}
		text, err := widget.ReadText(raw)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		w.texts[strings.TrimSuffix(path.Base(name), ".json")] = text
	}
	if w.texts[fallback] == nil {
		return nil, fmt.Errorf("text/%s.json is missing", fallback)
	}
	return w, w.arrange()
}

// arrange makes the matcher and the menu of what was read.
func (w *words) arrange() error {
	for tag := range w.texts {
		if tag != fallback {
			w.tags = append(w.tags, tag)
		}
	}
	slices.Sort(w.tags)
	w.tags = append([]string{fallback}, w.tags...)
	var known []language.Tag
	for _, tag := range w.tags {
		parsed, err := language.Parse(tag)
		if err != nil {
			return fmt.Errorf("reading text/%s.json: its name is no language: %w", tag, err)
		}
		known = append(known, parsed)
		w.menu = append(w.menu, widget.Language{Tag: tag, Name: w.texts[tag]["lang.name"]})
	}
	w.matcher = language.NewMatcher(known)
	slices.SortFunc(w.menu, func(a, b widget.Language) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// in returns the sentences of the language that fits best what is wanted, with
// its own tag and direction. Each of wanted is a BCP 47 tag, an Accept-Language
// header, or empty; an earlier one counts more.
// Source: RFC 4647, as golang.org/x/text/language does it.
func (w *words) in(wanted ...string) (lang, dir string, text map[string]string) {
	tag := fallback
	for _, want := range wanted {
		desired, _, err := language.ParseAcceptLanguage(want)
		if err != nil || len(desired) == 0 {
			continue
		}
		if _, i, confidence := w.matcher.Match(desired...); confidence >= language.Low {
			tag = w.tags[i]
			break
		}
	}
	return tag, directionOf(tag), w.texts[tag]
}

// saying makes sentences in a language that in has returned.
func (w *words) saying(lang string) checkout.Words {
	text := w.texts[lang]
	if text == nil {
		text = w.texts[fallback]
	}
	return func(key string, pairs ...string) string {
		if _, ok := text[key]; !ok {
			return ""
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == "amount" {
				pairs[i+1] = widget.Number(text, pairs[i+1])
			}
		}
		return widget.Sentence(text, directionOf(lang), key, pairs...)
	}
}

// directionOf returns how the script of a language runs.
func directionOf(lang string) string {
	switch base, _, _ := strings.Cut(lang, "-"); base {
	case "ar", "he", "fa", "ur":
		return "rtl"
	}
	return "ltr"
}
