package order

import (
	"cmp"
	"fmt"
	"maps"
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

// localize checks the texts of a member. Errors name it, and the language.
func localize(member string, written texts) (localized, error) {
	if written.byLanguage == nil {
		return localized{texts: map[string]string{"": written.all}}, nil
	}
	if len(written.byLanguage) == 0 {
		return localized{}, fmt.Errorf("%s: empty", member)
	}

	p := localized{texts: written.byLanguage}
	var known []language.Tag
	for _, tag := range inOrder(slices.Sorted(maps.Keys(written.byLanguage))) {
		parsed, err := language.Parse(tag)
		if err != nil || slices.Contains(known, parsed) {
			return localized{}, fmt.Errorf("%s.%s: not a language tag, or a duplicate",
				member, ShortenName(tag))
		}
		if p.texts[tag] == "" {
			return localized{}, fmt.Errorf("%s.%s: empty", member, tag)
		}
		p.tags = append(p.tags, tag)
		known = append(known, parsed)
	}

	p.matcher = language.NewMatcher(known)
	return p, nil
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
