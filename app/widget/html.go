package widget

import (
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// HTML returns ui as HTML.
//
// go-app's own printer is not enough for pages that browsers read without
// WebAssembly: it quotes attribute values as Go strings, so that a quotation
// mark in a product's title ends the attribute; it writes a value of "true" as
// none, which is wrong for aria-*, and "false" as present, which checks a radio;
// it indents, which puts spaces into an address; and its attribute order is
// random. What it prints can be read back without doubt, though, because text is
// escaped and Go strings are self-delimiting; so it is read and written anew.
func HTML(ui app.UI) string {
	r := rewriter{in: app.HTMLString(ui)}
	for r.in != "" {
		r.text()
		r.tag()
	}
	return r.out.String()
}

// rewriter turns go-app's printed tree into HTML.
type rewriter struct {
	in    string // what is left to read
	out   strings.Builder
	depth int // open elements, for the indent that the printer has used
}

// text copies what stands before the next tag, without the printer's indent.
func (r *rewriter) text() {
	end := strings.IndexByte(r.in, '<')
	if end < 0 {
		end = len(r.in)
	}
	text := r.in[:end]
	r.in = r.in[end:]
	if inner, indented := strings.CutPrefix(text, "\n"); indented {
		text = trimSpaces(inner, 2*r.depth)
	}
	if last := strings.LastIndexByte(text, '\n'); last >= 0 && strings.Trim(text[last:], "\n ") == "" {
		text = text[:last]
	}
	r.out.WriteString(text)
}

// trimSpaces removes at most n leading spaces.
func trimSpaces(s string, n int) string {
	for n > 0 && strings.HasPrefix(s, " ") {
		s, n = s[1:], n-1
	}
	return s
}

// tag copies one tag, if there is one.
func (r *rewriter) tag() {
	if !strings.HasPrefix(r.in, "<") {
		return
	}
	end := strings.IndexAny(r.in, " >")
	name := r.in[1:end]
	r.in = r.in[end:]
	r.out.WriteString("<" + name)
	attributes := r.attributes()
	if isAlt := func(a string) bool { return strings.HasPrefix(a, " alt=") }; name == "img" && !slices.ContainsFunc(attributes, isAlt) {
		attributes = append(attributes, ` alt=""`) // go-app leaves out what is empty
	}
	for _, a := range attributes {
		r.out.WriteString(a)
	}
	r.out.WriteByte('>')
	switch {
	case strings.HasPrefix(name, "/"):
		r.depth--
	case !isVoid(name):
		r.depth++
	}
}

// attributes reads up to and including the tag's end and returns each attribute
// as HTML, sorted.
func (r *rewriter) attributes() []string {
	var list []string
	for strings.HasPrefix(r.in, " ") {
		end := strings.IndexAny(r.in[1:], " =>") + 1
		name, value := r.in[1:end], "true"
		r.in = r.in[end:]
		if strings.HasPrefix(r.in, "=") {
			value = r.quoted()
		}
		if a := attribute(name, value); a != "" {
			list = append(list, a)
		}
	}
	r.in = strings.TrimPrefix(r.in, ">")
	slices.Sort(list)
	return list
}

// quoted reads ="…" and returns what the Go string holds.
func (r *rewriter) quoted() string {
	quoted, err := strconv.QuotedPrefix(r.in[1:])
	if err != nil {
		panic("reading a printed attribute: " + err.Error())
	}
	r.in = r.in[1+len(quoted):]
	value, err := strconv.Unquote(quoted)
	if err != nil {
		panic("reading a printed attribute: " + err.Error())
	}
	return strings.ToValidUTF8(value, "\ufffd")
}

// attribute returns one attribute with a space before it; empty for a boolean
// one that is not set.
func attribute(name, value string) string {
	if !boolean(name) {
		return " " + name + `="` + html.EscapeString(value) + `"`
	}
	if value == "false" {
		return ""
	}
	return " " + name
}

// boolean reports whether an attribute's presence alone is its value.
func boolean(name string) bool {
	switch name {
	case "autofocus", "checked", "disabled", "hidden", "multiple", "open", "readonly", "required", "selected":
		return true
	}
	return false
}

// isVoid reports whether an element of HTML has no end tag.
func isVoid(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr":
		return true
	}
	return false
}
