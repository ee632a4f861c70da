package order

import (
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// localized is a text for shoppers, either one for all or one by language.
type localized struct {
	texts map[string]string // by tag; the one for all has the tag ""
	// in the matcher's order, the fallback first; empty if there is one for all
	tags    []string
	matcher language.Matcher // nil if there is one for all
}

// in returns the text for the language of a page: the one that fits best, else
// the English one, else the first by the alphabet of its tags.
func (p localized) in(lang string) string {
	if p.matcher == nil {
		return p.texts[""]
	}
	desired, err := language.Parse(lang)
	if err != nil {
		return p.texts[p.tags[0]]
	}
	_, i, _ := p.matcher.Match(desired)
	return p.texts[p.tags[i]]
}

// languages are the tags that there is a text for; "" for the one for all.
func (p localized) languages() []string {
	if p.matcher == nil {
		return []string{""}
	}
	return p.tags
}

// localized reads a text, or a mapping of language and text.
func (m *mapping) localized(name string) localized {
	if _, ok := m.values[name].(map[string]any); !ok {
		return localized{texts: map[string]string{"": m.text(name)}}
	}
	texts := m.mapping(name)
	p := localized{texts: map[string]string{}}
	var known []language.Tag
	for _, tag := range inOrder(texts.names()) {
		parsed, err := language.Parse(tag)
		if err != nil || slices.Contains(known, parsed) {
			texts.fail(tag, "no language, or one that is there already")
		}
		if p.texts[tag] = texts.text(tag); p.texts[tag] == "" {
			texts.fail(tag, "empty")
		}
		p.tags, known = append(p.tags, tag), append(known, parsed)
	}
	if len(known) == 0 {
		m.fail(name, "empty")
		return p
	}
	p.matcher = language.NewMatcher(known)
	return p
}

// inOrder sorts tags, English ones first.
func inOrder(tags []string) []string {
	english := func(tag string) bool {
		base, _, _ := strings.Cut(strings.ToLower(tag), "-")
		return base == "en"
	}
	slices.SortStableFunc(tags, func(a, b string) int {
		if english(a) != english(b) {
			if english(a) {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return tags
}
