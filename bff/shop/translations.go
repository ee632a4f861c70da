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
	"coinslot/bff/order"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/language"
)

// translations are the shopper's texts, from text/<language>.json; see textFiles for how they reach
// the program.
type translations struct {
	texts   map[string]func() map[string]string // by tag; read on first use
	names   map[string]string                   // names of the languages in themselves, by tag
	tags    []string                            // in the matcher's order, the fallback first
	matcher language.Matcher
	menu    []widget.Language
}

// fallback is used if no requested language exists.
const fallback = "en"

// readTranslations reads the fallback's texts and the names of the other languages, which are read
// on first use: fifty would delay the start. An invalid one is logged and replaced by the fallback.
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
				log.Error("reading a language failed", "error", err)
				return english
			}
			return text
		})
	}
	w.texts[fallback] = func() map[string]string { return english }
	return w, w.arrange()
}

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

// readLanguageName reads the name of a file's language, and checks that the file is JSON.
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

// arrange creates the matcher and the menu.
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
			return fmt.Errorf("reading text/%s.json: its name is not a language tag: %w", tag, err)
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

// match returns the language that fits best, with its direction and texts. Each of wanted is a
// BCP 47 tag, an Accept-Language header, or empty; earlier ones have priority. Source: RFC 4647, as
// implemented by golang.org/x/text/language.
func (w *translations) match(wanted ...string) (lang, dir string, text map[string]string) {
	tag := fallback
	for _, want := range wanted {
		desired := understood(want)
		if len(desired) == 0 {
			continue
		}
		if _, i, confidence := w.matcher.Match(desired...); confidence >= language.Low {
			tag = w.tags[i]
			break
		}
	}
	return tag, directionOf(tag), w.texts[tag]()
}

// understood returns the languages of a tag or of an Accept-Language header, the most wanted first.
// What is not one is left out.
func understood(want string) []language.Tag {
	tags, _, err := language.ParseAcceptLanguage(want)
	if err == nil {
		return tags
	}
	for part := range strings.SplitSeq(want, ",") {
		name, _, _ := strings.Cut(part, ";")
		if tag := order.Language(name); tag != "" {
			tags = append(tags, language.Make(tag))
		}
	}
	return tags
}

// words formats texts in a language that match has returned.
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
				pairs[i+1] = widget.Number(text, widget.Padded(pairs[i+1]))
			}
		}
		return widget.Translate(text, directionOf(lang), key, pairs...)
	}
}

func directionOf(lang string) string {
	switch base, _, _ := strings.Cut(lang, "-"); base {
	case "ar", "he", "fa", "ur":
		return "rtl"
	}
	return "ltr"
}
