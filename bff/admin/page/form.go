package page

import (
	"strconv"

	"coinslot/app/widget/node"
)

// Option is one choice of a [Field]. Value is not empty: an empty attribute
// is not written, and browsers send the label then; a [Field] panics.
type Option struct{ Value, Label string }

// Field is one input with its label.
type Field struct {
	Name, Label, Value string
	// Type is that of the input ("search", "text", "date", "password"), "select" or
	// "textarea"; empty = "text".
	Type    string
	Options []Option // of a select
	Hint    string   // a sentence below it; empty = none
	// Placeholder is an example; it names nothing.
	Placeholder  string
	Autocomplete string // empty = "off"
	Max          int    // characters; zero = 256
	Required     bool
	Wide         bool // takes the room that is left
	Focus        bool // has the focus from the start
	Unseen       bool // for password managers alone
}

func (f Field) draw() node.Node {
	if f.Unseen {
		return Void("input").Attr("type", "text").Attr("name", f.Name).Attr("value", f.Value).Attr(
			"autocomplete", f.Autocomplete,
		).Bool("hidden", true)
	}
	id := "f-" + f.Name
	class := "field"
	if f.Wide {
		class += " wide"
	}
	return El("div").Class(class).Body(
		El("label").Attr("for", id).Text(f.Label), f.input(id),
		node.If(
			f.Hint != "", func() node.Node { return El("small").ID(id + "-hint").Text(f.Hint) },
		),
	)
}

func (f Field) input(id string) node.Node {
	most := f.Max
	if most == 0 {
		most = 256
	}
	switch f.Type {
	case "select":
		var list []node.Node
		for _, o := range f.Options {
			if o.Value == "" {
				panic(
					"page: the option " + o.Label + " of " + f.Name +
						" has no value: browsers would send its label",
				)
			}
			list = append(
				list,
				El("option").Attr("value", o.Value).Bool("selected", o.Value ==
					f.Value).Text(o.Label),
			)
		}
		return El("select").ID(id).Attr("name", f.Name).Body(list...)
	case "textarea":
		return described(
			El("textarea").ID(id).Attr("name", f.Name).Attr("maxlength", strconv.Itoa(most)).
				Attr("rows", "3").Bool("required", f.Required),
			f, id,
		).Text(f.Value)
	}
	kind, complete := f.Type, f.Autocomplete
	if kind == "" {
		kind = "text"
	}
	if complete == "" {
		complete = "off"
	}
	in := Void("input").ID(id).Attr("type", kind).Attr("name", f.Name).Attr("value", f.Value).Attr(
		"maxlength", strconv.Itoa(most),
	).
		Attr("autocomplete", complete).Bool("required", f.Required).Bool("autofocus", f.Focus).
		Attr("spellcheck", "false").Attr("dir", "auto")
	if f.Placeholder != "" {
		in = in.Attr("placeholder", f.Placeholder)
	}
	if f.Hint != "" {
		in = in.Attr("aria-describedby", id+"-hint")
	}
	return in
}

func described(e *node.Element, f Field, id string) *node.Element {
	if f.Hint != "" {
		return e.Attr("aria-describedby", id+"-hint")
	}
	return e
}

// Hidden is a value that a form sends unseen.
func Hidden(name, value string) node.Node {
	return Void("input").Attr("type", "hidden").Attr("name", name).Attr("value", value)
}

// Filter is the form above a list: it asks for the same page with other filters.
// narrowed says that some are set, and shows the way back to all.
func Filter(path string, narrowed bool, fields ...Field) node.Node {
	var list []node.Node
	for _, f := range fields {
		list = append(list, f.draw())
	}
	list = append(list, El("div").Class("buttons").Body(
		El("button").Attr("type", "submit").Class("primary").Attr("data-part", "search").
			Text("Search"),
		node.If(
			narrowed,
			func() node.Node { return El("a").Class("button").Attr("href", path).Text("Clear") },
		),
	))
	return El("form").Class("filter").Attr("method", "get").Attr("action", path).
		Attr("role", "search").Body(list...)
}

// Form posts fields to path. Token is the visitor's (see admin's visit); every
// form of the console has one.
type Form struct {
	Path, Token string
	Fields      []Field
	Hidden      []Option // sent unseen
	Button      string
	Part        string // data-part of the button, for tests; empty = none
	Danger      bool   // what it does cannot be undone
	Quiet       bool   // one of many, in a row of a table
	Cancel      string // where the way back leads; empty = there is none
}

// Draw returns the form.
func (f Form) Draw() node.Node {
	list := []node.Node{Hidden("token", f.Token)}
	for _, h := range f.Hidden {
		list = append(list, Hidden(h.Value, h.Label))
	}
	for _, field := range f.Fields {
		list = append(list, field.draw())
	}
	class := "primary"
	switch {
	case f.Danger:
		class = "danger"
	case f.Quiet:
		class = "quiet"
	}
	button := El("button").Attr("type", "submit").Class(class)
	if f.Part != "" {
		button = button.Attr("data-part", f.Part)
	}
	list = append(list, El("div").Class("buttons").Body(
		button.Text(f.Button),
		node.If(
			f.Cancel != "",
			func() node.Node {
				return El("a").Class("button").Attr("href", f.Cancel).
					Text("Go back")
			},
		),
	))
	kind := "form"
	if f.Quiet {
		kind = "form inline"
	}
	return El("form").Class(kind).Attr("method", "post").Attr("action", f.Path).Body(list...)
}

// Confirm is the body of a page that asks before something is done: what it is
// about, what will happen, what cannot be undone, and the form.
func Confirm(about node.Node, will, never []string, form Form) node.Node {
	lines := func(title string, words []string) node.Node {
		var list []node.Node
		for _, w := range words {
			list = append(list, El("li").Text(w))
		}
		return node.If(len(list) > 0, func() node.Node {
			return El("div").Body(El("h2").Text(title), El("ul").Body(list...))
		})
	}
	return El("div").Class("confirm").Body(
		about, lines("What will happen", will),
		El("div").Class("never").Body(lines("What cannot be undone", never)), form.Draw())
}
