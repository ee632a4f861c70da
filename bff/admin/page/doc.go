// Package page draws the operator's console: the frame around every page and
// the parts that pages are put together from. All of it is made of nodes
// (app/widget/node), like the checkout, and complete without scripts.
//
// What others wrote (titles, e-mails, comments, what the gateway answered) goes
// through [Foreign] or [Code], which keep it in its place: isolated from the
// direction of the words around it, without control characters, and broken
// where it is too long.
package page

import (
	"strings"
	"unicode"

	"coinslot/app/widget/node"
)

// El returns an element by its tag, as app/widget does.
func El(tag node.Name) *node.Element { return node.El(tag) }

// Void returns an element that has no end tag.
func Void(tag node.Name) *node.Element { return node.Void(tag) }

// Text is words of our own.
func Text(words string) node.Node { return node.Text(words) }

// Join puts parts into one, with a space between neighbours.
func Join(parts ...node.Node) node.Node {
	list := make([]node.Node, 0, 2*len(parts))
	for i, part := range parts {
		if i > 0 {
			list = append(list, node.Text(" "))
		}
		list = append(list, part)
	}
	return El("span").Class("joined").Body(list...)
}

// None stands where there is nothing.
func None() node.Node {
	return El("span").Class("none").Body(
		El("span").Attr("aria-hidden", "true").Text("–"), offscreen("none"),
	)
}

func offscreen(words string) node.Node { return El("span").Class("offscreen").Text(words) }

// Foreign is text that somebody else wrote; nothing of it reaches beyond itself.
func Foreign(text string) node.Node {
	if text == "" {
		return None()
	}
	return El("bdi").Class("foreign").Attr("translate", "no").Text(Harmless(text))
}

// Email is an address as somebody wrote it, broken behind its at sign if it must be.
func Email(text string) node.Node {
	name, host, found := strings.Cut(Harmless(text), "@")
	if !found {
		return Foreign(text)
	}
	return El("bdi").Class("foreign").Attr("translate", "no").Body(
		node.Text(name+"@"), Void("wbr"), node.Text(host),
	)
}

// Code is an id, an address or the like, which is compared letter by letter.
func Code(text string) node.Node {
	if text == "" {
		return None()
	}
	return El("bdi").Class("code").Attr("translate", "no").Attr("dir", "ltr").Text(Harmless(text))
}

// Short is Code with its middle left out; the whole of it is its title.
func Short(text string) node.Node {
	const head, tail = 8, 6
	if r := []rune(Harmless(text)); len(r) > head+tail+3 {
		return El("bdi").Class("code").Attr("translate", "no").Attr("dir", "ltr").
			Attr("title", string(r)).Text(string(r[:head]) + "…" + string(r[len(r)-tail:]))
	}
	return Code(text)
}

// Link leads to another page of the console.
func Link(to string, label node.Node) node.Node { return El("a").Attr("href", to).Body(label) }

// Away leads to another site in a tab of its own, which does not learn from
// where. An address that is neither http nor https is no link.
func Away(to string, label node.Node) node.Node {
	if !strings.HasPrefix(to, "https://") && !strings.HasPrefix(to, "http://") {
		return label
	}
	return El("a").Class("away").Attr("href", to).Attr("target", "_blank").
		Attr("rel", "noopener noreferrer").Body(
		label, El("span").Class("away-mark").Attr("aria-hidden", "true").Text("↗"),
		offscreen("(opens in a new tab)"))
}

// Harmless returns text with every character that moves other characters, or
// shows nothing at all, replaced by a mark that is seen. Line breaks and tabs
// become spaces.
func Harmless(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r == '\u200c' || r == '\u200d': // join letters of Persian and parts of emoji
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}
