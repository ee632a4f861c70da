package console

import (
	"net/url"
	"strings"
	"time"

	"coinslot/app/wire"
)

// anyValue is the choice of a filter that leaves all.
const anyValue = "all"

// linkWith returns the address of path with query, in which name has that value;
// empty values are left out.
func linkWith(path string, query url.Values, name, value string) string {
	q := formWithout(query, name)
	if value != "" {
		q.Set(name, value)
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// formWithout returns a copy of form without a field, and without empty ones.
func formWithout(form url.Values, name string) url.Values {
	kept := url.Values{}
	for n, values := range form {
		if n != name && len(values) > 0 && values[0] != "" {
			kept.Set(n, values[0])
		}
	}
	return kept
}

// formWithoutPage returns a copy of form without what leads to one page of its list.
func formWithoutPage(form url.Values) url.Values {
	return formWithout(formWithout(form, "cursor"), "page")
}

// parseDay reads a date of a zone as browsers send it; "" is the zero time. Errors: *wire.Error.
func parseDay(text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return parseTime("date", text, zone, time.DateOnly)
}

// parseTime reads a time of a zone in one of some layouts, of a year that can be meant. Errors:
// *wire.Error about param.
func parseTime(
	param, text string, zone *time.Location, layouts ...string,
) (time.Time, error) {
	for _, layout := range layouts {
		t, err := time.ParseInLocation(layout, text, zone)
		if err == nil && t.Year() >= 2000 && t.Year() <= 2200 {
			return t, nil
		}
	}
	return time.Time{}, &wire.Error{Code: wire.CodeInvalid, Param: param}
}

// parseDays reads the fields "from" and "to" of a form, days of a zone, both inclusive; to is the
// day after.
func parseDays(form url.Values, zone *time.Location) (from, to time.Time, err error) {
	from, err = parseDay(form.Get("from"), zone)
	if err != nil {
		return from, to, err
	}
	to, err = parseDay(form.Get("to"), zone)
	if err == nil && !to.IsZero() {
		to = to.AddDate(0, 0, 1)
	}
	return from, to, err
}

// parseFilters returns those named of a query, trimmed and without anyValue.
func parseFilters(query url.Values, names ...string) url.Values {
	form := url.Values{}
	for _, name := range names {
		value := strings.TrimSpace(query.Get(name))
		if name != "q" && strings.EqualFold(value, anyValue) {
			value = ""
		}
		form.Set(name, value)
	}
	return form
}
