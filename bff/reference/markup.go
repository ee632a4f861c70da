package reference

import (
	"html/template"
	"regexp"
	"strings"
)

// Markdown in descriptions and docs/errors.md is limited to paragraphs, headings, lists, `code`,
// **bold** and links; a test enforces it.

// blocks renders Markdown as HTML.
func blocks(source string) template.HTML {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.TrimSpace(source), "\n\n") {
		b.WriteString(block(strings.TrimSpace(part)))
	}
	return template.HTML(b.String())
}

var heading = regexp.MustCompile("^(#{1,3}) (.*)$")

func block(source string) string {
	if m := heading.FindStringSubmatch(source); m != nil {
		tag := "h" + string('0'+rune(len(m[1])))
		return "<" + tag + ` id="` + anchor(m[2]) + `">` + string(inline(m[2])) + "</" + tag + ">\n"
	}
	if item, ok := strings.CutPrefix(source, "- "); ok {
		var b strings.Builder
		for item := range strings.SplitSeq(item, "\n- ") {
			b.WriteString("<li>" + string(inline(item)) + "</li>\n")
		}
		return "<ul>\n" + b.String() + "</ul>\n"
	}
	return "<p>" + string(inline(source)) + "</p>\n"
}

var notInAnchor = regexp.MustCompile(`[^a-z0-9_.]+`)

func anchor(heading string) string {
	return strings.Trim(notInAnchor.ReplaceAllString(strings.ToLower(heading), "-"), "-")
}

var mark = regexp.MustCompile("`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\[([^\\]]+)\\]\\(([^)\\s]+)\\)")

// inline renders a line. A link to a file of the repository becomes its text.
func inline(source string) template.HTML {
	var b strings.Builder
	for source != "" {
		m := mark.FindStringSubmatchIndex(source)
		if m == nil {
			break
		}
		part := func(i int) string { return source[m[2*i]:m[2*i+1]] }
		b.WriteString(template.HTMLEscapeString(source[:m[0]]))
		switch {
		case m[2] >= 0:
			b.WriteString("<code>" + template.HTMLEscapeString(part(1)) + "</code>")
		case m[4] >= 0:
			b.WriteString("<b>" + string(inline(part(2))) + "</b>")
		case strings.HasSuffix(part(4), ".md") || strings.Contains(part(4), ".md#"):
			b.WriteString(string(inline(part(3))))
		default:
			b.WriteString(
				`<a href="` + template.HTMLEscapeString(part(4)) + `">` + string(inline(part(3))) +
					"</a>",
			)
		}
		source = source[m[1]:]
	}
	return template.HTML(b.String() + template.HTMLEscapeString(source))
}
