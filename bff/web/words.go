package web

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"coinslot/bff/checkout"
)

// words are the sentences that shoppers read, by language and key: those of the
// page, which travel with it, and those that only the server says.
type words struct {
	page, said map[string]map[string]string
}

// fallback is the language of everything that is missing in another one.
const fallback = "en"

//go:embed words
var said embed.FS

// readWords reads the page's sentences from text/<language>.json in static, and
// the server's own from words/<language>.json beside this file.
func readWords(static fs.FS) (w words, err error) {
	if w.page, err = readLanguages(static, "text/*.json"); err != nil {
		return w, err
	}
	w.said, err = readLanguages(said, "words/*.json")
	return w, err
}

func readLanguages(files fs.FS, pattern string) (map[string]map[string]string, error) {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]string{}
	for _, name := range names {
		raw, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		var text map[string]string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		all[strings.TrimSuffix(path.Base(name), ".json")] = text
	}
	if all[fallback] == nil {
		return nil, fmt.Errorf("no %s among %s", fallback, pattern)
	}
	return all, nil
}

// in returns the page's sentences in the language that fits tag best, with
// its own tag and direction.
func (w words) in(tag string) (lang, dir string, text map[string]string) {
	tag = strings.ToLower(tag)
	base, _, _ := strings.Cut(tag, "-")
	for _, candidate := range []string{tag, base} {
		if text, ok := w.page[candidate]; ok {
			return candidate, directionOf(candidate), text
		}
	}
	return fallback, "ltr", w.page[fallback]
}

// saying makes the server's own sentences in a language that in has returned.
func (w words) saying(lang string) checkout.Words {
	text := w.said[lang]
	return func(key string, pairs ...string) string {
		sentence, ok := text[key]
		if !ok {
			sentence = w.said[fallback][key]
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
