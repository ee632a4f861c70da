package order

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// localized is a text for shoppers, either one for all languages or one per language.
type localized struct {
	texts map[string]string // by tag; "" = for all languages
	// in the matcher's order, the fallback first; empty if there is one text for all
	tags    []string
	matcher language.Matcher // nil if there is one text for all
}

// in returns the best text for a language: else the English one, else the first by tag.
func (p localized) in(lang string) string {
	if p.matcher == nil {
		return p.texts[""]
	}
	_, i, _ := p.matcher.Match(language.Make(Language(lang)))
	return p.texts[p.tags[i]]
}

// languages returns the tags of the texts; "" for the one for all.
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
			texts.fail(tag, "not a language tag, or a duplicate")
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
	rank := func(tag string) int {
		if base, _, _ := strings.Cut(strings.ToLower(tag), "-"); base == "en" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(tags, func(a, b string) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
	})
	return tags
}
