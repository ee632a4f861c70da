package console

import (
	"net/url"
	"slices"
	"strings"

	"coinslot/bff/console/format"
	"coinslot/bff/console/query"
)

type hidden struct{ Name, Value string }

type option struct{ Value, Label string }

type field struct {
	Name, Label, Value string
	Type               string   // of the input; empty = "text"
	Options            []option // of a select; nil = it is an input
	Hint               string   // a sentence below it; empty = none
	Placeholder        string   // an example; it names nothing
	Autocomplete       string   // empty = "off"
	Max                int      // characters; zero = 256
	Required           bool
	Wide               bool // takes the room that is left
	Focus              bool // has the focus from the start
}

// dateFields are those of a list that is filtered by days.
func dateFields(form url.Values) []field {
	return []field{
		{Name: "from", Label: "From", Type: "date", Value: form.Get("from")},
		{Name: "to", Label: "To", Type: "date", Value: form.Get("to")},
	}
}

func sessionField(form url.Values) field {
	return field{
		Name: "session", Label: "Payment", Value: form.Get("session"), Wide: true,
		Placeholder: "cs_…",
	}
}

// choiceField chooses one of the values of a list, or all. A value that is not among them, of
// an old bookmark, is still shown.
func choiceField(name, label string, form url.Values, values []string) field {
	f := field{Name: name, Label: label, Value: form.Get(name)}
	if f.Value != "" && !slices.Contains(values, f.Value) {
		values = append(slices.Clip(values), f.Value)
	}
	f.Options = []option{{query.Any, "All"}}
	for _, value := range values {
		word := format.Capitalize(value)
		if name == "network" && len(value) <= 5 { // a code: "trc20", "ton"
			word = strings.ToUpper(value)
		}
		f.Options = append(f.Options, option{value, word})
	}
	return f
}

type filter struct {
	Path   string
	Search string // what is searched for in the list besides; empty = nothing
	Set    int    // fields that are set
	Fields []field
}

// filterOf returns the filter of a list; form is what it is filtered by.
func filterOf(path string, form url.Values, fields []field) filter {
	set := len(query.WithoutPage(query.Without(form, "q")))
	return filter{Path: path, Set: set, Fields: fields}
}

type form struct {
	Path, Token string // Token is the operator's, see auth.Operator
	Fields      []field
	Hidden      []hidden
	Button      string
	Part        string // data-part of the button, for tests
	Danger      bool   // what it does cannot be undone
	Quiet       bool   // one of many, in a row of a table
	Cancel      string // where the way back leads; empty = there is none
}

// pager leads from one page of a list to the next. First and Next are addresses; empty =
// this is the first page, there is no next one.
type pager struct {
	Shown       int // rows on this page
	First, Next string
}

// pagerOf returns the pager of a list; next is the cursor of the next page, "" = there is none.
func pagerOf(path string, form url.Values, next string, shown int) pager {
	p := pager{Shown: shown}
	if form.Get("cursor") != "" {
		p.First = query.With(path, form, "cursor", "")
	}
	if next != "" {
		p.Next = query.With(path, form, "cursor", next)
	}
	return p
}
