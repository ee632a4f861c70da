package node

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// HTML returns n as HTML, with attributes sorted by name.
func HTML(n Node) string { return string(n.Draw().append(nil)) }

func (e *Element) append(dst []byte) []byte {
	if e.component != nil {
		return e.component.Draw().append(dst)
	}
	if e.tag == "" {
		return appendEscaped(dst, e.text)
	}
	dst = append(dst, '<')
	dst = append(dst, e.tag...)
	dst = e.appendAttrs(dst)
	dst = append(dst, '>')
	if e.void {
		return dst
	}
	if e.filled {
		if e.text != "" && e.text[0] == '\n' && (e.tag == "textarea" || e.tag == "pre") {
			dst = append(dst, '\n') // HTML drops the first one
		}
		dst = appendEscaped(dst, e.text)
	}
	for _, c := range e.children {
		dst = c.append(dst)
	}
	dst = append(dst, '<', '/')
	dst = append(dst, e.tag...)
	return append(dst, '>')
}

// appendAttrs appends the attributes. An image without alt gets an empty one, so that screen
// readers do not read its URL.
func (e *Element) appendAttrs(dst []byte) []byte {
	described := e.tag != "img"
	slices.SortFunc(e.attrs, func(a, b attr) int { return cmp.Compare(a.name, b.name) })
	for _, a := range e.attrs {
		described = described || a.name == "alt"
		present := isBoolean(a.name)
		if present && a.value == "false" {
			continue
		}
		dst = append(dst, ' ')
		dst = append(dst, a.name...)
		if present {
			continue
		}
		dst = append(dst, '=', '"')
		dst = appendEscaped(dst, a.value)
		dst = append(dst, '"')
	}
	if !described {
		dst = append(dst, ` alt=""`...)
	}
	return dst
}

// isBoolean reports whether the presence of an attribute means true.
func isBoolean(name Name) bool {
	switch name {
	case "autofocus", "checked", "disabled", "hidden", "multiple", "open", "readonly", "required",
		"selected":
		return true
	}
	return false
}

// entities replace characters that HTML would not keep, which include carriage return and NUL.
var entities = [256]string{
	'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&#34;", '\'': "&#39;", '\r': "&#13;", 0: "\ufffd",
}

// appendEscaped appends s escaped for texts and quoted values. Invalid UTF-8 becomes U+FFFD.
func appendEscaped(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	start := 0
	for i := range len(s) {
		if entity := entities[s[i]]; entity != "" {
			dst = append(dst, s[start:i]...)
			dst = append(dst, entity...)
			start = i + 1
		}
	}
	return append(dst, s[start:]...)
}

// isURL reports whether an attribute holds a URL.
func isURL(name Name) bool {
	switch name {
	case "href", "src", "action", "formaction":
		return true
	}
	return false
}

// isScriptURL reports whether a browser that follows a URL may run what it contains. Images may be
// data URLs.
func isScriptURL(name Name, url string) bool {
	scheme, _, found := strings.Cut(url, ":")
	if !found || url[0] == '/' {
		return false
	}
	// Browsers skip control characters and spaces. Source: URL Standard, section 4.4.
	scheme = strings.ToLower(strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, scheme))
	return scheme == "javascript" || scheme == "vbscript" || scheme == "data" && name != "src"
}
