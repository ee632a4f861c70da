package web

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"coinslot/app/widget"
	"coinslot/bff/checkout"
)

// words are the sentences that shoppers read, by language and key. They are
// read from text/<language>.json and travel with the page, in one language.
type words map[string]map[string]string

// fallback is the language of everything that is missing in another one.
const fallback = "en"

func readWords(static fs.FS) (words, error) {
	names, err := fs.Glob(static, "text/*.json")
	if err != nil {
		return nil, err
	}
	w := words{}
	for _, name := range names {
		raw, err := fs.ReadFile(static, name)
		if err != nil {
			return nil, err
		}
		text, err := widget.ReadText(raw)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		w[strings.TrimSuffix(path.Base(name), ".json")] = text
	}
	if w[fallback] == nil {
		return nil, fmt.Errorf("text/%s.json is missing", fallback)
	}
	return w, nil
}

// in returns the sentences of the language that fits tag best, with its own
// tag and direction.
func (w words) in(tag string) (lang, dir string, text map[string]string) {
	tag = strings.ToLower(tag)
	base, _, _ := strings.Cut(tag, "-")
	for _, candidate := range []string{tag, base} {
		if text, ok := w[candidate]; ok {
			return candidate, directionOf(candidate), text
		}
	}
	return fallback, "ltr", w[fallback]
}

// saying makes sentences in a language that in has returned.
func (w words) saying(lang string) checkout.Words {
	return func(key string, pairs ...string) string {
		sentence, ok := w[lang][key]
		if !ok {
			sentence = w[fallback][key]
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			sentence = strings.ReplaceAll(sentence, "{"+pairs[i]+"}", pairs[i+1])
		}
		return sentence
	}
}

func directionOf(lang string) string {
	switch base, _, _ := strings.Cut(lang, "-"); base {
	case "ar", "he", "fa", "ur":
		return "rtl"
	}
	return "ltr"
}
