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

	t := &translations{
		texts: map[string]func() map[string]string{},
		names: map[string]string{},
	}
	for _, file := range files {
		tag := strings.TrimSuffix(path.Base(file), ".json")
		t.names[tag], err = readLanguageName(static, file)
		if err != nil {
			return nil, err
		}

		t.texts[tag] = sync.OnceValue(func() map[string]string {
			text, err := readText(static, file)
			if err != nil {
				log.Error("reading a language failed", "error", err)
				return english
			}
			return text
		})
	}

	t.texts[fallback] = func() map[string]string { return english }
	return t, t.arrange()
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
func (t *translations) arrange() error {
	for tag := range t.texts {
		if tag != fallback {
			t.tags = append(t.tags, tag)
		}
	}
	slices.Sort(t.tags)
	t.tags = append([]string{fallback}, t.tags...)

	var known []language.Tag
	for _, tag := range t.tags {
		parsed, err := language.Parse(tag)
		if err != nil {
			return fmt.Errorf("reading text/%s.json: its name is not a language tag: %w", tag, err)
		}
		known = append(known, parsed)
		t.menu = append(t.menu, widget.Language{Tag: tag, Name: t.names[tag]})
	}
	t.matcher = language.NewMatcher(known)

	slices.SortFunc(t.menu, func(a, b widget.Language) int {
		return strings.Compare(a.Name, b.Name)
	})
	return nil
}

// match returns the language that fits best, with its direction and texts. Each of wanted is a
// BCP 47 tag, an Accept-Language header, or empty; earlier ones have priority. Source: RFC 4647, as
// implemented by golang.org/x/text/language.
func (t *translations) match(wanted ...string) (lang, dir string, text map[string]string) {
	tag := fallback
	for _, want := range wanted {
		desired := understood(want)
		if len(desired) == 0 {
			continue
		}
		_, i, confidence := t.matcher.Match(desired...)
		if confidence >= language.Low {
			tag = t.tags[i]
			break
		}
	}

	return tag, directionOf(tag), t.texts[tag]()
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
func (t *translations) words(lang string) checkout.Translate {
	read := t.texts[lang]
	if read == nil {
		read = t.texts[fallback]
	}

	text := read()
	dir := directionOf(lang)
	return func(key string, pairs ...string) string {
		if _, ok := text[key]; !ok {
			return ""
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == "amount" {
				pairs[i+1] = grouped(text, widget.Padded(pairs[i+1]))
			}
		}
		return widget.Translate(text, dir, key, pairs...)
	}
}

// grouped writes decimal text as the language of text does, in groups of three digits.
func grouped(text map[string]string, number string) string {
	whole, fraction, found := strings.Cut(number, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + text["number.group"] + whole[i:]
	}
	if !found {
		return whole
	}
	return whole + text["number.decimal"] + fraction
}

// directionOf returns the direction of the script in which a language is usually written.
func directionOf(lang string) string {
	script, _ := language.Make(lang).Script()
	switch script.String() {
	case "Arab", "Hebr", "Syrc", "Thaa":
		return "rtl"
	}
	return "ltr"
}
