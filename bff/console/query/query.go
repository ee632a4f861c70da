// Package query parses the filters of the console's lists, and writes their addresses.
package query

import (
	"net/url"
	"strings"
	"time"

	"coinslot/app/wire"
)

// Any is the choice of a filter that leaves all.
const Any = "all"

// With returns the address of path with query, in which name has that value;
// empty values are left out.
func With(path string, query url.Values, name, value string) string {
	q := Without(query, name)
	if value != "" {
		q.Set(name, value)
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// Without returns a copy of form without a field, and without empty ones.
func Without(form url.Values, name string) url.Values {
	kept := url.Values{}
	for n, values := range form {
		if n != name && len(values) > 0 && values[0] != "" {
			kept.Set(n, values[0])
		}
	}
	return kept
}

// WithoutPage returns a copy of form without what leads to one page of its list.
func WithoutPage(form url.Values) url.Values { return Without(Without(form, "cursor"), "page") }

// Day reads a date as browsers send it; "" is the zero time. Errors: *wire.Error.
func Day(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return Time("date", text, time.DateOnly)
}

// Time reads a time of UTC in one of some layouts, of a year that can be meant. Errors:
// *wire.Error about param.
func Time(param, text string, layouts ...string) (time.Time, error) {
	for _, layout := range layouts {
		t, err := time.Parse(layout, text)
		if err == nil && t.Year() >= 2000 && t.Year() <= 2200 {
			return t, nil
		}
	}
	return time.Time{}, &wire.Error{Code: wire.CodeInvalid, Param: param}
}

// Days reads the fields "from" and "to" of a form, both inclusive; to is the day after.
func Days(form url.Values) (from, to time.Time, err error) {
	if from, err = Day(form.Get("from")); err != nil {
		return from, to, err
	}
	if to, err = Day(form.Get("to")); err == nil && !to.IsZero() {
		to = to.AddDate(0, 0, 1)
	}
	return from, to, err
}

// Filters returns those named of a query, trimmed and without [Any].
func Filters(query url.Values, names ...string) url.Values {
	form := url.Values{}
	for _, name := range names {
		value := strings.TrimSpace(query.Get(name))
		if name != "q" && strings.EqualFold(value, Any) {
			value = ""
		}
		form.Set(name, value)
	}
	return form
}
