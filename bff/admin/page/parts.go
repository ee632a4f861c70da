package page

import (
	"strconv"
	"strings"
	"time"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// Badge is a word in a colour: "good", "wait", "warn", "bad", or "" for none.
// The word says all that the colour says.
func Badge(kind, word string) node.Node {
	return El("span").Class("badge").Attr("data-kind", kind).Text(word)
}

// Status is how a session stands.
func Status(s wire.Status) node.Node {
	kind, word := "", string(s)
	switch s {
	case wire.Confirmed:
		kind, word = "good", "Confirmed"
	case wire.Review:
		kind, word = "bad", "Review"
	case wire.Pending:
		kind, word = "wait", "Pending"
	case wire.Preparing:
		kind, word = "wait", "Preparing"
	case wire.Open:
		word = "Open"
	case wire.Expired:
		word = "Expired"
	case wire.Cancelled:
		word = "Cancelled"
	}
	return El("span").Class("badge").Attr("data-kind", kind).Attr("data-status", string(s)).
		Text(word)
}

// Block is a part of a page under a heading of its own; id names it in an
// address, empty = none.
func Block(id, title string, body ...node.Node) node.Node {
	s := El("section").Class("block")
	if id != "" {
		s = s.ID(id)
	}
	return s.Body(append([]node.Node{El("h2").Text(title)}, body...)...)
}

// Note is a sentence of explanation; kind as in [Notice], "" = plain.
func Note(kind, words string) node.Node {
	return El("p").Class("note").Attr("data-kind", kind).Text(words)
}

// Fact is one line of [Facts].
type Fact struct {
	Name  string
	Value node.Node
}

// Facts is a list of names and values; those without a value are left out.
func Facts(list ...Fact) node.Node {
	var lines []node.Node
	for _, f := range list {
		if f.Value == nil {
			continue
		}
		lines = append(lines, El("div").Body(El("dt").Text(f.Name), El("dd").Body(f.Value)))
	}
	return El("dl").Class("facts").Body(lines...)
}

// Coin is what is paid with: the coin's mark, its symbol and the network's name.
// mark is the address of the network's mark, empty = none.
func Coin(symbol, network, mark string) node.Node {
	if symbol == "" {
		return None()
	}
	return El("span").Class("coin").Body(
		picture(IconOf(symbol), "20"),
		El("bdi").Class("coin-symbol").Attr("translate", "no").Text(Harmless(symbol)),
		node.If(network != "", func() node.Node {
			return El("span").Class("coin-network").Body(
				node.If(mark != "", func() node.Node { return picture(mark, "14") }),
				El("bdi").Attr("translate", "no").Text(Harmless(network)))
		}),
	)
}

// IconOf is the address of a coin's mark.
func IconOf(symbol string) string {
	for _, r := range symbol {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			return "/icons/default.svg"
		}
	}
	return "/icons/" + strings.ToLower(symbol) + ".svg"
}

func picture(src, size string) node.Node {
	return Void("img").Attr("src", src).Attr("width", size).Attr("height", size).
		Attr("loading", "lazy").Attr("role", "presentation").Attr("aria-hidden", "true")
}

// Amount is an exact decimal as it is, with its unit behind it; empty is nothing.
func Amount(digits, unit string) node.Node {
	if digits == "" {
		return None()
	}
	return El("span").Class("amount").Attr("translate", "no").Body(
		El("bdi").Class("digits").Attr("dir", "ltr").Text(Harmless(digits)), Text(" "),
		El("span").Class("unit").Text(Harmless(unit)))
}

// USD is an amount in US dollars, "25.00".
func USD(digits string) node.Node {
	if digits == "" {
		return None()
	}
	return El("span").Class("amount").Attr("translate", "no").Attr("dir", "ltr").Text("$" +
		Harmless(digits))
}

// Count is a whole number with its thousands apart.
func Count(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Plain is a whole number as it is, as of an HTTP status.
func Plain(n int) string { return strconv.Itoa(n) }

// Time is a moment in UTC to the second; the zero time is nothing.
func Time(t time.Time) node.Node {
	if t.IsZero() {
		return None()
	}
	t = t.UTC()
	return El("time").Class("time").Attr("datetime", t.Format(time.RFC3339)).Attr(
		"title", t.Format("Monday, 2 January 2006, 15:04:05 UTC"),
	).Body(
		El("span").Class("day").Text(t.Format("2006-01-02")), Text(" "),
		El("span").Class("clock").Text(t.Format("15:04:05")))
}

// Ago is Time with how long ago, or how soon, that is from now.
func Ago(t, now time.Time) node.Node {
	if t.IsZero() {
		return None()
	}
	return El("span").Class("ago").Body(Time(t), Text(" "), El("small").Text(Apart(t, now)))
}

// When is how long before or after now t is; its title has the moment.
func When(t, now time.Time) node.Node {
	if t.IsZero() {
		return None()
	}
	t = t.UTC()
	return El("time").Class("when").Attr("datetime", t.Format(time.RFC3339)).Attr(
		"title", t.Format("2006-01-02 15:04:05 UTC"),
	).Text(Apart(t, now))
}

// Apart says how long before or after now t is, in its largest unit.
func Apart(t, now time.Time) string {
	d := now.Sub(t)
	if d < 0 {
		return "in " + Span(-d)
	}
	return Span(d) + " ago"
}

// Span is a duration in its largest unit, "3 min".
func Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + " days"
}
