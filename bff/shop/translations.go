package shop

import (
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"

	"coinslot/app/widget"
	"coinslot/bff/checkout"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/language"
)

// translations are the sentences that shoppers read, from text/<language>.json; see
// sentences for how they reach the program.
type translations struct {
	texts   map[string]func() map[string]string // by tag; read when they are first wanted
	names   map[string]string                   // of the languages in themselves, by tag
	tags    []string                            // in the matcher's order, the fallback first
	matcher language.Matcher
	menu    []widget.Language
}

// fallback is the language of everybody whose own one is not there.
const fallback = "en"

// readTranslations reads the fallback's sentences and what the others are called: a start
// must not wait for fifty languages, and most of them nobody asks for. One that
// turns out to hold something else than sentences is logged, and the fallback shown.
func readTranslations(static fs.FS, log *slog.Logger) (*translations, error) {
	files, err := fs.Glob(static, "text/*.json")
	if err != nil {
		return nil, err
	}
	english, err := readText(static, "text/"+fallback+".json")
	if err != nil {
		return nil, err
	}
	w := &translations{texts: map[string]func() map[string]string{}, names: map[string]string{}}
	for _, file := range files {
		tag := strings.TrimSuffix(path.Base(file), ".json")
		if w.names[tag], err = readLanguageName(static, file); err != nil {
			return nil, err
		}
		w.texts[tag] = sync.OnceValue(func() map[string]string {
			text, err := readText(static, file)
			if err != nil {
				log.Error("reading a language", "error", err)
				return english
			}
			return text
		})
	}
	w.texts[fallback] = func() map[string]string { return english }
	return w, w.arrange()
}

// readText reads the sentences of a file.
func readText(static fs.FS, file string) (map[string]string, error) {
	raw, err := fs.ReadFile(static, file)
	if err != nil {
		return nil, err
	}
	text, err := widget.ReadText(raw)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return text, nil
}

// readLanguageName reads what the language of a file is called, and that the file is JSON.
func readLanguageName(static fs.FS, file string) (string, error) {
	raw, err := fs.ReadFile(static, file)
	if err != nil {
		return "", err
	}
	var text struct {
		Name string `json:"lang.name"`
	}
	if err := json.Unmarshal(raw, &text, jsontext.AllowDuplicateNames(true)); err != nil {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	return text.Name, nil
}

// arrange makes the matcher and the menu of what was read.
func (w *translations) arrange() error {
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
		w.menu = append(w.menu, widget.Language{Tag: tag, Name: w.names[tag]})
	}
	w.matcher = language.NewMatcher(known)
	slices.SortFunc(
		w.menu, func(a, b widget.Language) int { return strings.Compare(a.Name, b.Name) },
	)
	return nil
}

// match returns the sentences of the language that fits best what is wanted, with
// its own tag and direction. Each of wanted is a BCP 47 tag, an Accept-Language
// header, or empty; an earlier one counts more.
// Source: RFC 4647, as golang.org/x/text/language does it.
func (w *translations) match(wanted ...string) (lang, dir string, text map[string]string) {
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
	return tag, directionOf(tag), w.texts[tag]()
}

// words makes sentences in a language that in has returned.
func (w *translations) words(lang string) checkout.Translate {
	read := w.texts[lang]
	if read == nil {
		read = w.texts[fallback]
	}
	text := read()
	return func(key string, pairs ...string) string {
		if _, ok := text[key]; !ok {
			return ""
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == "amount" {
				pairs[i+1] = widget.Number(text, pairs[i+1])
			}
		}
		return widget.Translate(text, directionOf(lang), key, pairs...)
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
