package check

import (
	"slices"
	"strings"
)

// clipboard checks Permissions-Policy: without clipboard-write the checkout copies with a
// deprecated API.
func (e Embedding) clipboard(r pastedResponse) Finding {
	f := Finding{
		ID:     "page-clipboard",
		By:     Page,
		Title:  "Your page's Permissions-Policy",
		Status: OK,
		Place:  Permissions,
		Text:   "The checkout may copy addresses.",
	}
	own := `"` + e.URL + `"`
	list, found := allowlist(r.headers["permissions-policy"], "clipboard-write")
	if !found || slices.Contains(list, "*") || slices.Contains(list, own) ||
		slices.Contains(list, "self") && e.host().String() == e.URL {
		return f
	}
	if !slices.Contains(list, "self") {
		list = append([]string{"self"}, list...) // a frame gets nothing that its page has not
	}

	f.set(Warn, "clipboard-write is not allowed for the checkout: it copies with a deprecated API "+
		"that some browsers lack.")
	f.Add = []string{"clipboard-write=(" + strings.Join(append(list, own), " ") + ")"}
	return f
}

// allowlist returns the members of a feature's list; found is false if no header names the feature.
// The last one counts. Source: Permissions Policy, 5.2; RFC 9651, 3.2.
func allowlist(headers []string, feature string) (list []string, found bool) {
	for _, part := range splitOutside(strings.Join(headers, ","), ',') {
		name, value, assigned := strings.Cut(strings.TrimSpace(part), "=")
		if !assigned || name != feature {
			continue
		}
		value = strings.TrimSpace(splitOutside(value, ';')[0])
		if inner, ok := strings.CutPrefix(value, "("); ok {
			value = strings.TrimSuffix(inner, ")")
		}
		list = strings.Fields(value)
		found = true
	}

	return list, found
}

// splitOutside splits text at sep outside quotation marks.
func splitOutside(text string, sep rune) []string {
	var list []string
	quoted := false
	from := 0
	for i, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case r == sep && !quoted:
			list = append(list, text[from:i])
			from = i + 1
		}
	}

	return append(list, text[from:])
}
